// What lies on the areas of the box: the bets that the table knows, and chips on their way to it.
"use strict";

import { writeMoney } from "../punto.js";
import { shownRound } from "./commands.js";

const MAX_IN_STACK = 5;
const LOOKS = document.getElementById("main").dataset.looks.split(" "); // of chips, the largest first; their names say the value
const CHIPS = LOOKS.map((look) => [Number(look.replace("v", "").replace("k", "000")) * 100, look]);

const areas = () => document.querySelectorAll(".area[data-bet]");
export const areaOf = (bet) => document.querySelector(`.area[data-bet="${bet}"]`);
const stakeOf = (area) => Number(area.dataset.stake);

export const box = () => Number(document.querySelector(".areas")?.dataset.box ?? 0);

// The bets that the table knows.
export const stakes = () =>
  [...areas()].map((area) => ({ bet: area.dataset.bet, minor: stakeOf(area) })).filter((stake) => stake.minor > 0);

// ---- chips on their way

export const lies = (bet) => tapped.get(bet)?.minor ?? stakeOf(areaOf(bet));
export const chipsLeft = () => {
  const way = [...areas()].reduce((sum, area) => sum + lies(area.dataset.bet) - stakeOf(area), 0);
  return Number(document.getElementById("balance").dataset.minor) - way;
};

const tapped = new Map(); // by bet, what lies there with the chips on their way, and how many these are
let round = 0;

export function lay(bet, minor) {
  forgetOtherRounds();
  const there = tapped.get(bet) ?? { minor: stakeOf(areaOf(bet)), chips: 0 };
  tapped.set(bet, { minor: there.minor + minor, chips: there.chips + 1 });
  draw();
}

// The table has answered.
export function arrived(bet, minor, { accepted }) {
  forgetOtherRounds();
  const there = tapped.get(bet);
  if (there?.chips > 1) tapped.set(bet, { minor: there.minor - (accepted ? 0 : minor), chips: there.chips - 1 });
  else tapped.delete(bet);
  draw();
}

function forgetOtherRounds() {
  if (round !== shownRound()) tapped.clear();
  round = shownRound();
}

// ---- drawing

export function draw() {
  forgetOtherRounds();
  let way = 0;
  for (const area of areas()) {
    const there = tapped.get(area.dataset.bet);
    if (there) way += there.minor - stakeOf(area);
    if (!there && !area.hasAttribute("data-pending")) continue;
    drawStack(area, there ? there.minor : stakeOf(area));
    area.toggleAttribute("data-pending", Boolean(there));
  }
  drawBalance(way);
}

function drawStack(area, minor) {
  const stack = area.querySelector(".stack");
  const sum = stack.querySelector(".sum");
  area.classList.toggle("staked", minor > 0);
  stack.hidden = !minor;
  sum.textContent = writeMoney(minor);
  for (const chip of stack.querySelectorAll(".chip")) chip.remove();
  sum.before(...looksOf(minor).map(chipWith));
}

function chipWith(look) {
  const chip = document.createElement("span");
  chip.className = `chip ${look}`;
  return chip;
}

function looksOf(minor) {
  const looks = [];
  let left = minor;
  for (const [value, look] of CHIPS)
    for (; left >= value && looks.length < MAX_IN_STACK; left -= value) looks.push(look);
  return looks;
}

function drawBalance(way) {
  const balance = document.getElementById("balance");
  if (!balance || (!way && !balance.hasAttribute("data-way"))) return;
  balance.textContent = writeMoney(Math.max(0, Number(balance.dataset.minor) - way));
  balance.toggleAttribute("data-way", way > 0);
}

export function bounce(bet) {
  const area = areaOf(bet);
  if (!area) return;
  area.classList.remove("bounced");
  void area.offsetWidth; // so that the animation starts again
  area.classList.add("bounced");
}
