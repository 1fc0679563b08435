// A recorded game without a page for each move, kept on this device until it is saved. The server plays by the rules
// and says what is due; without this script the same form does the same.
(() => {
  "use strict";
  const KEY = "record-draft";
  const store = {
    get: () => { try { return JSON.parse(localStorage.getItem(KEY)); } catch { return null; } },
    set: (pairs) => { try { localStorage.setItem(KEY, JSON.stringify(pairs)); } catch { /* kept in the page only */ } },
    drop: () => { try { localStorage.removeItem(KEY); } catch { /* nothing was kept */ } },
  };
  let form = document.getElementById("recording");
  if (!form) return;
  let busy = false;

  async function send(body) {
    if (busy) return;
    busy = true;
    form.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(form.action, { method: "POST", body });
      if (answer.redirected) {
        if (body.get("do") === "save") store.drop();
        location.assign(answer.url);
        return;
      }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("recording");
      if (!fresh) throw new Error(answer.status);
      form.replaceWith(fresh);
      form = fresh;
      wire();
      form.querySelector(".now h1, h1")?.focus({ preventScroll: true });
      scrollTo(0, 0);
    } catch {
      const sorry = form.querySelector("#sorry");
      sorry.hidden = false;
      sorry.scrollIntoView({ block: "nearest" });
    } finally {
      busy = false;
      form.removeAttribute("aria-busy");
    }
  }

  function wire() {
    form.dataset.ready = "";
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const body = new FormData(form);
      if (event.submitter?.name) body.set(event.submitter.name, event.submitter.value);
      send(body);
    });
    for (const cards of form.querySelectorAll(".cards[data-need]")) {
      const boxes = [...cards.querySelectorAll("input")];
      const limit = () => {
        const full = boxes.filter((box) => box.checked).length >= Number(cards.dataset.need);
        for (const box of boxes) box.disabled = full && !box.checked;
        form.querySelector("button[value=houses], button[value=cheques]").disabled = !full;
      };
      cards.addEventListener("change", limit);
      limit();
    }
    if (form.dataset.moves !== undefined) {
      store.set([...new FormData(form)].filter(([name]) => name !== "csrfmiddlewaretoken" && name !== "card"));
      return;
    }
    const draft = store.get();
    const offer = form.querySelector("#go-on");
    if (!draft || !offer) return;
    offer.hidden = false;
    offer.querySelector("button").addEventListener("click", () => {
      const body = new FormData();
      for (const [name, value] of draft) body.append(name, value);
      body.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
      body.set("do", "go-on");
      send(body);
    });
  }
  wire();
})();
