// The facts of what went wrong, by taps and keys. Each fact is an input of <form data-facts>, which emits "change".
"use strict";

const RANKS = new Map([..."A23456789TJQK?"].map((rank) => [rank, rank]).concat([["0", "T"], ["Backspace", "Backspace"]]));
const held = new WeakMap(); // by question: a rank that waits for its suit

const questionOf = (element) => element.closest?.("form[data-facts] [data-fact]");
const hidden = (question) => question.querySelector("input[type=hidden]");

function answer(question, text) {
  const input = hidden(question);
  if (input.value === text) return;
  input.value = text;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

// What the table fills in is no fact: it may be another card or box once the facts before it change.
document.addEventListener("formdata", ({ target, formData }) => {
  if (!target.matches("[data-facts]")) return;
  for (const { dataset } of target.querySelectorAll("[data-preset]")) {
    if (formData.get(dataset.fact) === dataset.preset) formData.delete(dataset.fact);
  }
});

// ---- cards

function typeCard(question, rank) {
  const cards = hidden(question).value.split(".").filter(Boolean);
  const least = question.dataset.fixed ? 1 : 0;
  if (rank === "Backspace") {
    if (held.get(question)) return hold(question, "");
    return answer(question, cards.slice(0, Math.max(least, cards.length - 1)).join("."));
  }
  if ("suits" in question.dataset && rank !== "?") return hold(question, rank);
  return addCard(question, rank);
}

function addCard(question, card) {
  hold(question, "");
  const before = question.dataset.kind === "card" ? [] : hidden(question).value.split(".").filter(Boolean);
  answer(question, [...before, card].join("."));
}

function hold(question, rank) {
  held.set(question, rank);
  const [next, shown] = [question.querySelector(".tr-next"), rank === "T" ? "10" : rank];
  if (next.textContent !== shown) next.textContent = shown;
  for (const key of question.querySelectorAll("[data-rank]")) key.classList.toggle("held", key.dataset.rank === rank);
}

// ---- what is tapped

document.addEventListener("click", (event) => {
  const question = questionOf(event.target);
  if (!question) return;
  const key = event.target.closest("[data-rank], [data-suit], [data-reason]");
  if (key) press(question, key.dataset);
});

function press(question, { rank, suit, reason }) {
  if (rank) typeCard(question, rank);
  if (suit && held.get(question)) addCard(question, held.get(question) + suit);
  if (reason) {
    const input = question.querySelector("input");
    input.value = reason;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

document.addEventListener("input", (event) => {
  const question = questionOf(event.target);
  if (!question || !hidden(question)) return;
  const { kind } = question.dataset;
  if (kind === "amounts") return answer(question, amounts(question));
  if (kind === "order") return answer(question, ordered(question, event.target));
  if (kind === "sides") move(event.target);
  return answer(question, ticked(question).join(kind === "bets" ? "\n" : "."));
});

const ticked = (question) =>
  [...question.querySelectorAll("input[type=checkbox]:checked")].map((box) => box.value).sort(byNumber);
const byNumber = (one, other) => Number(one) - Number(other) || 0;

function amounts(question) {
  const typed = [...question.querySelectorAll("[data-amount]")].filter((input) => input.value.trim());
  return typed.map((input) => `${input.value.trim()} ${input.dataset.amount}`).join("\n");
}

// A card that is tapped again, and those after it, leave the order.
function ordered(question, box) {
  const places = hidden(question).value.split(".").filter(Boolean);
  const order = box.checked ? [...places, box.value] : places.slice(0, places.indexOf(box.value));
  for (const each of question.querySelectorAll("input[type=checkbox]")) {
    each.checked = order.includes(each.value);
    each.closest("label").querySelector(".tr-number").textContent = order.indexOf(each.value) + 1 || "";
  }
  return order.join(".");
}

function move(box) {
  const card = box.closest("label");
  const other = card.closest("[data-side]").dataset.side === "player" ? "banker" : "player";
  card.closest(".tr-felt").querySelector(`[data-side=${other}]`).append(card);
  questionOf(card).focus(); // a card that moves cannot keep the focus
}

// ---- keys go to the question that has the focus, else to the first one without an answer; arrows go from one to the next

const isTyping = (element) => element.matches?.("input:not([type=radio]):not([type=checkbox]), select, textarea");
const STEPS = { ArrowDown: 1, ArrowUp: -1 };
const ONE_ANSWER = ["choice", "place", "reason"]; // then the next question is the one that keys go to
let last = ""; // the question that was answered last by a key

const asked = () => [...document.querySelectorAll("form[data-facts] [data-fact]")];

const withoutAnswer = () => asked().find((each) => "missing" in each.dataset);
// once all that is needed is answered, digits are a number that may be left out
const numberLeft = () => asked().find((each) => each.dataset.kind === "number" && !typedField(each).value);

function factKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const focused = questionOf(event.target);
  if (event.key in STEPS) {
    if (!event.target.matches("input") && step(focused, STEPS[event.key])) event.preventDefault();
    return;
  }
  const question = focused ?? withoutAnswer() ?? (/^\d$/.test(event.key) ? numberLeft() : undefined);
  const waits = ON.includes(event.key) ? ahead.length > 0 : event.key.length === 1;
  if (!focused && waits && isAsking()) {
    event.preventDefault();
    event.stopImmediatePropagation();
    ahead.push(event.key);
  } else if (question && pressKey(question, event.key)) {
    event.preventDefault();
  } else if (question && typedField(question) && TYPED.test(event.key)) {
    typedField(question).focus(); // which then gets this character
    event.stopImmediatePropagation();
  }
}

// Which question comes next is known when the page has asked again: until then keys wait.
const TYPED = /^[\w.-]$/;
const ON = [" ", "Enter"]; // the page's own keys, which wait only for those before them
const ahead = [];
const isAsking = () => document.querySelector("form[data-asking]") !== null;

document.addEventListener("change", ({ target }) => {
  const form = target.closest("form[data-facts]");
  if (!form) return;
  form.dataset.asking = ""; // the fresh form has no such mark
});

// The page could not ask again: the keys that wait were meant for questions that have not come.
export function stopAsking() {
  ahead.length = 0;
  document.querySelector("form[data-asking]")?.removeAttribute("data-asking");
}

function typeInto(field, key) {
  field.focus();
  field.value += key;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

new MutationObserver(() => {
  for (const question of asked()) if (held.get(question)) hold(question, held.get(question)); // also on a fresh form
  while (ahead.length && !isAsking()) {
    const [key, question] = [ahead.shift(), withoutAnswer()];
    if (question && pressKey(question, key)) continue;
    const field = question && TYPED.test(key) && typedField(question);
    if (field) typeInto(field, key);
    else document.body.dispatchEvent(new KeyboardEvent("keydown", { key, code: key === " " ? "Space" : "", bubbles: true, cancelable: true }));
  }
}).observe(document.body, { subtree: true, childList: true, attributeFilter: ["data-asking"] });

const typedField = (question) => question.querySelector(":scope > input:not([type=hidden])");

function step(question, by) {
  const all = asked();
  const from = question ?? all.find((each) => each.dataset.fact === last);
  const next = all[from ? all.indexOf(from) + by : 0];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return Boolean(next);
}

function pressKey(question, key) {
  if (!answerKey(question, key)) return false;
  last = question.dataset.fact;
  if (ONE_ANSWER.includes(question.dataset.kind)) document.activeElement.blur();
  else question.focus();
  return true;
}

function answerKey(question, key) {
  const upper = key.length === 1 ? key.toUpperCase() : key;
  if (!question.dataset.kind.startsWith("card")) return clickPick(question, upper);
  if (RANKS.has(upper) && question.querySelector(`[data-rank="${RANKS.get(upper)}"]`)) {
    typeCard(question, RANKS.get(upper));
    return true;
  }
  const suit = held.get(question) ? question.querySelector(`[data-suit="${CSS.escape(key.toLowerCase())}"]`) : null;
  suit?.click();
  return Boolean(suit);
}

function clickPick(question, key) {
  const picked = question.querySelector(`[data-pick="${CSS.escape(key)}"]:not(:disabled)`);
  const card = [...question.querySelectorAll(".tr-card input")].find((input) => input.value === key);
  (picked ?? card)?.click();
  return Boolean(picked ?? card);
}

document.addEventListener("keydown", factKey);
