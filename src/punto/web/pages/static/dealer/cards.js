// Cards by rank, and by suit where the table wants it: A 2-9 0 or T J Q K, then s h d c.
"use strict";

import { giveAll } from "./commands.js";
import * as questions from "./questions.js";
import { moment, onChange } from "./state.js";

const RANKS = new Map([..."A23456789TJQK"].map((rank) => [rank, rank]).concat([["0", "T"]]));
const SUITS = new Set(["S", "H", "D", "C"]);
let rank = ""; // waits for its suit

export const isCardKey = (key) => Boolean(moment().card) && (RANKS.has(key) || SUITS.has(key) || (key === "Backspace" && rank !== ""));
export const waits = () => rank;

export async function key(item) {
  if (item.key === "Backspace") return hold("");
  const { with_suit: withSuit } = moment().card;
  if (RANKS.has(item.key)) {
    hold(RANKS.get(item.key));
    if (withSuit) return undefined;
  } else if (!rank) return undefined; // a suit by itself: ranks alone are enough here
  const card = rank + (withSuit ? item.key.toLowerCase() : "");
  hold("");
  return deal(card, item);
}

function deal(card, item) {
  const wanted = moment().card;
  return wanted.ask ? questions.ask(wanted.ask, item, card) : giveAll(wanted.give, item, card);
}

function hold(value) {
  rank = value;
  document.body.dataset.rank = value;
  for (const tile of document.querySelectorAll("[data-rank]")) tile.classList.toggle("held", tile.dataset.rank === value);
}

onChange(() => {
  if (!moment().card) hold("");
});

