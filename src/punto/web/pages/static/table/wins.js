// The moment a bet has won: the amount flies from the bet to the balance.
"use strict";

import { onShown } from "../live/line.js";
import { lessMotion } from "./settings.js";
import { play } from "./sound.js";

const LASTS_MS = 900;
let celebrated; // the round whose result was there when the page opened, or was celebrated since

function fly(from, balance) {
  const [start, end] = [from.getBoundingClientRect(), balance.getBoundingClientRect()];
  const amount = document.createElement("span");
  amount.className = "flying";
  amount.setAttribute("aria-hidden", "true");
  amount.textContent = from.textContent;
  document.body.append(amount);
  const at = (box, scale) => `translate(-50%, -50%) translate(${box.left + box.width / 2}px, ${box.top + box.height / 2}px) scale(${scale})`;
  const frames = [{ transform: at(start, 1) }, { transform: at(start, 1.25), offset: 0.25 }, { transform: at(end, 0.8), opacity: 0.6 }];
  amount.animate(frames, { duration: LASTS_MS, easing: "cubic-bezier(.4, 0, .3, 1)" }).finished.finally(() => amount.remove());
}

function celebrate() {
  const balance = document.getElementById("balance");
  if (lessMotion() || !balance) return;
  for (const from of document.querySelectorAll(".won-by")) fly(from, balance);
  balance.animate([{ textShadow: "0 0 0 #fff0" }, { textShadow: "0 0 18px #ffe9b0" }, { textShadow: "0 0 0 #fff0" }], { delay: LASTS_MS * 0.8, duration: LASTS_MS });
}

onShown(() => {
  const result = document.getElementById("own-result");
  const round = result?.dataset.fresh !== undefined && document.querySelector(".settled") ? result.dataset.round : "";
  const gain = Number(result?.dataset.gain ?? 0);
  if (celebrated !== undefined && round && round !== celebrated && gain > 0) {
    celebrate();
    play("win");
  }
  celebrated = round || celebrated || "";
});
