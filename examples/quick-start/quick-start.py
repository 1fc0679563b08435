"""Log a play and read it, with Python alone: API=http://127.0.0.1:8000/api/v1 TOKEN=fs_... python3 quick-start.py"""

import json
import os
import urllib.request

API, TOKEN = os.environ["API"], os.environ["TOKEN"]


def call(path, body=None, **headers):
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}", **headers}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(API + path, data, headers), timeout=30) as answer:
        return json.load(answer)


# Who won? Nothing is stored. Money is in thousands of dollars.
sheet = [{"cheques": 83, "banknotes": 4}, {"cheques": 85, "banknotes": 2}, {"cheques": 70, "banknotes": 0}]
score = call("/games/for-sale/score/", {"seats": sheet})
print("winners:", score["winners"], "decided by:", score["decided_by"])

# A club of your own. The key makes it safe to send this twice: the second time answers what the first did.
club = {"name": "Quick start", "slug": "quick-start", "visibility": "public"}
call("/clubs/", club, **{"Idempotency-Key": "my-first-club"})

# A play. Names that the club does not know become guests. With an id of its own a play, too, is stored once.
names = ["Théo", "Marianne", "Guilaine"]
play = {
    "id": "019ace24-0000-7000-8000-000000000001",
    "club": "quick-start",
    "game": "for-sale",
    "played_on": "2026-11-28",
    "seats": [{"player": name, **figures} for name, figures in zip(names, sheet, strict=True)],
}
print("play:", call("/plays/", play)["id"])

# All plays of the club, page by page: each page names the next.
address = "/plays/?club=quick-start&page_size=10"
while address:
    page = call(address)
    for play in page["results"]:
        print(play["played_on"], ", ".join(f"{seat['player']['name']} {seat['total']}" for seat in play["seats"]))
    address = page["next"] and page["next"].removeprefix(API)
