// Questions that the console asks before it gives a command. Keys that were typed before the question was on the screen
// are no answers: they wait until it is answered.
"use strict";

import { giveAll } from "./commands.js";
import { putBack, takeAll } from "./queue.js";
import { beep } from "./sound.js";
import { moment } from "./state.js";

let open = null; // { id, card, held, answers }

export const isOpen = () => open !== null;

export function ask(id, item, card = "") {
  open = { id, card, held: takeAll(), answers: moment().questions[id] };
  const section = document.getElementById(`ask-${id}`);
  section.hidden = false;
  section.querySelector("[data-card]").textContent = item.name ?? card;
  section.querySelector("button").focus();
  beep();
}

export async function answer(item) {
  const { id, card, held, answers } = open;
  const chosen = answers[item.key];
  if (!chosen) return;
  open = null;
  document.getElementById(`ask-${id}`).hidden = true;
  const commands = chosen.give ?? [];
  if (commands.length && (await giveAll(commands, item, chosen.card ? card : undefined, chosen.card))) putBack(held);
}
