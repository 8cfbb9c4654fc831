// Keys that were kept while the server was away, and not sent when the page was left: the next page of the table says so.
"use strict";

import { say } from "../punto.js";
import { takeAll, takeHeld } from "./queue.js";
import { table, texts } from "./state.js";

const UNSENT = `console-unsent-${table}`;

window.addEventListener("pagehide", () => {
  const keys = [...takeHeld(), ...takeAll()].filter((item) => item.lost).map((item) => item.key);
  if (keys.length) sessionStorage.setItem(UNSENT, keys.join(" "));
});

export function tellUnsent() {
  const keys = sessionStorage.getItem(UNSENT);
  sessionStorage.removeItem(UNSENT);
  if (keys) say(texts("lostDropped").replace("{keys}", keys));
}
