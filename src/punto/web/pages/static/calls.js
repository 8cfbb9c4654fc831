// Answers the calls of tables for the pit.
"use strict";

import { Refused, newId, request, say } from "./punto.js";

async function answer(form) {
  const command = { command: "answer_call.1" };
  try {
    await request("POST", form.dataset.answer, { id: newId(), command }, { again: true });
    const { live, console } = document.body.dataset;
    if (!live && !console) location.reload(); // a live page is drawn again by itself
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(error.message, error);
  }
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-answer]")) return;
  event.preventDefault();
  answer(event.target);
});
