// The connection to the server: the live socket, and commands that are sent again until they are answered.
"use strict";

import { hearLocked, hearRelease, newId, Refused, request, socketAddress } from "../punto.js";
import { reached, round, table, update } from "./state.js";

const MAX_WAIT_MS = 2000;
const SILENT_MS = 5000; // a line that does not answer for so long is lost, even if nobody has closed it
const body = document.body;
let socket = null;
let up = true;
let since = 0; // when the line was lost
let failures = 0;
let wakers = [];

let clockAhead = 0; // how far the server's clock is ahead of ours, in ms
let extra = () => ({}); // fields beside every command, such as `happened_at`

export const isUp = () => up;
export const setExtra = (make) => (extra = make);
export const serverTime = (ms) => ms + clockAhead;
export const lostFor = () => (up ? 0 : Date.now() - since);

const wake = () => {
  const waiting = wakers;
  wakers = [];
  for (const each of waiting) each();
};
const next = () => new Promise((done) => wakers.push(done));

function setUp(now) {
  if (up === now) return;
  up = now;
  since = now ? 0 : Date.now();
  document.dispatchEvent(new CustomEvent("line", { detail: { up } }));
  wake();
}

function lose() {
  setUp(false);
  socket.close();
}

window.addEventListener("offline", lose);

export function connect() {
  socket = new WebSocket(socketAddress(body.dataset.console));
  const silent = setTimeout(lose, SILENT_MS);
  socket.addEventListener("message", (event) => {
    clearTimeout(silent);
    failures = 0;
    setUp(true);
    const message = JSON.parse(event.data);
    if (message.now) clockAhead = message.now - Date.now();
    if (message.pieces) update(message.pieces);
    hearLocked(Boolean(message.locked));
    hearRelease(message.release);
    wake();
  });
  socket.addEventListener("close", (event) => {
    clearTimeout(silent);
    if (event.code === 4001 || event.code === 4023) return location.reload(); // signed out, another position, or locked
    setUp(false);
    failures = Math.min(failures + 1, 3);
    setTimeout(connect, Math.min(MAX_WAIT_MS, 250 * 2 ** failures * (0.5 + Math.random() / 2)));
  });
}

export async function whenUp() {
  while (!up) await next();
}

// ---- commands

export const at = (rest) => `/api/tables/${encodeURIComponent(table)}/${rest}`;

// Whether the server did not answer, or only said that it cannot now: it stops, or waits for its database.
const isAway = (error) => error.code === "no_line" || error.status === 503;

// Gives a command and waits until the screen shows it. While the line is lost it is sent again with the same id, so it
// counts once.
export async function give(command, { id = newId(), asks = true } = {}) {
  const content = { id, command: { round: round(), ...command }, ...extra() };
  for (;;) {
    await whenUp();
    let accepted;
    try {
      accepted = await request("POST", at("commands"), content, { withinMs: SILENT_MS, asks });
    } catch (error) {
      if (!(error instanceof Refused) || !isAway(error)) throw error;
      lose();
      continue;
    }
    await shown(accepted.cursor);
    return accepted;
  }
}

export async function shown(cursor) {
  while (!reached(cursor)) {
    const silent = setTimeout(lose, SILENT_MS);
    await next();
    clearTimeout(silent);
  }
}
