// Plays that wait on this device. Each has an id made here, which is its Idempotency-Key too: however often it is
// sent, it is stored once. Used by the page and by the service worker.
globalThis.padQueue = (() => {
  "use strict";

  function opened() {
    return new Promise((resolve, reject) => {
      const request = indexedDB.open("score-pad", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("plays", { keyPath: "id" });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  }

  async function inStore(mode, act) {
    const database = await opened();
    try {
      return await new Promise((resolve, reject) => {
        const transaction = database.transaction("plays", mode);
        const request = act(transaction.objectStore("plays"));
        transaction.oncomplete = () => resolve(request.result);
        transaction.onerror = transaction.onabort = () => reject(transaction.error);
      });
    } finally {
      database.close();
    }
  }

  const all = async () =>
    (await inStore("readonly", (store) => store.getAll())).sort((a, b) => (a.id < b.id ? -1 : 1));
  const put = (play) => inStore("readwrite", (store) => store.put(play));
  const remove = (id) => inStore("readwrite", (store) => store.delete(id));

  // A UUID of version 7: the time first, so that ids are in the order of the plays.
  function newId() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    let time = Date.now();
    for (let i = 5; i >= 0; i -= 1) {
      bytes[i] = time % 256;
      time = Math.floor(time / 256);
    }
    bytes[6] = (bytes[6] & 0x0f) | 0x70;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
  }

  // Sends what waits, one at a time, and tells what became of each: {sent: [...], data}.
  // urls: {data, plays}. One sender at a time, over all tabs and the worker.
  async function flush(urls) {
    if (!globalThis.navigator.locks) return sendAll(urls);
    return navigator.locks.request("score-pad", () => sendAll(urls));
  }

  async function sendAll(urls) {
    const plays = await all();
    let data;
    try {
      const answer = await fetch(urls.data, { headers: { Accept: "application/json" }, cache: "no-store" });
      data = answer.status === 401 ? { user: null } : answer.ok ? await answer.json() : null;
    } catch {
      for (const play of plays) await note(play, "waiting", "no_network");
      return { sent: [], data: null };
    }
    const sent = [];
    for (const play of plays) {
      if (play.state === "refused") continue;
      if (!data) await note(play, "waiting", "server_failed");
      else if (!data.user) await note(play, "waiting", "log_in");
      else if (play.user && play.user !== data.user) await note(play, "waiting", "other_account");
      else if (await send(play, urls, data.csrf)) sent.push(play);
    }
    return { sent, data };
  }

  // Whether the play is stored now. What the rules refuse stays, with the reason, until somebody mends it.
  async function send(play, urls, csrf) {
    let answer;
    try {
      answer = await fetch(urls.plays, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrf, "Idempotency-Key": play.id },
        body: play.body,
      });
    } catch {
      await note(play, "waiting", "no_network");
      return false;
    }
    if (answer.ok) {
      await remove(play.id);
      return true;
    }
    const problem = await answer.json().catch(() => ({}));
    const codes = (problem.errors ?? []).map((error) => error.code);
    if (answer.status === 401 || codes.includes("csrf-failed")) await note(play, "waiting", "log_in");
    else if (answer.status === 429 || answer.status >= 500 || codes.includes("in-flight")) await note(play, "waiting", "server_failed");
    else await note(play, "refused", "", problem);
    return false;
  }

  async function note(play, state, reason, problem = null) {
    if (play.state === "refused" && state === "waiting") return;
    const findings = (problem?.findings ?? []).map((finding) => finding.detail);
    const details = (problem?.errors ?? []).map((error) => error.detail);
    const said = problem ? (findings.length ? findings : details.length ? details : [problem.detail ?? problem.title]).join(" ") : "";
    const impossible = findings.length > 0;
    if (play.state === state && play.reason === reason && play.said === said) return;
    Object.assign(play, { state, reason, said, impossible });
    await put(play);
  }

  return { all, flush, newId, put, remove };
})();
