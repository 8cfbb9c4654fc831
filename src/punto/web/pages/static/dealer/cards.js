// Cards by rank, and by suit where the table wants it: A 2-9 0 or T J Q K, then s h d c.
"use strict";

import { complain, giveAll } from "./commands.js";
import { holdKeys, nextWithin } from "./queue.js";
import * as questions from "./questions.js";
import { data, isRestarted, moment, onChange, texts } from "./state.js";

const RANKS = new Map([..."A23456789TJQK"].map((rank) => [rank, rank]).concat([["0", "T"]]));
const SUITS = new Set(["S", "H", "D", "C"]);
const SCANNER = "console-scanner"; // this terminal's scanner types suits where ranks are enough
const BURST_MS = 60; // a scanner types the suit within this time, a person does not
const AT_ONCE_MS = 300; // two lines of a scanner within this time may be two cards drawn together
let rank = ""; // waits for its suit
let rankAt = 0;
let lineAt = 0; // when a scanner ended its last line

const cardWanted = () => Boolean(moment().card) || isCorrecting();
export const isWanted = cardWanted;

export const isCardKey = (key) =>
  cardWanted() && (RANKS.has(key) || SUITS.has(key) || key === "Enter" || key === "1" || (key === "Backspace" && rank !== ""));

export async function key(item) {
  if (item.key === "Backspace") return hold("");
  if (item.key === "Enter") return void (lineAt = rank ? 0 : item.at); // the end of a scanner's line
  if (item.key === "1") return undefined; // of 10
  if (SUITS.has(item.key)) return rank ? finish(item, item.key.toLowerCase()) : noticeScanner(item);
  if (rank) await finish(item, ""); // the rank before it came without its suit
  hold(RANKS.get(item.key));
  rankAt = item.at;
  if (needsSuit()) return undefined;
  if (localStorage.getItem(SCANNER) && (await nextWithin(BURST_MS, SUITS))) return undefined; // its suit comes next
  return finish(item, "");
}

const needsSuit = () => (isCorrecting() ? data().last_card.card.length > 1 : moment().card.with_suit);

// A suit right behind a rank that has been dealt without it: from now on the console waits for the suits of a scanner.
function noticeScanner(item) {
  if (item.at - rankAt < BURST_MS) localStorage.setItem(SCANNER, "on");
}

async function finish(item, suit) {
  const card = rank + suit;
  hold("");
  if (isCorrecting()) return correct(card, item);
  const wanted = moment().card;
  if (!wanted || (wanted.with_suit && !suit)) return complain(texts("typeSuit"));
  if (suit && item.at - lineAt < AT_ONCE_MS && moment().questions?.at_once) return questions.ask("at_once", card);
  return wanted.ask ? questions.ask(wanted.ask, card) : giveAll(wanted.give, item, card);
}

// ---- correcting the last card

let correcting = false;

export const isCorrecting = () => correcting;
export const canCorrect = () => Boolean(data().last_card);

export function startCorrecting() {
  correcting = true;
  showCorrecting();
}

export function stopCorrecting() {
  correcting = false;
  hold("");
  showCorrecting();
}

export const correct = (card, item) => {
  const { shoe, draw } = data().last_card;
  stopCorrecting();
  return giveAll([{ command: "correct_card.1", shoe, draw, card }], item);
};

function showCorrecting() {
  const element = document.getElementById("entry");
  document.body.dataset.correcting = correcting ? "on" : "";
  if (!correcting) return element.replaceChildren();
  const parts = [texts("correct").replace("{card}", data().last_card.name), texts("correctHint")].map((text, place) => {
    const span = document.createElement("span");
    span.className = place ? "typed-most" : "typed-box";
    span.textContent = text;
    return span;
  });
  return element.replaceChildren(...parts);
}

function hold(value) {
  rank = value;
  document.body.dataset.rank = value;
  for (const tile of document.querySelectorAll("[data-rank]")) tile.classList.toggle("held", tile.dataset.rank === value);
}

onChange(() => {
  if (correcting && !canCorrect()) stopCorrecting();
  if (cardWanted()) return;
  if (isRestarted()) holdKeys(rank);
  hold("");
});

