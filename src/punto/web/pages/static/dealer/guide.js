// The way to the guide: by the key !, by a tap, and by itself when the round stops.
"use strict";

import { hold, takeAll } from "./queue.js";
import { moment, onChange, table } from "./state.js";

const LED = `console-led-${table}`; // who comes back from the guide while the round is stopped may stay

// Keys that were typed before are dropped: they were meant for a round that goes on. Those of a lost line are told there.
export function openGuide() {
  hold(takeAll().filter((item) => item.lost));
  location.assign(document.getElementById("to-guide").href);
}

onChange(() => {
  if (moment().name !== "trouble") return sessionStorage.removeItem(LED);
  if (sessionStorage.getItem(LED)) return undefined;
  sessionStorage.setItem(LED, "on");
  return openGuide();
});
