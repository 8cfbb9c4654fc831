// How long something has been so. Written every few seconds: a pit in which every second ticks cannot be read.
"use strict";

import { serverNow } from "../punto.js";

const EVERY_MS = 5000;
const words = document.getElementById("pit-words").dataset;

function write(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return words.seconds.replace("{n}", seconds - (seconds % 5));
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return words.minutes.replace("{n}", minutes);
  return words.hours.replace("{h}", Math.floor(minutes / 60)).replace("{n}", minutes % 60);
}

export function drawTimes() {
  const now = serverNow();
  for (const time of document.querySelectorAll(".since")) {
    const ms = now - Number(time.dataset.since);
    const text = write(ms);
    if (time.textContent !== text) time.textContent = text;
    time.classList.toggle("late", ms > Number(time.dataset.late ?? Infinity) * 1000);
  }
}

setInterval(drawTimes, EVERY_MS);
