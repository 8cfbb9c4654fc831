// A refusal is about what was just tried: it goes at the next tap and when the round moves on. `say` ends it after seconds.
// One that has just come stays when the round moves on: nobody has read it yet, and it may say that the round moved on.
"use strict";

import { onShown } from "../live/line.js";
import { shownRound } from "./commands.js";

const READ_MS = 2000;
const refusal = () => document.querySelector("#messages .refusal:not([data-code=no_line])");

document.addEventListener("pointerdown", (event) => event.target.closest("#messages") || refusal()?.remove(), true);

const phase = () => {
  const open = document.querySelector(".call")?.hasAttribute("data-bets");
  const settled = Boolean(document.querySelector(".settled"));
  return [shownRound(), open, settled, document.getElementById("insurance")?.dataset.offer].join();
};
let shown = phase();

onShown(() => {
  if (phase() !== shown && refusal()?.dataset.since < Date.now() - READ_MS) refusal().remove();
  shown = phase();
});
