// Proposes to release a stop, where two people have to.
"use strict";

import { Refused, newId, request } from "../punto.js";

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.dataset.proposeRelease) return;
  event.preventDefault();
  const act = { act: "release_gaming.1", stop: Number(form.dataset.proposeRelease), reason: form.elements.reason.value };
  form.dataset.id ??= newId(); // sent again, it is the same proposal
  const wrong = form.querySelector(".wrong");
  wrong.textContent = "";
  try {
    await request("POST", "/api/proposals", { id: form.dataset.id, act }, { again: true });
    for (const each of form.querySelectorAll("label, input, button")) each.hidden = true;
    form.querySelector(".done").hidden = false;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    delete form.dataset.id;
    wrong.textContent = error.message;
  }
});
