"""What can be done with webhooks: register an address, rotate its secret, tell it what happened, look at the log.

Every change of a play writes a row of its history in its own transaction, with `announced` false: that is the outbox.
`fan_out` turns such rows into messages, one for each address that wants them; `deliver` sends what is due. The
database is the truth: a worker that dies after sending and before noting it sends once more, never once less.
"""

import json
import logging
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Prefetch, Q
from django.utils import timezone, translation
from django.utils.translation import gettext

from forsale_api.api.problems import AgainstTheRules, Conflict, NotFound, Problem
from forsale_api.clubs.models import Club, User
from forsale_api.clubs.services import locked_club
from forsale_api.plays.models import Play, PlayChange, Seat
from forsale_api.plays.serializers import play_as_json, tombstone_as_json
from forsale_api.webhooks import discord, sending
from forsale_api.webhooks.models import KEPT, TEST_EVENT, Attempt, Delivery, Status, Webhook

logger = logging.getLogger(__name__)

EVENT_OF = {
    "created": "play.created",
    "changed": "play.changed",
    "restored": "play.changed",
    "deleted": "play.deleted",
}
MOST = 10
"""Webhooks of one club."""
DELAYS = [
    timedelta(seconds=5),
    *(timedelta(minutes=m) for m in (1, 5, 30)),
    *(timedelta(hours=h) for h in (2, 5, 8, 8)),
]
"""Between one attempt and the next: about a day in all."""
LONGEST_REST = timedelta(minutes=5)
"""An address that fails is left alone for a while, twice as long each time, up to this."""
LONGEST_WISH = 3600
"""Seconds that an answer's Retry-After may ask for."""
LEASE = timedelta(seconds=30)
TURN_SECONDS = 5.0
"""After so long other addresses get their turn."""
BATCH = 500
OLD_SECRET_LIFE = timedelta(hours=24)


# ---- registering ------------------------------------------------------------------------------------


def check_address(url: str) -> None:
    """Raises `Problem` (400, bad-address) for what is no address, `AgainstTheRules` (422) for one that is not public.

    A name that cannot be resolved now may be by the time there is something to tell; every attempt checks again.
    """
    try:
        sending.addresses_of(sending.parts_of(url))
    except sending.NotAnAddress:
        raise Problem(
            gettext("An address begins with https:// and has neither user nor fragment."),
            code="bad-address",
            place=("url",),
        ) from None
    except sending.NotPublic:
        raise AgainstTheRules(
            gettext("This address is not one of the public Internet."), code="address-not-public", place=("url",)
        ) from None
    except sending.Unknown:
        logger.info("a webhook's name cannot be resolved yet")


@transaction.atomic
def register(*, club: Club, site: str, url: str, events: Sequence[str], form: str, language: str) -> Webhook:
    """A new address that is told of these events of the club.

    Raises as `check_address` does, and `Conflict` (409, too-many-webhooks).
    """
    check_address(url)
    locked_club(club)
    if Webhook.objects.filter(club=club).count() >= MOST:
        raise Conflict(
            gettext("A club has at most %(most)d webhooks; delete one.") % {"most": MOST}, code="too-many-webhooks"
        )
    return Webhook.objects.create(
        club=club, site=site, url=url, events=list(events), form=form, language=language, secret=sending.new_secret()
    )


@transaction.atomic
def change(webhook: Webhook, changes: Mapping[str, Any]) -> Webhook:
    """Changes what is named: url, events, form, language, active. Made active again, it starts with a clean slate."""
    if "url" in changes and changes["url"] != webhook.url:
        check_address(changes["url"])
    for name, value in changes.items():
        setattr(webhook, name, value)
    if webhook.active:
        webhook.disabled_reason, webhook.failures, webhook.resting_until = "", 0, None
    webhook.save()
    return webhook


@transaction.atomic
def rotate(webhook: Webhook) -> Webhook:
    """A new secret. For a day messages are signed with the old one as well, so that receivers can change over."""
    webhook.old_secret, webhook.old_secret_until = webhook.secret, timezone.now() + OLD_SECRET_LIFE
    webhook.secret = sending.new_secret()
    webhook.save()
    return webhook


@transaction.atomic
def send_test(webhook: Webhook) -> Delivery:
    """A message that says nothing, to see whether it arrives. Raises `Conflict` (409) where the webhook is off."""
    _require_active(webhook)
    now = timezone.now()
    data = {"club": webhook.club.slug, "webhook": str(webhook.pk)}
    return Delivery.objects.create(webhook=webhook, event=TEST_EVENT, data=data, due_at=now, happened_at=now)


@transaction.atomic
def redeliver(delivery: Delivery) -> Delivery:
    """Sends a message once more, under the same id. Raises `Conflict` (409) where the webhook is off."""
    _require_active(delivery.webhook)
    delivery.status, delivery.due_at, delivery.tries = Status.PENDING, timezone.now(), 0
    delivery.save(update_fields=["status", "due_at", "tries"])
    return delivery


def _require_active(webhook: Webhook) -> None:
    if not webhook.active:
        raise Conflict(gettext("This webhook is off; set active to true first."), code="webhook-off")


def no_such_webhook() -> NotFound:
    return NotFound(gettext("This club has no such webhook."), code="no-such-webhook")


# ---- what happened -> messages ----------------------------------------------------------------------


def fan_out(*, batch: int = BATCH) -> int:
    """Turns up to `batch` changes of plays into messages, in one transaction; gives how many changes it took."""
    if not PlayChange.objects.filter(announced=False).exists():  # the usual answer, without a lock
        return 0
    with transaction.atomic():
        changes = list(
            PlayChange.objects.select_for_update(skip_locked=True, of=("self",))
            .select_related("play")
            .defer("before", "after", "play__record", "play__notes")
            .filter(announced=False)
            .order_by("pk")[:batch]
        )
        wanting = _active_webhooks(Q(club__in={change.play.club_id for change in changes}))
        now = timezone.now()
        Delivery.objects.bulk_create(
            [
                Delivery(
                    webhook=webhook, event=EVENT_OF[change.action], change=change, due_at=now, happened_at=change.at
                )
                for change in changes
                for webhook in wanting[change.play.club_id]
                if EVENT_OF[change.action] in webhook.events and change.at >= webhook.created_at
            ],
            ignore_conflicts=True,
        )
        PlayChange.objects.filter(pk__in=[change.pk for change in changes]).update(announced=True)
    return len(changes)


def _active_webhooks(which: Q) -> dict[int, list[Webhook]]:
    """Active webhooks by club."""
    by_club: dict[int, list[Webhook]] = defaultdict(list)
    for webhook in Webhook.objects.filter(which, active=True):
        by_club[webhook.club_id].append(webhook)
    return by_club


def tell_clubs_of(user: User | None, event: str, data: Mapping[str, Any]) -> None:
    """A message of this event for the clubs that the user is a member of; call it inside the write's transaction."""
    if user is None:
        return
    now = timezone.now()
    found = _active_webhooks(Q(club__memberships__user=user))
    Delivery.objects.bulk_create(
        Delivery(webhook=webhook, event=event, data=dict(data), due_at=now, happened_at=now)
        for webhooks in found.values()
        for webhook in webhooks
        if event in webhook.events
    )


# ---- sending ----------------------------------------------------------------------------------------


def due(now: datetime) -> list[Any]:
    """The ids of webhooks that have something to send, as many as may be at work at a time."""
    ready = Webhook.objects.filter(active=True)
    at_work = ready.filter(leased_until__gt=now).count()
    ready = ready.filter(
        Q(leased_until=None) | Q(leased_until__lte=now),
        Q(resting_until=None) | Q(resting_until__lte=now),
        pk__in=Delivery.objects.filter(status=Status.PENDING, due_at__lte=now).values("webhook"),
    )
    # whoever was served longest ago comes first
    room = max(0, settings.WEBHOOKS_WIDTH - at_work)
    return list(ready.order_by(F("leased_until").asc(nulls_first=True), "pk").values_list("pk", flat=True)[:room])


def deliver(*, webhook_id: Any) -> int:
    """Sends what is due to one address, one message after the other until one fails; gives how many were tried."""
    now = timezone.now()
    free = Q(leased_until=None) | Q(leased_until__lte=now)
    if not Webhook.objects.filter(free, pk=webhook_id, active=True).update(leased_until=now + LEASE):
        return 0
    tried, until = 0, time.monotonic() + TURN_SECONDS
    while time.monotonic() < until:
        delivery = (
            Delivery.objects.select_related("webhook__club", "change")
            .filter(webhook=webhook_id, webhook__active=True, status=Status.PENDING, due_at__lte=timezone.now())
            .order_by("due_at", "pk")
            .first()
        )
        if delivery is None:
            break
        at = timezone.now()
        outcome = attempt(delivery, at)
        tried += 1
        _note(delivery, outcome, at)
        if not outcome.is_success:
            break
    Webhook.objects.filter(pk=webhook_id).update(leased_until=timezone.now())
    return tried


def attempt(delivery: Delivery, at: datetime) -> sending.Outcome:
    """Sends one message now."""
    webhook = delivery.webhook
    with translation.override(webhook.language):
        message = discord.message(webhook, delivery.event, data_of(delivery)) if webhook.form == "discord" else None
        body = json.dumps(message or standard_message(delivery), ensure_ascii=False, separators=(",", ":")).encode()
    secrets = [webhook.secret]
    if webhook.old_secret and webhook.old_secret_until and webhook.old_secret_until > at:
        secrets.append(webhook.old_secret)
    headers = sending.signed_headers(secrets, message_id(delivery), int(at.timestamp()), body)
    return sending.post(
        webhook.url, body, headers | {"Content-Type": "application/json", "User-Agent": "forsale-webhooks/1"}
    )


def message_id(delivery: Delivery) -> str:
    """The same for every attempt, so that a receiver knows a repeat."""
    return f"msg_{delivery.pk.hex}"


def standard_message(delivery: Delivery) -> dict[str, Any]:
    """The body: type, the time of the event, and what it is about."""
    happened = delivery.happened_at.isoformat().replace("+00:00", "Z")
    return {"type": delivery.event, "timestamp": happened, "data": data_of(delivery)}


def data_of(delivery: Delivery) -> dict[str, Any]:
    """The play as its club sees it now, without its record; of a deleted play its id, club and when it was deleted."""
    if delivery.change is None:
        return dict(delivery.data or {})
    seats = Prefetch("seats", Seat.objects.select_related("player"))
    play = Play.objects.select_related("club").prefetch_related(seats).defer("record").get(pk=delivery.change.play_id)
    if play.deleted_at is not None:
        return tombstone_as_json(play) | {"club": play.club.slug}
    return play_as_json(play, shows_notes=True, with_record=False)


@transaction.atomic
def _note(delivery: Delivery, outcome: sending.Outcome, at: datetime) -> None:
    """Writes the attempt into the log and decides what is next for the message and its address."""
    webhook = Webhook.objects.select_for_update().filter(pk=delivery.webhook_id).first()
    current = Delivery.objects.select_for_update().filter(pk=delivery.pk).first()
    if webhook is None or current is None:
        return  # deleted meanwhile
    Attempt.objects.create(
        delivery=current,
        at=at,
        status_code=outcome.status,
        error=outcome.error,
        answer=outcome.answer,
        seconds=outcome.seconds,
    )
    now = timezone.now()
    current.tries += 1
    if outcome.is_success:
        current.status, current.due_at, current.delivered_at = Status.DELIVERED, None, now
        webhook.failures, webhook.resting_until, webhook.succeeded_at = 0, None, now
    else:
        webhook.failures += 1
        rest = min(DELAYS[0] * 2 ** min(webhook.failures - 1, 10), LONGEST_REST)
        webhook.resting_until = now + rest
        _plan_next(current, webhook, outcome, now)
    current.save()
    webhook.save()


def _plan_next(delivery: Delivery, webhook: Webhook, outcome: sending.Outcome, now: datetime) -> None:
    """The next attempt, or the end: of the message after a day, of the webhook too where nothing arrived meanwhile."""
    if outcome.status == 410:
        webhook.active, webhook.disabled_reason = False, "gone"
    if delivery.tries <= len(DELAYS) and webhook.active:
        wished = timedelta(seconds=min(outcome.retry_after, LONGEST_WISH))
        delivery.due_at = now + max(DELAYS[delivery.tries - 1], wished)
        return
    delivery.status, delivery.due_at = Status.FAILED, None
    if webhook.active and (webhook.succeeded_at is None or webhook.succeeded_at < delivery.created_at):
        webhook.active, webhook.disabled_reason = False, "failing"
    if not webhook.active:
        others = webhook.deliveries.filter(status=Status.PENDING).exclude(pk=delivery.pk)
        others.update(status=Status.FAILED, due_at=None)


def forget_old(now: datetime) -> int:
    """Removes messages and attempts older than they are kept; gives how many rows went."""
    gone, _by_model = Delivery.objects.filter(created_at__lt=now - KEPT).exclude(status=Status.PENDING).delete()
    return gone
