// Squeezing: asking for a hand, opening its cards at the felt, and peeling them on the screen.
"use strict";

import { attempt, onTap } from "../punto.js";
import { onShown } from "../live/line.js";
import { give, me, shownRound } from "./commands.js";
import { fold, grip } from "./fold.js";
import { lessMotion } from "./settings.js";

const OPENS_AT = 0.4; // a card that is turned over so far is laid open
const UNSEEN = 0.14; // it gives way so far, measured by its height, while its face is on the way
const TAP = 6; // px
const STEP = 0.07;

onTap("[data-squeeze]", (button) => attempt(() => give("squeeze_card", shownRound(), { place: Number(button.dataset.squeeze) })));
onTap("[data-ask-squeeze]", async (button) => {
  const asked = await attempt(() => give("request_squeeze", shownRound(), { who: me, side: button.dataset.askSqueeze }));
  const focused = document.activeElement;
  const stayed = focused === button || focused === document.body || focused.matches("[data-focus]");
  if (asked && stayed) document.getElementById("squeeze")?.focus({ preventScroll: true }); // the button goes
});

// ---- the cards to peel

const peels = new Map(); // by place: where a card is held and where that point is now, and what the table was told
let drag = null;

const cards = () => [...document.querySelectorAll("[data-peel]")];
const place = (card) => Number(card.dataset.peel);
const peel = (card) => peels.get(place(card)) ?? peels.set(place(card), { told: "" }).get(place(card));
const isOpen = (card) => card.dataset.open !== undefined || peel(card).told === "open";
const seen = (card) => card.querySelector("img") !== null;

// a card is opened before it is laid open
async function tell(card, laidOpen) {
  const [held, word] = [peel(card), laidOpen ? "open" : "begun"];
  if (held.told === "open" || held.told === word) return;
  held.told = word;
  const [round, before, fields] = [shownRound(), held.given, { place: place(card), laid_open: laidOpen }];
  held.given = (async () => (await before, attempt(() => give("squeeze_card", round, fields))))();
  if (!(await held.given)) peels.delete(place(card));
  draw();
}

const begin = (card) => seen(card) || tell(card, false);
const layOpen = (card) => tell(card, true);

function draw() {
  const shown = cards();
  for (const known of peels.keys()) if (!shown.some((card) => place(card) === known)) peels.delete(known);
  for (const card of shown) {
    const { from, to } = peel(card);
    const folded = fold(card.clientWidth, card.clientHeight, from ?? [0, 0], to ?? from ?? [0, 0]);
    const open = isOpen(card) && seen(card);
    card.classList.toggle("open", open);
    card.querySelector(".back").style.clipPath = open ? "inset(100%)" : folded.back;
    Object.assign(card.querySelector(".flap").style, open ? { clipPath: "none", transform: "none" } : { clipPath: folded.flap, transform: folded.matrix });
  }
}

function pull(card, from, to) {
  const [width, height] = [card.clientWidth, card.clientHeight];
  const far = Math.hypot(to[0] - from[0], to[1] - from[1]);
  const most = seen(card) ? far : Math.min(far, UNSEEN * height);
  const end = far ? from.map((value, axis) => value + ((to[axis] - value) * most) / far) : from;
  Object.assign(peel(card), { from, to: end });
  draw();
  return fold(width, height, from, end).part;
}

// a card that is let go lies down again
function letGo(card) {
  const { from, to } = peel(card);
  if (!from || isOpen(card)) return;
  const started = performance.now();
  const lasts = lessMotion() ? 0 : 180;
  const settle = (now) => {
    if (drag || isOpen(card) || peels.get(place(card))?.from !== from) return;
    const left = lasts ? Math.max(0, 1 - (now - started) / lasts) : 0;
    Object.assign(peel(card), { to: from.map((value, axis) => value + (to[axis] - value) * left * left) });
    draw();
    if (left) requestAnimationFrame(settle);
  };
  settle(started);
}

// in pixels of the card, which a large screen shows larger
const within = (card, event) => {
  const box = card.getBoundingClientRect();
  const scale = card.offsetWidth / box.width;
  return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
};

document.addEventListener("pointerdown", (event) => {
  const card = event.target.closest?.("[data-peel]");
  if (!card || event.button || isOpen(card)) return;
  const start = within(card, event);
  drag = { card, start, from: grip(card.clientWidth, card.clientHeight, start), part: 0, moved: false };
  card.setPointerCapture(event.pointerId);
  begin(card);
});

document.addEventListener("pointermove", (event) => {
  if (!drag || isOpen(drag.card)) return;
  const [x, y] = within(drag.card, event).map((value, axis) => value - drag.start[axis]);
  drag.moved ||= Math.hypot(x, y) > TAP;
  if (drag.moved) drag.part = pull(drag.card, drag.from, [drag.from[0] + x, drag.from[1] + y]);
});

function drop() {
  if (!drag) return;
  const { card, part, moved } = drag;
  drag = null;
  if (!moved) return;
  card.dataset.pulled = ""; // the click that follows is the end of the drag
  setTimeout(() => delete card.dataset.pulled);
  if (part >= OPENS_AT) layOpen(card);
  else letGo(card);
}

document.addEventListener("dragstart", (event) => drag && event.preventDefault()); // of text that is selected
document.addEventListener("pointerup", drop);
document.addEventListener("pointercancel", drop);

// a first tap lifts the edge, a second one lays the card open
const lift = (card, share) => {
  const [width, height] = [card.clientWidth, card.clientHeight];
  return pull(card, [width / 2, height], [width / 2, height * (1 - 2 * share)]);
};

onTap("[data-peel]", (card) => {
  if (card.dataset.pulled !== undefined || isOpen(card)) return undefined;
  if (peel(card).lifted) return layOpen(card);
  peel(card).lifted = true;
  lift(card, UNSEEN / 2);
  return begin(card);
});

onTap("[data-lay-open]", () => {
  const card = cards().find((each) => !isOpen(each));
  return card && layOpen(card);
});

// ---- by key: up from the lower edge, left from the right edge

const KEYS = { ArrowUp: ["y", 1], ArrowDown: ["y", -1], ArrowLeft: ["x", 1], ArrowRight: ["x", -1] };

document.addEventListener("keydown", (event) => {
  const card = event.target.closest?.("[data-peel]");
  const [axis, step] = KEYS[event.key] ?? [];
  if (!card || !axis || isOpen(card)) return;
  event.preventDefault();
  begin(card);
  const held = peel(card);
  held.share = Math.max(0, (held.axis === axis ? held.share : 0) + step * STEP);
  held.axis = axis;
  const [width, height] = [card.clientWidth, card.clientHeight];
  const [from, to] = axis === "y"
    ? [[width / 2, height], [width / 2, height * (1 - 2 * held.share)]]
    : [[width, height / 2], [width * (1 - 2 * held.share), height / 2]];
  if (pull(card, from, to) >= OPENS_AT) layOpen(card);
});

onShown(draw);
