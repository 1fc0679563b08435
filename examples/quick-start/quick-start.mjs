// Log a play and read it back, with Node 18 or later:  API=http://127.0.0.1:8000/api/v1 TOKEN=fs_... node quick-start.mjs
const { API, TOKEN } = process.env;

async function call(address, body, headers = {}) {
  const answer = await fetch(address, {
    method: body ? "POST" : "GET",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${TOKEN}`, ...headers },
    body: body && JSON.stringify(body),
  });
  const data = await answer.json();
  if (!answer.ok) throw new Error(`${data.title}: ${data.detail}`); // every error has this shape
  return data;
}

// Who won? Nothing is stored. Money is in thousands of dollars.
const sheet = [{ cheques: 83, banknotes: 4 }, { cheques: 85, banknotes: 2 }, { cheques: 70, banknotes: 0 }];
const score = await call(`${API}/games/for-sale/score/`, { seats: sheet });
console.log("winners:", score.winners, "decided by:", score.decided_by);

// A club of your own. The key makes it safe to send this twice: the second time answers what the first did.
const club = { name: "Quick start", slug: "quick-start", visibility: "public" };
await call(`${API}/clubs/`, club, { "Idempotency-Key": "my-first-club" });

// A play. Names that the club does not know become guests. With an id of its own a play, too, is stored once.
const names = ["Théo", "Marianne", "Guilaine"];
const seats = sheet.map((figures, index) => ({ player: names[index], ...figures }));
const play = await call(`${API}/plays/`, {
  id: "019ace24-0000-7000-8000-000000000001", club: "quick-start", game: "for-sale", played_on: "2026-11-28", seats,
});
console.log("play:", play.id);

// All plays of the club, page by page: each page names the next.
for (let address = `${API}/plays/?club=quick-start&page_size=10`; address;) {
  const page = await call(address);
  for (const { played_on, seats: table } of page.results) {
    console.log(played_on, table.map((seat) => `${seat.player.name} ${seat.total}`).join(", "));
  }
  address = page.next;
}
