// The rings that count down to the end of betting and of insurance. They are drawn once a second: an animation of them
// costs a fifth of a core where the browser draws without a graphics card.
"use strict";

import { serverNow } from "../punto.js";
import { onShown } from "./line.js";

const rings = () => document.querySelectorAll("svg.ring[data-until]");
const leftMs = (ring) => Number(ring.dataset.until) - serverNow();
const listeners = [];
let timer = 0;

export const isOver = (ring) => leftMs(ring) <= 0;

// Calls the listener after each update, each second, and when a time is over.
export function onTick(listener) {
  listeners.push(listener);
  listener();
}

function draw(ring) {
  const seconds = Math.ceil(Math.max(0, leftMs(ring)) / 1000);
  const text = ring.querySelector("text");
  if (text.textContent === String(seconds)) return;
  text.textContent = seconds;
  ring.querySelector(".left").setAttribute("stroke-dashoffset", (100 * (1 - Math.min(1, seconds / Number(ring.dataset.of)))).toFixed(1));
  ring.classList.toggle("soon", seconds <= 5);
}

function tick() {
  for (const ring of rings()) draw(ring);
  for (const listener of listeners) listener();
  clearTimeout(timer);
  const waits = [...rings()].map(leftMs).filter((left) => left > 0).map((left) => (left % 1000) + 1);
  if (waits.length) timer = setTimeout(tick, Math.min(...waits));
}

onShown(tick);
