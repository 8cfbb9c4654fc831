// Records what was done with a shoe, then shows the register again.
"use strict";

import { Refused, request } from "../punto.js";

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-shoes]")) return;
  event.preventDefault();
  const fields = [...form.elements].filter((field) => field.name);
  const content = Object.fromEntries(fields.map((field) => [field.name, "number" in field.dataset ? Number(field.value) : field.value]));
  const wrong = form.querySelector(".wrong");
  wrong.textContent = "";
  try {
    await request("POST", form.dataset.shoes, content);
    location.reload();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    wrong.textContent = error.message;
  }
});
