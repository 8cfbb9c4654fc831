// The pit: tiles in the order of what they need, keys that act on the tile in focus, and times that count.
"use strict";

import { onShown } from "../live/line.js";
import { drawTimes } from "./times.js";

const FRESH_MS = 500;
const QUIET_MS = 2000; // tiles stay where they are while somebody reaches for one
const list = document.getElementById("tiles");
const order = document.getElementById("order");
let current = null; // the link of the tile that keys act on
let arranged = "";
let touchedAt = 0;
let timer = 0;
let timesFrame = 0;

// ---- the order

function arrange() {
  clearTimeout(timer);
  if (order.textContent === arranged) return;
  const quietIn = touchedAt + QUIET_MS - Date.now();
  if (quietIn > 0) {
    timer = setTimeout(arrange, quietIn);
    return;
  }
  arranged = order.textContent;
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  let at = list.firstElementChild;
  for (const number of arranged.split(" ")) {
    const tile = document.getElementById(`tile-${number}`);
    if (!tile) continue;
    if (tile !== at && tile === at?.nextElementSibling) at = tile; // the one before it goes further down
    if (tile === at) at = at.nextElementSibling;
    else list.insertBefore(tile, at);
  }
  if (focused && document.activeElement !== focused) focused.focus({ preventScroll: true });
}

for (const kind of ["pointermove", "pointerdown", "keydown"])
  list.addEventListener(kind, () => (touchedAt = Date.now()), { passive: true });

// ---- the tile in focus

const links = () => [...list.querySelectorAll("[data-tile]")];

function choose(link) {
  if (current !== link) current?.setAttribute("tabindex", "-1");
  current = link;
  current?.setAttribute("tabindex", "0");
}

list.addEventListener("focusin", (event) => {
  if (event.target.matches("[data-tile]")) choose(event.target);
});

list.addEventListener("click", (event) => {
  const link = event.target.closest("a, button") ? null : event.target.closest(".p-tile")?.querySelector("[data-tile]");
  link?.click();
});

const middle = ({ left, right, top, bottom }) => [(left + right) / 2, (top + bottom) / 2];

// the nearest tile in that direction; sideways the next one, also in the next row
function move(key) {
  const all = links();
  const from = all.indexOf(current);
  if (!list.contains(document.activeElement)) return current?.focus();
  if (key === "ArrowLeft" || key === "ArrowRight") return all[from + (key === "ArrowRight" ? 1 : -1)]?.focus();
  if (key === "Home" || key === "End") return all.at(key === "Home" ? 0 : -1).focus();
  const down = key === "ArrowDown";
  const [x, y] = middle(current.closest("li").getBoundingClientRect());
  let best = null;
  let least = Infinity;
  for (const link of down ? all.slice(from + 1) : all.slice(0, Math.max(from, 0)).reverse()) {
    const [otherX, otherY] = middle(link.closest("li").getBoundingClientRect());
    if (down ? otherY <= y + 8 : otherY >= y - 8) continue;
    const distance = Math.abs(otherX - x) + 4 * Math.abs(otherY - y);
    if (distance < least) [best, least] = [link, distance];
  }
  best?.focus();
}

// ---- keys

const table = () => encodeURIComponent(current.dataset.tile);
const first = (selector) => document.querySelector(selector)?.focus();

// The first event of the list, at once. A key that is held down, or pressed again before the list has changed, is no
// answer to the next one.
let answeredAt = 0;
function acknowledgeFirst() {
  const form = document.querySelector("#alarms [data-acknowledge]");
  if (!form || Date.now() - answeredAt < FRESH_MS) return;
  answeredAt = Date.now();
  form.requestSubmit();
}

const GO = {
  table: () => current && location.assign(current.href),
  deal: () => current && location.assign(`/tables/${table()}/deal`),
  guide: () => current && location.assign(`/tables/${table()}/guide`),
  history: () => current && location.assign(`/tables/${table()}/history`),
  incidents: () => location.assign(`/incidents${current ? `?table=${table()}` : ""}`),
  alarms: acknowledgeFirst,
  call: () => first("#queue [data-answer] button"),
  approvals: () => first("#queue .proposal .yes"),
};
const buttons = [...document.querySelectorAll("[data-go]")];
const keys = new Map(buttons.map((button) => [button.querySelector("kbd").textContent, button]));
const TYPED = "input:not([type=radio]):not([type=checkbox]), textarea, select";

document.addEventListener(
  "keydown",
  (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest(TYPED)) return;
    if (event.repeat && event.key.length === 1) return;
    if (document.querySelector("dialog[open]")) return;
    const { key } = event;
    const button = key.length === 1 ? keys.get(key.toUpperCase()) : undefined;
    if (/^Arrow|^Home$|^End$/.test(key)) move(key);
    else if (button) GO[button.dataset.go]();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  { capture: true },
);

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-go]");
  if (button) GO[button.dataset.go]();
});

onShown(() => {
  arrange();
  if (!current?.isConnected) choose(links()[0] ?? null);
  else current.setAttribute("tabindex", "0");
  cancelAnimationFrame(timesFrame);
  timesFrame = requestAnimationFrame(drawTimes); // once for all tiles that are drawn until then
});
