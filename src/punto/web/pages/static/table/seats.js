// The boxes on the arc, or in a low window beside the felt: a tap takes a place, a second one, or another in its stead.
"use strict";

import { attempt, onTap } from "../punto.js";
import { give, me, shownRound } from "./commands.js";
import { closeLeaf, openLeaf } from "./leaf.js";

const shownBox = () => Number(document.querySelector(".areas")?.dataset.box ?? 0);
const show = (box) => location.assign(`?box=${box}`);

onTap("[data-take]", (seat) => {
  const { take, box } = seat.dataset;
  if (!shownBox()) document.querySelector(`[data-sit="${box}"], [data-stand="${box}"], [data-choose-box="${box}"]`)?.click();
  else if (take === "show" || take === "choose") show(box);
  else askWhere(seat);
});

// a player who has a place plays this one as well or, without bets on the felt, moves to it
function askWhere(seat) {
  const body = openLeaf("place");
  const staked = document.querySelector(".arc").dataset.staked !== undefined;
  const several = document.querySelectorAll(".arc .mine").length > 1;
  const title = body.querySelector("h2");
  title.textContent = title.textContent.replace("{box}", seat.dataset.label);
  for (const button of body.querySelectorAll("[data-place]")) {
    const moves = button.dataset.place === "move";
    Object.assign(button.dataset, { box: seat.dataset.box, how: seat.dataset.take });
    button.hidden = moves ? several : button.dataset.place !== seat.dataset.take;
    button.disabled = moves && staked;
  }
  body.querySelector("[data-if-staked]").hidden = !staked || several;
}

const COMMANDS = { sit: "sit", stand: "stand_behind" };
const take = (how, box, round) => attempt(() => give(COMMANDS[how], round, { who: me, box: Number(box) }), { clears: false });

onTap("[data-place]", async ({ dataset: { place, how, box } }) => {
  const round = shownRound();
  closeLeaf();
  if (place !== "move") return (await take(how, box, round)) && show(box);
  const before = shownBox();
  const sat = document.querySelector(`.arc .mine[data-box="${before}"]`) ? "sit" : "stand";
  if (!(await attempt(() => give("leave", round, { who: me })))) return;
  if (await take(how, box, round)) show(box);
  else await take(sat, before, round); // somebody was quicker
});

// an SVG button has no keys of its own
document.addEventListener("keydown", (event) => {
  const seat = event.target.closest?.("svg [data-take]");
  if (!seat || event.repeat || !["Enter", " "].includes(event.key)) return;
  event.preventDefault();
  seat.dispatchEvent(new MouseEvent("click", { bubbles: true }));
});
