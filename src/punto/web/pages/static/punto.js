// What every page has: messages, requests to the API, forms and clauses.
"use strict";

const body = document.body;

// ---- the server's clock

let clockAhead = body.dataset.now ? Number(body.dataset.now) - Date.now() : 0; // in ms

export const serverNow = () => Date.now() + clockAhead;

// a message that was held up on its way says an earlier time, so on the same connection the latest time counts
export function setServerNow(ms, { first }) {
  const ahead = ms - Date.now();
  clockAhead = first ? ahead : Math.max(ahead, clockAhead);
}

// ---- messages

export const words = (key) => document.getElementById("words")?.dataset[key] ?? key;
const DEFINITIONS = JSON.parse(words("definitions")); // names of clauses that have no number of their own

// `at` is the element that the message is about: it is shown there
export function say(text, { clauses = [], book = null, bad = true, explains = false, at = null, code = "" } = {}) {
  const messages = document.getElementById("messages");
  const toast = document.createElement("div");
  toast.className = bad ? "toast refusal" : "toast";
  toast.dataset.code = code;
  toast.dataset.since = Date.now();
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
  placeMessages(messages, at);
  // elsewhere a refusal stays until it is closed; at a player's table there is no time to read it twice
  if (!bad || (body.classList.contains("at-table") && code !== "no_line")) setTimeout(() => removeUnused(toast), LASTS_MS);
}

const LASTS_MS = 8000;
const GAP_PX = 8;

// above the element, or below it where there is more room
function placeMessages(messages, at) {
  messages.classList.toggle("at", Boolean(at));
  messages.removeAttribute("style");
  if (!at) return;
  const around = at.getBoundingClientRect();
  const { width, height } = messages.getBoundingClientRect();
  const above = around.top - height - GAP_PX;
  const left = around.left + (around.width - width) / 2;
  messages.style.top = `${above >= GAP_PX ? above : Math.min(around.bottom + GAP_PX, innerHeight - height - GAP_PX)}px`;
  messages.style.left = `${Math.max(GAP_PX, Math.min(left, innerWidth - width - GAP_PX))}px`;
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

// as the catalogue writes money: thousands grouped, cents only where there are some
export function writeMoney(minor) {
  const whole = Math.floor(minor / 100).toLocaleString("en-US");
  return minor % 100 ? `${whole}.${String(minor % 100).padStart(2, "0")}` : whole;
}

// ---- the release of the server

const RELEASE = words("release");
const updated = document.getElementById("updated");
let putOff = "";

// Says that the server is of another release. The page is loaded again only when somebody wants it; a board, at which
// nobody can, once for each release.
export function hearRelease(release) {
  if (!release || release === RELEASE || release === putOff) return;
  if (body.dataset.unattended !== undefined && sessionStorage.getItem("release") !== release) {
    sessionStorage.setItem("release", release);
    putOff = release; // what still arrives before it is loaded says nothing new
    return location.reload();
  }
  updated.dataset.release = release;
  updated.hidden = false;
}

updated.querySelector("[data-reload]").addEventListener("click", () => location.reload());
updated.querySelector("[data-later]").addEventListener("click", () => {
  putOff = updated.dataset.release;
  updated.hidden = true;
});

// the address of a socket of this page; a socket has no headers in which the page could say its release
export function socketAddress(path) {
  const address = new URL(path, location.origin.replace(/^http/, "ws"));
  address.searchParams.set("release", RELEASE);
  return address;
}

// ---- requests

export class Refused extends Error {
  constructor(status, error) {
    super(error.message);
    Object.assign(this, { status, code: error.code, clauses: error.clauses ?? [], book: error.book ?? null });
  }
}

const TIMEOUT_MS = 10_000;

// without an answer, only requests that are safe to repeat are sent again: GET, and those that carry an id
export async function request(method, path, content, { again = method === "GET", withinMs = TIMEOUT_MS, asks = true } = {}) {
  const options = { method, credentials: "same-origin", headers: { "punto-language": words("language"), "punto-client": RELEASE } };
  if (content !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(content);
  }
  for (let tries = 0; ; tries += 1) {
    let answer;
    let said;
    options.signal = AbortSignal.timeout(withinMs);
    try {
      answer = await fetch(path, options);
      hearRelease(answer.headers.get("punto-release"));
      const text = await answer.text();
      said = answer.ok && !text ? null : JSON.parse(text); // what is no JSON was said by a proxy, in place of the server
    } catch (error) {
      if (!again || tries === 3) throw new Refused(0, { code: "no_line", message: words("noLine") });
      await new Promise((done) => setTimeout(done, 500 * (tries + 1)));
      continue;
    }
    if (answer.ok) return said;
    if (answer.status === 423 && (await unlock({ asks }))) continue; // then it is done after all
    throw new Refused(answer.status, said.error);
  }
}

export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export async function attempt(work, { clears = true } = {}) {
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

// ---- taps

const taps = new Map();
export const onTap = (selector, work) => taps.set(selector, work);

document.addEventListener("click", (event) => {
  for (const [selector, work] of taps) {
    const target = event.target.closest(selector);
    if (!target || target.disabled) continue;
    event.preventDefault();
    if (target.dataset.busy || target.ariaDisabled === "true") return;
    if (!document.getElementById("away").hidden && target.closest(".felt, .rail")) return say(words("noLine"), { code: "no_line" });
    target.dataset.busy = "1"; // ignore taps on it until its request is answered
    Promise.resolve(work(target)).finally(() => delete target.dataset.busy);
    return;
  }
});

onTap("a[data-clause]", explain);

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

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || (event.target.closest("input, textarea, select") && event.target.type !== "radio")) return;
  document.getElementById("messages").replaceChildren();
});

// ---- signing in and out

const SIGN_IN_FORMS = {
  visit: ["/api/visit", ["name"]],
  code: ["/api/session/code", ["player", "code"]],
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
    else if (session?.table) location.assign(`/tables/${encodeURIComponent(session.table)}`);
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
  const valueOf = (field) => field.type === "checkbox" ? field.checked : field.value || (field.tagName === "SELECT" ? null : "");
  const content = Object.fromEntries(fields.map((field) => [field.name, valueOf(field)]));
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
    const within = form.dataset.withinMs ? { withinMs: Number(form.dataset.withinMs) } : {};
    const answer = await request(method, path, Object.keys(content).length ? content : undefined, within);
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
const lockedBar = document.getElementById("locked-bar"); // only at a terminal, which goes on showing its table or the pit
const SETTLING_MS = 3000; // a message on its way may still say what was true before
let unlocking = null; // resolves to whether the session was unlocked
let unlockedAt = -Infinity;

if (lockedDialog && !lockedBar) {
  lockedDialog.showModal();
  lockedDialog.addEventListener("close", () => lockedDialog.showModal()); // by Escape
}

// What was refused because the session is locked. At a terminal the PIN is asked for, and what was tried is done after it;
// everywhere else the page says that it is locked, and shows no more. Returns whether to try again.
export async function unlock({ asks = true } = {}) {
  if (!lockedBar) return location.reload();
  if (!asks) return hearLocked(true);
  unlocking ??= new Promise((done) => {
    lockedDialog.addEventListener("close", () => done(lockedDialog.returnValue === "unlocked"), { once: true });
    lockedDialog.returnValue = "";
    lockedDialog.showModal();
  }).finally(() => (unlocking = null));
  return unlocking;
}

// what the server says about the session of a terminal: whether it is locked
export function hearLocked(locked) {
  if (lockedBar && !(locked && performance.now() - unlockedAt < SETTLING_MS)) lockedBar.hidden = !locked;
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!("unlock" in form.dataset)) return;
  event.preventDefault();
  const field = form.elements.password;
  const secret = field.value;
  field.value = "";
  try {
    await request("POST", "/api/session/unlock", /^\d{6}$/.test(secret) ? { pin: secret } : { password: secret });
    unlockedAt = performance.now();
    hearLocked(false);
    form.querySelector(".wrong").textContent = "";
    lockedDialog.close("unlocked");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    sayAtField(form, field, error);
  }
});

lockedBar?.querySelector("[data-unlock-now]").addEventListener("click", () => unlock());

// nothing is done at this page for long: look whether the session is locked, also on pages without live updates
const idleMs = Number(words("idleS")) * 1000;
async function watchIdle() {
  const session = await attempt(() => request("GET", "/api/session"), { clears: false });
  if (session?.locked && !lockedBar) return location.reload();
  hearLocked(Boolean(session?.locked));
  setTimeout(watchIdle, session?.locks_us ? Math.max(5000, session.locks_us / 1000 - serverNow()) : idleMs);
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
  article.querySelector("h3").focus();
  say(document.getElementById("reading-words").dataset.adopted, { bad: false });
}

// ---- the way back to the table that was looked at last

const back = document.getElementById("back");
if (body.dataset.table) {
  localStorage.setItem("table", body.dataset.table);
  localStorage.setItem("table-title", body.dataset.tableTitle);
}
const lastTable = localStorage.getItem("table");
if (back && lastTable) {
  back.href = `/tables/${encodeURIComponent(lastTable)}`;
  back.textContent = back.textContent.replace("{name}", localStorage.getItem("table-title") ?? lastTable);
  back.hidden = [...document.querySelectorAll(".bar nav a")].some((link) => link !== back && link.pathname === back.pathname);
}
