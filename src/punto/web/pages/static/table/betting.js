// Bets: a tap or a dragged chip on an area, and the buttons below the felt.
"use strict";

import { attempt, onTap, request, say, words } from "../punto.js";
import { onShown } from "../live/line.js";
import { at, give, me, shownRound, waitUntilShown } from "./commands.js";

const placedHere = []; // bets placed from this page in this round, for undo
const chosenChip = () => Number(document.querySelector("input[name=chip]:checked")?.value ?? 0);
const box = () => Number(document.querySelector(".areas")?.dataset.box ?? 0);
const stakes = () =>
  [...document.querySelectorAll(".area[data-stake]")]
    .map((area) => ({ bet: area.dataset.bet, minor: Number(area.dataset.stake) }))
    .filter((stake) => stake.minor > 0);

async function bet(name, minor, round) {
  if (!minor) return;
  const fields = { who: me, box: box(), bet: name, stake_minor: minor };
  if (await waitUntilShown(await attempt(() => give("place_bet", round, fields)))) placedHere.push({ bet: name, minor });
}

async function withdraw(name, minor, round) {
  const fields = { who: me, box: box(), bet: name, amount_minor: minor };
  return waitUntilShown(await attempt(() => give("withdraw_bet", round, fields)));
}

const MOVES = {
  async clear(round) {
    for (const stake of stakes()) await withdraw(stake.bet, stake.minor, round);
    placedHere.length = 0;
  },
  async undo(round) {
    const onFelt = stakes().at(-1); // after a reload the order of bets is lost: take a chip from the last area
    const last = placedHere.at(-1) ?? (onFelt && { bet: onFelt.bet, minor: Math.min(onFelt.minor, chosenChip()) });
    if (last && (await withdraw(last.bet, last.minor, round))) placedHere.pop();
  },
  async repeat(round) {
    const page = await attempt(() => request("GET", at("rounds?most=20")));
    // skip insurance, and bets that a ruling returned: they may have been placed again in the same round
    const isFinalBet = (each) => each.stage === null && each.went_back !== "ruling";
    const mine = (past) => past.results.filter((each) => isFinalBet(each) && each.box === box());
    const before = (page?.rounds ?? []).map(mine).find((bets) => bets.length) ?? []; // the last round the player bet in
    if (!before.length) say(words("nothingToRepeat"), { bad: false });
    for (const each of before) await bet(each.bet, each.stake_minor, round);
  },
  async double(round) {
    for (const stake of stakes()) await bet(stake.bet, stake.minor, round);
  },
};

// a move waits for the one before it, so undo after double takes back the last bet that double placed
let lastMove = Promise.resolve();
const inTurn = (move) => (lastMove = lastMove.then(move, move));

onTap("[data-bet]", (area) => bet(area.dataset.bet, chosenChip(), shownRound()));
onTap("[data-do]", (button) => {
  const round = shownRound();
  return inTurn(() => MOVES[button.dataset.do](round));
});

// ---- the tray

const chips = () => [...document.querySelectorAll("input[name=chip]")];

onShown(() => {
  const saved = sessionStorage.getItem("chip");
  const chosen = chips().find((input) => input.value === saved) ?? chips()[Math.min(1, chips().length - 1)];
  if (chosen && !chips().some((input) => input.checked)) chosen.checked = true;
  if (!document.querySelector("[data-do=undo]:not([disabled])")) placedHere.length = 0;
});

document.addEventListener("change", (event) => {
  if (event.target.name === "chip") sessionStorage.setItem("chip", event.target.value);
});

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select") && event.target.type !== "radio") return;
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return; // holding a key down counts once
  const chip = chips()[Number(event.key) - 1];
  const move = { c: "clear", u: "undo", r: "repeat", d: "double" }[event.key];
  if (chip) {
    chip.checked = true;
    sessionStorage.setItem("chip", chip.value);
  } else if (move) {
    document.querySelector(`[data-do=${move}]:not([disabled])`)?.click();
  }
});

// a chip can also be dragged onto a bet
document.addEventListener("dragstart", (event) => {
  const chip = event.target.closest?.("[data-chip]");
  if (chip) event.dataTransfer.setData("text/punto-chip", chip.dataset.chip);
});
document.addEventListener("dragover", (event) => {
  if (event.target.closest?.("[data-bet]:not([disabled])")) event.preventDefault();
});
document.addEventListener("drop", (event) => {
  const area = event.target.closest?.("[data-bet]:not([disabled])");
  const minor = Number(event.dataTransfer.getData("text/punto-chip"));
  if (area && minor) {
    event.preventDefault();
    bet(area.dataset.bet, minor, shownRound());
  }
});
