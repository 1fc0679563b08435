"""Webhooks over HTTP: owners register addresses, look at what was sent, and send it again."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from forsale_api.api.paging import PageQuery, page
from forsale_api.api.schema import page_of
from forsale_api.api.views import APIView, conditional, etag, idempotent, tag_of
from forsale_api.clubs.services import require_owner
from forsale_api.webhooks import serializers, services
from forsale_api.webhooks.models import Delivery, Webhook


def show_webhook(webhook: Webhook, *, with_secret: bool = False) -> dict[str, Any]:
    shape = serializers.NewWebhookSerializer if with_secret else serializers.WebhookSerializer
    return dict(shape(webhook).data)


def webhook_tag(webhook: Webhook) -> str:
    facts = (webhook.url, webhook.events, webhook.form, webhook.language, webhook.active, webhook.old_secret_until)
    return tag_of("webhook", webhook.pk, *facts)


def show_delivery(delivery: Delivery) -> dict[str, Any]:
    delivery.message_id = services.message_id(delivery)  # type: ignore[attr-defined]
    delivery.play = delivery.change.play_id if delivery.change else None  # type: ignore[attr-defined]
    return dict(serializers.DeliverySerializer(delivery).data)


def delivery_tag(delivery: Delivery) -> str:
    return tag_of("delivery", delivery.pk, delivery.status, delivery.due_at, delivery.tries, delivery.attempts.count())


class OwnersView(APIView):
    """What all addresses of webhooks share: they are for owners of the club."""

    def webhook_of(self, request: Request, slug: str, id: UUID, *, lock: bool = False) -> Webhook:
        """The club's webhook of this id. Raises `NotFound` (404), `Forbidden` (403) for others than owners."""
        club = require_owner(request.user, slug).club
        found = Webhook.objects.select_for_update(of=("self",)) if lock else Webhook.objects.all()
        webhook = found.select_related("club").filter(club=club, pk=id).first()
        if webhook is None:
            raise services.no_such_webhook()
        return webhook

    def delivery_of(self, request: Request, slug: str, id: UUID, delivery: UUID) -> Delivery:
        """The webhook's message of this id. Raises as `webhook_of` does."""
        webhook = self.webhook_of(request, slug, id)
        found: Delivery | None = _log(webhook).filter(pk=delivery).first()
        if found is None:
            raise services.no_such_webhook()
        return found


def _log(webhook: Webhook) -> Any:
    return Delivery.objects.filter(webhook=webhook).select_related("webhook", "change").prefetch_related("attempts")


class Webhooks(OwnersView):
    """The webhooks of a club."""

    query_serializer = PageQuery
    scopes = {"GET": "club:admin", "POST": "club:admin"}
    problems = {"POST": (404,)}

    @extend_schema(responses={200: page_of(serializers.WebhookSerializer)})
    def get(self, request: Request, slug: str) -> Response:
        """The webhooks of the club, oldest first; owners only."""
        webhooks = Webhook.objects.filter(club=require_owner(request.user, slug).club)

        def show(rows: Sequence[Webhook]) -> list[Any]:
            return [show_webhook(webhook) for webhook in rows]

        return Response(page(request, webhooks, ordering="created_at", query=self.query, show=show))

    @extend_schema(request=serializers.WebhookSerializer, responses={201: serializers.NewWebhookSerializer})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Registers an address; owners only. The answer alone shows the secret that messages are signed with."""
        club = require_owner(request.user, slug).club
        body = serializers.WebhookSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        facts = {name: value for name, value in body.validated_data.items() if name != "active"}
        webhook = services.register(club=club, site=request.build_absolute_uri("/")[:-1], **facts)
        address = request.build_absolute_uri(reverse("webhook", args=[slug, webhook.pk]))
        headers = {"Location": address, "ETag": etag(webhook_tag(webhook))}
        return Response(show_webhook(webhook, with_secret=True), status=201, headers=headers)


class OneWebhook(OwnersView):
    """One webhook."""

    scopes = {"GET": "club:admin", "PATCH": "club:admin", "DELETE": "club:admin"}
    problems = {"PATCH": (422,)}

    @extend_schema(responses={200: serializers.WebhookSerializer})
    def get(self, request: Request, slug: str, id: UUID) -> Response:
        """A webhook, without its secret; owners only."""
        webhook = self.webhook_of(request, slug, id)
        return conditional(request, webhook_tag(webhook), lambda: show_webhook(webhook))

    @extend_schema(request=serializers.WebhookSerializer, responses={200: serializers.WebhookSerializer})
    @transaction.atomic
    def patch(self, request: Request, slug: str, id: UUID) -> Response:
        """Changes what the body names; owners only."""
        webhook = self.held(request, slug, id)
        body = serializers.WebhookSerializer(data=request.data, partial=True)
        body.is_valid(raise_exception=True)
        webhook = services.change(webhook, body.validated_data)
        return Response(show_webhook(webhook), headers={"ETag": etag(webhook_tag(webhook))})

    @extend_schema(request=None, responses={204: None})
    @transaction.atomic
    def delete(self, request: Request, slug: str, id: UUID) -> Response:
        """Removes the webhook with its log; what is still on its way is not sent. Owners only."""
        self.held(request, slug, id).delete()
        return Response(status=204)

    def held(self, request: Request, slug: str, id: UUID) -> Webhook:
        webhook = self.webhook_of(request, slug, id, lock=True)
        self.check_if_match(request, webhook_tag(webhook))
        return webhook


class Rotate(OwnersView):
    """A new secret for a webhook."""

    scopes = {"POST": "club:admin"}

    @extend_schema(request=None, responses={200: serializers.NewWebhookSerializer})
    @idempotent
    @transaction.atomic
    def post(self, request: Request, slug: str, id: UUID) -> Response:
        """Makes a new secret and shows it; for a day messages carry a signature with the old one, too. Owners only."""
        webhook = services.rotate(self.webhook_of(request, slug, id, lock=True))
        return Response(show_webhook(webhook, with_secret=True))


class Test(OwnersView):
    """A message to see whether it arrives."""

    scopes = {"POST": "club:admin"}

    @extend_schema(request=None, responses={201: serializers.DeliverySerializer})
    @idempotent
    def post(self, request: Request, slug: str, id: UUID) -> Response:
        """Sends a `webhook.test` to the address; owners only. The log tells how it went."""
        delivery = services.send_test(self.webhook_of(request, slug, id))
        address = request.build_absolute_uri(reverse("delivery", args=[slug, id, delivery.pk]))
        return Response(show_delivery(delivery), status=201, headers={"Location": address})


class Deliveries(OwnersView):
    """What was sent to a webhook."""

    query_serializer = serializers.DeliveryQuery
    scopes = {"GET": "club:admin"}

    @extend_schema(responses={200: page_of(serializers.DeliverySerializer)})
    def get(self, request: Request, slug: str, id: UUID) -> Response:
        """The messages of the last 30 days with all attempts, latest first; owners only."""
        found = _log(self.webhook_of(request, slug, id))
        if "status" in self.query:
            found = found.filter(status=self.query["status"])

        def show(rows: Sequence[Delivery]) -> list[Any]:
            return [show_delivery(delivery) for delivery in rows]

        return Response(page(request, found, ordering="-created_at", query=self.query, show=show))


class OneDelivery(OwnersView):
    """One message to a webhook."""

    scopes = {"GET": "club:admin"}

    @extend_schema(responses={200: serializers.DeliverySerializer})
    def get(self, request: Request, slug: str, id: UUID, delivery: UUID) -> Response:
        """A message and how its attempts ended; owners only."""
        found = self.delivery_of(request, slug, id, delivery)
        return conditional(request, delivery_tag(found), lambda: show_delivery(found))


class Redeliver(OwnersView):
    """A message once more."""

    scopes = {"POST": "club:admin"}

    @extend_schema(request=None, responses={200: serializers.DeliverySerializer})
    @idempotent
    def post(self, request: Request, slug: str, id: UUID, delivery: UUID) -> Response:
        """Sends the message once more, under the same `webhook-id`; owners only."""
        return Response(show_delivery(services.redeliver(self.delivery_of(request, slug, id, delivery))))
