// A refusal is about what was just tried: it goes at the next tap and when the round moves on. `say` ends it after seconds.
"use strict";

import { onShown } from "../live/line.js";
import { shownRound } from "./commands.js";

const clear = () => document.querySelector("#messages .refusal:not([data-code=no_line])")?.remove();

document.addEventListener("pointerdown", (event) => event.target.closest("#messages") || clear(), true);

const phase = () => {
  const open = document.querySelector(".call")?.hasAttribute("data-bets");
  const settled = Boolean(document.querySelector(".settled"));
  return [shownRound(), open, settled, document.getElementById("insurance")?.dataset.offer].join();
};
let shown = phase();

onShown(() => {
  if (phase() !== shown) clear();
  shown = phase();
});
