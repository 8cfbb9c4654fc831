// Approves and declines what others have proposed.
"use strict";

import { Refused, request, say } from "./punto.js";

async function decide(form, choice) {
  const article = form.closest("[data-address]");
  const content = choice === "decline" ? { reason: form.elements.reason.value } : {};
  try {
    const answer = await request("POST", `${article.dataset.address}/${choice}`, content, { again: true });
    const secret = answer.password ?? answer.token;
    if (secret) say(`${document.getElementById("approvals-words").dataset.secret} ${secret}`);
    article.remove(); // the live page draws the rest
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(error.message, error);
    form.elements.reason.toggleAttribute("aria-invalid", error.code === "reason_needed");
    if (error.code === "reason_needed") form.elements.reason.focus();
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-decide]")) return;
  event.preventDefault();
  decide(form, event.submitter?.name ?? "approve");
});
