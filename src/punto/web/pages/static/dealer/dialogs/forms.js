// Dialogs that end in a command: opening and closing the table, the shoe, people, corrections, relief.
"use strict";

import { Refused, request, say } from "../../punto.js";
import { register } from "../dialogs.js";
import { at, give } from "../line.js";
import { approve, propose } from "./approval.js";
import * as frame from "./frame.js";
import { count } from "./piles.js";
import { commandOf, Missing } from "./values.js";

const CORRECTIONS = ["correct_card", "correct_bet", "correct_insurance", "correct_payment"];
const NAMES = ["open_table", "shoe", "relief", "buy_in", "seats", "table", "corrections", ...CORRECTIONS];
const NEEDS_ANOTHER = ["not_authorised", "second_person_needed"];

for (const name of NAMES) register(name, () => open(name));

async function open(name) {
  try {
    await frame.open(name);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(error.message, error);
  }
}

let busy = false;

document.getElementById("dialog").addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.method === "dialog") return;
  event.preventDefault();
  if (busy) return; // Enter twice counts once
  busy = true;
  try {
    frame.complain("");
    await (form.dataset.proposal ? approve(form) : submit(form));
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Missing)) throw error;
    frame.complain(error.message);
  } finally {
    busy = false;
  }
});

async function submit(form) {
  const command = commandOf(form);
  if (command.command === "relief") return relieve(command.name);
  if (command.command === "count") return count(command);
  if (form.dataset.needs || form.querySelector("[data-needs]:not([data-needs='']):checked")) return propose(command);
  try {
    await give(command);
    frame.close();
  } catch (error) {
    if (!NEEDS_ANOTHER.includes(error.code)) throw error;
    await propose(command);
  }
  return undefined;
}

// The house records who takes over, who then signs in here.
async function relieve(name) {
  await request("POST", at("relief"), { name });
  await request("DELETE", "/api/session");
  location.assign(`/enter?to=${encodeURIComponent(location.pathname)}`);
}
