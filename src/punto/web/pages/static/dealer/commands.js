// Gives the commands that a key stands for, and says what was refused.
"use strict";

import { Refused, say, writeMoney } from "../punto.js";
import { approve } from "./dialogs.js";
import { give } from "./line.js";
import { hold, holdCommands, takeAll, takeHeld } from "./queue.js";
import { beep } from "./sound.js";
import { texts } from "./state.js";

const NEED_ANOTHER = ["not_authorised", "second_person_needed"];

// A card goes into the last command. After a refusal the keys that wait are dropped: they were meant for a table that
// has not come about.
export async function giveAll(commands, item, card = undefined, field = "card") {
  const left = commands.map((command, place) => {
    const last = card !== undefined && place === commands.length - 1;
    return last ? { ...command, [field]: field === "cards" ? [card] : card } : command;
  });
  let backMinor = 0;
  const before = document.querySelector("#messages .toast"); // what is said meanwhile stays
  try {
    for (let place = 0; left.length; place += 1) {
      const { events } = await give(left[0], { id: `${item.id}-${place}` });
      left.shift();
      for (const { event } of events) if (event.event === "insurance_flagged.1") backMinor += event.amount_minor;
    }
    before?.remove();
    if (backMinor) complain(texts("insuranceBack").replace("{amount}", writeMoney(backMinor)));
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const waiting = takeAll();
    if (error.code === "restart_unanswered") {
      // the screen is about to ask whether the cards are still these
      holdCommands(left, { ...item, key: item.typed ?? card?.toUpperCase() ?? item.key });
      hold(waiting);
      return false;
    }
    if (NEED_ANOTHER.includes(error.code) && card === undefined) await approve([left[0]]);
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
