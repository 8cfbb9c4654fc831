// Keeps a page up to date: the pieces that have changed come over a socket and are morphed in.
"use strict";

import { hearLocked, hearRelease, say, setServerNow, socketAddress } from "../punto.js";

const LOOK_MS = 400;
const MAX_LOOKS = 11; // the server says something every second: after more looks the line is lost, even if nobody closed it
const MAX_FAILURES = 4;
const away = document.getElementById("away");
const listeners = [];
let socket = null;
let looks = 0; // since something was heard; not the time since, in which the page itself may have been held up
let failures = 0;

// Calls the listener now and after each update.
export function onShown(listener) {
  listeners.push(listener);
  listener();
}

// ---- pieces

const MORPHING = {
  morphStyle: "innerHTML",
  callbacks: {
    // keep what is being typed, what is unfolded, and buttons whose action is still running
    beforeNodeMorphed: (old, fresh) =>
      !(old instanceof HTMLInputElement && old.dataset.keep && old.dataset.keep === fresh.dataset?.keep),
    beforeAttributeUpdated: (name, node) =>
      name !== "data-busy" && !(name === "open" && node instanceof HTMLDetailsElement),
  },
};

function morph(pieces, forMs = Infinity) {
  const focused = document.activeElement;
  const until = performance.now() + forMs;
  for (const [id, html] of pieces) {
    const element = document.getElementById(id);
    if (element) Idiomorph.morph(element, html, MORPHING);
    if (performance.now() > until) break;
  }
  for (const listener of listeners) listener();
  keepFocus(focused);
}

// Pieces belong together and are drawn at once, except on a page that says they stand apart: there many are drawn a few
// at a time, so that the page answers meanwhile. What comes while others wait replaces them.
const apart = "apart" in document.body.dataset;
const SLICE_MS = 8;
const waiting = new Map();
let slicing = false;

function show(pieces) {
  if (!apart) return morph(Object.entries(pieces));
  for (const [id, html] of Object.entries(pieces)) waiting.set(id, html);
  if (!slicing) drawSlice();
}

function* takeWaiting() {
  for (const piece of waiting) {
    waiting.delete(piece[0]);
    yield piece;
  }
}

function drawSlice() {
  morph(takeWaiting(), SLICE_MS);
  slicing = waiting.size > 0;
  if (slicing) setTimeout(drawSlice);
}

// who was on something that is gone goes on nearby, and not at the top of the page
function keepFocus(focused) {
  if (!focused || focused === document.body || (focused.isConnected && focused.checkVisibility())) return;
  document.querySelector("[data-focus]")?.focus({ preventScroll: true });
}

// ---- the socket

function setUp(up) {
  if (away.hidden === up) return;
  away.hidden = up;
  document.body.toggleAttribute("data-away", !up);
  if (!up) return;
  document.querySelector("#messages [data-code=no_line]")?.remove(); // whatever else is being read stays
  for (const picture of document.images) if (picture.complete && !picture.naturalWidth) picture.src = picture.src;
}

function connect() {
  const opened = new WebSocket(socketAddress(document.body.dataset.live));
  let first = true;
  socket = opened;
  looks = 0;
  opened.addEventListener("message", (event) => {
    if (socket !== opened) return;
    looks = 0;
    failures = 0;
    setUp(true);
    const update = JSON.parse(event.data);
    if (update.error) return say(update.error.message, update.error);
    setServerNow(update.now, { first });
    first = false;
    if (update.pieces) show(update.pieces);
    hearLocked(Boolean(update.locked));
    hearRelease(update.release);
  });
  opened.addEventListener("close", (event) => {
    if (event.code === 4001 || event.code === 4023) return location.reload();
    if (socket === opened && event.code !== 4000) lose();
  });
}

function lose() {
  const lost = socket;
  socket = null;
  lost.close();
  setUp(false);
  setTimeout(connect, 250 * 2 ** failures * (0.5 + Math.random() / 2));
  failures = Math.min(failures + 1, MAX_FAILURES);
}

setInterval(() => {
  looks += 1;
  if (socket && looks > MAX_LOOKS) lose();
}, LOOK_MS);
window.addEventListener("offline", () => socket && lose());

connect();
