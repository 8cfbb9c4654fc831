// Chips by denomination: the total as one types. A count goes to the server, and only there is it compared.
"use strict";

import { newId, request, say, writeMoney } from "../../punto.js";
import { at, shown } from "../line.js";
import * as frame from "./frame.js";

const dialog = document.getElementById("dialog");

export const pilesOf = (field) =>
  [...field.querySelectorAll("[data-value]")]
    .map((input) => ({ value_minor: Number(input.dataset.value), count: Number(input.value) }))
    .filter((pile) => pile.count > 0);

dialog.addEventListener("input", (event) => {
  const field = event.target.closest("[data-kind=piles]");
  if (!field) return;
  event.target.value = event.target.value.replace(/\D/g, "");
  const total = pilesOf(field).reduce((sum, pile) => sum + pile.value_minor * pile.count, 0);
  field.querySelector("output").textContent = writeMoney(total);
});

export async function count(counted) {
  try {
    await send(counted);
  } catch (error) {
    if (error.code !== "counts_differ") throw error;
    frame.close(); // both counts are void: each counts again, from nothing
    say(error.message, error);
  }
}

async function send({ purpose, piles, name, pin }) {
  const answer = await request("POST", at("counts"), { id: newId(), purpose, piles, name, pin }, { again: true });
  if (answer.cursor) await shown(answer.cursor);
  frame.close();
  if (answer.waiting) return say(frame.words("countWaits", { by: answer.waiting.by }), { bad: false });
  const [counted, expected] = [answer.counted_minor, answer.expected_minor].map(writeMoney);
  const key = answer.difference_minor ? "countDiffers" : "countAgrees";
  const sign = answer.difference_minor < 0 ? "−" : "+";
  const difference = sign + writeMoney(Math.abs(answer.difference_minor));
  return say(frame.words(key, { counted, expected, difference }), { bad: Boolean(answer.difference_minor) });
}
