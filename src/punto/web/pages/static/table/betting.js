// Bets: a tap or a dragged chip on an area, and the buttons below the felt.
//
// A chip lies on the felt at once. The table confirms it after, in turn, or it bounces back with the reason.
"use strict";

import { attempt, onTap, Refused, request, say, words } from "../punto.js";
import { onShown } from "../live/line.js";
import { at, give, me, shownRound, table, waitUntilShown } from "./commands.js";
import * as felt from "./felt.js";
import { allUpToLimit, upToLimit } from "./limits.js";
import { betsAreOver } from "./time.js";

const chosenChip = () => Number(document.querySelector("input[name=chip]:checked")?.value ?? 0);
const total = (taps) => taps.reduce((sum, tap) => sum + tap.minor, 0);

// ---- one after another

const queue = []; // taps { bet, minor, box, round } and moves { move, box, round }
let working = false;

async function work() {
  if (working) return;
  working = true;
  try {
    while (queue.length) {
      if (queue[0].move) await move(queue[0]);
      else await placeTaps(sameBet());
    }
  } finally {
    working = false;
  }
}

function enqueue(item) {
  if (betsAreOver()) return say(words("timeOver"), { bad: false });
  queue.push({ ...item, box: felt.box(), round: shownRound() });
  if (item.bet) felt.lay(item.bet, item.minor);
  show();
  work();
}

function finish(item, { accepted = true } = {}) {
  queue.splice(queue.indexOf(item), 1);
  if (item.bet) felt.arrived(item.bet, item.minor, { accepted });
  show();
}

function show() {
  const open = document.querySelector(".moves")?.dataset.betting; // undefined, "withdraw" or "place"
  const some = queue.length > 0 || felt.stakes().length > 0;
  const can = { clear: open && some, undo: open && (some || acts().length > 0), double: open === "place" && some };
  for (const button of document.querySelectorAll("[data-do]")) {
    const wanted = button.dataset.do;
    button.toggleAttribute("data-waiting", queue.some((item) => item.move === wanted));
    if (wanted in can) button.ariaDisabled = String(!can[wanted]);
  }
}

// ---- taps: those on one area while the table was busy go to it together

function sameBet() {
  const [first] = queue;
  const taps = [];
  for (const item of queue) {
    if (item.bet !== first.bet || item.round !== first.round || item.box !== first.box) break;
    taps.push(item);
  }
  return taps;
}

async function placeTaps(taps) {
  const [{ bet, box, round }] = taps;
  let accepted = false;
  try {
    await change({ bet, minor: total(taps) }, box, round);
    for (const tap of taps) remember([{ bet, minor: tap.minor }], box, round);
    accepted = true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (taps.length > 1 && error.code !== "no_line") {
      for (const tap of taps) await placeTaps([tap]); // some of them may be accepted
      return;
    }
    refuse(error, bet);
    // without a line, nothing that waits will get there either
    if (error.code === "no_line") for (const item of [...queue]) if (!taps.includes(item)) finish(item, { accepted });
  }
  for (const tap of taps) finish(tap, { accepted });
}

function refuse(error, bet) {
  if (error.code === "not_signed_in") return location.assign(`/enter?to=${encodeURIComponent(location.pathname)}`);
  say(error.message, { ...error, at: felt.areaOf(bet) });
  felt.bounce(bet);
}

// Places or, with a negative amount, withdraws. Returns when the page shows it.
async function change({ bet, minor }, box, round) {
  const fields = { who: me, box, bet };
  const accepted = await (minor > 0
    ? give("place_bet", round, { ...fields, stake_minor: minor })
    : give("withdraw_bet", round, { ...fields, amount_minor: -minor }));
  document.querySelector("#messages .refusal")?.remove(); // an earlier refusal no longer matters
  await waitUntilShown(accepted);
}

// Those that were accepted.
async function changeAll(pieces, box, round) {
  const one = async (piece) => {
    try {
      await change(piece, box, round);
      return [piece];
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refuse(error, piece.bet);
      return [];
    }
  };
  return (await Promise.all(pieces.map(one))).flat();
}

// ---- what was done in this round, for undo: an act is all that one tap or button changed

const ACTS = `acts-${table}`;

function acts() {
  const kept = JSON.parse(sessionStorage.getItem(ACTS) ?? "{}");
  return kept.round === shownRound() ? kept.acts : [];
}

const keep = (round, all) => sessionStorage.setItem(ACTS, JSON.stringify({ round, acts: all }));

function remember(pieces, box, round) {
  if (pieces.length && round === shownRound()) keep(round, [...acts(), { box, pieces }]);
}

const reversed = (pieces) => pieces.map(({ bet, minor }) => ({ bet, minor: -minor })).reverse();

// ---- moves

const MOVES = {
  async clear(box, round) {
    remember(await changeAll(reversed(felt.stakes()), box, round), box, round);
  },
  async undo(box, round) {
    const all = acts();
    const last = all.pop() ?? chipOfLastArea(box);
    if (!last) return;
    const undone = await changeAll(reversed(last.pieces), last.box, round);
    if (undone.length && round === shownRound()) keep(round, all);
  },
  repeat: (box, round) => repeat(box, round, () => true),
  sides: (box, round) => repeat(box, round, (bet) => !MAIN_BETS.includes(bet)),
  async double(box, round) {
    remember(await changeAll(allUpToLimit(felt.stakes()), box, round), box, round);
  },
};

const MAIN_BETS = ["player", "banker"];

async function repeat(box, round, wanted) {
  const page = await attempt(() => request("GET", at("rounds?most=20")));
  // skip insurance, and bets that a ruling returned: they may have been placed again in the same round
  const isFinalBet = (each) => each.stage === null && each.went_back !== "ruling";
  const mine = (past) => past.results.filter((each) => isFinalBet(each) && each.box === box && wanted(each.bet));
  const before = (page?.rounds ?? []).map(mine).find((bets) => bets.length) ?? []; // the last round with such a bet
  if (page && !before.length) say(words("nothingToRepeat"), { bad: false });
  const pieces = before.map((each) => ({ bet: each.bet, minor: each.stake_minor }));
  remember(await changeAll(allUpToLimit(pieces), box, round), box, round);
}

async function move(item) {
  await MOVES[item.move](item.box, item.round);
  finish(item);
}

// in another browser the acts are not known
function chipOfLastArea(box) {
  const last = felt.stakes().at(-1);
  return last && { box, pieces: [{ bet: last.bet, minor: Math.min(last.minor, chosenChip()) }] };
}

// ---- taps and keys

const tapChip = (bet, minor) => minor && enqueue({ bet, minor: upToLimit(bet, minor) });

onTap("[data-bet]", (area) => void tapChip(area.dataset.bet, chosenChip()));
onTap("[data-do]", (button) => void enqueue({ move: button.dataset.do }));

const chips = () => [...document.querySelectorAll("input[name=chip]")];

onShown(() => {
  const saved = sessionStorage.getItem("chip");
  const chosen = chips().find((input) => input.value === saved) ?? chips()[Math.min(1, chips().length - 1)];
  if (chosen && !chips().some((input) => input.checked)) chosen.checked = true;
  felt.draw();
  show();
});

document.addEventListener("change", (event) => {
  if (event.target.name === "chip") sessionStorage.setItem("chip", event.target.value);
});

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select") && event.target.type !== "radio") return;
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return; // holding a key down counts once
  const chip = chips()[Number(event.key) - 1];
  const wanted = { c: "clear", u: "undo", r: "repeat", d: "double" }[event.key];
  if (chip) {
    chip.checked = true;
    sessionStorage.setItem("chip", chip.value);
  } else if (wanted) {
    document.querySelector(`[data-do=${wanted}]`)?.click();
  }
});

// a chip can also be dragged onto a bet
const openArea = (event) => event.target.closest?.("[data-bet]:not([aria-disabled=true])");

document.addEventListener("dragstart", (event) => {
  const chip = event.target.closest?.("[data-chip]");
  if (chip) event.dataTransfer.setData("text/punto-chip", chip.dataset.chip);
});
document.addEventListener("dragover", (event) => {
  if (openArea(event)) event.preventDefault();
});
document.addEventListener("drop", (event) => {
  const area = openArea(event);
  const minor = Number(event.dataTransfer.getData("text/punto-chip"));
  if (!area || !minor) return;
  event.preventDefault();
  tapChip(area.dataset.bet, minor);
});
