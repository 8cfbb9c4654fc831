// Steps through a round: by buttons, keys, a slider and the list of steps. Without this script every step is on the page.
"use strict";

const replay = document.getElementById("replay");
const steps = [...document.querySelectorAll(".round-step")];
const links = [...document.querySelectorAll(".step-list a")];
const list = document.querySelector(".step-list ol");
const stage = document.querySelector("[data-stage]");
const controls = document.querySelector("[data-controls]");
const slider = document.querySelector("[data-slider]");
const place = document.querySelector("[data-place]");
const speed = document.querySelector("[data-speed]");
const announced = document.querySelector("[data-announce]");
const play = document.querySelector("[data-go=play]");
const ADDRESS_AFTER_MS = 150; // browsers refuse a page that changes its address too often
let at = -1;
let timer = 0; // of the next step while it plays
let addressTimer = 0;

// ---- the felt

// a step that does not change the felt has none of its own
const felts = [];
for (const step of steps) felts.push(step.querySelector("figure") ?? felts.at(-1));

function drawFelt() {
  const felt = felts[at].cloneNode(true);
  const before = felts[at - 1];
  felt.querySelector("figcaption").textContent = steps[at].dataset.said;
  if (before && before !== felts[at]) markNew(felt, before);
  stage.replaceChildren(felt);
}

// what was not there a step ago
function markNew(felt, before) {
  felt.querySelectorAll(".faces").forEach((hand, number) => {
    const earlier = before.querySelectorAll(".faces")[number].querySelectorAll("img");
    hand.querySelectorAll("img").forEach((card, position) => {
      if (card.src !== earlier[position]?.src) card.classList.add("new");
    });
  });
  const stakes = new Set([...before.querySelectorAll(".stake-line")].map(keyOf));
  for (const stake of felt.querySelectorAll(".stake-line")) if (!stakes.has(keyOf(stake))) stake.classList.add("new");
}

// box, player and bet
const keyOf = (stake) => [stake.closest("li").querySelector("strong"), stake.parentElement.querySelector("small"), stake]
  .map((part) => part?.textContent).join("\n");

// ---- one step

function show(number, { announce = true } = {}) {
  const next = Math.max(0, Math.min(number, steps.length - 1));
  if (next === at) return;
  steps[at]?.classList.remove("shown");
  links[at]?.removeAttribute("aria-current");
  at = next;
  steps[at].classList.add("shown");
  links[at].setAttribute("aria-current", "step");
  drawFelt();
  slider.value = at + 1;
  slider.setAttribute("aria-valuetext", steps[at].dataset.said);
  place.textContent = `${at + 1} / ${steps.length}`;
  for (const [go, idle] of [["first", at === 0], ["back", at === 0], ["forward", atEnd()], ["last", atEnd()]])
    controls.querySelector(`[data-go=${go}]`).setAttribute("aria-disabled", String(idle));
  if (announce && document.activeElement !== slider) announced.textContent = steps[at].dataset.said;
  keepInList(links[at]);
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => history.replaceState(null, "", `#${steps[at].id}`), ADDRESS_AFTER_MS);
}

const atEnd = () => at === steps.length - 1;

// in the middle of the list, so that what comes next can be read too; never scrolls the page
function keepInList(link) {
  list.scrollTop = link.offsetTop - (list.clientHeight - link.offsetHeight) / 2;
}

// the step in the address, null if it names none; a step that this reader does not have is the last one before it
function fromAddress() {
  const wanted = Number(/^#step-(\d+)$/.exec(location.hash)?.[1]);
  return Number.isNaN(wanted) ? null : Math.max(0, steps.findLastIndex((step) => Number(step.id.slice("step-".length)) <= wanted));
}

// ---- playing

function setPlaying(on) {
  clearTimeout(timer);
  timer = on ? setTimeout(advance, Number(speed.value)) : 0;
  replay.classList.toggle("playing", on);
  const words = on ? play.dataset.pause : play.dataset.play;
  play.setAttribute("aria-label", words);
  play.title = words;
}

function advance() {
  show(at + 1);
  setPlaying(!atEnd());
}

function toggle() {
  if (timer) return setPlaying(false);
  if (atEnd()) show(0);
  setPlaying(!atEnd());
}

const go = {
  first: () => moveTo(0),
  back: () => moveTo(at - 1),
  forward: () => moveTo(at + 1),
  last: () => moveTo(steps.length - 1),
  play: toggle,
};

// whoever moves by themselves stops the play
function moveTo(number) {
  setPlaying(false);
  show(number);
}

// ---- what people use

const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play" };

document.addEventListener("keydown", (event) => {
  const action = KEYS[event.key];
  if (!action || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("select, textarea, input:not([type=range])")) return;
  if (event.key === " " && (event.target.closest("button, summary") || event.repeat)) return; // the button's own key
  event.preventDefault();
  go[action]();
});

if (steps.length) {
  for (const button of controls.querySelectorAll("[data-go]")) button.addEventListener("click", () => go[button.dataset.go]());
  slider.addEventListener("input", () => moveTo(Number(slider.value) - 1));
  speed.addEventListener("change", () => setPlaying(Boolean(timer)));
  links.forEach((link, number) => link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    moveTo(number);
  }));
  window.addEventListener("hashchange", () => moveTo(fromAddress() ?? at)); // the link to the contents moves nothing
  controls.hidden = stage.hidden = false;
  replay.classList.add("stepping");
  show(fromAddress() ?? 0, { announce: false });
}

const print = document.querySelector("[data-print]");
print.hidden = false;
print.addEventListener("click", () => window.print());
