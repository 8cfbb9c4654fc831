// Keeps a page up to date, and sends what people do to the API.
"use strict";

const body = document.body;
const table = body.dataset.table;
const me = body.dataset.me;
let clockAhead = body.dataset.now ? Number(body.dataset.now) - Date.now() : 0; // how far the server's clock is ahead of ours, in ms
const placedHere = []; // bets placed from this page in this round, for undo

// ---- messages

export const words = (key) => document.getElementById("words")?.dataset[key] ?? key;
const DEFINITIONS = JSON.parse(words("definitions")); // names of clauses that have no number of their own

export function say(text, { clauses = [], book = null, bad = true, explains = false } = {}) {
  const messages = document.getElementById("messages");
  const toast = document.createElement("div");
  toast.className = bad ? "toast refusal" : "toast";
  const message = document.createElement("div");
  message.append(text);
  for (const clause of clauses) message.append(" ", clauseMark(clause, book, explains));
  const close = document.createElement("button");
  close.type = "button";
  close.className = "shut";
  close.setAttribute("aria-label", words("close"));
  close.textContent = "×";
  close.addEventListener("click", () => toast.remove());
  toast.append(message, close);
  messages.replaceChildren(toast);
  if (!bad) setTimeout(() => removeUnused(toast), 8000);
}

// a message that somebody is reading stays until they close it or move on
function removeUnused(toast) {
  if (toast.matches(":hover, :focus-within")) setTimeout(() => removeUnused(toast), 2000);
  else toast.remove();
}

// a tap on a clause mark shows its summary in a message; a tap on the mark in a summary opens the clause's page
function clauseMark(clause, book, explains) {
  const mark = document.createElement(book ? "a" : "span");
  const [number, definition] = clause.split(":");
  const fill = (text) => text.replace("{number}", number).replace("{definition}", DEFINITIONS[definition] ?? definition);
  mark.className = "clause";
  mark.textContent = definition ? fill(words("definitionMark")) : number;
  if (book) mark.setAttribute("aria-label", fill(definition ? words("definitionName") : words("clauseName")));
  if (book) mark.href = `/rules/${book}/${encodeURIComponent(clause)}`;
  if (book && !explains) mark.dataset.clause = "";
  return mark;
}

// ---- requests

export class Refused extends Error {
  constructor(status, error) {
    super(error.message);
    Object.assign(this, { status, code: error.code, clauses: error.clauses ?? [], book: error.book ?? null });
  }
}

// after a network error, only requests that are safe to repeat are sent again: GET, and those that carry an id
export async function request(method, path, content, { again = method === "GET", withinMs = 0 } = {}) {
  const options = { method, credentials: "same-origin", headers: { "punto-language": words("language") } };
  if (content !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(content);
  }
  for (let tries = 0; ; tries += 1) {
    let answer;
    let text;
    if (withinMs) options.signal = AbortSignal.timeout(withinMs);
    try {
      answer = await fetch(path, options);
      text = await answer.text();
    } catch (error) {
      if (!again || tries === 3) throw new Refused(0, { code: "no_line", message: words("noLine") });
      await new Promise((done) => setTimeout(done, 500 * (tries + 1)));
      continue;
    }
    if (answer.ok) return text ? JSON.parse(text) : null;
    if (answer.status === 423) location.reload(); // the session is locked: the page then says so and shows no more
    throw new Refused(answer.status, JSON.parse(text).error);
  }
}

const at = (rest) => `/api/tables/${encodeURIComponent(table)}/${rest}`;
// `round` is the one the page showed at the tap: in any other round the table refuses the command
const give = (command, round, fields) =>
  request("POST", at("commands"), { id: newId(), command: { command: `${command}.1`, ...fields, round } }, { again: true });
const playMoney = () => request("POST", at("play-money"), undefined, { again: true });

export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function attempt(work, { clears = true } = {}) {
  try {
    const done = await work();
    if (clears) document.querySelector("#messages .refusal")?.remove(); // an earlier refusal no longer matters
    return done;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.code === "not_signed_in") location.assign(`/enter?to=${encodeURIComponent(location.pathname)}`);
    else say(error.message, error);
    return undefined;
  }
}

// ---- live updates

function morph(pieces) {
  for (const [id, html] of Object.entries(pieces)) {
    const element = document.getElementById(id);
    if (!element) continue;
    Idiomorph.morph(element, html, {
      morphStyle: "innerHTML",
      callbacks: {
        // keep what is being typed, what is unfolded, and buttons whose action is still running
        beforeNodeMorphed: (old, fresh) =>
          !(old instanceof HTMLInputElement && old.dataset.keep && old.dataset.keep === fresh.dataset?.keep),
        beforeAttributeUpdated: (name, node) =>
          name !== "data-busy" && !(name === "open" && node instanceof HTMLDetailsElement),
      },
    });
  }
  refreshControls();
}

let failedConnects = 0;
function connect() {
  const address = body.dataset.live;
  if (!address) return;
  const socket = new WebSocket(address.replace(/^/, location.origin.replace(/^http/, "ws")));
  socket.addEventListener("message", (event) => {
    failedConnects = 0;
    if (!document.getElementById("away").hidden) document.getElementById("messages").replaceChildren();
    document.getElementById("away").hidden = true;
    const update = JSON.parse(event.data);
    if (update.error) return say(update.error.message, update.error);
    clockAhead = update.now - Date.now();
    morph(update.pieces);
  });
  socket.addEventListener("close", (event) => {
    if (event.code === 4001 || event.code === 4023) return location.reload();
    if (event.code === 4000) return;
    document.getElementById("away").hidden = false;
    failedConnects = Math.min(failedConnects + 1, 6);
    setTimeout(connect, 250 * 2 ** failedConnects * (0.5 + Math.random() / 2));
  });
}

// ---- after each change

function refreshControls() {
  const savedChip = sessionStorage.getItem("chip");
  const chips = [...document.querySelectorAll("input[name=chip]")];
  const chosen = chips.find((input) => input.value === savedChip) ?? chips[Math.min(1, chips.length - 1)];
  if (chosen && !chips.some((input) => input.checked)) chosen.checked = true;
  const sheet = document.getElementById("insurance");
  if (sheet) sheet.hidden = sessionStorage.getItem("dismissed") === sheet.dataset.offer;
  const reopen = document.querySelector("[data-reopen]");
  if (reopen) reopen.hidden = !sheet?.hidden;
  if (!document.querySelector("[data-do=undo]:not([disabled])")) placedHere.length = 0;
  tick();
}

function tick() {
  const now = Date.now() + clockAhead;
  for (const ring of document.querySelectorAll("svg.ring[data-until]")) {
    const left = Math.max(0, Number(ring.dataset.until) - now) / 1000;
    const part = 100 * (1 - Math.min(1, left / Number(ring.dataset.of)));
    ring.querySelector(".left").setAttribute("stroke-dashoffset", part.toFixed(1));
    const seconds = String(Math.ceil(left));
    const text = ring.querySelector("text");
    if (text.textContent !== seconds) text.textContent = seconds;
    ring.classList.toggle("soon", left <= 5);
  }
}

// ---- betting

const shownRound = () => Number(document.getElementById("round")?.textContent ?? 0);
const chosenChip = () => Number(document.querySelector("input[name=chip]:checked")?.value ?? 0);
const box = () => Number(document.querySelector(".areas")?.dataset.box ?? 0);
const stakes = () =>
  [...document.querySelectorAll(".area[data-stake]")]
    .map((area) => ({ bet: area.dataset.bet, minor: Number(area.dataset.stake) }))
    .filter((stake) => stake.minor > 0);

// the next action depends on what is on the felt, so wait until the page shows what was accepted
const parseCursor = (cursor) => cursor.split("/").map(Number);
const reached = (cursor) => {
  const [opening, version] = parseCursor(document.getElementById("at").textContent || "0/0");
  const [wantedOpening, wanted] = parseCursor(cursor);
  return opening > wantedOpening || (opening === wantedOpening && version >= wanted);
};

async function waitUntilShown(accepted) {
  for (let waited = 0; accepted && !reached(accepted.cursor) && waited < 3000; waited += 20)
    await new Promise((done) => setTimeout(done, 20));
  return accepted;
}

async function bet(name, minor, round) {
  if (!minor) return;
  const fields = { who: me, box: box(), bet: name, stake_minor: minor };
  if (await waitUntilShown(await attempt(() => give("place_bet", round, fields)))) placedHere.push({ bet: name, minor });
}

async function withdraw(name, minor, round) {
  const fields = { who: me, box: box(), bet: name, amount_minor: minor };
  return waitUntilShown(await attempt(() => give("withdraw_bet", round, fields)));
}

const MOVES = {
  async clear(round) {
    for (const stake of stakes()) await withdraw(stake.bet, stake.minor, round);
    placedHere.length = 0;
  },
  async undo(round) {
    const onFelt = stakes().at(-1); // after a reload the order of bets is lost: take a chip from the last area
    const last = placedHere.at(-1) ?? (onFelt && { bet: onFelt.bet, minor: Math.min(onFelt.minor, chosenChip()) });
    if (last && (await withdraw(last.bet, last.minor, round))) placedHere.pop();
  },
  async repeat(round) {
    const page = await attempt(() => request("GET", at("rounds?most=20")));
    // skip insurance, and bets that a ruling returned: they may have been placed again in the same round
    const isFinalBet = (each) => each.stage === null && each.went_back !== "ruling";
    const mine = (past) => past.results.filter((each) => isFinalBet(each) && each.box === box());
    const before = (page?.rounds ?? []).map(mine).find((bets) => bets.length) ?? []; // the last round the player bet in
    if (!before.length) say(words("nothingToRepeat"), { bad: false });
    for (const each of before) await bet(each.bet, each.stake_minor, round);
  },
  async double(round) {
    for (const stake of stakes()) await bet(stake.bet, stake.minor, round);
  },
};

// a move waits for the one before it, so undo after double takes back the last bet that double placed
let lastMove = Promise.resolve();
const inTurn = (move) => (lastMove = lastMove.then(move, move));

// ---- insurance

function insuranceMinor() {
  const text = document.getElementById("ins-stake").value.trim();
  if (!/^(\d+|\d{1,3}(,\d{3})+)(\.\d{1,2})?$/.test(text)) return null;
  const [whole, cents = ""] = text.replaceAll(",", "").split(".");
  return Number(whole) * 100 + Number(cents.padEnd(2, "0"));
}

// as the catalogue writes money: thousands grouped, cents only where there are some
export function writeMoney(minor) {
  const whole = Math.floor(minor / 100).toLocaleString("en-US");
  return minor % 100 ? `${whole}.${String(minor % 100).padStart(2, "0")}` : whole;
}

async function insure(sheet, round) {
  const minor = insuranceMinor();
  if (minor === null) return say(words("notAnAmount"));
  const fields = { who: me, box: Number(sheet.dataset.box), stake_minor: minor };
  if (await attempt(() => give("take_insurance", round, fields))) dismiss(sheet);
}

function dismiss(sheet) {
  sessionStorage.setItem("dismissed", sheet.dataset.offer);
  refreshControls();
}

function reopen() {
  sessionStorage.removeItem("dismissed");
  refreshControls();
}

// ---- a place at the table

async function takePlace(command, number, round, button) {
  if (button.dataset.money !== undefined) {
    if (!(await attempt(playMoney))) return;
  }
  await attempt(() => give(command, round, { who: me, box: number }));
}

async function chooseBox(button) {
  if (button.dataset.money !== undefined && !(await attempt(playMoney))) return;
  location.assign(`?box=${button.dataset.chooseBox}`);
}

// ---- clicks

const CLICKS = {
  "[data-bet]": (area, round) => bet(area.dataset.bet, chosenChip(), round),
  "[data-do]": (button, round) => inTurn(() => MOVES[button.dataset.do](round)),
  "[data-sit]": (button, round) => takePlace("sit", Number(button.dataset.sit), round, button),
  "[data-stand]": (button, round) => takePlace("stand_behind", Number(button.dataset.stand), round, button),
  "[data-choose-box]": (button) => chooseBox(button),
  "[data-play-money]": () => attempt(playMoney),
  "[data-leave]": (_, round) => attempt(() => give("leave", round, { who: me })),
  "[data-insure]": (button, round) => insure(button.closest("#insurance"), round),
  "[data-dismiss]": (button) => dismiss(button.closest("#insurance")),
  "[data-reopen]": () => reopen(),
  "[data-part]": (button) => {
    const most = Number(button.closest("#insurance").dataset.most);
    document.getElementById("ins-stake").value = writeMoney(Math.floor(most / Number(button.dataset.part)));
  },
  "[data-choose]": (button, round) =>
    attempt(() => give("choose_option", round, { who: me, choice: button.dataset.choose })),
  "[data-squeeze]": (button, round) =>
    attempt(() => give("squeeze_card", round, { place: Number(button.dataset.squeeze) })),
  "[data-ask-squeeze]": async (button, round) => {
    const asked = await attempt(() => give("request_squeeze", round, { who: me, side: button.dataset.askSqueeze }));
    if (asked) document.getElementById("squeeze")?.focus(); // the button goes
  },
  "a[data-clause]": (link) => explain(link),
};

// the clause of a mark in a message is added to that message; any other gets a message of its own
async function explain(link) {
  const [book, clause] = link.getAttribute("href").split("/").slice(-2);
  const entry = await attempt(() => request("GET", `/api/books/${book}/clauses/${clause}`), { clears: false });
  if (!entry) return;
  const toast = link.closest(".toast");
  if (!toast) return say(entry.summary, { clauses: [entry.clause], book: entry.book, bad: false, explains: true });
  const summary = document.createElement("p");
  summary.className = "summary";
  summary.append(entry.summary, " ", clauseMark(entry.clause, entry.book, true));
  toast.querySelector(".summary")?.remove();
  toast.firstElementChild.append(summary);
}

document.addEventListener("click", (event) => {
  for (const [selector, work] of Object.entries(CLICKS)) {
    const target = event.target.closest(selector);
    if (!target || target.disabled) continue;
    event.preventDefault();
    if (target.dataset.busy) return;
    if (!document.getElementById("away").hidden && target.closest(".felt, .rail")) return say(words("noLine"));
    target.dataset.busy = "1"; // ignore taps on it until its request is answered
    Promise.resolve(work(target, shownRound())).finally(() => delete target.dataset.busy);
    return;
  }
});

document.addEventListener("change", (event) => {
  if (event.target.name === "chip") sessionStorage.setItem("chip", event.target.value);
});

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select") && event.target.type !== "radio") return;
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return; // holding a key down counts once
  const chips = [...document.querySelectorAll("input[name=chip]")];
  const chip = chips[Number(event.key) - 1];
  const move = { c: "clear", u: "undo", r: "repeat", d: "double" }[event.key];
  if (chip) {
    chip.checked = true;
    sessionStorage.setItem("chip", chip.value);
  } else if (event.key === "Escape") {
    const sheet = document.getElementById("insurance");
    if (sheet && !sheet.hidden) dismiss(sheet);
    document.getElementById("messages").replaceChildren();
  } else if (move) {
    document.querySelector(`[data-do=${move}]:not([disabled])`)?.click();
  }
});

// a chip can also be dragged onto a bet
document.addEventListener("dragstart", (event) => {
  const chip = event.target.closest?.("[data-chip]");
  if (chip) event.dataTransfer.setData("text/punto-chip", chip.dataset.chip);
});
document.addEventListener("dragover", (event) => {
  if (event.target.closest?.("[data-bet]:not([disabled])")) event.preventDefault();
});
document.addEventListener("drop", (event) => {
  const area = event.target.closest?.("[data-bet]:not([disabled])");
  const minor = Number(event.dataTransfer.getData("text/punto-chip"));
  if (area && minor) {
    event.preventDefault();
    bet(area.dataset.bet, minor, shownRound());
  }
});

// ---- signing in and out

const SIGN_IN_FORMS = {
  visit: ["/api/visit", ["name"]],
  session: ["/api/session", ["name", "password", "code"]],
  password: ["/api/session/password", ["before", "password"]],
};

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.matches("[data-sign-out]")) {
    event.preventDefault();
    await attempt(() => request("DELETE", "/api/session"));
    location.assign("/");
    return;
  }
  const target = SIGN_IN_FORMS[form.dataset.enter];
  if (!target) return;
  event.preventDefault();
  const [path, fields] = target;
  const content = Object.fromEntries(fields.map((name) => [name, form.elements[name].value]));
  try {
    const session = await request("POST", path, content);
    if (session?.to_change) location.reload();
    else if (session?.totp_to_set_up) location.assign("/me");
    else location.assign(form.dataset.to || "/");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const code = form.querySelector("[data-code]");
    if (code && ["code_needed", "wrong_code"].includes(error.code)) code.hidden = false;
    sayAtField(form, code && !code.hidden ? form.elements.code : form.elements[fields.at(1) ?? fields[0]], error);
  }
});

function sayAtField(form, field, error) {
  const wrong = form.querySelector(".wrong");
  if (!wrong) return say(error.message, error);
  wrong.textContent = error.message;
  wrong.hidden = false;
  field?.setAttribute("aria-invalid", "true");
  field?.focus();
}

// ---- forms that send their fields to the API, and buttons that are forms without fields

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.dataset.send) return;
  event.preventDefault();
  const [method, address] = (event.submitter?.dataset.send ?? form.dataset.send).split(" ");
  const fields = [...form.elements].filter((field) => field.name && !field.disabled);
  const content = Object.fromEntries(fields.map((field) => [field.name, field.value || (field.tagName === "SELECT" ? null : "")]));
  const path = address.replace(/\{(\w+)\}/g, (_, name) => { // a field that the address names is no part of the content
    const value = encodeURIComponent(content[name]);
    delete content[name];
    return value;
  });
  // a password has more than six characters, so six digits are a PIN
  if (form.querySelector("[data-or-pin]") && /^\d{6}$/.test(content.password)) {
    content.pin = content.password;
    delete content.password;
  }
  try {
    const answer = await request(method, path, Object.keys(content).length ? content : undefined);
    const shows = form.dataset.shows && document.getElementById(form.dataset.shows);
    if (!shows) return location.reload();
    for (const part of shows.querySelectorAll("[data-of]")) part.textContent = answer[part.dataset.of];
    for (const link of shows.querySelectorAll("a[data-to]")) link.href = answer[link.dataset.to];
    form.hidden = true;
    shows.hidden = false;
    shows.querySelector("input")?.focus();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const typed = fields.filter((field) => field.type !== "hidden");
    for (const field of typed) if (field.type === "password") field.value = "";
    sayAtField(form, typed[0], error);
  }
});

// ---- a locked session

const lockedDialog = document.getElementById("locked");
lockedDialog?.showModal();
lockedDialog?.addEventListener("close", () => lockedDialog.showModal()); // by Escape

// nothing is done at this page for long: look whether the session is locked, also on pages without live updates
const idleMs = Number(words("idleS")) * 1000;
async function watchIdle() {
  const session = await attempt(() => request("GET", "/api/session"), { clears: false });
  if (session?.locked) location.reload();
  else setTimeout(watchIdle, session?.locks_us ? Math.max(5000, session.locks_us / 1000 - Date.now() - clockAhead) : idleMs);
}
if (idleMs > 0) setTimeout(watchIdle, idleMs);

// ---- adopting a reading

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.dataset.adopt) return;
  event.preventDefault();
  const content = { value: JSON.parse(form.elements.value.value), reason: form.elements.reason.value };
  const adopted = await attempt(() => request("POST", form.dataset.adopt, content));
  if (adopted) await showAdopted(adopted.id);
});

async function showAdopted(id) {
  const fresh = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  for (const selector of [`#${CSS.escape(id)}`, "nav.index"])
    document.querySelector(selector).replaceWith(document.adoptNode(fresh.querySelector(selector)));
  const article = document.getElementById(id);
  writeTimes(article);
  article.querySelector("h3").focus();
  say(document.getElementById("reading-words").dataset.adopted, { bad: false });
}

// the server writes times in UTC
function writeTimes(part) {
  for (const time of part.querySelectorAll("time"))
    time.textContent = new Date(time.dateTime).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
}

writeTimes(document);

refreshControls();
setInterval(tick, 250);
connect();
