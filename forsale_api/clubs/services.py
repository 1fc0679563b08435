"""What can be done with clubs, their members, players and tokens; and who may see which club.

Every write is one transaction. A rule that needs several rows (an owner remains, one player per member) holds the
club's row while it looks and writes.
"""

import re
import secrets
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import cast
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, connection, transaction
from django.db.models import F, ProtectedError, Q, QuerySet
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext

from forsale_api.api.fields import BAD_NAME, is_name
from forsale_api.api.permissions import SCOPES
from forsale_api.api.problems import AgainstTheRules, Conflict, Forbidden, NotFound, Problem
from forsale_api.clubs.authentication import digest
from forsale_api.clubs.models import Club, Membership, Player, Role, Token, User, Visibility, name_key

type Caller = User | AnonymousUser
type Place = tuple[str | int, ...]

NAME_LENGTH = 100
SLUG_LENGTH = 50
KEY_LENGTH = 400
TAKEN_SLUGS = {"new"}  # words that pages use where a club's slug may stand
UUID_FORM = re.compile(r"\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.IGNORECASE)
# Letters that Unicode does not take apart into a plain one and an accent.
PLAIN_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)


# ---- who may see what -------------------------------------------------------------------------------


def visible_clubs(user: Caller) -> QuerySet[Club]:
    """Clubs the caller may see when naming them: public and unlisted ones, and those they are a member of."""
    open_to_all = Q(visibility__in=[Visibility.PUBLIC, Visibility.UNLISTED])
    if not user.is_authenticated:
        return Club.objects.filter(open_to_all)
    return Club.objects.filter(open_to_all | Q(pk__in=Membership.objects.filter(user=user).values("club")))


def listed_clubs(user: Caller) -> QuerySet[Club]:
    """Clubs that show up unasked, in lists and sums: public ones, and those the caller is a member of."""
    if not user.is_authenticated:
        return Club.objects.filter(visibility=Visibility.PUBLIC)
    mine = Membership.objects.filter(user=user).values("club")
    return Club.objects.filter(Q(visibility=Visibility.PUBLIC) | Q(pk__in=mine))


def membership(user: Caller, club: Club) -> Membership | None:
    """The caller's membership of the club, or None."""
    if not user.is_authenticated:
        return None
    return Membership.objects.filter(user=user, club=club).first()


def visible_club(user: Caller, slug: str, *, place: Place = ()) -> Club:
    """The club of this slug.

    Raises `NotFound` (404) where there is none or the caller may not see it; `place` is where the body names it.
    """
    club = visible_clubs(user).filter(slug=slug).first()
    if club is None:
        raise no_such_club(slug, place)
    return club


def no_such_club(slug: str, place: Place = ()) -> NotFound:
    return NotFound(
        gettext("There is no club %(slug)s here for you.") % {"slug": slug[:SLUG_LENGTH]},
        code="no-such-club",
        place=place,
    )


def require_member(user: Caller, slug: str, *, place: Place = (), lock: bool = False) -> Membership:
    """The caller's membership of the club of this slug, `.club` loaded.

    `lock` holds the club's row until the transaction ends, so that what is found stays true while it is acted on.
    Raises `NotFound` (404) where the caller may not even see the club, `Forbidden` (403) where they may but are no
    member.
    """
    if lock:
        Club.objects.select_for_update(no_key=True).filter(slug=slug).first()
    if user.is_authenticated:
        found = Membership.objects.select_related("club").filter(user=user, club__slug=slug).first()
        if found is not None:
            found.user = user
            return found
    visible_club(user, slug, place=place)
    raise Forbidden(gettext("Only members of this club may do that."), code="not-a-member", place=place)


def require_owner(user: Caller, slug: str, *, lock: bool = False) -> Membership:
    """Like `require_member`, and `Forbidden` (403) where the member is no owner."""
    found = require_member(user, slug, lock=lock)
    if found.role != Role.OWNER:
        raise Forbidden(gettext("Only owners of this club may do that."), code="not-an-owner")
    return found


def locked_club(club: Club) -> Club:
    """The club's row, held until the transaction ends: whoever changes members or claims takes it first.

    Plays recorded meanwhile do not wait for it: they hold their players, which some who hold the club need next.
    """
    locked = Club.objects.select_for_update(no_key=True).filter(pk=club.pk).first()
    if locked is None:
        raise no_such_club(club.slug)
    return locked


# ---- clubs ------------------------------------------------------------------------------------------


def slug_from(name: str) -> str:
    """A slug that reads like the name, in plain letters; "club" where nothing of it can be spelt in them."""
    plain = unicodedata.normalize("NFKD", name.casefold().translate(PLAIN_LETTERS))
    return slugify(plain.replace("_", " ")).strip("-")[:40].strip("-") or "club"


@transaction.atomic
def create_club(
    *,
    owner: User,
    name: str,
    slug: str | None = None,
    visibility: str = Visibility.PRIVATE,
    time_zone: str = "UTC",
    contribute: bool = False,
    notes_public: bool = False,
) -> Club:
    """A new club owned by `owner`; without a slug it gets a free one made from its name.

    Raises `Conflict` (409, slug-taken) where the slug asked for is in use.
    """
    club = Club(
        name=name,
        visibility=visibility,
        time_zone=time_zone,
        contribute=contribute,
        notes_public=notes_public,
    )
    for club.slug in [slug] if slug is not None else _free_slugs(slug_from(name)):
        if _saved_under_its_slug(club):
            Membership.objects.create(club=club, user=owner, role=Role.OWNER)
            return club
    raise slug_taken(club.slug)


def _free_slugs(stem: str) -> Iterable[str]:
    taken = set(Club.objects.filter(slug__startswith=stem).values_list("slug", flat=True)) | TAKEN_SLUGS
    for number in range(1, len(taken) + 20):
        slug = stem if number == 1 else f"{stem}-{number}"
        if slug not in taken:
            yield slug


def _saved_under_its_slug(club: Club) -> bool:
    if club.slug in TAKEN_SLUGS:
        return False
    try:
        with transaction.atomic():
            club.save(force_insert=club._state.adding)
    except IntegrityError:
        if Club.objects.filter(slug=club.slug).exclude(pk=club.pk).exists():
            club.pk = None if club._state.adding else club.pk
            return False
        raise
    return True


def slug_taken(slug: str) -> Conflict:
    return Conflict(
        gettext("The slug %(slug)s is in use; choose another.") % {"slug": slug}, code="slug-taken", place=("slug",)
    )


@transaction.atomic
def change_club(club: Club, **changes: object) -> Club:
    """Changes the named fields (those of `create_club`). Raises `Conflict` (409) where the new slug is in use."""
    if not changes:
        return club
    for name, value in changes.items():
        setattr(club, name, value)
    if not _saved_under_its_slug(club):
        raise slug_taken(club.slug)
    return club


@transaction.atomic
def delete_club(club: Club) -> None:
    """Removes the club with everything in it. Its plays go first: a seat keeps its player from being deleted."""
    Club.objects.select_for_update().get(pk=locked_club(club).pk)  # from now on nothing is recorded in it
    club.plays.all().delete()
    club.delete()


# ---- players ----------------------------------------------------------------------------------------


def clean_name(name: str) -> str:
    """The name with single blanks."""
    return " ".join(name.split())


def key_of(name: str, place: Place = ()) -> str:
    """What the name is compared by (`models.name_key`).

    Raises `Problem` (400) where the name shows nothing, is longer than 100 characters, or spelt like an id.
    """
    key = name_key(name)
    if not key or not is_name(name) or len(name) > NAME_LENGTH or len(key) > KEY_LENGTH:
        raise Problem(str(BAD_NAME), code="bad-name", place=place)
    if UUID_FORM.match(name):
        raise Problem(gettext("A name may not look like an id."), code="bad-name", place=place)
    return key


class NoSuchPlayer(AgainstTheRules):
    """No player of the club has this name or id."""

    def __init__(self, who: str, place: Place) -> None:
        text = gettext("%(player)s is no player of this club.") % {"player": who[:NAME_LENGTH]}
        super().__init__(text, code="no-such-player", place=place)


def players_for(
    club: Club, names_or_ids: Sequence[str], *, create: bool = True, places: Sequence[Place] | None = None
) -> list[Player]:
    """The club's players of these names or ids, in the same order, in at most three queries.

    A name nobody has makes a guest (`create=False`: refuses it). Two callers who name the same new guest at the same
    time get the same player. Call it inside the transaction that uses the players.

    Raises `NoSuchPlayer` (422) for an id or name that is no player of this club and `Problem` (400,
    bad-name) for what cannot be a name, both at `places[i]`.
    """
    places = places or [()] * len(names_or_ids)
    ids, keys, names = _spelt(names_or_ids, places)
    found = list(Player.objects.filter(_meant(ids, names), club=club))
    missing = names.keys() - {key for player in found for key in (player.name_key, player.hidden_key)}
    if missing and create:
        Player.objects.bulk_create(
            # in one order for everybody, so that two callers cannot wait for each other's rows
            (Player(club=club, name=names[key], name_key=key) for key in sorted(missing)),
            ignore_conflicts=True,  # somebody else's guest of the same name is ours too
        )
        found += Player.objects.filter(club=club, name_key__in=missing)
    players = []
    for index, player in enumerate(_in_order(found, ids, keys)):
        if player is None:
            raise NoSuchPlayer(names_or_ids[index], places[index])
        players.append(lives_on_as(player))
    return players


def known_players(user: Caller, slug: str, names_or_ids: Sequence[str]) -> list[Player] | None:
    """The players of these names or ids, `.club` loaded, where all are known and the user is a member of the club of
    this slug: the usual case, in one query. Else None, and `require_member` and `players_for` know more.
    """
    try:
        ids, keys, names = _spelt(names_or_ids, [()] * len(names_or_ids))
    except Problem:
        return None
    find = _found_at_once if connection.vendor == "postgresql" else _found
    players = _in_order(find(user.pk or 0, slug, ids, names), ids, keys)
    known = [player for player in players if player is not None and player.merged_into_id is None]
    return known if players and len(known) == len(players) else None


def _found(user: int, slug: str, ids: dict[int, UUID], names: dict[str, str]) -> list[Player]:
    whose = Player.objects.select_related("club").filter(club__slug=slug, club__memberships__user=user)
    return list(whose.filter(_meant(ids, names)))


def _found_at_once(user: int, slug: str, ids: dict[int, UUID], names: dict[str, str]) -> list[Player]:
    """The same by a text that is always the same: putting it together took a sixth of the time of a posted sheet."""
    with connection.cursor() as cursor:
        cursor.execute(_text_of_found(), [user, slug, list(names), list(names), list(ids.values())])
        rows = cursor.fetchall()
    of_player, of_club = ([field.attname for field in model._meta.concrete_fields] for model in (Player, Club))
    players = [Player.from_db(connection.alias, of_player, row[: len(of_player)]) for row in rows]
    club = Club.from_db(connection.alias, of_club, rows[0][len(of_player) :]) if rows else None
    for player in players:
        player.club = cast(Club, club)
    return players


@cache
def _text_of_found() -> str:
    columns = ", ".join(
        f"{table}.{connection.ops.quote_name(str(field.column))}"
        for table, model in (("player", Player), ("club", Club))
        for field in model._meta.concrete_fields
    )
    return (
        f"SELECT {columns} FROM clubs_player player JOIN clubs_club club ON club.id = player.club_id"  # noqa: S608
        " JOIN clubs_membership membership ON membership.club_id = club.id"
        " WHERE membership.user_id = %s AND club.slug = %s"
        " AND (player.name_key = ANY(%s) OR player.hidden_key = ANY(%s) OR player.id = ANY(%s))"
    )


def _spelt(
    names_or_ids: Sequence[str], places: Sequence[Place]
) -> tuple[dict[int, UUID], dict[int, str], dict[str, str]]:
    """By index the ids, by index the keys of names, and by key the names as first written."""
    ids: dict[int, UUID] = {}
    keys: dict[int, str] = {}
    names: dict[str, str] = {}
    for index, who in enumerate(names_or_ids):
        if UUID_FORM.match(who.strip()):
            ids[index] = UUID(who.strip())
        else:
            name = clean_name(who)
            keys[index] = key_of(name, places[index])
            names.setdefault(keys[index], name)
    return ids, keys, names


def _meant(ids: dict[int, UUID], names: dict[str, str]) -> Q:
    """Whoever writes down a hidden player's real name means that player, who is then shown by the pseudonym."""
    named = Q(name_key__in=names) | Q(hidden_key__in=names)
    return Q(pk__in=ids.values()) | named if ids else named


def _in_order(found: Sequence[Player], ids: dict[int, UUID], keys: dict[int, str]) -> list[Player | None]:
    by_id = {player.pk: player for player in found}
    by_key = {player.hidden_key: player for player in found} | {player.name_key: player for player in found}
    return [by_id.get(ids[index]) if index in ids else by_key.get(keys[index]) for index in range(len(ids) + len(keys))]


def lives_on_as(player: Player) -> Player:
    """The player that this one was merged into, or itself: an old name or id stands for whom it turned out to be."""
    while player.merged_into is not None:
        player = player.merged_into
    return player


def all_living(players: Sequence[Player]) -> bool:
    """Whether all of these are still there and none was merged into another."""
    wanted = {player.pk for player in players}
    return Player.objects.filter(pk__in=wanted, merged_into=None).count() == len(wanted)


def hold_players(players: Sequence[Player]) -> list[Player]:
    """These players, or whom they were merged into meanwhile; no merge comes in between until the transaction ends.

    Whoever needs clubs, plays and players to stand still takes them in this order, and rows of one kind by their ids.
    On SQLite a transaction that writes is alone, and there is nothing to hold.
    """
    if connection.vendor != "postgresql":
        return list(players)
    wanted = sorted(player.pk for player in players)
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM clubs_player WHERE id = ANY(%s) ORDER BY id FOR SHARE", [wanted])
    held = Player.objects.in_bulk(wanted)
    return [lives_on_as(held.get(player.pk, player)) for player in players]


def player_for(club: Club, name_or_id: str, *, create: bool = True, place: Place = ()) -> Player:
    """`players_for` one name or id."""
    return players_for(club, [name_or_id], create=create, places=[place])[0]


@transaction.atomic
def create_player(club: Club, name: str) -> Player:
    """A new guest. Raises `Conflict` (409, name-taken) where the name, compared by its key, is in use."""
    name = clean_name(name)
    player = Player(club=club, name=name, name_key=key_of(name, ("name",)))
    _refuse_taken(player, player.name_key)
    try:
        with transaction.atomic():
            player.save(force_insert=True)
    except IntegrityError:
        raise _name_taken(player) from None
    return player


@transaction.atomic
def rename_player(player: Player, name: str) -> Player:
    """Renames the player. Plays show names, so each of the player's plays becomes a new version (ETags, sync).

    A hidden player keeps the pseudonym; the new name is the one that comes back when they are shown again.
    Raises `Conflict` (409, name-taken) where another player of the club has the name.
    """
    name = clean_name(name)
    key = key_of(name, ("name",))
    if name == player.name:
        return player
    _refuse_taken(player, key)
    if player.hidden:
        player.hidden_name, player.hidden_key = name, key
        player.save(update_fields=["hidden_name", "hidden_key"])
        return player
    player.name, player.name_key = name, key
    _save_shown_name(player)
    return player


@transaction.atomic
def hide_player(player: Player, by: Membership) -> Player:
    """From now on the player goes by a pseudonym everywhere, in old plays and their history too; figures stay.

    Raises `Forbidden` (403, not-your-player) unless `by` is that player or owns the club.
    """
    _require_own_player(player, by)
    for one in _all_names_of(player):
        if not one.hidden:
            one.hidden_name, one.hidden_key = one.name, one.name_key
            one.name, one.name_key = one.pseudonym, name_key(one.pseudonym)
            _save_shown_name(one)
    return player


@transaction.atomic
def show_player(player: Player, by: Membership) -> Player:
    """A hidden player has their name again.

    Raises as `hide_player` does, and `Conflict` (409, name-taken) where somebody else has the name by now.
    """
    _require_own_player(player, by)
    for one in _all_names_of(player):
        if one.hidden:
            one.name, one.name_key = one.hidden_name, one.hidden_key
            one.hidden_name = one.hidden_key = ""
            _save_shown_name(one)
    return player


def _all_names_of(player: Player) -> list[Player]:
    """The player and everybody who turned out to be that player: histories still tell of them."""
    found = [player]
    for one in found:
        found += one.absorbed.select_related("club")
    return found


def _require_own_player(player: Player, by: Membership) -> None:
    """The claim decides, read under the club's lock."""
    locked_club(player.club)
    player.refresh_from_db()
    if player.user_id != by.user_id and by.role != Role.OWNER:
        raise Forbidden(
            gettext("Only the member who is this player and owners of the club may hide or show a player."),
            code="not-your-player",
        )


def _save_shown_name(player: Player) -> None:
    """Saves a changed name and makes a new version of each of the player's plays, which are held first."""
    plays = player.club.plays.filter(pk__in=player.seats.values("play"))
    list(plays.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    try:
        with transaction.atomic():
            player.save(update_fields=["name", "name_key", "hidden_name", "hidden_key"])
    except IntegrityError:
        raise _name_taken(player) from None
    plays.update(version=F("version") + 1, updated_at=timezone.now())


def _refuse_taken(player: Player, key: str) -> None:
    """A hidden player's real name is taken, too. Raises `Conflict` (409, name-taken)."""
    other = Player.objects.filter(Q(name_key=key) | Q(hidden_key=key), club=player.club_id).exclude(pk=player.pk)
    if (found := other.first()) is not None:
        raise _taken_by(found)


def _name_taken(player: Player) -> Conflict:
    return _taken_by(Player.objects.get(club=player.club_id, name_key=player.name_key))


def _taken_by(other: Player) -> Conflict:
    other = lives_on_as(other)
    return Conflict(
        gettext("This club has a player of that name: %(name)s. Names are compared without case, accents and blanks.")
        % {"name": other.name},
        code="name-taken",
        place=("name",),
        members={"existing": {"id": str(other.pk), "name": other.name}},
    )


@transaction.atomic
def delete_player(player: Player) -> None:
    """Removes a player who never sat in a play, deleted plays included. Raises `Conflict` (409, player-has-plays)."""
    try:
        player.delete()
    except ProtectedError:
        raise Conflict(
            gettext("%(name)s sits in plays and cannot be deleted.") % {"name": player.name}, code="player-has-plays"
        ) from None


@transaction.atomic
def claim_player(player: Player, user: User) -> Player:
    """The member says that they are this player; one player per member and club.

    Raises `Conflict` (409): player-claimed by somebody else, or already-somebody where the member is another player.
    """
    locked_club(player.club)
    player.refresh_from_db()
    if player.user_id == user.pk:
        return player
    if player.user_id is not None:
        raise Conflict(gettext("Another member has claimed this player."), code="player-claimed")
    other = Player.objects.filter(club=player.club_id, user=user).first()
    if other is not None:
        raise Conflict(
            gettext("You are %(name)s in this club; give that player up first.") % {"name": other.name},
            code="already-somebody",
            members={"existing": {"id": str(other.pk), "name": other.name}},
        )
    player.user = user
    player.save(update_fields=["user"])
    return player


@transaction.atomic
def unclaim_player(player: Player, by: Membership) -> Player:
    """The claim is given up by whoever made it, or taken back by an owner. Raises `Forbidden` (403) for others."""
    locked_club(player.club)
    player.refresh_from_db()
    if player.user_id is not None and player.user_id != by.user_id and by.role != Role.OWNER:
        raise Forbidden(gettext("Another member has claimed this player."), code="player-claimed")
    player.user = None
    player.save(update_fields=["user"])
    return player


# ---- members ----------------------------------------------------------------------------------------


@transaction.atomic
def add_member(club: Club, username: str, role: str = Role.MEMBER) -> Membership:
    """Makes the account of this name a member.

    Raises `AgainstTheRules` (422, no-such-user) and `Conflict` (409, already-a-member).
    """
    locked_club(club)
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise AgainstTheRules(
            gettext("There is no account %(username)s.") % {"username": username},
            code="no-such-user",
            place=("username",),
        )
    added, new = Membership.objects.get_or_create(club=club, user=user, defaults={"role": role})
    if not new:
        raise Conflict(
            gettext("%(username)s is a member already.") % {"username": username},
            code="already-a-member",
            place=("username",),
        )
    return added


@transaction.atomic
def change_role(member: Membership, role: str) -> Membership:
    """Makes a member an owner or an owner a member. Raises `Conflict` (409, last-owner): an owner must remain."""
    member = _locked(member)
    if role != Role.OWNER:
        _keep_an_owner(member)
    member.role = role
    member.save(update_fields=["role"])
    return member


@transaction.atomic
def remove_member(member: Membership) -> None:
    """Ends a membership, one's own (leaving) or another's. Raises `Conflict` (409, last-owner)."""
    member = _locked(member)
    _keep_an_owner(member)
    member.delete()


def _locked(member: Membership) -> Membership:
    locked_club(member.club)
    current = Membership.objects.select_related("club", "user").filter(pk=member.pk).first()
    if current is None:
        raise NotFound(gettext("This club has no such member."), code="no-such-member")
    return current


def _keep_an_owner(member: Membership) -> None:
    others = Membership.objects.filter(club=member.club_id, role=Role.OWNER).exclude(pk=member.pk)
    if member.role == Role.OWNER and not others.exists():
        raise Conflict(
            gettext("A club needs an owner: make another member an owner first, or delete the club."), code="last-owner"
        )


# ---- tokens -----------------------------------------------------------------------------------------


def make_token(user: User, name: str, scopes: Sequence[str], expires_at: datetime | None = None) -> tuple[Token, str]:
    """A new personal token and its secret, which is shown this once: only its digest is kept.

    Raises `Problem` (400, bad-scope) where a scope is unknown or none is given.
    """
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        raise Problem(
            gettext("Unknown scope %(scope)s. There are: %(known)s.")
            % {"scope": ", ".join(unknown) or "-", "known": ", ".join(SCOPES)},
            code="bad-scope",
            place=("scopes",),
        )
    secret = "fs_" + secrets.token_urlsafe(32)
    token = Token.objects.create(
        user=user,
        name=name,
        prefix=secret[:8],
        digest=digest(secret),
        scopes=sorted(set(scopes), key=list(SCOPES).index),
        expires_at=expires_at,
    )
    return token, secret


def revoke_token(token: Token) -> None:
    """Ends the token now; a second call changes nothing."""
    Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())
