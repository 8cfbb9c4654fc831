// A lost line: keys are kept for a minute and sent when it is back. After that the round goes on by paper, and what is
// on paper is entered later, with the time at which it happened.
"use strict";

import { isUp, lostFor, serverTime, setExtra } from "./line.js";
import { takeAll, takeHeld } from "./queue.js";
import { texts } from "./state.js";

const MAX_KEPT_MS = 60_000;
const banner = document.getElementById("lost");
const card = document.getElementById("paper-card");
const bar = document.getElementById("paper-bar");
const at = document.getElementById("paper-at");
let keys = [];
let held = []; // keys that wait until the cards are confirmed
let lostAt = 0;
let byPaper = false; // the line was away for more than a minute

export const accepts = () => isUp() || lostFor() < MAX_KEPT_MS;

function show() {
  banner.hidden = isUp() && !held.length;
  card.hidden = accepts();
  if (isUp()) return showHeld();
  byPaper ||= !accepts();
  lostAt = Date.now() - lostFor();
  const seconds = Math.floor(lostFor() / 1000);
  banner.querySelector("[data-lost-for]").textContent = accepts() ? texts("lostFor").replace("{seconds}", seconds) : texts("lostTitle");
  banner.querySelector("[data-lost-keys]").textContent = keys.length ? texts("lostKeys").replace("{keys}", [...held, ...keys].join(" ")) : "";
}

function showHeld() {
  banner.querySelector("[data-lost-for]").textContent = held.length ? texts("lostKeys").replace("{keys}", held.join(" ")) : "";
  banner.querySelector("[data-lost-keys]").textContent = texts("lostHeld");
}

document.addEventListener("keys", (event) => {
  ({ waiting: keys, held } = event.detail);
  show();
});

document.addEventListener("line", () => {
  if (isUp() && byPaper) startPaper();
  show();
});

setInterval(show, 1000);

// ---- entering from paper

function startPaper() {
  byPaper = false;
  const dropped = [...takeHeld(), ...takeAll()].map((item) => item.key);
  bar.querySelector("[data-dropped]").textContent = dropped.length ? texts("lostDropped").replace("{keys}", dropped.join(" ")) : "";
  at.value = new Date(lostAt - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  bar.hidden = false;
  setExtra(() => (at.value ? { happened_at: new Date(serverTime(new Date(at.value).getTime())).toISOString() } : {}));
}

document.getElementById("paper-done").addEventListener("click", () => {
  bar.hidden = true;
  setExtra(() => ({}));
});
