// Keys, beside those of the tray: bets, insurance and what one looks up. The leaf of "?" lists them all.
"use strict";

import { aboutLooked } from "./info.js";
import { openLeaf } from "./leaf.js";

const tap = (...selectors) => {
  const found = selectors.map((selector) => document.querySelector(`${selector}:not([disabled])`));
  found.find((each) => each?.checkVisibility())?.click();
};

const KEYS = {
  p: () => tap("[data-bet=player]"),
  b: () => tap("[data-bet=banker]"),
  t: () => tap("[data-bet=tie]"),
  s: () => tap("[data-do=sides]"),
  i: () => tap("[data-insure]", "[data-reopen]"),
  n: () => tap("[data-dismiss]"),
  w: aboutLooked,
  "?": () => openLeaf("keys"),
};

document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" && event.target.id === "ins-stake") return tap("[data-insure]");
  if (event.target.closest("input, textarea, select") && event.target.type !== "radio") return;
  const work = KEYS[event.key.toLowerCase()];
  if (!work) return;
  event.preventDefault();
  work();
});
