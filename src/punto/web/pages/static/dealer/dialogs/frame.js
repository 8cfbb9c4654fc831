// The one dialog of the console: what the server has drawn is shown in it, and its keys and taps are read here.
"use strict";

import { Refused, unlock, words as pageWords } from "../../punto.js";
import { takeAll } from "../queue.js";
import { table } from "../state.js";

const element = document.getElementById("dialog");
const TYPED = "input:not([type=radio]):not([type=checkbox])";
let lastPadded = null; // the input that the pad writes to
let early = null; // keys typed while the next dialog is fetched

export const words = (key, values = {}) =>
  Object.entries(values).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, value),
    document.getElementById("dialog-words").dataset[key],
  );
export const form = () => element.querySelector("form");
export const close = () => {
  element.close();
  document.activeElement?.blur(); // a browser leaves the focus in a closed dialog for a moment, and keys would be lost
};
export const shows = (selector) => element.open && element.querySelector(selector);

export async function fetchPage(path, query = {}, { asks = true } = {}) {
  const search = new URLSearchParams({ lang: pageWords("language"), ...query });
  let answer;
  try {
    answer = await fetch(`${path}?${search}`, { credentials: "same-origin" });
  } catch (error) {
    throw new Refused(0, { code: "no_line", message: pageWords("noLine") });
  }
  const text = await answer.text();
  if (answer.ok) return text;
  if (answer.status === 423 && (await unlock({ asks }))) return fetchPage(path, query);
  const said = new DOMParser().parseFromString(text, "text/html").querySelector("main p");
  throw new Refused(answer.status, { message: said?.textContent ?? pageWords("noLine") });
}

// Keys that were typed before the dialog was there are meant for it.
export async function open(name, query = {}) {
  early = [];
  let keys = [];
  try {
    element.innerHTML = await fetchPage(`/tables/${encodeURIComponent(table)}/deal/${name}`, query);
  } finally {
    keys = [...takeAll().map((item) => item.key), ...early];
    early = null;
  }
  lastPadded = element.querySelector("[data-padded]");
  if (!element.open) element.showModal();
  focusFirst();
  for (const key of keys) type(key);
}

export function complain(text) {
  const wrong = element.querySelector(".wrong");
  wrong.textContent = text;
  wrong.hidden = !text;
}

// ---- fields

const fields = () => [...element.querySelectorAll("[data-field], .sign .typed")];
const inputs = (field) => [...field.querySelectorAll("input")];
const isEmpty = (field) => isUsed(field) && isBlank(field);
const isBlank = (field) =>
  field.dataset.kind === "choice" ? !field.querySelector(":checked") : inputs(field)[0]?.type !== "checkbox" && !inputs(field)[0]?.value;

// The answer that a field is for: the last of the choice before it.
const answerOf = (field) => [...field.previousElementSibling.querySelectorAll("input")].at(-1);
export const isUsed = (field) => !("instead" in field.dataset) || answerOf(field).checked;

element.addEventListener("input", ({ target }) => {
  const field = target.closest("[data-instead]");
  if (field && target.value) answerOf(field).checked = true;
});

function focusFirst() {
  const field = fields().find(isEmpty) ?? fields()[0];
  const target = field ? field.querySelector("input:checked") ?? inputs(field)[0] : element.querySelector("[data-open], [type=submit]");
  target?.focus();
  target?.select?.();
}

function focusAfter(field) {
  const rest = fields().slice(fields().indexOf(field) + 1);
  const next = rest.find(isEmpty);
  if (next) inputs(next)[0].focus();
  else element.querySelector("[type=submit]")?.focus();
}

// An answer is chosen in the field that has the focus, else in the first one that has none.
function pick(key) {
  const here = document.activeElement.closest?.("[data-kind=choice]");
  const field = here ?? fields().find((each) => each.dataset.kind === "choice" && isEmpty(each));
  const radio = (field ?? element).querySelector(`[data-pick="${CSS.escape(key)}"]`);
  if (!radio) return false;
  radio.click();
  if (field) focusAfter(field);
  return true;
}

function put(input, key) {
  if (key === "Backspace") set(input, input.value.slice(0, -1));
  else if (!(input.maxLength > 0 && input.value.length >= input.maxLength)) set(input, input.value + key);
}

// a value that a tap writes is heard as one that is typed
function set(input, value) {
  input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

function type(key) {
  const typed = document.activeElement.matches(TYPED) ? document.activeElement : null;
  if (key === "Enter" || (key === "Space" && !typed)) element.querySelector("[type=submit]")?.click();
  else if (key === "Escape") close();
  else if (typed && (key.length === 1 || key === "Backspace")) put(typed, key);
  else pick(key);
}

element.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (early) {
    event.preventDefault();
    early.push(event.key === " " ? "Space" : event.key.length === 1 ? event.key.toUpperCase() : event.key);
  }
  if (early || event.target.matches(TYPED)) return;
  if (event.key.length === 1 && event.key !== " " && pick(event.key.toUpperCase())) event.preventDefault();
  else if (event.key === "Enter" && event.target.matches("input")) {
    event.preventDefault();
    form().requestSubmit();
  }
});

element.addEventListener("cancel", (event) => {
  event.preventDefault(); // Escape closes it as everything else does
  close();
});

element.addEventListener("focusin", (event) => {
  if (event.target.matches("[data-padded]")) lastPadded = event.target;
});

// a pad's button writes where the focus was, and leaves it there
element.addEventListener("pointerdown", (event) => {
  if (event.target.closest("[data-put], [data-fill]")) event.preventDefault();
});

element.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const { put: key, fill, open: name } = button.dataset;
  const card = button.closest("[data-kind=card]");
  if (card) putCard(card.querySelector("input"), key, card.dataset.suit);
  else if (key && lastPadded) put(lastPadded, key);
  else if (fill) set(button.closest("[data-field]").querySelector("input"), fill);
  else if (name) open(name);
  else if ("cancel" in button.dataset) close();
});

// a tap on a rank starts the card again
function putCard(input, key, withSuit) {
  set(input, withSuit && "shdc".includes(key) ? input.value.slice(0, 1) + key : key);
}
