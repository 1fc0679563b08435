"""Who may do what: every operation of the schema, by everybody of the cast, on the things of every kind of club.

The table below says it in one line an operation; an operation without a line fails. What somebody may not see is not in
what they are answered.
"""

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from forsale_api.api.permissions import SCOPES
from tests.api_asks import Operation, operations, send, text_of
from tests.conftest import token_client
from tests.world import BACKSTAGE, ROLES, SECRET, World, undone, world  # noqa: F401  the fixture

VISIBILITIES = ("public", "unlisted", "private")
YES = 200
"""Stands for what the operation answers when it does what it is asked."""

# The rules. For owner, member, stranger, anonymous: on what all may see (a public or an unlisted club) | on what only
# members may (a private club). 401: nobody without a name; 403: seen, but not to be done; 404: not even seen.
RULES = {
    "everybody": ((YES, YES, YES, YES), (YES, YES, YES, YES)),
    "whoever is signed in": ((YES, YES, YES, 401), (YES, YES, YES, 401)),
    "whoever sees the club": ((YES, YES, YES, YES), (YES, YES, 404, 404)),
    "members": ((YES, YES, 403, 401), (YES, YES, 404, 401)),
    "owners": ((YES, 403, 403, 401), (YES, 403, 404, 401)),
    "owners, and the member it is about": ((YES, YES, 403, 401), (YES, YES, 404, 401)),
    "who began it": ((YES, 403, 403, 401), (YES, 403, 403, 401)),
    "who has the link": ((YES, YES, YES, 401), (YES, YES, YES, 401)),
}
WHO_MAY = {
    "everybody": """
        root problems problem bots_read games_read games_retrieve games_score_create clubs_list
        questions_read questions_retrieve leagues_list leagues_retrieve leagues_table_read
        simulations_list simulations_retrieve simulations_results_read simulations_games_retrieve
        invitations_retrieve""",
    "whoever is signed in": """
        clubs_create me_export_read leagues_create simulations_create questions_fair_price_create plays_bulk_create""",
    "whoever sees the club": """
        clubs_retrieve clubs_players_list clubs_players_retrieve clubs_seasons_list clubs_seasons_retrieve
        plays_list plays_retrieve plays_scores_read plays_history_list plays_export_csv_read plays_export_ndjson_read
        stats_activity_read stats_houses_read stats_players_read stats_players_retrieve stats_scores_read
        stats_seats_read""",
    "members": """
        clubs_members_list clubs_members_retrieve clubs_merges_list clubs_merges_retrieve
        clubs_players_create clubs_players_partial_update clubs_players_destroy clubs_players_claim_create
        plays_create plays_partial_update""",
    "owners": """
        clubs_partial_update clubs_destroy clubs_invitations_list clubs_invitations_create clubs_invitations_retrieve
        clubs_invitations_destroy clubs_members_create clubs_members_partial_update clubs_merges_destroy
        clubs_players_hide_create clubs_players_hide_destroy
        clubs_players_merge_read clubs_players_merge_create clubs_seasons_create clubs_seasons_partial_update
        clubs_seasons_destroy clubs_webhooks_list clubs_webhooks_create clubs_webhooks_retrieve
        clubs_webhooks_partial_update clubs_webhooks_destroy clubs_webhooks_deliveries_list
        clubs_webhooks_deliveries_retrieve clubs_webhooks_deliveries_redeliver_create clubs_webhooks_rotate_create
        clubs_webhooks_test_create plays_destroy plays_restore_create""",
    "owners, and the member it is about": "clubs_members_destroy clubs_players_claim_destroy",
    "who began it": """
        leagues_cancel_create leagues_pause_create leagues_resume_create
        simulations_cancel_create simulations_pause_create simulations_resume_create""",
    "who has the link": "invitations_create",
}
SHOWS_THE_NAME = {"invitations_retrieve"}
"""Whoever has the link is told whose club it is."""
RULE_OF = {operation: rule for rule, operations in WHO_MAY.items() for operation in operations.split()}


OPERATIONS = {operation.id: operation for operation in operations()}


def scopes_of(operation: Operation) -> set[str]:
    """Those of which a token needs one."""
    return {scope for way in operation.document.get("security", ()) for scope in way.get("token", ())}


def answered(world: World, client: APIClient, operation: Operation, club: str) -> tuple[int, str]:  # noqa: F811
    """What the client is answered to the request that has the first of the good answers, whoever sends it."""
    with undone():
        _body, answer = send(world, operation, operation.good[0], club, client)
        return answer.status_code, text_of(answer)


def test_every_operation_has_its_rule_and_every_rule_its_operation() -> None:
    assert sorted(RULE_OF) == sorted(OPERATIONS)


@pytest.mark.slow
@pytest.mark.parametrize("operation_id", OPERATIONS)
def test_everybody_is_answered_what_the_rule_says(world: World, db: Any, operation_id: str) -> None:  # noqa: F811
    seen_by_all, seen_by_members = RULES[RULE_OF[operation_id]]
    for club in VISIBILITIES if seen_by_all != seen_by_members else ("private",):
        expected = seen_by_members if club == "private" else seen_by_all
        given = []
        for role in ROLES:
            status, text = answered(world, world.clients[role], OPERATIONS[operation_id], club)
            given.append(YES if 200 <= status < 300 else status)
            if role in ("stranger", "anonymous"):
                assert BACKSTAGE not in text, (club, role)
                assert SECRET not in text or operation_id in SHOWS_THE_NAME, (club, role)
        assert tuple(given) == expected, (club, dict(zip(ROLES, given, strict=True)))


@pytest.mark.slow
@pytest.mark.parametrize("operation_id", [name for name in OPERATIONS if scopes_of(OPERATIONS[name])])
def test_a_token_without_the_scope_is_refused(world: World, db: Any, operation_id: str) -> None:  # noqa: F811
    others = sorted(set(SCOPES) - scopes_of(OPERATIONS[operation_id]))
    client = token_client(world.clients["owner"].user, *others)
    status, text = answered(world, client, OPERATIONS[operation_id], "private")
    assert status == 403
    assert [error["code"] for error in json.loads(text)["errors"]] == ["missing-scope"]
