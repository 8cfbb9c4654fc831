// The faces of the cards are fetched during the first betting time, so that a card is drawn as soon as it is dealt.
"use strict";

import { onShown } from "../live/line.js";

const AT_ONCE = 4; // so that taps do not wait behind them
const faces = document.getElementById("table-words").dataset.faces.split(" ");
let started = navigator.connection?.saveData ?? false;

function fetchNext() {
  const address = faces.shift();
  if (!address) return;
  const face = new Image();
  face.fetchPriority = "low";
  face.onload = fetchNext;
  face.onerror = fetchNext;
  face.src = address;
}

onShown(() => {
  if (started || !document.querySelector(".call[data-bets]")) return;
  started = true;
  for (let line = 0; line < AT_ONCE; line += 1) fetchNext();
});
