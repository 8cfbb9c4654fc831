// What to say in both languages: a choice of this terminal.
"use strict";

import { onChange } from "./state.js";

const STORED = "console-both";
const isOn = () => localStorage.getItem(STORED) === "on";

function show() {
  document.body.classList.toggle("both", isOn());
  for (const each of document.querySelectorAll("[data-both]")) each.setAttribute("aria-pressed", String(isOn()));
}

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-both]")) return;
  localStorage.setItem(STORED, isOn() ? "" : "on");
  show();
});

onChange(show);
