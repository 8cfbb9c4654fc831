// Commands to the table that the page shows.
"use strict";

import { newId, request } from "../punto.js";

const WITHIN_MS = 5000;

export const table = document.body.dataset.table;
export const me = document.body.dataset.me;
export const at = (rest) => `/api/tables/${encodeURIComponent(table)}/${rest}`;
export const shownRound = () => Number(document.getElementById("round").textContent);

// `round` is the one the page showed at the tap: in any other round the table refuses the command
export function give(command, round, fields) {
  const content = { id: newId(), command: { command: `${command}.1`, ...fields, round } };
  return request("POST", at("commands"), content, { again: true, withinMs: WITHIN_MS });
}

// ---- cursors: "opening/version"

const parseCursor = (cursor) => cursor.split("/").map(Number);
const reached = (cursor) => {
  const [opening, version] = parseCursor(document.getElementById("at").textContent || "0/0");
  const [wantedOpening, wanted] = parseCursor(cursor);
  return opening > wantedOpening || (opening === wantedOpening && version >= wanted);
};

// the next action may depend on what is on the felt, so wait until the page shows what was accepted
export async function waitUntilShown({ cursor }) {
  while (!reached(cursor)) await new Promise((done) => setTimeout(done, 20));
}
