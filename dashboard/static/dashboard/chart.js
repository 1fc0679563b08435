// Draws the figures that the server built, in the colours of the theme in use, keeps them fresh
// while simulations run, and saves them as pictures.
//
//   <script type="application/json" id="fig-a">…</script>   the figure
//   <div class="chart" data-figure="fig-a"></div>            where it is drawn
//   <section data-live="/url" data-every="1000">             fetched again and taken over part by part:
//                                                            every element in it with an id and data-part
(() => {
  "use strict";
  const CONFIG = { displayModeBar: false, responsive: true, showTips: false };
  const palette = JSON.parse(document.getElementById("palette").textContent);
  const drawn = new WeakMap();

  // Colours -------------------------------------------------------------------------------------
  function colours() {
    const probe = document.createElement("i");
    probe.hidden = true;
    document.body.append(probe);
    const map = new Map();
    for (const [token, hex] of Object.entries(palette)) {
      probe.style.color = `var(--${token})`;
      map.set(hex, getComputedStyle(probe).color);
    }
    probe.remove();
    return map;
  }
  let theme = colours();

  function themed(value) {
    if (typeof value === "string") return theme.get(value) ?? value;
    if (Array.isArray(value)) return value.map(themed);
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, themed(inner)]));
    }
    return value;
  }

  // Drawing -------------------------------------------------------------------------------------
  function prepared(figure) {
    const copy = themed(figure);
    copy.layout.font.family = getComputedStyle(document.body).fontFamily;
    const followed = document.querySelector(".follow input:checked")?.value;
    for (const trace of copy.data) {
      if (!trace.meta?.seat || String(trace.meta.seat) !== followed) continue;
      const accent = theme.get(palette.accent);
      if (trace.line) trace.line.color = accent;
      if (trace.marker?.line) trace.marker.line.color = accent;
      else if (trace.marker) trace.marker.color = accent;
    }
    return copy;
  }

  async function draw(place) {
    const source = document.getElementById(place.dataset.figure);
    if (!source) return;
    const text = source.textContent;
    try {
      const figure = prepared(JSON.parse(text));
      await Plotly.react(place, figure.data, figure.layout, CONFIG);
      drawn.set(place, text);
      place.dataset.ready = "";
    } catch (problem) {
      place.dataset.failed = "";
      place.textContent = place.dataset.sorry ?? "";
      throw problem;
    }
  }

  const breath = () => new Promise((resolve) => { setTimeout(resolve, 0); });

  async function drawAll({ all }) {
    for (const place of document.querySelectorAll(".chart[data-figure]")) {
      const source = document.getElementById(place.dataset.figure);
      if (!all && source && drawn.get(place) === source.textContent) continue;
      await draw(place);
      await breath();
    }
    document.documentElement.dataset.drawn = "";
  }

  const again = () => {
    theme = colours();
    drawAll({ all: true });
  };
  document.addEventListener("themechange", again);
  for (const input of document.querySelectorAll(".follow input")) {
    input.addEventListener("change", () => drawAll({ all: true }));
  }

  // Freshness -----------------------------------------------------------------------------------
  function takeOver(live, html) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    for (const part of live.querySelectorAll("[data-part]")) {
      const next = fresh.getElementById(part.id);
      if (!next) continue;
      if (part.matches("script, [data-part=text]")) {
        if (part.textContent !== next.textContent) part.textContent = next.textContent;
      } else if (part.innerHTML !== next.innerHTML) {
        part.innerHTML = next.innerHTML;
      }
    }
    const every = fresh.querySelector("[data-every]")?.dataset.every;
    if (every) live.dataset.every = every;
  }

  async function keepFresh(live) {
    for (;;) {
      const every = Number(live.dataset.every);
      if (!every) return;
      await new Promise((resolve) => { setTimeout(resolve, every); });
      if (document.hidden) continue;
      try {
        const answer = await fetch(live.dataset.live, { headers: { Accept: "text/html" }, credentials: "same-origin" });
        if (!answer.ok) continue;
        takeOver(live, await answer.text());
        live.removeAttribute("data-offline");
      } catch {
        live.dataset.offline = "";
        continue;
      }
      await drawAll({ all: false });
    }
  }

  // Pictures ------------------------------------------------------------------------------------
  async function picture(format, places) {
    const width = Math.max(...places.map((place) => place.clientWidth));
    for (const place of places) {
      const caption = place.closest("figure")?.querySelector(".says, h3")?.textContent.trim() ?? "";
      const source = JSON.parse(document.getElementById(place.dataset.figure).textContent);
      const figure = prepared(source);
      figure.layout.paper_bgcolor = theme.get(palette.paper);
      figure.layout.title = { text: caption, font: { size: 15 }, x: 0.02, xanchor: "left", y: 0.98, yanchor: "top" };
      figure.layout.margin = { ...figure.layout.margin, l: Math.max(24, figure.layout.margin.l), r: 24, t: 72, b: 40 };
      await Plotly.downloadImage(figure, {
        format, width: Math.max(width, 480), height: 360, scale: 2,
        filename: `${document.title} ${caption}`.replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase().slice(0, 80),
      });
    }
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-picture]");
    if (!button) return;
    const scope = document.getElementById(button.dataset.of);
    picture(button.dataset.picture, [...scope.querySelectorAll(".chart[data-ready]")]);
  });

  drawAll({ all: true });
  for (const live of document.querySelectorAll("[data-live]")) keepFresh(live);
})();
