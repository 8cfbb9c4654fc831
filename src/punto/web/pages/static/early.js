// Keeps the taps that come before the scripts of the page run, and makes them again once they do. A classic script in the
// head, so that it runs before the first button is drawn.
"use strict";

(() => {
  const kept = []; // { element, again }, in the order of the taps
  const NEEDS_SCRIPT = "button[type=button], [data-take]";

  function keep(event, element, again) {
    event.preventDefault();
    event.stopImmediatePropagation();
    kept.push({ element, again });
  }

  function onClick(event) {
    const element = event.target.closest?.(NEEDS_SCRIPT);
    if (element) keep(event, element, () => element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true })));
  }

  function onSubmit(event) {
    const form = event.target;
    if (!form.hasAttribute("action")) keep(event, form, () => form.requestSubmit(event.submitter));
  }

  // one after another, as a finger does
  function makeAgain() {
    const next = kept.shift();
    if (!next) return;
    if (next.element.isConnected) next.again();
    setTimeout(makeAgain);
  }

  addEventListener("click", onClick, true);
  addEventListener("submit", onSubmit, true);
  // modules have run by then, however long they took to come
  document.addEventListener("DOMContentLoaded", () => {
    removeEventListener("click", onClick, true);
    removeEventListener("submit", onSubmit, true);
    makeAgain();
  });
})();
