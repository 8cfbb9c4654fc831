// Dialogs that end in a command: opening and closing the table, the shoe, people, corrections, relief.
"use strict";

import { Refused, request, say } from "../../punto.js";
import { register } from "../dialogs.js";
import { at, give } from "../line.js";
import { table } from "../state.js";
import { approve, propose } from "./approval.js";
import * as frame from "./frame.js";
import { count } from "./piles.js";
import { commandOf, Missing } from "./values.js";

const CORRECTIONS = ["correct_card", "correct_bet", "correct_insurance", "correct_payment"];
const NAMES = ["open_table", "shoe", "relief", "buy_in", "squeeze", "keys", "seats", "table", "corrections", ...CORRECTIONS];
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

// ---- what a correction would change, while it is filled in

const TYPING_MS = 150;
let asking = null;

function askChanges(form) {
  clearTimeout(asking);
  asking = setTimeout(() => showChanges(form), TYPING_MS);
}

async function showChanges(form) {
  const place = form.querySelector("[data-changes]");
  const hint = (place.hint ??= place.innerHTML); // while not all is there
  let command;
  try {
    command = JSON.stringify(commandOf(form));
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    place.innerHTML = hint;
    return undefined;
  }
  try {
    const html = await frame.fetchPage(`/tables/${encodeURIComponent(table)}/deal/changes`, { command });
    if (form.isConnected && JSON.stringify(commandOf(form)) === command) place.innerHTML = html;
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Missing)) throw error;
    place.innerHTML = hint;
  }
  return undefined;
}

for (const kind of ["input", "change"]) {
  document.getElementById("dialog").addEventListener(kind, (event) => {
    const form = event.target.closest("form");
    if (form?.querySelector("[data-changes]")) askChanges(form);
  });
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
  if (command.command === "relief") return relieve(form, command);
  if (command.command === "count") return count(command);
  const changes = form.querySelector("[data-changes]");
  if (changes) await showChanges(form); // who has to approve it depends on what was filled in last
  const needs = changes?.querySelector("[data-needs]") || form.querySelector("[data-needs]:not([data-needs='']):checked");
  if (form.dataset.needs || needs) return propose(command);
  try {
    await give(command);
    frame.close();
  } catch (error) {
    if (!NEEDS_ANOTHER.includes(error.code)) throw error;
    await propose(command);
  }
  return undefined;
}

// The house records who takes over. Where a dealer hands over, the console changes hands: at a terminal their PIN opens
// their session; elsewhere, and without a PIN, they sign in. Whoever else gives the relief stays signed in.
// A scanner of badges ends its line with Enter: then the PIN is still to come.
async function relieve(form, { name, pin, own }) {
  const asked = form.querySelector("input[type=password]");
  if (asked && !pin && document.activeElement !== asked) return asked.focus();
  await request("POST", at("relief"), { name, pin: pin ?? "" });
  if (!own) return frame.close();
  if (pin) return location.reload();
  await request("DELETE", "/api/session");
  return location.assign(`/enter?to=${encodeURIComponent(location.pathname)}`);
}
