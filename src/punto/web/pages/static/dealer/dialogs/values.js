// Reads what was filled in, as the fields of a command.
"use strict";

import { isUsed, words } from "./frame.js";
import { pilesOf } from "./piles.js";

export class Missing extends Error {}

const AMOUNT = /^(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d{1,2}))?(k?)$/i;

// Amounts are typed in whole units, with `.` for cents and `k` for thousands.
export function minorOf(text) {
  const found = AMOUNT.exec(text.trim());
  if (!found) throw new Missing(words("notAnAmount", { text }));
  const [, whole, cents = "", thousands] = found;
  const minor = Number(whole.replaceAll(",", "")) * 100 + Number(cents.padEnd(2, "0"));
  return thousands ? minor * 1000 : minor;
}

function cardOf(field) {
  if (field.querySelector("[data-none]").checked) return null;
  const [, rank, suit] = /^(10|[A2-9TJQK0])([SHDC]?)$/.exec(field.querySelector("input").value.trim().toUpperCase()) ?? [];
  if (!rank || (field.dataset.suit && !suit)) throw missing(field);
  return (rank === "10" || rank === "0" ? "T" : rank) + suit.toLowerCase();
}

const labelOf = (field) => field.querySelector("legend, span").textContent;
const missing = (field) => new Missing(words("missing", { field: labelOf(field) }));

function valueOf(field) {
  const { kind } = field.dataset;
  if (kind === "choice") {
    const chosen = field.querySelector(":checked");
    if (!chosen) throw missing(field);
    return JSON.parse(chosen.value);
  }
  if (kind === "switch") return field.querySelector("input").checked;
  if (kind === "card") return cardOf(field);
  if (kind === "piles") {
    const piles = pilesOf(field);
    if (!piles.length && !("optional" in field.dataset)) throw missing(field);
    return piles;
  }
  const text = field.querySelector("input").value.trim();
  if (!text && "optional" in field.dataset) return undefined;
  if (!text) throw missing(field);
  if (kind === "amount") return minorOf(text);
  return kind === "number" ? Number(text) : text;
}

function merge(target, value) {
  for (const [key, each] of Object.entries(value))
    if (each !== null && typeof each === "object" && !Array.isArray(each)) merge((target[key] ??= {}), each);
    else target[key] = each;
}

function remove(target, [first, ...rest]) {
  if (!rest.length) delete target[first];
  else if (target[first]) remove(target[first], rest);
}

// An optional field that is left empty is left out, whatever the form started from; another field may still fill it.
export function commandOf(form) {
  const command = JSON.parse(form.dataset.command);
  const filled = [...form.querySelectorAll("[data-field]")].filter(isUsed).map((field) => [field.dataset.field, valueOf(field), field.dataset]);
  for (const [path, value] of filled) if (value === undefined) remove(command, path.split("."));
  for (const [path, value, { beside }] of filled) {
    if (value === undefined) continue;
    if (beside !== undefined) {
      command[path] += value; // to what the answer before it has
      continue;
    }
    if (path) merge(command, path.split(".").reduceRight((inner, part) => ({ [part]: inner }), value));
    else merge(command, value);
  }
  return command;
}
