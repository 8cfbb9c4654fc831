// Keys, one after the other. A key is read only when the screen shows the answer to the one before it, so what it means
// never depends on how fast somebody types.
"use strict";

import { newId } from "../punto.js";
import { showIdle, showPressed } from "./fresh.js";
import { isUp, whenUp } from "./line.js";

let waiting = [];
let held = []; // typed before a question that the dealer has to answer first
let working = false;
let handle = async () => {};

export const start = (handler) => (handle = handler);
const tell = () => document.dispatchEvent(new CustomEvent("keys", { detail: { waiting: written(waiting), held: written(held) } }));
const written = (keys) => keys.map((each) => each.key);

const itemOf = (key) => ({ key, id: newId(), at: Date.now(), pressed: performance.now(), lost: !isUp() });

export function push(key, fields = {}) {
  waiting.push({ ...itemOf(key), ...fields });
  showPressed(key);
  tell();
  if (!working) work();
}

// Whether the next key, waiting or typed within this time, is one of these.
export async function nextWithin(ms, keys) {
  for (let waited = 0; !waiting.length && waited < ms; waited += 10) await new Promise((done) => setTimeout(done, 10));
  return keys.has(waiting[0]?.key);
}

// Takes the keys that wait out of the queue, and returns them.
export function takeAll() {
  const taken = waiting;
  waiting = [];
  tell();
  return taken;
}

export function putBack(keys) {
  waiting = [...keys, ...waiting];
  tell();
  if (!working) work();
}

// ---- keys that were typed while the server was away

// What waits was typed before the screen that is shown now.
export function markLost() {
  for (const item of waiting) item.lost = true;
}

document.addEventListener("line", () => !isUp() && markLost());

export function hold(items) {
  held.push(...items.map((item) => ({ ...item, lost: true })));
  tell();
}

// What a moment had taken and the next one has no use for.
export const holdKeys = (keys) => hold([...keys].map(itemOf));

// Commands that the table refused until the question is answered: the keys that made them are read already.
export const holdCommands = (commands, item) => hold([{ ...item, id: newId(), commands }]);

export function takeHeld() {
  const taken = held;
  held = [];
  tell();
  return taken;
}

export function releaseHeld() {
  if (held.length) putBack(takeHeld());
}

// ----

// The key counts once more, before those that wait.
export const repeat = (item) => putBack([{ ...item, id: newId() }]);

async function work() {
  working = true;
  try {
    while (waiting.length) {
      if (!isUp()) await whenUp();
      const item = waiting.shift();
      tell();
      if (item) await handle(item);
    }
  } finally {
    working = false;
    showIdle();
  }
}
