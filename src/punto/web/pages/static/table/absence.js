// A result that came while the page was closed, hidden or without its line is told as such, until the next tap.
"use strict";

import { onShown } from "../live/line.js";

const kept = `seen-result ${document.body.dataset.table} ${document.body.dataset.me}`;
const line = document.getElementById("away"); // shown while the line is lost
let present = false; // since before the last update
let missed = "";

const resultShown = () => document.getElementById("own-result");

function look() {
  const round = resultShown()?.dataset.result ?? "";
  if (document.hidden) return;
  if (round && round !== localStorage.getItem(kept)) {
    if (!present) missed = round;
    localStorage.setItem(kept, round);
  }
  present = line.hidden;
  tell();
}

function tell() {
  const result = resultShown();
  if (!result?.dataset.result) return;
  const away = result.dataset.result === missed;
  result.toggleAttribute("data-was-away", away);
  const when = result.querySelector(".when");
  const words = away ? when.dataset.away : when.dataset.here;
  if (when.textContent !== words) when.textContent = words;
}

onShown(look);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) present = false;
  else look();
});
new MutationObserver(() => {
  if (!line.hidden) present = false;
}).observe(line, { attributes: true, attributeFilter: ["hidden"] });
document.addEventListener("pointerdown", () => {
  missed = "";
  tell();
});
