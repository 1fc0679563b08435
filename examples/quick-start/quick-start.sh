#!/bin/sh
# Log a play and read it back, with curl:  API=http://127.0.0.1:8000/api/v1 TOKEN=fs_... sh quick-start.sh
set -eu
call() { curl --silent --show-error --fail-with-body --header "Content-Type: application/json" "$@"; echo; }

# Who won? Nothing is stored, and no token is needed. Money is in thousands of dollars.
call "$API/games/for-sale/score/" --data '
  {"seats": [{"cheques": 83, "banknotes": 4}, {"cheques": 85, "banknotes": 2}, {"cheques": 70, "banknotes": 0}]}'

# A club of your own. The key makes it safe to send this twice: the second time answers what the first did.
call "$API/clubs/" --header "Authorization: Bearer $TOKEN" --header "Idempotency-Key: my-first-club" --data '
  {"name": "Quick start", "slug": "quick-start", "visibility": "public"}'

# A play. Names that the club does not know become guests. With an id of its own a play, too, is stored once.
call "$API/plays/" --header "Authorization: Bearer $TOKEN" --data '
  {"id": "019ace24-0000-7000-8000-000000000001", "club": "quick-start", "game": "for-sale", "played_on": "2026-11-28",
   "seats": [{"player": "Théo", "cheques": 83, "banknotes": 4},
             {"player": "Marianne", "cheques": 85, "banknotes": 2},
             {"player": "Guilaine", "cheques": 70, "banknotes": 0}]}'

# The plays of a public club, latest first; anybody may read them.
call "$API/plays/?club=quick-start&page_size=10"
