// Shows a club's latest plays and leader board, and nothing else is needed: two reads, no token, no library.
"use strict";

const page = document.querySelector("main");
const asked = new URLSearchParams(location.search);
const api = asked.get("api") ?? page.dataset.api;
const club = asked.get("club") ?? page.dataset.club;
const EVERY = 60_000; // a minute; an answer that has not changed costs next to nothing
const byId = (id) => document.getElementById(id);

async function read(path) {
  // The browser asks with If-None-Match by itself and takes its copy where the answer is 304.
  const answer = await fetch(`${api}/${path}`, { headers: { Accept: "application/json" }, cache: "no-cache", credentials: "omit" });
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.detail);
  return data;
}

// Text goes in as text: a player may be called <script>.
function element(name, text = "", ...children) {
  const made = document.createElement(name);
  made.textContent = text;
  made.append(...children);
  return made;
}

function leader({ player, plays, wins, shared_wins: shared, win_share: share, mean_total: mean }) {
  const row = element("tr", "", element("th", player.name));
  row.firstChild.scope = "row";
  const won = shared ? `${wins} + ${shared} shared` : `${wins}`;
  for (const figure of [plays, won, `${Math.round(100 * share.value)} %`, mean.mean.toFixed(1)]) row.append(element("td", String(figure)));
  return row;
}

function latest(play) {
  const day = new Date(`${play.played_on}T12:00:00`).toLocaleDateString(undefined, { dateStyle: "medium" });
  const seats = [...play.seats].sort((a, b) => a.rank - b.rank || a.seat - b.seat);
  const table = element("span");
  for (const [index, seat] of seats.entries()) {
    table.append(index ? ", " : "", element(seat.is_winner ? "b" : "span", `${seat.player.name} ${seat.total}`));
  }
  const time = element("time", day);
  time.dateTime = play.played_on;
  return element("li", "", time, " ", table);
}

async function show() {
  try {
    const [about, plays, board] = await Promise.all([
      read(`clubs/${club}/`),
      read(`plays/?club=${club}&page_size=10`),
      read(`stats/players/?club=${club}`),
    ]);
    byId("club").textContent = document.title = about.name;
    byId("leaders").replaceChildren(...board.results.map(leader));
    byId("latest").replaceChildren(...plays.results.map(latest));
    byId("state").textContent = plays.results.length ? "" : "Nothing logged yet.";
    for (const section of document.querySelectorAll("section")) section.hidden = !plays.results.length;
  } catch (problem) {
    byId("state").textContent = `This cannot be shown now: ${problem.message}`;
  }
}

show();
setInterval(() => { if (!document.hidden) show(); }, EVERY);
