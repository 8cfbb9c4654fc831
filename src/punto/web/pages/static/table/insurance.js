// The insurance sheet.
"use strict";

import { attempt, onTap, say, words, writeMoney } from "../punto.js";
import { onShown } from "../live/line.js";
import { give, me, shownRound } from "./commands.js";

const sheetShown = () => document.getElementById("insurance");

const isKept = (as, { offer }) => sessionStorage.getItem(as) === offer;

function show() {
  const sheet = sheetShown();
  if (sheet) sheet.hidden = isKept("dismissed", sheet.dataset) || ("answered" in sheet.dataset && !isKept("reopened", sheet.dataset));
  const reopen = document.querySelector("[data-reopen]");
  if (reopen) reopen.hidden = !sheet?.hidden;
}

onShown(show);

function insuranceMinor() {
  const text = document.getElementById("ins-stake").value.trim();
  if (!/^(\d+|\d{1,3}(,\d{3})+)(\.\d{1,2})?$/.test(text)) return null;
  const [whole, cents = ""] = text.replaceAll(",", "").split(".");
  return Number(whole) * 100 + Number(cents.padEnd(2, "0"));
}

async function insure(sheet) {
  const round = shownRound();
  const minor = insuranceMinor();
  if (minor === null) return say(words("notAnAmount"));
  const { offer, box } = sheet.dataset;
  const taken = await attempt(() => give("take_insurance", round, { who: me, box: Number(box), stake_minor: minor }));
  if (taken && sheetShown()?.dataset.offer === offer) dismiss(sheetShown()); // a late answer hides no other offer
}

// The table hears it, and waits for this player no longer. Until the next card they can still take the offer.
async function pass(sheet) {
  const { offer, box } = sheet.dataset;
  const answered = "answered" in sheet.dataset;
  const round = shownRound();
  dismiss(sheet);
  if (answered || (await attempt(() => give("pass_insurance", round, { who: me, box: Number(box) })))) return;
  if (sheetShown()?.dataset.offer === offer) reopen();
}

function dismiss(sheet) {
  if (sheet.contains(document.activeElement)) document.activeElement.blur(); // else the next key is lost in a hidden field
  sessionStorage.setItem("dismissed", sheet.dataset.offer);
  sessionStorage.removeItem("reopened");
  show();
}

function reopen() {
  sessionStorage.removeItem("dismissed");
  sessionStorage.setItem("reopened", sheetShown().dataset.offer);
  show();
}

onTap("[data-insure]", (button) => insure(button.closest("#insurance")));
onTap("[data-dismiss]", (button) => pass(button.closest("#insurance")));
onTap("[data-reopen]", reopen);
onTap("[data-part]", (button) => {
  const most = Number(button.closest("#insurance").dataset.most);
  document.getElementById("ins-stake").value = writeMoney(Math.floor(most / Number(button.dataset.part)));
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || (event.target.closest("input") && event.target.type !== "radio")) return;
  const sheet = sheetShown();
  if (sheet && !sheet.hidden) dismiss(sheet);
});
