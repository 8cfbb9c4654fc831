// Saves a part of the floor's settings and shows all of them again.
"use strict";

import { Refused, newId, request } from "../punto.js";

const AMOUNT = /^(\d[\d,]*)(?:\.(\d{1,2}))?$/;
const words = document.getElementById("settings-words").dataset;

// a whole number, or an amount in the smallest unit; null if the field has neither
function numberIn(field) {
  const [, whole, cents] = AMOUNT.exec(field.value.trim()) ?? [];
  const isAmount = field.dataset.unit === "amount";
  const wrong = whole === undefined || (cents !== undefined && !isAmount);
  field.setAttribute("aria-invalid", wrong);
  if (wrong) return null;
  const number = Number(whole.replaceAll(",", ""));
  return isAmount ? number * 100 + Number((cents ?? "").padEnd(2, "0")) : number;
}

// the body of the request; null if a field has no number, which then has the focus
function contentOf(form) {
  if (form.dataset.settings === "gaming_day") {
    const shifts = form.elements.shifts.value.split(/[\s,，、]+/).filter(Boolean);
    return { gaming_day: { zone: form.elements.zone.value.trim(), starts: shifts[0] ?? "", shifts } };
  }
  if (form.dataset.settings === "contacts") {
    return { complaints: form.elements.complaints.value.trim(), regulator: form.elements.regulator.value.trim() };
  }
  const fields = [...form.querySelectorAll("[data-unit]")];
  const numbers = fields.map(numberIn);
  const wrong = fields[numbers.indexOf(null)];
  if (wrong) {
    wrong.focus();
    return null;
  }
  const content = Object.fromEntries(fields.map((field, at) => [field.name, numbers[at]]));
  return form.dataset.settings === "alarms" ? { alarms: content } : content;
}

// what needs two people is proposed; what then shows is what became of it
async function propose(changes) {
  try {
    await request("POST", "/api/proposals", { id: newId(), act: { act: "change_floor_settings.1", changes } });
    return words.proposed;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.message;
  }
}

async function save(form) {
  const content = contentOf(form);
  const wrong = form.querySelector(".wrong");
  wrong.textContent = content === null ? words.notANumber : "";
  if (content === null) return;
  try {
    await request("PUT", "/api/settings", content);
    location.reload();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    wrong.textContent = error.code === "second_person_needed" ? await propose(content) : error.message;
  }
}

document.addEventListener("submit", (event) => {
  if (!event.target.dataset.settings) return;
  event.preventDefault();
  save(event.target);
});
