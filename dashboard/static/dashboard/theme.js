// Runs before the first paint: the theme a reader chose on this device, if any.
(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const chosen = localStorage.getItem("theme");
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  } catch {
    // Storage may be closed to us; the device's theme is right then.
  }
})();
