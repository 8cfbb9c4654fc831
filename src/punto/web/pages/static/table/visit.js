// The first visit: hints beside the box until the player has seen a result of their own.
"use strict";

import { onShown } from "../live/line.js";

const VISITED = "visited";

onShown(() => {
  if (document.querySelector(".settled :is(.won, .lost, .push) .stack")) localStorage.setItem(VISITED, "1");
  document.documentElement.toggleAttribute("data-first-visit", !localStorage.getItem(VISITED));
});
