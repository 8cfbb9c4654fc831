// Sounds of the table, made by the browser itself: a chip, a card, "no more bets" and a win. Off until chosen.
"use strict";

import { onShown } from "../live/line.js";
import { soundOn } from "./settings.js";

let audio = null;

function volume(at, loud, lasts) {
  const gain = audio.createGain();
  gain.gain.setValueAtTime(loud, at);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + lasts);
  gain.connect(audio.destination);
  return gain;
}

function tone(hertz, after, lasts, loud, shape = "sine") {
  const at = audio.currentTime + after;
  const source = audio.createOscillator();
  source.type = shape;
  source.frequency.value = hertz;
  source.connect(volume(at, loud, lasts));
  source.start(at);
  source.stop(at + lasts);
}

function rustle(hertz, after, lasts, loud) {
  const at = audio.currentTime + after;
  const noise = audio.createBuffer(1, Math.ceil(audio.sampleRate * lasts), audio.sampleRate);
  const samples = noise.getChannelData(0);
  for (let sample = 0; sample < samples.length; sample += 1) samples[sample] = Math.random() * 2 - 1;
  const source = audio.createBufferSource();
  source.buffer = noise;
  const band = audio.createBiquadFilter();
  band.type = "bandpass";
  band.frequency.value = hertz;
  source.connect(band).connect(volume(at, loud, lasts));
  source.start(at);
}

const SOUNDS = {
  chip() {
    rustle(4200, 0, 0.03, 0.5);
    tone(2300, 0.004, 0.05, 0.05, "triangle");
    rustle(5200, 0.05, 0.025, 0.3);
  },
  card() {
    rustle(1800, 0, 0.11, 0.5);
  },
  closed() {
    tone(587, 0, 0.5, 0.12);
    tone(440, 0.16, 0.7, 0.12);
  },
  win() {
    [659, 784, 988, 1319].forEach((hertz, at) => tone(hertz, at * 0.09, 0.55, 0.11, "triangle"));
  },
};

export function play(name) {
  if (!soundOn()) return;
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume(); // browsers let a page sound only after a tap or key
  SOUNDS[name]();
}

// ---- what the table shows

const cards = () => document.querySelectorAll("#stage .card[id]").length + document.querySelectorAll("#stage .card img").length;
const betting = () => document.querySelector(".call[data-bets]") !== null;
const stakes = () => [...document.querySelectorAll(".area[data-stake]")].reduce((sum, area) => sum + Number(area.dataset.stake), 0);
let [lay, open] = [cards(), betting()];

onShown(() => {
  if (cards() > lay) play("card");
  if (open && !betting()) play("closed");
  [lay, open] = [cards(), betting()];
});

// chips lie there as soon as they are tapped
let staked = stakes();
const box = document.getElementById("box");
new MutationObserver(() => {
  if (stakes() > staked) play("chip");
  staked = stakes();
}).observe(box, { subtree: true, childList: true, attributeFilter: ["data-stake"] });

document.addEventListener("change", (event) => {
  if (event.target.name === "sound") play("chip");
});
