// Questions that the console asks before it gives a command. Keys that were typed before the question was on the screen
// are no answers: they wait until it is answered.
"use strict";

import { giveAll } from "./commands.js";
import { hold, holdKeys, putBack, takeAll } from "./queue.js";
import { beep } from "./sound.js";
import { isRestarted, moment, onChange } from "./state.js";

let open = null; // { id, card, name, held, answers }

export const isOpen = () => open !== null;

export function ask(id, card = "") {
  open = { id, card, held: takeAll(), name: card.replace("T", "10").toUpperCase(), answers: moment().questions[id] };
  const section = document.getElementById(`ask-${id}`);
  show(section, open.name);
  section.focus(); // not an answer: the Enter that ends a scanner's line would give it
  beep();
}

function show(section, card) {
  section.hidden = false;
  section.querySelector("[data-card]").textContent = card;
}

export async function answer(item) {
  const { id, card, held, answers } = open;
  const chosen = answers[item.key];
  if (!chosen) return;
  open = null;
  document.getElementById(`ask-${id}`).hidden = true;
  if (!chosen.give?.length) return;
  putBack(held); // they follow the answer, whatever becomes of it
  await giveAll(chosen.give, item, chosen.card ? card : undefined, chosen.card);
}

// the screen was drawn again: the question stays while the moment still has it
onChange(() => {
  if (!open) return;
  const section = document.getElementById(`ask-${open.id}`);
  if (section && moment().questions?.[open.id]) return show(section, open.name);
  if (isRestarted()) {
    holdKeys(open.card.toUpperCase());
    hold(open.held);
  }
  open = null;
});
