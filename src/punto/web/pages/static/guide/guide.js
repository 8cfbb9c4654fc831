// The guide. The server draws each step from the table and the address; this presses what is on the screen, gives its
// commands, and fetches the address again when a fact or the table has changed.
"use strict";

import { Refused, say } from "../punto.js";
import * as dialogs from "../dealer/dialogs.js";
import { propose } from "../dealer/dialogs/approval.js";
import { fetchPage, open as openForm } from "../dealer/dialogs/frame.js";
import "../dealer/dialogs/forms.js";
import { isHeldDown, isTooSoon, refuseTooSoon, step } from "../dealer/fresh.js";
import { connect, give, isUp } from "../dealer/line.js";
import { push, start, takeAll } from "../dealer/queue.js";
import { data, onChange, show } from "../dealer/state.js";
import { tellUnsent } from "../dealer/unsent.js";
import { stopAsking } from "../trouble/facts.js"; // before the keys of the guide: what a fact takes is no key of the guide's

const NEED_ANOTHER = ["not_authorised", "second_person_needed"];
const TYPED = "input:not([type=radio]):not([type=checkbox]), textarea, select";
const guide = document.getElementById("guide");
const TYPING_MS = 200;
let drawing = 0; // the last drawing that was asked for
let drawn = Promise.resolve(); // when it is on the screen
let typing = null; // a fact that is being typed
let lighting = false; // the call for the pit is on its way
let acting = null; // what the screen showed when the command that is on its way was given: a cursor of the table

// ---- drawing

function draw() {
  drawn = drawNow();
  return drawn;
}

// Resolves when no drawing is on its way: one that a later one has overtaken draws nothing.
async function settled() {
  for (let last = null; last !== drawn; ) {
    last = drawn;
    await last;
  }
}

async function drawNow() {
  const mine = (drawing += 1);
  const query = Object.fromEntries(new URLSearchParams(location.search));
  const text = await fetchPage(location.pathname, query).catch((error) => {
    if (mine === drawing) stopAsking();
    throw error;
  });
  if (mine !== drawing) return; // a later one is on its way
  const fresh = new DOMParser().parseFromString(text, "text/html");
  const step = fresh.getElementById("guide");
  if (!step) return location.reload(); // signed out: the page then leads to the door
  const moved = step.dataset.step !== guide.dataset.step;
  for (const id of ["guide", "head"]) {
    Idiomorph.morph(document.getElementById(id), fresh.getElementById(id).innerHTML, { morphStyle: "innerHTML", callbacks: { beforeNodeMorphed } });
  }
  Object.assign(guide.dataset, { step: step.dataset.step, at: step.dataset.at, lamp: step.dataset.lamp ?? "" });
  attempt(lightLamp);
  if (moved) settle();
  if (moved && acting !== null) takeAll(); // typed ahead for a step that is over
}

// A dealer who has found something needs somebody: the pit's lamp goes on. Somebody else may have called meanwhile.
async function lightLamp() {
  if (!guide.dataset.lamp || lighting) return;
  lighting = true;
  try {
    await give(JSON.parse(guide.dataset.lamp), { asks: false }); // nobody has pressed anything
  } catch (error) {
    if (!["pit_called", "session_locked"].includes(error.code)) throw error;
  } finally {
    lighting = false;
  }
}

// what is being typed stays
const beforeNodeMorphed = (old) => !(old === document.activeElement && old.matches(TYPED));

// A new step starts at its top, and Space is its next step.
function settle() {
  if (!dialogs.isOpen()) document.activeElement?.blur();
  window.scrollTo(0, 0);
  document.getElementById("work").scrollTop = 0;
}

async function attempt(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    takeAll(); // what was typed ahead was meant for a step that has not come about
    say(error.message, error);
    if (error.code === "not_signed_in") location.assign(`/enter?to=${encodeURIComponent(location.pathname)}`);
  }
}

async function go(address, { replaces = false } = {}) {
  const url = new URL(address, location.href);
  if (url.pathname !== location.pathname) return location.assign(url);
  history[replaces ? "replaceState" : "pushState"](null, "", url);
  return draw();
}

window.addEventListener("popstate", () => attempt(draw));

// ---- facts

// The form's fields are the query. Text is sent when nothing was typed for a moment, and before anything is pressed.
function takeFacts() {
  clearTimeout(typing);
  typing = null;
  const form = guide.querySelector("[data-facts]");
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  return go(`?${query}`, { replaces: true });
}

guide.addEventListener("input", (event) => {
  if (!event.target.closest("[data-facts]") || !event.target.matches(TYPED)) return;
  clearTimeout(typing);
  typing = setTimeout(() => attempt(takeFacts), TYPING_MS);
});
guide.addEventListener("change", (event) => {
  if (event.target.closest("[data-facts]")) attempt(takeFacts);
});
guide.addEventListener("submit", (event) => event.preventDefault());

// ---- pressing

// What is pressed means what the screen shows once all facts are on it.
async function press(element) {
  if (typing !== null) await takeFacts();
  await settled();
  const { give: command, needs, open, form } = element.dataset;
  if (command) return act(JSON.parse(command), needs);
  if (open) return dialogs.open(open);
  if (form) return openForm(form);
  if (element.href) return go(element.href);
  return element.click();
}

// What is pressed while a command is on its way means nothing, until the screen has changed: that may be before the answer.
async function act(command, needs) {
  const { at: shown } = guide.dataset;
  if (acting === shown) return;
  acting = shown;
  try {
    await giveOrPropose(command, needs);
    await settled(); // the table has changed, so it is being drawn
  } finally {
    if (acting === shown) acting = null;
  }
}

async function giveOrPropose(command, needs) {
  if (needs) return propose(command);
  try {
    return await give(command);
  } catch (error) {
    if (!NEED_ANOTHER.includes(error.code)) throw error;
    return propose(command);
  }
}

start((item) =>
  attempt(async () => {
    if (typing !== null) await takeFacts();
    await settled();
    const element = guide.querySelector(`[data-key="${CSS.escape(item.key)}"]:not([disabled])`);
    if (!element) return;
    const final = Boolean(element.dataset.give);
    if (item.key !== "Space") await press(element);
    else if (final && isTooSoon(item, final)) tooSoon(item);
    else await step(item, final, () => press(element));
  }),
);

// What decides something wants a press of its own.
function tooSoon(item) {
  takeAll();
  refuseTooSoon(item);
}

// After a tap, Space is the next step: nothing that is tapped gets the focus, unless it is typed into. A label gives it to
// its input only after its own click.
let tapped = false; // a tap, not a key, came last
document.addEventListener("pointerdown", () => (tapped = true), true);
document.addEventListener("keydown", () => (tapped = false), true);
guide.addEventListener("focusin", ({ target }) => {
  if (tapped && !target.matches(TYPED)) target.blur();
});

guide.addEventListener("click", (event) => {
  if (event.detail && !event.target.closest(TYPED)) document.activeElement?.blur(); // what had the focus before the tap
  const element = event.target.closest("[data-give], [data-open], [data-form], a[href]:not([data-clause]):not([target])");
  if (!element || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (event.detail > 1 && element.dataset.give) return; // the second of two quick taps would mean the next step
  attempt(() => press(element));
});

function nameOf(event) {
  if (event.code === "Space") return "Space";
  if (/^[!-~]$/.test(event.key)) return event.key.toUpperCase();
  const typed = /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(event.code); // a keyboard that writes another script
  return typed ? typed[1] : event.key;
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || dialogs.isOpen()) return;
  const name = nameOf(event);
  const inField = event.target.closest(TYPED);
  const leaves = name === "Space" && inField?.matches("[inputmode=decimal]"); // no number has a space
  if (inField && !leaves && !["Enter", "Escape"].includes(name)) return;
  if (["Space", "Enter"].includes(name) && event.target.closest("a, button")) return;
  if (name === "Space" && !leaves && event.target.closest("input:not([type=radio]:checked)")) return; // ticks what has the focus
  const key = name === "Enter" ? "Space" : name;
  if (key.length > 1 && !["Space", "Escape"].includes(key)) return;
  event.preventDefault();
  if (inField) inField.blur();
  if (!isHeldDown(event)) push(key);
});

// ---- the table changes, the line is lost

let at = data().at;
onChange(() => {
  if (data().at === at) return;
  at = data().at;
  attempt(draw);
});

document.addEventListener("line", () => {
  document.getElementById("away").hidden = isUp();
  if (isUp()) attempt(draw);
});

show();
tellUnsent();
connect();
attempt(lightLamp);
