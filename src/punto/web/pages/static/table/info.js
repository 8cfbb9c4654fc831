// When a bet wins: by its "i", by a long press on it, or by W while it has the focus or the pointer.
"use strict";

import { openLeaf } from "./leaf.js";

const LONG_MS = 500;
const about = (bet) => document.getElementById(`info-${bet}`) && openLeaf(`info-${bet}`);

document.addEventListener("click", (event) => {
  const mark = event.target.closest("[data-info]");
  if (mark) about(mark.dataset.info);
});

export function aboutLooked() {
  const spot = document.activeElement.closest(".spot") ?? document.querySelector(".spot:hover");
  if (spot) about(spot.querySelector("[data-info]").dataset.info);
}

// ---- a long press

let timer = 0;
let pressed = null; // the area whose click is not a bet
let from = null;

document.addEventListener("pointerdown", (event) => {
  clearTimeout(timer);
  pressed = null;
  const area = event.target.closest(".area");
  if (!area || event.pointerType === "mouse") return;
  from = { x: event.clientX, y: event.clientY };
  timer = setTimeout(() => {
    pressed = area;
    about(area.dataset.bet);
  }, LONG_MS);
});

const stop = () => clearTimeout(timer);
for (const kind of ["pointerup", "pointercancel"]) document.addEventListener(kind, stop);
document.addEventListener("pointermove", (event) => {
  if (from && Math.hypot(event.clientX - from.x, event.clientY - from.y) > 12) stop();
});
document.addEventListener(
  "click",
  (event) => {
    if (!pressed) return;
    pressed = null;
    event.preventDefault();
    event.stopPropagation();
  },
  true,
);
