// A short low tone for what was not taken, and announcements in the browser's own voice.
"use strict";

import { moment, onChange } from "./state.js";

let audio = null;

export function beep() {
  audio ??= new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.frequency.value = 220;
  volume.gain.value = 0.15;
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.16);
}

const button = document.getElementById("voice");
let said = moment().say;

function set(on) {
  localStorage.setItem("console-voice", on ? "on" : "");
  button.setAttribute("aria-pressed", String(on));
}

set(localStorage.getItem("console-voice") === "on");
button.addEventListener("click", () => set(button.getAttribute("aria-pressed") !== "true"));

onChange(() => {
  const text = moment().say ?? "";
  if (text === said) return;
  said = text;
  if (!text || button.getAttribute("aria-pressed") !== "true") return;
  const words = new SpeechSynthesisUtterance(text);
  words.lang = document.documentElement.lang;
  speechSynthesis.cancel();
  speechSynthesis.speak(words);
});
