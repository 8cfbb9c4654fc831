// A place at the table: to take one, to leave it, and the play money of a visitor.
"use strict";

import { attempt, onTap, request } from "../punto.js";
import { at, give, me, shownRound } from "./commands.js";

const playMoney = () => request("POST", at("play-money"), undefined, { again: true });

async function takePlace(command, number, button) {
  const round = shownRound();
  if (button.dataset.money !== undefined && !(await attempt(playMoney))) return;
  await attempt(() => give(command, round, { who: me, box: number }));
}

async function chooseBox(button) {
  if (button.dataset.money !== undefined && !(await attempt(playMoney))) return;
  location.assign(`?box=${button.dataset.chooseBox}`);
}

onTap("[data-sit]", (button) => takePlace("sit", Number(button.dataset.sit), button));
onTap("[data-stand]", (button) => takePlace("stand_behind", Number(button.dataset.stand), button));
onTap("[data-choose-box]", chooseBox);
onTap("[data-play-money]", () => attempt(playMoney));
onTap("[data-leave]", () => attempt(() => give("leave", shownRound(), { who: me })));
