"""Every code an error or a finding can carry.

The lists are part of the contract: a code may be added, never changed or dropped. A test compares them with what the
rooms write down.
"""

# Answered by the fields of the framework, underscores turned into hyphens.
FIELD_CODES = {
    "blank", "date", "datetime", "empty", "invalid", "invalid-choice", "make-aware", "max-length", "max-string-length",
    "max-value", "min-length", "min-value", "not-a-dict", "not-a-list", "null", "null-characters-not-allowed",
    "overflow", "required", "surrogate-characters-not-allowed",
}  # fmt: skip

# Answered by the framework for an address as a whole.
FRAMEWORK_CODES = {
    "authentication-failed", "error", "method-not-allowed", "not-acceptable", "not-authenticated", "not-found",
    "parse-error", "permission-denied", "throttled", "unsupported-media-type",
}  # fmt: skip

REQUEST_CODES = {
    "bad-authorization", "bad-cursor", "bad-idempotency-key", "bad-name", "bad-request", "bad-slug", "bad-token",
    "csrf-failed", "idempotency-key-reused", "in-flight", "missing-scope", "not-ready", "repeated-parameter", "stale",
    "too-large", "unknown-field", "unknown-parameter",
}  # fmt: skip

CLUB_CODES = {
    "already-a-member", "already-somebody", "bad-redirect", "bad-scope", "last-owner", "merged-since", "name-taken",
    "no-such-club", "no-such-invitation", "no-such-member", "no-such-merge", "no-such-player", "no-such-season",
    "no-such-user", "not-a-member", "not-an-owner", "not-your-player", "player-claimed", "player-has-plays",
    "player-hidden", "same-player", "sat-together", "season-ends-early", "season-taken", "slug-taken",
    "too-many-apps", "too-many-invitations",
}  # fmt: skip

# Of the rules: what is not offered, which figures do not go together, which step of a record is illegal.
RULE_CODES = {
    "after-pass", "bid-above-banknotes", "bid-below-minimum", "bid-not-above-last", "bid-or-pass",
    "cheque-dealt-too-often", "cheques-contradict-cards", "edition-not-offered", "extra-auction", "extra-sale",
    "figure-contradicts-record", "figure-missing", "figure-of-another-game", "figure-out-of-range",
    "house-already-sold", "house-dealt-twice", "house-never-owned", "house-not-on-table", "missing-auction",
    "missing-offer", "missing-sale", "no-scoop-in-base", "no-such-cheque", "no-such-house", "no-such-seat",
    "offered-twice", "offers-or-scoop", "out-of-turn", "players-not-offered", "record-not-offered", "round-over",
    "round-unfinished", "scoop-by-other-seat", "scoop-due", "scoop-too-early", "total-contradicts-figures",
    "total-too-small", "unknown-game", "variant-not-offered", "winner-contradicts-tie-break",
    "winner-contradicts-totals", "winner-named-twice", "wrong-number-of-cheques", "wrong-number-of-houses",
    "wrong-number-of-seats", "wrong-opener", "wrong-phase",
}  # fmt: skip

PLAY_CODES = {
    "date-in-future", "deleted", "first-seat-contradicts-record", "impossible-sheet", "no-such-play",
    "not-the-recorder", "nothing-to-undo", "player-needs-club", "player-sits-twice", "reason-without-effect",
    "record-does-not-fit", "source-incomplete", "source-taken",
}  # fmt: skip

WEBHOOK_CODES = {"address-not-public", "bad-address", "no-such-webhook", "too-many-webhooks", "webhook-off"}

STATS_CODES = {
    "banknotes-out-of-range", "being-played", "bot-named-twice", "deals-out-of-range", "filter-of-plays",
    "filter-of-simulations", "game-not-simulated", "games-out-of-range", "id-taken", "league-ended",
    "no-house-to-take", "no-such-game", "no-such-league", "no-such-opener", "no-such-question", "no-such-simulation",
    "nobody-left-to-bid", "not-the-requester", "opponents-banknotes-out-of-range", "other-engine",
    "rounds-left-out-of-range", "rounds-out-of-range", "seed-out-of-range", "simulation-ended", "stakes-do-not-rise",
    "stakes-out-of-range", "too-many-at-once", "unknown-bot", "unknown-edition", "unknown-tables", "unknown-variant",
    "wrong-number-of-bots",
}  # fmt: skip

CODES = (
    FIELD_CODES | FRAMEWORK_CODES | REQUEST_CODES | CLUB_CODES | RULE_CODES | PLAY_CODES | WEBHOOK_CODES | STATS_CODES
)

# Of the audit: what about a sheet no legal game gives, or hardly any.
FINDING_CODES = {
    "banknotes-above-dealt", "categories-too-large", "category-too-large", "cheque-card-too-often",
    "cheque-cards-in-all", "cheques-sum", "cheques-too-high", "cheques-too-low", "fits-other-set-aside",
    "no-common-deal", "no-such-cheque-card", "no-such-cheque-sum", "too-little-spent", "too-many-cheque-cards",
    "too-many-without-banknotes", "total-too-high", "total-too-low", "totals-sum", "wrong-number-of-cheque-cards",
}  # fmt: skip
