// The register of players, who somebody is, and codes for buy-in slips.
"use strict";

import { Refused, newId, request } from "../punto.js";

const zone = document.getElementById("players-words").dataset.zone;
const player = document.querySelector("[data-player]")?.dataset.player;
const slip = document.getElementById("slip");

const show = (id) => location.assign(`/pit/players?player=${encodeURIComponent(id)}`);
const about = (form) => ({ name: form.name.value, card: form.card.value.trim() || null, notes: form.notes.value });

// as all times of the floor are written
const local = (ms) =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" }).format(ms);

function showSlip(form, issued) {
  const texts = {
    table: form.dataset.title,
    player: issued.player,
    chips: form.dataset.chips,
    at: local(Date.now()),
    code: issued.code,
    until: local(issued.expires_us / 1000),
  };
  for (const [part, text] of Object.entries(texts)) slip.querySelector(`[data-slip=${part}]`).textContent = text;
  slip.hidden = false;
  slip.focus();
}

const ACTS = {
  register: async (form) => show((await request("POST", "/api/players", about(form.elements))).id),
  change: async (form) => show((await request("PUT", `/api/players/${player}`, about(form.elements))).id),
  erase: async () => {
    await request("DELETE", `/api/players/${player}`);
    show(player);
  },
  revoke: async () => {
    await request("DELETE", `/api/players/${player}/code`);
    show(player);
  },
  code: async (form) =>
    showSlip(form, await request("POST", `/api/players/${player}/code`, { table: form.elements.table.value })),
  identify: async (form) => {
    const { place, player: identity } = form.elements;
    const table = encodeURIComponent(place.selectedOptions[0].dataset.table);
    const id = identity.value.trim().toUpperCase();
    const command = { command: "identify_player.1", who: place.value, player_id: id };
    await request("POST", `/api/tables/${table}/commands`, { id: newId(), command }, { again: true });
    show(id);
  },
};

document.addEventListener("submit", async (event) => {
  const form = event.target;
  const act = ACTS[form.dataset.players];
  if (!act) return;
  event.preventDefault();
  const wrong = form.querySelector(".wrong");
  wrong.textContent = "";
  event.submitter.disabled = true;
  try {
    await act(form);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    wrong.textContent = error.message;
  } finally {
    event.submitter.disabled = false;
  }
});

slip?.querySelector("[data-print]").addEventListener("click", () => print());
