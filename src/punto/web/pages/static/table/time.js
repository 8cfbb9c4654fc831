// When the countdown is at 0 nothing more is bet, insured or chosen here, whatever the line does.
"use strict";

import { isOver, onTick } from "../live/countdown.js";

const betsRing = () => document.querySelector(".call[data-bets] svg.ring");

export const betsAreOver = () => Boolean(betsRing() && isOver(betsRing()));

onTick(() => {
  const over = betsAreOver();
  document.body.toggleAttribute("data-over", over);
  const [words, after] = document.querySelectorAll(".call[data-bets] > .words");
  if (after) [words.hidden, after.hidden] = [over, !over];
  for (const button of document.querySelectorAll(".sheet [data-insure], .sheet [data-choose]")) {
    const ring = button.closest(".sheet").querySelector("svg.ring");
    button.disabled = Boolean(ring && isOver(ring));
  }
});
