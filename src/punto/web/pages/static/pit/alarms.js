// Alarms of the pit: how many there are is in the title of the page, new ones sound, and all of one event are acknowledged together.
"use strict";

import { onShown } from "../live/line.js";
import { Refused, request, say } from "../punto.js";

const title = document.title;
const list = document.getElementById("alarms");
const button = document.getElementById("alarm-sound");
const KEY = "pit-sound";
const TONES = { 1: [520], 2: [660, 660], 3: [880, 660, 880, 660] }; // by severity, in hertz
const TONE_S = 0.14;
let audio = null;
let heard = null; // numbers of alarms that have sounded, and whether they had escalated; null until the page is shown

// ---- sound

const on = () => localStorage.getItem(KEY) === "on";

function sound(severity) {
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume(); // browsers let a page sound only after a tap or key
  TONES[severity].forEach((hertz, at) => {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    const start = audio.currentTime + at * (TONE_S + 0.05);
    tone.frequency.value = hertz;
    volume.gain.value = 0.2;
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + TONE_S);
  });
}

function choose(chosen) {
  localStorage.setItem(KEY, chosen ? "on" : "");
  button.setAttribute("aria-pressed", String(chosen));
}

button.setAttribute("aria-pressed", String(on()));
button.addEventListener("click", () => {
  choose(!on());
  if (on()) sound(1);
});

// ---- what is open

onShown(() => {
  const open = Number(document.getElementById("alarms-open").textContent);
  document.title = open ? `(${open}) ${title}` : title;
  const now = [...list.querySelectorAll("[data-alarm]")].map(({ dataset }) => ({ ...dataset, escalated: "escalated" in dataset }));
  const louder = now.filter(({ alarm, escalated }) => !heard?.has(alarm) || (escalated && !heard.get(alarm)));
  if (heard && louder.length && on()) sound(Math.max(...louder.map(({ severity }) => severity)));
  heard = new Map(now.map(({ alarm, escalated }) => [alarm, escalated]));
});

// ---- acknowledging

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-acknowledge]")) return;
  event.preventDefault();
  const article = form.closest("article");
  const next = article.nextElementSibling?.querySelector("button"); // found now: the live page may be ahead of the answer
  try {
    for (const number of form.dataset.acknowledge.split(" "))
      await request("POST", `/api/alarms/${number}/acknowledge`, { note: form.elements.note.value }, { again: true });
    article.remove(); // the live page draws the rest
    next?.focus();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(error.message, error);
  }
});
