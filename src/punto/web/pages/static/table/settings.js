// Settings of this browser: sound and motion. Off and as the device says, until chosen.
"use strict";

import { openLeaf } from "./leaf.js";

const FIRST = { sound: "off", motion: "full" };
const chosen = (name) => localStorage.getItem(name) ?? FIRST[name];

export const soundOn = () => chosen("sound") === "on";
export const lessMotion = () =>
  chosen("motion") === "less" || matchMedia("(prefers-reduced-motion: reduce)").matches;

const apply = () => document.documentElement.toggleAttribute("data-still", chosen("motion") === "less");
apply();

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-leaf=settings]")) return;
  const body = openLeaf("settings");
  for (const name of Object.keys(FIRST)) body.querySelector(`[name=${name}][value=${chosen(name)}]`).checked = true;
});

document.addEventListener("change", (event) => {
  if (!(event.target.name in FIRST)) return;
  localStorage.setItem(event.target.name, event.target.value);
  apply();
});
