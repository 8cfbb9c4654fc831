// Says each card as it comes, with the points of its hand, to those who hear the page.
"use strict";

import { onShown } from "../live/line.js";

const spoken = document.getElementById("spoken");

// what lies in each hand: its cards by place, and its points
const hands = () =>
  [...document.querySelectorAll("#stage .hand")].map((hand) => {
    const faces = [...hand.querySelectorAll(".card img")].map((face) => [face.closest(".card").id, face.alt]);
    return { name: hand.ariaLabel, cards: new Map(faces), points: hand.querySelector(".points")?.textContent.trim() };
  });

let before = hands();

onShown(() => {
  const now = hands();
  if (!now.some((hand) => hand.cards.size)) spoken.replaceChildren(); // another round
  now.forEach((hand, at) => {
    const fresh = [...hand.cards].filter(([place, face]) => before[at]?.cards.get(place) !== face).map(([, face]) => face);
    if (!fresh.length) return;
    const line = document.createElement("p");
    line.textContent = hand.name + spoken.dataset.colon + [...fresh, ...(hand.points ? [hand.points] : [])].join(spoken.dataset.comma);
    spoken.append(line);
  });
  before = now;
});
