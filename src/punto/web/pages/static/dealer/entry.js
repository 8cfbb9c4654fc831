// What is typed before it becomes a command: box, bet and amount, in whole currency units. "3B500" is 500 on Banker at
// box 3, "3/B2K" 2,000 of whoever stands behind it. A key that cannot follow is not taken.
"use strict";

import { writeMoney } from "../punto.js";
import { complain, giveAll } from "./commands.js";
import { repeat } from "./queue.js";
import { beep } from "./sound.js";
import { data, moment, onChange, texts } from "./state.js";

const AMOUNT = /^(?:(\d{1,9})(?:\.(\d{0,2}))?(K?))?$/;
const SIDES = { P: "player", B: "banker" };
let kind = ""; // which entry is open
let typed = "";

export const isOpen = () => kind !== "";

export function start(name, item) {
  kind = name;
  typed = "";
  show();
  if (!item || name !== "bet" || !/^[0-9A-Z]$/.test(item.key)) return;
  if (read(item.key)) set(item.key);
  else {
    close(); // a card's rank, not a box
    beep();
  }
}

export function type(text) {
  for (const each of text) add(each);
}

export async function key(item) {
  if (item.key === "Escape") return close();
  if (item.key === "Backspace") return typed ? set(typed.slice(0, -1)) : close();
  if (item.key !== "Enter" && item.key !== "Space") return add(item.key);
  if (!typed && item.key === "Space") {
    close();
    return repeat(item);
  }
  const commands = commandsOf(read(typed));
  if (!commands) return beep();
  close();
  const done = await giveAll(commands, item);
  if (done && item.key === "Space") repeat(item);
  return undefined;
}

function add(char) {
  if (read(typed + char)) set(typed + char);
  else beep();
}

function set(text) {
  typed = text;
  show();
}

function close() {
  kind = "";
  typed = "";
  show();
}

// ---- reading

// Returns what the text means so far, or null if nothing that starts so has a meaning.
function read(text) {
  const { boxes } = data().typing;
  const byLength = [...boxes].sort((a, b) => b.label.length - a.label.length);
  for (const box of byLength) {
    const label = box.label.toUpperCase();
    if (!text.startsWith(label)) continue;
    const rest = readRest(box, text.slice(label.length));
    if (rest) return rest;
  }
  return boxes.some((box) => box.label.toUpperCase().startsWith(text)) ? { text } : null;
}

function readRest(box, text) {
  const strokes = /^\/*/.exec(text)[0].length;
  if (strokes >= box.people.length) return null;
  const found = { box, who: box.people[strokes], strokes };
  const rest = text.slice(strokes);
  if (kind === "squeeze") return !rest || SIDES[rest] ? { ...found, side: SIDES[rest] } : null;
  if (kind === "insurance") return rest === "C" ? { ...found, called: true } : withAmount(found, rest);
  const [code, amount] = [/^[A-Z]*/.exec(rest)[0], rest.replace(/^[A-Z]*/, "")];
  const { codes } = data().typing;
  if (amount && !codes[code]) return null;
  if (!amount) return code in codes || Object.keys(codes).some((each) => each.startsWith(code)) ? { ...found, code, bet: codes[code] } : null;
  return withAmount({ ...found, code, bet: codes[code] }, amount);
}

function withAmount(found, text) {
  const match = AMOUNT.exec(text);
  if (!match) return null;
  const [, whole, cents = "", thousands] = match;
  if (!text) return found;
  const minor = (Number(whole) * 100 + Number(cents.padEnd(2, "0"))) * (thousands ? 1000 : 1);
  return { ...found, minor, amount: text };
}

// ---- commands

function commandsOf(found) {
  if (!found?.box) return null;
  const { box: { box }, who, bet, minor } = found;
  if (kind === "squeeze") return found.side && [{ command: "request_squeeze.1", who, side: found.side }];
  if (kind === "insurance") return insurance(found);
  if (!bet || minor === undefined) return null;
  if (kind === "correct_bet") return [{ command: "correct_bet.1", who, box, bet, stake_minor: minor }];
  if (kind === "late_bet") return [{ command: "report_late_bet.1", who, box, bet, tried: "placed", amount_minor: minor }];
  const lies = data().typing.stakes.find((each) => each.who === who && each.box === box && each.bet === bet)?.stake_minor ?? 0;
  if (minor > lies) return [{ command: "place_bet.1", who, box, bet, stake_minor: minor - lies }];
  if (minor < lies) return [{ command: "withdraw_bet.1", who, box, bet, amount_minor: lies - minor }];
  return minor ? [{ command: "confirm_bets.1", box }] : null;
}

// Without an amount it is the largest stake; where one person alone may insure in a box, it is theirs.
function insurance({ box: { box }, who, strokes, called, minor }) {
  const here = data().typing.insurance.filter((each) => each.box === box);
  const taker = here.find((each) => each.who === who) ?? (strokes === 0 && here.length === 1 ? here[0] : undefined);
  if (called) return taker && [{ command: "call_insurance.1", who: taker.who, box }];
  if (!taker && minor === undefined) {
    complain(texts("nothingThere"));
    return null;
  }
  return [{ command: "take_insurance.1", who: taker?.who ?? who, box, stake_minor: minor ?? taker.most_minor }];
}

// ---- on the screen

const NAMES = { bet: "enterBet", correct_bet: "enterCorrectBet", late_bet: "enterLateBet", insurance: "enterInsurance", squeeze: "enterSqueeze" };

function show() {
  const element = document.getElementById("entry");
  document.body.dataset.entry = kind;
  for (const each of document.querySelectorAll(".box.chosen")) each.classList.remove("chosen");
  if (!kind) return element.replaceChildren();
  const found = read(typed) ?? {};
  document.querySelector(`.box[data-box="${CSS.escape(found.box?.label ?? "")}"]`)?.classList.add("chosen");
  const { names, insurance: takers } = data().typing;
  const most = kind === "insurance" && found.box && takers.find((each) => each.box === found.box.box)?.most_minor;
  const parts = [
    ["kind", texts(NAMES[kind])],
    ["box", found.box ? texts("box").replace("{box}", found.box.label) : (found.text ?? "")],
    ["behind", "/".repeat(found.strokes ?? 0)],
    ["bet", names[found.bet] ?? found.code ?? (found.side ? texts(found.side) : "")],
    ["amount", found.minor === undefined ? "" : writeMoney(found.minor)],
    ["called", found.called ? texts("called") : ""],
    ["most", most && found.minor === undefined && !found.called ? `${texts("largest")} ${writeMoney(most)} ⏎` : ""],
  ];
  element.replaceChildren(
    ...parts.filter(([, text]) => text).map(([name, text]) => {
      const span = document.createElement("span");
      span.className = `typed-${name}`;
      span.textContent = text;
      return span;
    }),
  );
  element.append(Object.assign(document.createElement("i"), { className: "caret" }));
  return undefined;
}

// an entry that the table no longer takes is closed
onChange(() => {
  if (!kind) return;
  const still = Object.values(moment().keys ?? {}).some((action) => action.enter === kind);
  if (still && data().typing) show();
  else close();
});
