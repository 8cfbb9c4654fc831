// What is typed before it becomes a command: box, bet and amount, in whole currency units. "3B500" is 500 on Banker at
// box 3, "3/B2K" 2,000 of whoever stands behind it, "3/2B2K" of the second person there. The amount is the total that
// lies there, of bets and of insurance. A key that cannot follow is not taken.
"use strict";

import { writeMoney } from "../punto.js";
import { complain, giveAll } from "./commands.js";
import { tell } from "./did.js";
import { holdKeys, repeat } from "./queue.js";
import { beep } from "./sound.js";
import { data, isRestarted, moment, onChange, texts } from "./state.js";

const AMOUNT = /^(?:(\d{1,9})(?:\.(\d{0,2}))?(K?))?$/;
const SIDES = { P: "player", B: "banker" };
const letterOf = (side) => Object.keys(SIDES).find((letter) => SIDES[letter] === side);
let kind = ""; // which entry is open
let opener = ""; // the key that opened it, unless the first one that is typed does
let typed = "";

export const isOpen = () => kind !== "";

export function start(name, item) {
  kind = name;
  opener = name === "bet" ? "" : Object.entries(moment().keys ?? {}).find(([, action]) => action.enter === name)[0];
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
  if (item.chip) return addChip(item.chip);
  if (item.key !== "Enter" && item.key !== "Space") {
    add(item.key);
    return read(typed)?.called ? finish(item) : undefined; // insurance is called with its letter: nothing can follow
  }
  if (!typed && item.key === "Space") {
    close();
    return repeat(item);
  }
  const done = await finish(item);
  if (done && item.key === "Space") repeat(item);
  return undefined;
}

// What is complete is given. What changes nothing is said, and the entry is over; what is not complete stays.
async function finish(item) {
  const text = opener + typed;
  const { commands, nothing } = commandsOf(read(typed));
  if (!commands && !nothing) return beep();
  close();
  if (commands) return giveAll(commands, { ...item, typed: text });
  complain(nothing);
  return false;
}

function add(char) {
  if (read(typed + char)) return set(typed + char);
  beep();
  return tell(texts("keyNotTaken").replace("{key}", char));
}

// A chip that is put down comes on top of what lies there, or of what is typed. A letter stands between box and amount,
// so that no other box can be read.
function addChip(chip) {
  const found = read(typed);
  const letter = kind === "insurance" ? letterOf(data().typing.insurance[0]?.side) : found?.bet && found.code;
  if (!found?.box || kind === "squeeze" || !letter) return beep();
  const minor = (found.minor ?? liesOf(found)) + chip;
  const amount = minor % 100 ? (minor / 100).toFixed(2) : String(minor / 100);
  const text = `${found.box.label.toUpperCase()}${"/".repeat(found.number)}${letter}${amount}`;
  return read(text) ? set(text) : beep();
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
  const { number, rest } = readPerson(text);
  const found = { box, who: box.people[number], number };
  if (!found.who) return null;
  if (kind === "squeeze") return !rest || SIDES[rest] ? { ...found, side: SIDES[rest] } : null;
  if (kind === "insurance") return readInsurance(found, rest);
  const [code, amount] = [/^[A-Z]*/.exec(rest)[0], rest.replace(/^[A-Z]*/, "")];
  const { codes } = data().typing;
  if (amount && !codes[code]) return null;
  if (!amount) return code in codes || Object.keys(codes).some((each) => each.startsWith(code)) ? { ...found, code, bet: codes[code] } : null;
  return withAmount({ ...found, code, bet: codes[code] }, amount);
}

// Who behind the box: a stroke for each person, or a stroke and a number. Insurance needs no letter before its amount:
// there a number counts people if a letter follows it, or if it is a single digit so far.
function readPerson(text) {
  const [, strokes, digits, rest] = /^(\/*)(\d*)(.*)$/.exec(text);
  const numbered = strokes === "/" && digits && (kind !== "insurance" || (rest ? /^[A-Z]/.test(rest) && rest !== "K" : digits.length === 1));
  return numbered ? { number: Number(digits) || -1, rest } : { number: strokes.length, rest: digits + rest };
}

// The side may be named, as the letter of a bet is.
function readInsurance(found, text) {
  const { insurance: takers } = data().typing;
  const side = SIDES[text[0]];
  if (side && takers.some((each) => each.side !== side)) return null;
  const rest = side ? text.slice(1) : text;
  return rest === "C" ? { ...found, called: true } : withAmount(found, rest);
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

// Returns `commands`, or in `nothing` why there is nothing to do; neither if the entry is not complete.
function commandsOf(found) {
  if (!found?.box) return {};
  const { box: { box }, who, bet, minor } = found;
  if (kind === "squeeze") return found.side ? { commands: [{ command: "request_squeeze.1", who, side: found.side }] } : {};
  if (kind === "insurance") return insurance(found);
  if (!bet || minor === undefined) return {};
  if (kind === "correct_bet") return { commands: [{ command: "correct_bet.1", who, box, bet, stake_minor: minor }] };
  if (kind === "late_bet") return { commands: [{ command: "report_late_bet.1", who, box, bet, tried: "placed", amount_minor: minor }] };
  const lies = liesOf(found);
  if (minor > lies) return { commands: [{ command: "place_bet.1", who, box, bet, stake_minor: minor - lies }] };
  if (minor < lies) return { commands: [{ command: "withdraw_bet.1", who, box, bet, amount_minor: lies - minor }] };
  return minor ? { commands: [{ command: "confirm_bets.1", box }] } : {};
}

// What lies where the entry is for.
function liesOf(found) {
  if (kind === "insurance") return takerOf(found)?.lies_minor ?? 0;
  if (kind === "late_bet") return 0;
  const { who, box: { box }, bet } = found;
  return data().typing.stakes.find((each) => each.who === who && each.box === box && each.bet === bet)?.stake_minor ?? 0;
}

// Where one person alone may insure in a box, it is theirs.
function takerOf({ box: { box }, who, number }) {
  const here = data().typing.insurance.filter((each) => each.box === box);
  return here.find((each) => each.who === who) ?? (number === 0 && here.length === 1 ? here[0] : undefined);
}

// Without an amount, and if it is called, it is the largest stake.
function insurance(found) {
  const { box: { box }, called, minor } = found;
  const taker = takerOf(found);
  const who = taker?.who ?? found.who;
  const lies = taker?.lies_minor ?? 0;
  if (minor > lies) return { commands: [{ command: "take_insurance.1", who, box, stake_minor: minor - lies }] };
  if (minor < lies) return { commands: [{ command: "correct_insurance.1", stage: taker.stage, who, box, stake_minor: minor }] };
  if (!taker) return { nothing: texts("nothingThere") };
  if (minor === lies || !taker.most_minor) return { nothing: texts("insuredAlready").replace("{amount}", writeMoney(lies)) };
  if (called) return { commands: [{ command: "call_insurance.1", who, box }] };
  return { commands: [{ command: "take_insurance.1", who, box, stake_minor: taker.most_minor }] };
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
  const { names } = data().typing;
  const taker = kind === "insurance" && found.box && takerOf(found);
  const most = taker && taker.lies_minor + taker.most_minor;
  const parts = [
    ["kind", texts(NAMES[kind])],
    ["box", found.box ? texts("box").replace("{box}", found.box.label) : (found.text ?? "")],
    ["behind", found.number ? `${texts("behind")}${found.number > 1 ? ` ${found.number}` : ""}` : ""],
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
  if (!kind) return undefined;
  const still = Object.values(moment().keys ?? {}).some((action) => action.enter === kind);
  if (still && data().typing) return show();
  if (isRestarted()) holdKeys(opener + typed);
  return close();
});
