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
      // A form's secret differs at every look; its state says whether it is another form.
      if (!next || (next.dataset.state && next.dataset.state === part.dataset.state)) continue;
      if (next.dataset.state) part.dataset.state = next.dataset.state;
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

  // Pictures: every chart of a section with its words and its source, on one sheet -----------------
  const SHEET = 1200;
  const GAP = 32;
  const LINE = 18;
  const pen = document.createElement("canvas").getContext("2d");

  function lines(text, width, font) {
    pen.font = font;
    const done = [];
    let line = "";
    for (const word of text.split(/\s+/)) {
      const longer = line ? `${line} ${word}` : word;
      if (line && pen.measureText(longer).width > width) {
        done.push(line);
        line = word;
      } else {
        line = longer;
      }
    }
    return line ? [...done, line] : done;
  }

  const NS = "http://www.w3.org/2000/svg";

  function write(sheet, text, { x, y, width, size = 13, weight = 400, colour = "ink" }) {
    const family = getComputedStyle(document.body).fontFamily;
    const rows = lines(text, width, `${weight} ${size}px ${family}`);
    for (const [index, row] of rows.entries()) {
      const node = document.createElementNS(NS, "text");
      node.textContent = row;
      const place = { x, y: y + size + index * (size + 5) };
      const look = { "font-family": family, "font-size": size, "font-weight": weight, fill: theme.get(palette[colour]) };
      for (const [name, value] of Object.entries({ ...place, ...look })) node.setAttribute(name, value);
      sheet.append(node);
    }
    return y + rows.length * (size + 5);
  }

  async function sheetOf(scope) {
    const sheet = document.createElementNS(NS, "svg");
    const ground = document.createElementNS(NS, "rect");
    sheet.append(ground);
    let y = write(sheet, scope.querySelector("h2").textContent, { x: GAP, y: GAP, width: SHEET - 2 * GAP, size: 20, weight: 600 });
    let x = GAP;
    let bottom = y;
    let group = null;
    for (const place of scope.querySelectorAll(".chart[data-ready]")) {
      const figure = place.closest("figure");
      const columns = place.closest(".cells") ? 4 : 2;
      const width = (SHEET - 2 * GAP - (columns - 1) * GAP) / columns;
      const here = place.closest(".cells, .pair") ?? figure;
      if (here !== group || x + width > SHEET - GAP + 1) {
        x = GAP;
        y = bottom + 16;
        const section = here.matches(".pair") ? here.closest(".section") : here.closest("section");
        const isNew = here !== group && (here.matches(".pair") || (group && !section?.contains(group)));
        const head = isNew && section?.querySelector("h2");
        if (head && !here.contains(head)) y = write(sheet, head.textContent, { x, y, width: SHEET - 2 * GAP, size: 20, weight: 600 }) + 8;
      }
      group = here;
      const text = (node) => node?.textContent.replace(/\s+/g, " ").trim() ?? "";
      const row = here.matches(".cells") ? text(here.previousElementSibling?.querySelector("h3")) : "";
      const over = [row, ...[...figure.querySelectorAll(".corner > span")].map(text)].filter(Boolean).join(" · ");
      let top = over ? write(sheet, over, { x, y, width, colour: "muted" }) : y;
      top = write(sheet, text(figure.querySelector(".says, h3")), { x, y: top, width, size: 15, weight: 600 });
      if (columns === 4) top = Math.max(top, y + 3 * LINE + 8);
      const height = place.clientHeight;
      const drawing = prepared(JSON.parse(document.getElementById(place.dataset.figure).textContent));
      const address = await Plotly.toImage(drawing, { format: "svg", width, height });
      const inner = new DOMParser().parseFromString(decodeURIComponent(address.slice(address.indexOf(",") + 1)), "image/svg+xml").documentElement;
      inner.setAttribute("x", x);
      inner.setAttribute("y", top);
      inner.setAttribute("overflow", "visible");
      sheet.append(inner);
      const under = write(sheet, text(figure.querySelector(".under")), { x, y: top + height, width, colour: "muted" });
      bottom = Math.max(bottom, under);
      x += width + GAP;
    }
    const source = scope.querySelector("#source, .source p")?.textContent ?? "";
    bottom = write(sheet, `${source} ${location.href}`.trim(), { x: GAP, y: bottom + 24, width: SHEET - 2 * GAP, colour: "muted" });
    for (const [node, height] of [[sheet, bottom + GAP], [ground, bottom + GAP]]) {
      node.setAttribute("width", SHEET);
      node.setAttribute("height", height);
    }
    ground.setAttribute("fill", theme.get(palette.paper));
    return sheet;
  }

  function save(blob, format) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${document.title.split(" · ")[0].replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()}.${format}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  async function picture(format, scope) {
    const sheet = await sheetOf(scope);
    const vector = new Blob([new XMLSerializer().serializeToString(sheet)], { type: "image/svg+xml" });
    if (format === "svg") return save(vector, format);
    const image = new Image();
    image.src = URL.createObjectURL(vector);
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = 2 * image.width;
    canvas.height = 2 * image.height;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(image.src);
    return save(await new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); }), format);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-picture]");
    if (button) picture(button.dataset.picture, document.getElementById(button.dataset.of));
  });

  drawAll({ all: true });
  for (const live of document.querySelectorAll("[data-live]")) keepFresh(live);
})();
