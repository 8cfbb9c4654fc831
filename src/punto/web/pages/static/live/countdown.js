// The rings that count down to the end of betting and of insurance.
"use strict";

import { serverNow } from "../punto.js";
import { onShown } from "./line.js";

function tick() {
  const now = serverNow();
  for (const ring of document.querySelectorAll("svg.ring[data-until]")) {
    const left = Math.max(0, Number(ring.dataset.until) - now) / 1000;
    const part = 100 * (1 - Math.min(1, left / Number(ring.dataset.of)));
    ring.querySelector(".left").setAttribute("stroke-dashoffset", part.toFixed(1));
    const seconds = String(Math.ceil(left));
    const text = ring.querySelector("text");
    if (text.textContent !== seconds) text.textContent = seconds;
    ring.classList.toggle("soon", left <= 5);
  }
}

onShown(tick);
setInterval(tick, 250);
