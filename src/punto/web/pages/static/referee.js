// Lays out a question without loading the page each time. Every tap is a link, and its address holds the whole
// question: without this script the page works the same.
"use strict";

const TYPED = "input:not([type=radio]):not([type=checkbox])";
const main = () => document.getElementById("main");
let latest = 0;

/** Shows the page of an address; the last one asked for wins. */
async function show(address, { replace = false, push = true } = {}) {
  const mine = ++latest;
  const answer = await fetch(address, { headers: { accept: "text/html" } }).catch(() => null);
  if (mine !== latest) return;
  if (!answer?.ok) {
    location.assign(address); // the browser shows what is wrong
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (mine !== latest) return;
  if (push) history[replace ? "replaceState" : "pushState"](null, "", address);
  for (const part of ["#main", ".tongue"]) {
    Idiomorph.morph(document.querySelector(part), page.querySelector(part), { morphStyle: "outerHTML", callbacks: { beforeNodeMorphed } });
  }
  main().dataset.shown = address;
}

// what is being typed stays
const beforeNodeMorphed = (old) => !(old === document.activeElement && old.matches(TYPED));

document.addEventListener("click", (event) => {
  const link = event.target.closest('#main a[href^="/referee"]');
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  lead(link);
});

/** Follows a link; what somebody saw leads on to the facts about it. */
async function lead(link) {
  const isTile = Boolean(link.dataset.tile || link.closest("[data-fact]"));
  await show(link.getAttribute("href"));
  if (!isTile) return;
  const facts = document.getElementById("facts-h");
  facts?.focus({ preventScroll: true });
  facts?.scrollIntoView({ block: "nearest" });
}

/** The address of the facts as they are now. */
function addressOf(form) {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value) query.set(name, value);
  return `${location.pathname}?${query}`;
}

document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-facts], form[data-book]");
  if (form && main().contains(form)) show(addressOf(form), { replace: form.matches("[data-facts]") });
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-facts], form[data-book]");
  if (!form) return;
  event.preventDefault();
  show(addressOf(form));
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard?.writeText(document.getElementById(button.dataset.copy).href);
  button.textContent = button.dataset.copied;
});

window.addEventListener("popstate", () => show(location.pathname + location.search, { push: false }));
