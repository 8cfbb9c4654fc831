// Starts and stops verifications and exports. How far they are comes over the socket of the page.
"use strict";

import { Refused, request } from "../punto.js";

async function send(method, address, content, kind, button) {
  const wrong = document.getElementById(`${kind}-wrong`);
  wrong.textContent = "";
  if (button) button.disabled = true;
  try {
    await request(method, address, content);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    wrong.textContent = error.message;
  } finally {
    if (button) button.disabled = false;
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-job]")) return;
  event.preventDefault();
  const { job: kind } = form.dataset;
  send("POST", "/api/jobs", { kind, ...Object.fromEntries(new FormData(form)) }, kind, event.submitter);
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-stop]");
  if (!button) return;
  send("DELETE", `/api/jobs/${button.dataset.stop}`, undefined, button.closest("#verify") ? "verify" : "export", button);
});
