// What the console shows: the moments of the table, which one is on the screen, and its pieces.
"use strict";

const body = document.body;
const DISMISSED = `console-dismissed-${body.dataset.table}`;
const MAX_DISMISSED = 20;

let wire = JSON.parse(document.getElementById("moment").textContent);
const listeners = [];

export const table = body.dataset.table;
export const onChange = (listener) => listeners.push(listener);
export const texts = (key) => document.getElementById("console-words").dataset[key];
export const data = () => wire;
export const round = () => wire.round;

// ---- moments that only the page knows to be over, such as a settlement

const dismissals = () => JSON.parse(sessionStorage.getItem(DISMISSED) ?? "[]");
const nameOf = (moment) => `${wire.at.split("/")[0]}/${moment.dismiss}`;
const isOver = (moment) => Boolean(moment.dismiss) && dismissals().includes(nameOf(moment));
const index = () => Math.max(0, wire.moments.findIndex((each) => !isOver(each)));

export const moment = () => wire.moments[index()];
export const isRestarted = () => moment().name === "restarted"; // the server was away, and asks first

export function dismiss() {
  const kept = [...dismissals(), nameOf(moment())].slice(-MAX_DISMISSED);
  sessionStorage.setItem(DISMISSED, JSON.stringify(kept));
  show();
}

// ---- pieces

export function update(pieces) {
  for (const [id, html] of Object.entries(pieces)) {
    const element = document.getElementById(id);
    if (element) Idiomorph.morph(element, html, { morphStyle: "innerHTML" });
  }
  if (pieces.moment !== undefined) wire = JSON.parse(document.getElementById("moment").textContent);
  show();
}

export function show() {
  const at = String(index());
  for (const each of document.querySelectorAll("[data-moment]")) each.hidden = each.dataset.moment !== at;
  const { name, card } = moment();
  body.dataset.name = name;
  body.classList.toggle("cards-only", !wire.typing);
  body.dataset.card = card && card.ask !== "unwanted" ? (card.with_suit ? "suit" : "rank") : "";
  for (const listener of listeners) listener();
}

// ---- cursors: "opening/version"

const parse = (cursor) => cursor.split("/").map(Number);

export function reached(cursor) {
  const [opening, version] = parse(wire.at);
  const [wantedOpening, wanted] = parse(cursor);
  return opening > wantedOpening || (opening === wantedOpening && version >= wanted);
}
