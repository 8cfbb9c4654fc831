// Steps that cannot be taken back want a press of their own: half a second after the step before them was on the screen.
// A key that is held down, bounces or is pressed in a run never takes two of them, and a press that came too soon counts:
// the next one wants half a second after it, too.
"use strict";

import { say } from "../punto.js";
import { texts } from "./state.js";

const FRESH_MS = 500;
const body = document.body;
let last = { pressed: -Infinity, done: performance.now(), final: true }; // the last step; at first, what led to the page
let isDown = false; // the space bar, until it comes up
let timer = null;

// What was typed while the line was lost is compared with when the step before it was typed, unless that is the one which
// it waited for.
function isFresh({ pressed, lost }) {
  const since = pressed - (lost ? last.pressed : last.done);
  return since >= FRESH_MS || (lost && since < 0);
}

// ``final``: it cannot be taken back. What comes too soon after such a step is as likely its bounce as the step after it.
export function isTooSoon(item, final) {
  return (final || last.final) && !isFresh(item);
}

export async function step(item, final, work) {
  try {
    return await work();
  } finally {
    last = { pressed: item.pressed, done: performance.now(), final };
  }
}

export function refuseTooSoon(item) {
  last = { pressed: item.pressed, done: performance.now(), final: true };
  say(texts("tooSoon"), { bad: false, code: "too_soon" });
}

// The space bar goes down once more only after it came up, whatever the keyboard says.
export function isHeldDown(event) {
  if (event.code !== "Space") return event.repeat;
  const held = event.repeat || isDown;
  isDown = true;
  return held;
}

document.addEventListener("keyup", (event) => (isDown = isDown && event.code !== "Space"), true);
window.addEventListener("blur", () => (isDown = false));

// ---- whether a step would be too soon, for all to see

export function showPressed(key) {
  if (key.endsWith("Space")) showSoon();
}

function showSoon() {
  clearTimeout(timer);
  body.dataset.soon = "";
}

export function showIdle() {
  clearTimeout(timer);
  timer = setTimeout(() => delete body.dataset.soon, Math.max(0, last.done + FRESH_MS - performance.now()));
}

showSoon();
showIdle();
