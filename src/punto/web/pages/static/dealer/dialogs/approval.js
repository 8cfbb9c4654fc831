// What the dealer cannot give alone: it is proposed, and somebody else approves it here with name and PIN, or from
// their own page. Until then it waits, visibly.
"use strict";

import { newId, Refused, request, say } from "../../punto.js";
import { registerApproval } from "../dialogs.js";
import { at, shown } from "../line.js";
import { round, table } from "../state.js";
import * as frame from "./frame.js";

const WATCH_MS = 2000;
const APPROVERS = "console-approvers";
const LAST = "console-last-approver"; // by who may approve
const MAX_APPROVERS = 6;
const proposed = new Map(); // the commands that were proposed here, by the id of their proposal
let waiting = new Map(); // titles by id
let timer = null;

// What waits already is shown again: nobody is to approve it twice.
export async function propose(command) {
  const wanted = { round: round(), ...command };
  const { id } = (await findOpen(wanted)) ?? (await request("POST", at("proposals"), { id: newId(), command: wanted }, { again: true }));
  proposed.set(id, command);
  await show(id);
  watch();
}

async function findOpen(wanted) {
  const { proposals } = await request("GET", at("proposals"));
  return proposals.find((each) => write(each.command) === write(wanted));
}

const inOrder = (_, value) => (value?.constructor === Object ? Object.fromEntries(Object.entries(value).sort()) : value);
const write = (command) => JSON.stringify(command, inOrder);

async function show(id) {
  await frame.open("approval", { proposal: id });
  const names = JSON.parse(localStorage.getItem(APPROVERS) ?? "[]");
  document.getElementById("approvers")?.replaceChildren(...names.map((name) => new Option(name)));
  nameLast();
}

// The last one here to approve what the same positions may approve is named already.
function nameLast() {
  const name = frame.form().elements.name;
  const last = JSON.parse(localStorage.getItem(LAST) ?? "{}")[whoMay()];
  if (!name || name.value || !last) return;
  name.value = last;
  frame.form().elements.pin.focus();
}

const whoMay = () => frame.form().querySelector(".who-may").textContent;

registerApproval(async (commands) => {
  try {
    for (const command of commands) await propose(command);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say(error.message, error);
  }
});

// ---- deciding here

export async function approve(form) {
  const { name, pin } = form.elements;
  const id = form.dataset.proposal;
  try {
    const answer = await request("POST", `${form.dataset.address}/approve`, { name: name.value.trim(), pin: pin.value }, { again: true });
    remember(answer.proposal.decided_by);
    forget(id);
    await shown(answer.cursor); // keys after the dialog are meant for what follows
    frame.close();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.code === "preview_changed" && proposed.has(id)) return proposeAgain(form, id);
    frame.complain(error.message);
    pin.value = "";
    pin.focus();
  }
  return undefined;
}

async function proposeAgain(form, id) {
  await decline(form, id);
  try {
    await propose(proposed.get(id));
    frame.complain(frame.words("changed"));
  } catch (refused) {
    if (!(refused instanceof Refused)) throw refused;
    frame.close();
    say(refused.message, refused);
  }
}

async function decline(form, id) {
  forget(id);
  await request("POST", `${form.dataset.address}/decline`, { reason: frame.words("withdrawn") }, { again: true });
}

function remember(name) {
  const names = [name, ...JSON.parse(localStorage.getItem(APPROVERS) ?? "[]").filter((each) => each !== name)];
  localStorage.setItem(APPROVERS, JSON.stringify(names.slice(0, MAX_APPROVERS)));
  localStorage.setItem(LAST, JSON.stringify({ ...JSON.parse(localStorage.getItem(LAST) ?? "{}"), [whoMay()]: name }));
}

document.getElementById("dialog").addEventListener("click", async (event) => {
  if (!event.target.closest("[data-withdraw]")) return;
  const form = frame.form();
  try {
    await decline(form, form.dataset.proposal);
    frame.close();
    watch();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    frame.complain(error.message);
  }
});

// ---- waiting for the pit

function forget(id) {
  waiting.delete(id);
  draw();
}

const articlesOf = (html) => [...new DOMParser().parseFromString(html, "text/html").querySelectorAll("[data-id]")];

// Looks while anything waits: who decides it does so elsewhere.
export async function watch() {
  clearTimeout(timer);
  const before = waiting;
  const articles = articlesOf(await frame.fetchPage("/approvals", { table }, { asks: false }));
  waiting = new Map(articles.map((article) => [article.dataset.id, article.querySelector("h2").textContent]));
  draw();
  for (const [id, title] of before) if (!waiting.has(id)) await tellDecision(id, title);
  if (waiting.size) timer = setTimeout(watchAgain, WATCH_MS);
}

async function watchAgain() {
  try {
    await watch();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    timer = setTimeout(watchAgain, WATCH_MS); // no line: the line says so itself
  }
}

async function tellDecision(id, title) {
  const [article] = articlesOf(await frame.fetchPage(`/approvals/${encodeURIComponent(id)}`, {}, { asks: false }));
  if (frame.shows(`[data-proposal="${CSS.escape(id)}"]`)) frame.close();
  const { state } = article.dataset;
  if (state === "open") return; // the round is over
  const told = [...article.querySelectorAll(".state, .state ~ p")].map((each) => each.textContent);
  say([title, ...told].join(". "), { bad: state !== "approved" });
}

function draw() {
  const strip = document.getElementById("waiting");
  strip.hidden = !waiting.size;
  strip.replaceChildren(
    ...[...waiting].map(([id, title]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = frame.words("waiting", { what: title });
      button.dataset.show = id;
      return button;
    }),
  );
}

document.getElementById("waiting").addEventListener("click", (event) => {
  const button = event.target.closest("[data-show]");
  if (button) show(button.dataset.show);
});

watchAgain();
