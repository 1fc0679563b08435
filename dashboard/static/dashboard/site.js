// Small comforts; every page works without them.
(() => {
  "use strict";
  const root = document.documentElement;

  const isDark = () => root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;

  const announce = () => document.dispatchEvent(new CustomEvent("themechange"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", announce);

  document.addEventListener("click", async (event) => {
    const target = event.target.closest("[data-theme-switch], [data-copy]");
    if (!target) return;
    if ("themeSwitch" in target.dataset) {
      root.dataset.theme = isDark() ? "light" : "dark";
      try {
        localStorage.setItem("theme", root.dataset.theme);
      } catch {
        // Kept for this page only.
      }
      announce();
      return;
    }
    event.preventDefault();
    const source = document.getElementById(target.dataset.copy);
    const text = source ? source.textContent : target.href || location.href;
    try {
      await navigator.clipboard.writeText(text);
      say(target, target.dataset.done);
    } catch {
      // No clipboard on plain http: select the text instead, ready to be copied by hand.
      if (source) getSelection().selectAllChildren(source);
      else prompt(target.textContent.trim(), text);
    }
  });

  function say(button, words) {
    const before = button.textContent;
    button.textContent = words;
    document.getElementById("said").textContent = words;
    setTimeout(() => { button.textContent = before; }, 2000);
  }

  // A filter takes effect when it is chosen. Empty fields stay out of the address.
  for (const form of document.querySelectorAll("form[data-auto]")) {
    form.addEventListener("change", () => form.requestSubmit());
    form.addEventListener("submit", () => {
      for (const field of form.elements) {
        if (field.name && (field.value === "" || field.value === field.dataset.default)) field.disabled = true;
      }
    });
    // Coming back with the browser's button: the fields are open again.
    addEventListener("pageshow", () => {
      for (const field of form.elements) field.disabled = false;
    });
  }
})();
