// A lost line: keys are kept for a minute and sent when it is back. After that the round goes on by paper, and what is
// on paper is entered later, with the time at which it happened.
"use strict";

import { isUp, lostFor, serverTime, setExtra } from "./line.js";
import { takeAll } from "./queue.js";
import { texts } from "./state.js";

const MAX_KEPT_MS = 60_000;
const banner = document.getElementById("lost");
const card = document.getElementById("paper-card");
const bar = document.getElementById("paper-bar");
const at = document.getElementById("paper-at");
let keys = [];
let lostAt = 0;
let byPaper = false; // the line was away for more than a minute

export const accepts = () => isUp() || lostFor() < MAX_KEPT_MS;

function show() {
  banner.hidden = isUp();
  card.hidden = accepts();
  if (isUp()) return;
  byPaper ||= !accepts();
  lostAt = Date.now() - lostFor();
  const seconds = Math.floor(lostFor() / 1000);
  banner.querySelector("[data-lost-for]").textContent = accepts() ? texts("lostFor").replace("{seconds}", seconds) : texts("lostTitle");
  banner.querySelector("[data-lost-keys]").textContent = keys.length ? texts("lostKeys").replace("{keys}", keys.join(" ")) : "";
}

document.addEventListener("keys", (event) => {
  keys = event.detail.waiting;
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
  const dropped = takeAll().map((item) => item.key);
  bar.querySelector("[data-dropped]").textContent = dropped.length ? texts("lostDropped").replace("{keys}", dropped.join(" ")) : "";
  at.value = new Date(lostAt - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  bar.hidden = false;
  setExtra(() => (at.value ? { happened_at: new Date(serverTime(new Date(at.value).getTime())).toISOString() } : {}));
}

document.getElementById("paper-done").addEventListener("click", () => {
  bar.hidden = true;
  setExtra(() => ({}));
});
