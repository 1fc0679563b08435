// The pad: what is typed is added up, checked and ranked at once; a finished sheet goes into the queue and is sent.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const form = $("pad");
  if (!form) return;
  const data = JSON.parse($("pad-data").textContent);
  const { words, says, urls } = data;
  const { audit, cardsIn, fill, names, rank, sumOf, tell } = globalThis.padSheet;
  const queue = globalThis.padQueue;
  const root = document.documentElement;
  root.classList.add("pad-on");
  const rows = [...form.querySelectorAll(".seat")];
  const [main, tie] = data.sheet;
  const isMoney = data.game === "for-sale";
  const written = isMoney ? [...data.sheet, "total"] : data.sheet;
  const many = (texts, n, params) => fill(texts[Math.min(n, 2)], params);
  let seated = [];
  let serverSays = null; // {key, findings}: what the server found in exactly this sheet
  let current = null; // the play that the finished view shows
  let editing = null; // a queued play that is being corrected

  const store = {
    get: (name) => { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } },
    set: (name, value) => { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* private mode */ } },
    drop: (name) => { try { localStorage.removeItem(name); } catch { /* private mode */ } },
  };
  const club = () => data.clubs.find((one) => one.slug === form.elements.club.value) ?? data.clubs[0];
  // The club's calendar day, by the device's clock: this page may have been kept since yesterday.
  const today = () => {
    try {
      return new Intl.DateTimeFormat("en-CA", { timeZone: club().zone }).format(new Date());
    } catch {
      return club().today;
    }
  };
  const variant = () => new FormData(form).get("variant");
  const edition = () => form.elements.edition.value;
  const offered = () => data.offers[`${edition()}/${variant()}`] ?? [];
  const table = () => data.tables[`${edition()}/${variant()}/${seated.length}`];
  const keyOf = (name) => name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim().replace(/\s+/g, " ");
  const money = (n) => (isMoney
    ? fill(words.money, { amount: String(n * 1000).replace(/\B(?=(\d{3})+$)/g, data.thousands) })
    : String(n).replace("-", "−"));

  // ---- the start: who plays what ------------------------------------------------------------------

  function make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  function drawStart() {
    const taken = new Set(seated.map(keyOf));
    $("seated").replaceChildren(...seated.map((name, i) => {
      const button = make("button", { type: "button" }, make("i", { textContent: i + 1 }), name, make("span", { className: "cross", textContent: "×" }));
      button.setAttribute("aria-label", fill(words.remove, { seat: i + 1, name }));
      button.addEventListener("click", () => sit(seated.filter((_, at) => at !== i)));
      return make("li", {}, button);
    }));
    const typed = keyOf($("new-player").value);
    const free = club().players.filter((name) => !taken.has(keyOf(name)) && keyOf(name).includes(typed));
    $("recent").replaceChildren(...free.slice(0, typed ? 40 : 24).map((name) => {
      const button = make("button", { type: "button", textContent: name });
      button.addEventListener("click", () => add(name));
      return button;
    }));
    const last = club().tables[data.game];
    $("again").hidden = !last || seated.length > 0;
    if (last) $("again").textContent = fill(words.again, { names: names(words, last.players) });
    const counts = offered();
    $("table-says").textContent = fill(words.players_offered, { offered: counts.join(", ") });
    $("count").disabled = !counts.includes(seated.length);
    $("count").textContent = seated.length ? `${words.count_now} · ${many(words.players, seated.length, { players: seated.length })}` : words.count_now;
    const chosen = $("edition-name");
    if (chosen) chosen.textContent = data.editions[edition()];
  }

  function sit(people) {
    seated = people;
    drawStart();
    keepDraft();
  }

  function add(text) {
    const name = text.trim().replace(/\s+/g, " ");
    if (!name) return;
    const known = club().players.find((one) => keyOf(one) === keyOf(name));
    const twice = seated.some((one) => keyOf(one) === keyOf(name));
    if (twice || seated.length >= rows.length) {
      $("new-says").textContent = twice ? fill(words.twice, { name }) : words.full;
      return;
    }
    $("new-player").value = "";
    $("new-says").textContent = known ? "" : fill(words.guest, { name });
    sit([...seated, known ?? name]);
  }

  function sameTable(last) {
    const radio = form.querySelector(`input[name=variant][value="${last.variant}"]`);
    if (radio) radio.checked = true;
    form.elements.edition.value = last.edition;
    sit([...last.players]);
    startCounting();
  }

  function startCounting() {
    if (!offered().includes(seated.length)) return;
    rows.forEach((row, i) => {
      const used = i < seated.length;
      row.hidden = !used;
      row.disabled = !used;
      row.querySelector(".name-box").value = used ? seated[i] : "";
      row.querySelector(".name").textContent = used ? seated[i] : "";
      for (const box of row.querySelectorAll(".box")) {
        const input = box.querySelector("input");
        input.setAttribute("aria-label", `${input.getAttribute("aria-label").split(",").slice(0, -1).join(",")}, ${seated[i] ?? ""}`);
        if (!used) input.value = "";
      }
      if (!used && isMoney) form.elements[`won-${i + 1}`].checked = false;
    });
    for (const option of form.elements.first_seat.options) option.hidden = Number(option.value) > seated.length;
    form.classList.toggle("many", seated.length > 4);
    const line = [data.name, data.variants[variant()], many(words.players, seated.length, { players: seated.length })];
    if (Object.keys(data.variants).length < 2) line.splice(1, 1);
    $("table-line").textContent = line.join(", ");
    $("back-name").textContent = club().name;
    show("counting");
    const empty = boxes().find((input) => !input.value) ?? boxes()[0];
    empty.focus({ preventScroll: true });
    scrollTo(0, 0);
    update();
  }

  function show(view) {
    root.classList.toggle("counting", view !== "start");
    root.classList.toggle("finished", view === "done");
    $("done").hidden = view !== "done";
    $("queue").hidden = view !== "start" || !$("queue-list").children.length;
    if (view === "start") drawStart();
    drawNet();
  }

  // ---- counting -----------------------------------------------------------------------------------

  const onlyTotals = () => Boolean(form.elements.only_totals?.checked);
  const shown = () => (onlyTotals() ? ["total"] : data.sheet);
  const boxes = () => rows.filter((row) => !row.hidden).flatMap((row) =>
    [...row.querySelectorAll(".box")].filter((box) => !box.hidden && shown().includes(box.dataset.figure)).map((box) => box.querySelector("input")));

  function read() {
    return seated.map((name, i) => {
      const text = (figure) => form.elements[`${figure}-${i + 1}`].value;
      const value = (figure) => (shown().includes(figure) ? sumOf(text(figure)) : null);
      const won = onlyTotals() && form.elements[`won-${i + 1}`].checked;
      return { name, text: text(main), [main]: value(main), [tie]: value(tie), written: value("total"), won };
    });
  }

  function update() {
    const sheet = read();
    const known = (value) => value !== null && !Number.isNaN(value);
    const only = onlyTotals();
    const seats = sheet.map((seat) => ({
      ...seat,
      total: only ? (known(seat.written) ? seat.written : 0) : isMoney ? (known(seat[main]) ? seat[main] : 0) + (known(seat[tie]) ? seat[tie] : 0) : known(seat[main]) ? seat[main] : -Infinity,
      tie: known(seat[tie]) ? seat[tie] : null,
    }));
    const began = seats.map((seat) => known(seat[main]) || known(seat.written) || (isMoney && known(seat[tie])));
    const values = (seat) => [seat[main], seat[tie], seat.written];
    const unreadable = sheet.some((seat) => values(seat).some((value) => Number.isNaN(value) || Math.abs(value) > data.largest));
    const best = Math.max(...seats.map((seat) => seat.total));
    const level = seats.map((seat) => began.every(Boolean) && seat.total === best && seats.filter((one) => one.total === best).length > 1);
    // Lady Richmond's tie-break is asked for only where it decides.
    const asked = level.map((one) => isMoney || one);
    const whole = seats.every((seat) => (only ? known(seat.written) : known(seat[main]) && (!isMoney || known(seat[tie])))) && !unreadable;
    const told = began.every(Boolean) ? rank(seats.map((seat, i) => ({ total: seat.total, tie: asked[i] ? seat.tie : null, won: seat.won && level[i] })), tie) : null;
    rows.forEach((row, i) => {
      if (i >= seats.length) return;
      const wrong = values(sheet[i]).some(Number.isNaN);
      for (const box of row.querySelectorAll(".box")) {
        const input = box.querySelector("input");
        const value = sumOf(input.value);
        const isSum = known(value) && /\d[+-]/.test(input.value.replace("−", "-"));
        box.classList.toggle("sum", isSum);
        box.classList.toggle("bad", Number.isNaN(value));
        input.setAttribute("aria-invalid", String(Number.isNaN(value)));
        box.querySelector(".eq").textContent = isSum ? `= ${value}` : "";
        if (box.dataset.figure === tie && !isMoney) box.hidden = !asked[i];
      }
      const message = row.querySelector(".wrong");
      message.textContent = wrong ? words.not_a_sum : !isMoney && asked[i] && seats[i].tie === null ? words.ask_collection : "";
      message.hidden = !message.textContent;
      row.querySelector(".tt").hidden = !isMoney || only;
      if (isMoney) row.querySelector(".won").hidden = !only || !level[i];
      row.querySelector(".tt b").textContent = began[i] ? seats[i].total : "–";
      row.classList.toggle("best", Boolean(told) && told.ranks[i] === 1);
    });
    const findings = unreadable ? [] : findingsIn(sheet, whole);
    drawFinding(sheet, findings, whole && !unreadable);
    const fair = whole && !findings.some((one) => one.severity === "impossible");
    const who = $("who");
    who.hidden = !told;
    if (told) {
      const people = seats.map((seat, i) => ({ ...seat, tie: asked[i] ? seat.tie : null, banknotes: isMoney ? seat.tie : undefined }));
      const [head, why] = tell(words, people, told, fair);
      say(who.children[0], head);
      say(who.children[1], why && `, ${why}`);
    }
    const save = $("save");
    save.textContent = !whole ? words.empty : fair ? words.save : words.save_uncounted;
    save.disabled = !whole;
    save.classList.toggle("main", fair);
    keepDraft();
    if (whole) askServer(sheet);
    return { seats, level, told, findings, whole, fair };
  }

  function say(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  function findingsIn(sheet, whole) {
    if (whole && serverSays?.key === sheetKey(sheet)) return serverSays.findings;
    return onlyTotals() ? [] : audit(table(), says, sheet); // of totals alone the server knows what can be
  }

  function drawFinding(sheet, findings, whole) {
    const box = $("find");
    const [head, more] = box.children;
    const sums = isMoney && !onlyTotals() ? table()?.all : null;
    const due = sums?.length === 1 && sums[0][0] === sums[0][1] ? sums[0][0] : null;
    const value = sheet.reduce((sum, seat) => sum + (seat[main] || 0), 0);
    const any = sheet.some((seat) => seat[main] !== null);
    let text = ["", ""];
    if (findings.length) {
      const bad = findings.some((one) => one.severity === "impossible");
      text = [findings.map((one) => one.detail).join(" "), bad ? words.recount : words.unlikely];
    } else if (whole) {
      text = [due !== null ? fill(words.agrees, { value }) : isChecked(sheet) ? words.checked : "", ""];
    } else if (any && due !== null) {
      text = [fill(words.so_far, { value, due }), ""];
    }
    box.hidden = !text[0];
    box.className = `find ${findings.length ? "" : whole ? "ok" : "idle"}`;
    say(head, text[0]);
    say(more, text[1]);
  }

  const sheetKey = (sheet) => JSON.stringify([edition(), variant(), sheet.map((seat) => [seat.text, seat[main], seat[tie], seat.written])]);
  const isChecked = (sheet) => !onlyTotals() || serverSays?.key === sheetKey(sheet);

  // The server has the last word while there is one: it knows what no table can hold.
  let asking;
  function askServer(sheet) {
    const key = sheetKey(sheet);
    clearTimeout(asking);
    if (serverSays?.key === key || !navigator.onLine) return;
    asking = setTimeout(async () => {
      const seats = figures(sheet);
      try {
        const answer = await fetch(urls.score, {
          method: "POST",
          headers: { "Content-Type": "application/json", "X-CSRFToken": cookie("csrftoken") },
          body: JSON.stringify({ edition: edition(), variant: variant(), seats }),
        });
        if (!answer.ok) return;
        serverSays = { key, findings: (await answer.json()).findings };
        if (root.classList.contains("counting")) update();
      } catch {
        // No network: the tables have said what they can.
      }
    }, 300);
  }

  const cookie = (name) => document.cookie.match(`(?:^|; )${name}=([^;]*)`)?.[1] ?? "";

  function figures(sheet) {
    return sheet.map((seat) => {
      if (onlyTotals()) return { total: seat.written };
      const cards = isMoney ? cardsIn(seat.text, table()) : null;
      const entry = cards ? { cheque_cards: cards } : { [main]: seat[main] };
      if (seat[tie] !== null) entry[tie] = seat[tie];
      return entry;
    });
  }

  // ---- a draft survives a reload and a dead battery ------------------------------------------------

  const DRAFT = `pad-draft-${data.game}`;
  const KEPT = 18 * 3600 * 1000; // a draft is of this evening
  const EXTRAS = ["first_seat", "played_at", "duration_minutes", "location", "notes"];

  function keepDraft() {
    if (!seated.length) {
      store.drop(DRAFT);
      return;
    }
    store.set(DRAFT, {
      at: Date.now(), club: club().slug, seated, variant: variant(), edition: edition(), played_on: form.elements.played_on.value, editing,
      counting: root.classList.contains("counting") && !root.classList.contains("finished"),
      only: onlyTotals(), won: seated.map((_, i) => Boolean(form.elements[`won-${i + 1}`]?.checked)),
      texts: seated.map((_, i) => written.map((figure) => form.elements[`${figure}-${i + 1}`].value)),
      extras: Object.fromEntries(EXTRAS.map((name) => [name, form.elements[name].value])),
    });
  }

  function takeUp(draft) {
    if (!data.clubs.some((one) => one.slug === draft.club)) return;
    form.elements.club.value = draft.club;
    form.elements.played_on.value = draft.played_on;
    form.elements.edition.value = draft.edition;
    const radio = form.querySelector(`input[name=variant][value="${draft.variant}"]`);
    if (radio) radio.checked = true;
    draft.texts.forEach((texts, i) => texts.forEach((text, at) => { form.elements[`${written[at]}-${i + 1}`].value = text; }));
    if (isMoney) {
      form.elements.only_totals.checked = Boolean(draft.only);
      draft.won?.forEach((won, i) => { form.elements[`won-${i + 1}`].checked = won; });
    }
    for (const [name, value] of Object.entries(draft.extras)) form.elements[name].value = value;
    editing = draft.editing ?? null;
    seated = draft.seated;
    if (draft.counting) startCounting();
  }

  function clearSheet() {
    for (const row of rows) for (const input of row.querySelectorAll(".box input")) input.value = "";
    for (const box of form.querySelectorAll(".won input, #only-totals")) box.checked = false;
    for (const name of EXTRAS) form.elements[name].value = "";
    for (const radio of form.querySelectorAll("input[name=variant]")) radio.defaultChecked = radio.checked;
    serverSays = null;
    editing = null;
    store.drop(DRAFT);
  }

  // ---- saving and sending --------------------------------------------------------------------------

  async function save() {
    const { seats, level, told, findings, whole, fair } = update();
    if (!whole) return;
    $("save").disabled = true;
    const sheet = read();
    const named = seats.flatMap((seat, i) => (seat.won && level[i] ? [i + 1] : []));
    const body = {
      id: editing ?? queue.newId(),
      club: club().slug, game: data.game, edition: edition(), variant: variant(),
      played_on: form.elements.played_on.value,
      seats: figures(sheet).map((entry, i) => ({ player: seated[i], ...entry })),
    };
    if (form.elements.first_seat.value) body.first_seat = Number(form.elements.first_seat.value);
    if (form.elements.played_at.value) body.played_at = form.elements.played_at.value;
    if (/^\d+$/.test(form.elements.duration_minutes.value)) body.duration_minutes = Number(form.elements.duration_minutes.value);
    for (const name of ["location", "notes"]) if (form.elements[name].value) body[name] = form.elements[name].value;
    if (named.length) body.reported_winners = named;
    if (!fair) body.accept_findings = true;
    const ask = (i) => isMoney || seats[i].tie !== null;
    const people = seats.map((seat, i) => ({ ...seat, tie: ask(i) ? seat.tie : null, banknotes: isMoney ? seat.tie : undefined }));
    const [head, why] = tell(words, people, told, true);
    current = {
      id: body.id, body: JSON.stringify(body), user: data.user, state: "waiting", reason: "", said: "",
      title: [data.name, data.variants[variant()], many(words.players, seated.length, { players: seated.length })].join(", "),
      club: club().name, head, why, date: body.played_on, findings: findings.map((one) => one.detail), checked: isChecked(sheet),
      lines: seats.map((seat, i) => ({ rank: told.ranks[i], name: seat.name, main: seat[main], tie: seat[tie], total: seat.total })).sort((a, b) => a.rank - b.rank),
      draft: store.get(DRAFT),
    };
    try {
      await queue.put(current);
    } catch {
      $("save").disabled = false;
      if (!fair) form.append(make("input", { type: "hidden", name: "accept_findings", value: "1" }));
      HTMLFormElement.prototype.submit.call(form); // no storage on this device: the way without script
      return;
    }
    remember(body);
    clearSheet();
    drawDone();
    show("done");
    $("done").focus({ preventScroll: true });
    scrollTo(0, 0);
    navigator.serviceWorker?.ready.then((worker) => worker.sync?.register("send")).catch(() => {});
    await flush();
  }

  // The table and its names are there for the next game, network or not.
  function remember(body) {
    const here = club();
    here.tables[data.game] = { variant: body.variant, edition: body.edition, players: seated };
    here.players = [...seated, ...here.players.filter((name) => !seated.some((one) => keyOf(one) === keyOf(name)))];
    store.set("pad-tables", data.clubs);
  }

  function drawDone() {
    $("done-head").textContent = current.head;
    $("done-why").textContent = current.why && `${current.why[0].toUpperCase()}${current.why.slice(1)}.`;
    const day = current.date === today() ? words.today : new Date(`${current.date}T12:00`).toLocaleDateString(root.lang, { day: "numeric", month: "long", year: "numeric" });
    $("done-meta").textContent = `${current.title}, ${day}`;
    $("done-check").textContent = current.findings.length ? current.findings.join(" ") : current.checked ? words.checked : "";
    $("done-rows").replaceChildren(...current.lines.map((line) => {
      const cells = isMoney ? [line.main === null ? "–" : money(line.main), line.tie === null ? "–" : money(line.tie), money(line.total)] : [money(line.total)];
      return make("tr", { className: line.rank === 1 ? "win" : "" }, make("td", { textContent: line.rank }), make("td", { textContent: line.name }),
        ...cells.map((text) => make("td", { className: "num", textContent: text })));
    }));
    $("open").href = urls.play.replace("00000000-0000-0000-0000-000000000000", current.id);
  }

  async function drawQueue() {
    const plays = await queue.all().catch(() => []);
    const waiting = plays.length;
    $("queue-list").replaceChildren(...plays.map((play) => {
      const refused = play.state === "refused";
      const item = make("li", { className: refused ? "bad" : "" }, make("b", { textContent: play.head }),
        make("span", { textContent: `${play.title}, ${play.club}` }),
        make("span", { className: "state", textContent: why(play) }));
      const buttons = make("div", { className: "row-of-buttons" });
      if (play.reason === "log_in" || play.reason === "other_account") buttons.append(make("a", { className: "btn", href: `${urls.login}?next=${encodeURIComponent(urls.scope)}`, textContent: words.opens_log_in }));
      else if (!refused) buttons.append(button(words.send_now, flush));
      if (refused && play.impossible) buttons.append(button(words.save_uncounted, async () => {
        await queue.put({ ...play, state: "waiting", body: JSON.stringify({ ...JSON.parse(play.body), accept_findings: true }) });
        await flush();
      }));
      if (play.draft) buttons.append(button(words.correct, () => mend(play)));
      if (refused) buttons.append(button(words.discard, async () => {
        if (confirm(words.discard_sure)) await queue.remove(play.id);
        await drawQueue();
      }));
      item.append(buttons);
      return item;
    }));
    $("queue").hidden = !waiting || root.classList.contains("counting");
    drawNet(waiting);
    const mine = current && plays.find((play) => play.id === current.id);
    if (current) {
      const state = $("done-state");
      state.classList.toggle("bad", mine?.state === "refused");
      const [head, text] = !mine ? [words.sent, fill(words.sent_says, { club: current.club })]
        : mine.state === "refused" ? [words.refused, mine.said]
          : [words.saved_here, mine.reason === "log_in" || mine.reason === "other_account" ? why(mine) : many(words.waits, waiting, { count: waiting })];
      say(state.children[0], head);
      say(state.children[1], text);
      $("open").hidden = Boolean(mine);
      $("fix").hidden = !mine;
    }
  }

  const why = (play) => (play.said ? play.said : play.reason ? fill(words[play.reason], { user: play.user }) : "");

  function button(text, act) {
    const made = make("button", { type: "button", className: "btn", textContent: text });
    made.addEventListener("click", act);
    return made;
  }

  // A play that has not been sent is taken out of the queue and onto the pad again, under the same id.
  async function mend(play) {
    await queue.remove(play.id);
    const draft = { ...play.draft, editing: play.id, counting: true };
    if (JSON.parse(play.body).game !== data.game) return;
    current = null;
    takeUp(draft);
    await drawQueue();
  }

  let waitingNow = 0;
  function drawNet(waiting = waitingNow) {
    waitingNow = waiting;
    const text = [navigator.onLine ? "" : words.offline, waiting ? many(words.waiting, waiting, { count: waiting }) : ""].filter(Boolean);
    for (const chip of document.querySelectorAll("[data-net]")) {
      chip.hidden = !text.length;
      chip.classList.toggle("off", !navigator.onLine || waiting > 0);
      const said = text.join("\n");
      if (chip.dataset.said === said) continue;
      chip.dataset.said = said;
      chip.replaceChildren(make("span", {}, ...text.map((line) => make("span", { textContent: line }))));
    }
  }

  async function flush() {
    let fresh = null;
    if ((await queue.all().catch(() => [])).length || !navigator.onLine) {
      if (navigator.onLine) fresh = (await queue.flush(urls).catch(() => null))?.data;
    }
    await drawQueue();
    if (fresh?.user) take(fresh);
  }

  function take(fresh) {
    data.clubs = fresh.clubs;
    data.user = fresh.user;
    store.set("pad-tables", data.clubs);
    if (!root.classList.contains("counting")) drawStart();
  }

  async function share() {
    const lines = [current.title, `${current.club}, ${current.date}`, "", ...current.lines.map((line) => {
      const notes = isMoney && line.tie !== null ? `, ${many(words.notes, line.tie, { n: line.tie })}` : "";
      return `${line.rank}. ${line.name}, ${isMoney ? money(line.total) : fill(words.points, { points: line.total })}${notes}`;
    }), "", $("done-why").textContent || $("done-head").textContent];
    const text = lines.join("\n");
    if (navigator.share) await navigator.share({ text }).catch(() => {});
    else await navigator.clipboard?.writeText(text).then(() => { $("said").textContent = words.copied; $("share").textContent = words.copied; }).catch(() => {});
  }

  // ---- wiring --------------------------------------------------------------------------------------

  for (const id of ["table", "count"]) $(id).hidden = false;
  $("bar").hidden = $("table-line").hidden = false;
  for (const box of form.querySelectorAll(".name-box")) box.hidden = true;
  for (const shown of form.querySelectorAll(".name, .tt, .plus")) shown.hidden = false;
  $("new-player").removeAttribute("list");
  $("server-find")?.remove();
  if (data.clubs.length === 1) form.elements.club.closest(".field").hidden = true;

  form.addEventListener("input", (event) => {
    if (event.target.closest(".box, .won, .only-totals")) update();
    else if (event.target.id === "new-player") drawStart();
    else keepDraft();
  });
  form.addEventListener("change", (event) => {
    if (event.target.name === "club") {
      if (form.elements.played_on.value > today()) form.elements.played_on.value = today();
      sit([]);
    } else if (["variant", "edition"].includes(event.target.name)) drawStart();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (root.classList.contains("counting")) save();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
    event.preventDefault();
    if (event.target.id === "new-player") {
      add(event.target.value);
      return;
    }
    const all = boxes();
    const at = all.indexOf(event.target);
    if (at >= 0) (all[at + 1] ?? ($("save").disabled ? all.find((input) => !input.value) ?? $("save") : $("save"))).focus();
  });
  for (const plus of form.querySelectorAll(".plus")) {
    plus.addEventListener("pointerdown", (event) => event.preventDefault()); // the box keeps the keyboard
    plus.addEventListener("click", () => {
      const input = plus.parentElement.querySelector("input");
      input.focus();
      if (plus.dataset.sign === "-" ? !/-$/.test(input.value) : input.value && !/\+$/.test(input.value)) input.value += plus.dataset.sign;
      update();
    });
  }
  $("add").addEventListener("click", () => { add($("new-player").value); $("new-player").focus(); });
  $("count").addEventListener("click", startCounting);
  $("again").addEventListener("click", () => sameTable(club().tables[data.game]));
  $("back").addEventListener("click", () => { show("start"); keepDraft(); });
  $("next").addEventListener("click", () => { const last = club().tables[data.game]; current = null; if (last) sameTable(last); else show("start"); });
  $("other").addEventListener("click", () => { current = null; seated = []; show("start"); drawQueue(); });
  $("share").addEventListener("click", share);
  $("fix").addEventListener("click", async () => {
    const waiting = (await queue.all()).find((play) => play.id === current?.id);
    if (waiting) await mend(waiting);
  });
  navigator.serviceWorker?.addEventListener("message", drawQueue);
  addEventListener("online", flush);
  addEventListener("offline", () => drawNet());
  document.addEventListener("visibilitychange", () => { if (!document.hidden) flush(); });
  setInterval(() => { if (waitingNow && navigator.onLine && !document.hidden) flush(); }, 30000);

  // The page may be the device's own copy: names that were used since are added, and asked for again.
  const kept = store.get("pad-tables");
  if (kept && !navigator.onLine) data.clubs = kept;
  if (!globalThis.isSecureContext) $("insecure").hidden = false;
  else navigator.serviceWorker?.register(urls.worker, { scope: urls.scope }).catch(() => {});
  const draft = store.get(DRAFT);
  const asked = new URLSearchParams(location.search).get("club");
  if (data.clubs.some((one) => one.slug === asked)) form.elements.club.value = asked;
  const refused = rows.map((row) => row.querySelector(".name-box").value).filter(Boolean);
  if (refused.length) {
    seated = refused; // sent without script, and come back
    startCounting();
  } else {
    form.elements.played_on.value = today();
    if (draft && Date.now() - draft.at < KEPT) takeUp(draft);
  }
  if (!root.classList.contains("counting")) show("start");
  form.dataset.ready = "";
  flush();
})();
