// Houses to tap, beside the field to type them into: each tap writes the field, each letter sets the tiles.
(() => {
  "use strict";
  for (const tiles of document.querySelectorAll("[data-tiles]")) {
    const field = document.getElementById(tiles.dataset.tiles);
    const buttons = [...tiles.querySelectorAll("[data-house]")];
    const typed = () => new Set(field.value.match(/\d+/g)?.map(Number));
    const show = () => {
      const open = typed();
      for (const button of buttons) button.setAttribute("aria-pressed", String(open.has(Number(button.dataset.house))));
    };
    tiles.addEventListener("click", (event) => {
      const button = event.target.closest("[data-house]");
      if (!button) return;
      const open = typed();
      const house = Number(button.dataset.house);
      if (!open.delete(house)) open.add(house);
      field.value = [...open].sort((a, b) => a - b).join(" ");
      show();
    });
    field.addEventListener("input", show);
    tiles.hidden = false;
    show();
  }
})();
