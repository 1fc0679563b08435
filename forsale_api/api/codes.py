"""Every code an error can carry. The list is part of the contract: a code may be added, never changed or dropped."""

# Answered by the fields of the framework and of `api.fields`, underscores turned into hyphens.
FIELD_CODES = {
    "bad-name", "blank", "date", "datetime", "does-not-exist", "empty", "incorrect-type", "invalid", "invalid-choice",
    "max-digits", "max-length", "max-string-length", "max-value", "min-length", "min-value", "not-a-dict",
    "not-a-list", "null", "null-characters-not-allowed", "repeated-parameter", "required",
    "surrogate-characters-not-allowed", "unique", "unknown-field", "unknown-parameter",
}  # fmt: skip

# Answered by an address as a whole.
REQUEST_CODES = {
    "authentication-failed", "bad-authorization", "bad-cursor", "bad-idempotency-key", "bad-request", "bad-token",
    "csrf-failed", "error", "idempotency-key-reused", "in-flight", "method-not-allowed", "missing-scope",
    "not-acceptable", "not-authenticated", "not-found", "not-ready", "parse-error", "permission-denied", "stale",
    "throttled", "too-large", "unsupported-media-type",
}  # fmt: skip

CLUB_CODES = {
    "already-a-member", "already-somebody", "bad-scope", "bad-slug", "last-owner", "name-taken", "no-such-club",
    "no-such-member", "no-such-player", "no-such-user", "not-a-member", "not-an-owner", "player-claimed",
    "player-has-plays", "slug-taken",
}  # fmt: skip

CODES = FIELD_CODES | REQUEST_CODES | CLUB_CODES
