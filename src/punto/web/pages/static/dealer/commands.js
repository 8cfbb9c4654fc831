// Gives the commands that a key stands for, and says what was refused.
"use strict";

import { Refused, say, writeMoney } from "../punto.js";
import { approve } from "./dialogs.js";
import { give } from "./line.js";
import { hold, takeAll, takeHeld } from "./queue.js";
import { beep } from "./sound.js";
import { texts } from "./state.js";

const NEED_ANOTHER = ["not_authorised", "second_person_needed"];

// A card goes into the last command. After a refusal the keys that wait are dropped: they were meant for a table that
// has not come about.
export async function giveAll(commands, item, card = undefined, field = "card") {
  let filled = null;
  let backMinor = 0;
  const before = document.querySelector("#messages .toast"); // what is said meanwhile stays
  try {
    for (const [place, command] of commands.entries()) {
      const last = card !== undefined && place === commands.length - 1;
      filled = last ? { ...command, [field]: field === "cards" ? [card] : card } : command;
      const { events } = await give(filled, { id: `${item.id}-${place}` });
      for (const { event } of events) if (event.event === "insurance_flagged.1") backMinor += event.amount_minor;
    }
    before?.remove();
    if (backMinor) complain(texts("insuranceBack").replace("{amount}", writeMoney(backMinor)));
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const waiting = takeAll();
    if (error.code === "restart_unanswered") {
      hold([item, ...waiting]); // the screen is about to ask whether the cards are still these
      return false;
    }
    if (NEED_ANOTHER.includes(error.code) && card === undefined) await approve([filled]);
    else complain(error.message, error);
    if (error.code === "not_signed_in") location.assign(`/enter?to=${encodeURIComponent(location.pathname)}`);
    return false;
  }
}

// What was typed while the server was away is not entered after all.
export function dropHeld() {
  const dropped = takeHeld().map((item) => item.key);
  if (dropped.length) say(texts("lostDropped").replace("{keys}", dropped.join(" ")));
}

export function complain(text, error = {}) {
  beep();
  say(text, error);
}
