// The codes that a maker's scanner types, by a table of this terminal: one line a card, such as "0114 As". With a table,
// a card is a whole line that Enter ends, also for people who type; without one, scanners type As, AS or 10C.
"use strict";

import { texts } from "./state.js";

const STORED = "console-scanner-codes";
const CARD = /^(10|[2-9TJQKA])([SHDC])$/;
const dialog = document.getElementById("scanner-codes");
const area = document.getElementById("codes");
const wrong = dialog.querySelector(".wrong");
let line = "";

const lines = () => localStorage.getItem(STORED) ?? "";

// Returns the codes and the first line that is none.
function read(text) {
  const codes = new Map();
  for (const each of text.toUpperCase().split("\n").map((one) => one.trim()).filter(Boolean)) {
    const [code, card, ...rest] = each.split(/\s+/);
    if (rest.length || !/^[!-~]+$/.test(code) || !CARD.test(card ?? "")) return [codes, each];
    codes.set(code, card);
  }
  return [codes, ""];
}

export const isUsed = () => lines() !== "";

// Takes a key of a line. At its end returns the keys of the card, or what was typed if that is none.
export function take(key) {
  if (key !== "Enter") {
    line = key === "Backspace" ? line.slice(0, -1) : line + key;
    return undefined;
  }
  const found = CARD.exec(read(lines())[0].get(line) ?? line);
  const typed = line;
  line = "";
  return found ? [found[1].replace("10", "T"), found[2], "Enter"] : { typed };
}

document.getElementById("scanner").addEventListener("click", () => {
  line = "";
  area.value = lines();
  wrong.textContent = "";
  dialog.showModal();
});

dialog.addEventListener("close", () => document.activeElement?.blur()); // Enter is the table's again

dialog.querySelector("form").addEventListener("submit", (event) => {
  if (event.submitter?.value !== "save") return;
  const [, bad] = read(area.value);
  if (bad) {
    event.preventDefault();
    wrong.textContent = texts("notACard").replace("{text}", bad);
  } else localStorage.setItem(STORED, area.value.trim());
});
