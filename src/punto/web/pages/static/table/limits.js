// A bet that would go over a limit, or over the player's chips, is filled up to it, and the page says so.
"use strict";

import { say, writeMoney } from "../punto.js";
import * as felt from "./felt.js";

const words = document.getElementById("table-words");
const FILLED = {
  above_maximum: words.dataset.aboveMaximum,
  differential_exceeded: words.dataset.differentialExceeded,
  not_enough_chips: words.dataset.notEnoughChips,
  share_exceeded: words.dataset.shareExceeded,
};

// As much of the amount as fits. If nothing does, the whole amount: the table then says why it refuses it.
export function upToLimit(bet, minor, spent = 0) {
  const area = felt.areaOf(bet);
  if (area?.dataset.full === undefined) return minor;
  const room = Number(area.dataset.full) - felt.lies(bet);
  const chips = felt.chipsLeft() - spent;
  const fits = Math.min(room, chips);
  if (fits <= 0 || fits >= minor) return minor;
  const by = chips < room ? "not_enough_chips" : area.dataset.fullBy;
  say(FILLED[by].replace("{amount}", writeMoney(fits)), { bad: false, at: area });
  return fits;
}

// The same for several bets at once.
export function allUpToLimit(pieces) {
  let spent = 0;
  return pieces.map(({ bet, minor }) => {
    const fits = upToLimit(bet, minor, spent);
    spent += fits;
    return { bet, minor: fits };
  });
}
