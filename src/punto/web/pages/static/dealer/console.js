// The dealer's console. Turns keys and taps into what the moment on the screen makes of them.
"use strict";

import { act } from "./actions.js";
import * as cards from "./cards.js";
import { complain, dropHeld, giveAll } from "./commands.js";
import { tell } from "./did.js";
import * as dialogs from "./dialogs.js";
import "./dialogs/forms.js";
import * as entry from "./entry.js";
import "./both.js";
import { isHeldDown, isTooSoon, refuseTooSoon, step } from "./fresh.js";
import { connect } from "./line.js";
import * as lost from "./lost.js";
import { hold, markLost, push, releaseHeld, start, takeAll } from "./queue.js";
import * as questions from "./questions.js";
import * as scanner from "./scanner.js";
import { beep } from "./sound.js";
import { isRestarted, moment, onChange, show, texts } from "./state.js";
import { tellUnsent } from "./unsent.js";

async function handle(item) {
  if (item.lost && isRestarted()) return hold([item]);
  if (item.commands) return step(item, true, () => giveAll(item.commands, item));
  if (item.key === "?") return dialogs.open("keys");
  if (questions.isOpen()) return questions.answer(item);
  if (item.box !== undefined) return tapBox(item.box.toUpperCase());
  if (entry.isOpen()) return entry.key(item);
  if (item.chip) return beep(); // nothing says yet whose chip it is
  if (cards.isCardKey(item.key)) return cards.key(item);
  if (cards.isCorrecting()) return correcting(item);
  if (item.key === "Backspace" && cards.canCorrect()) return cards.startCorrecting();
  const { space, keys = {} } = moment();
  const action = item.key === "Space" ? space : keys[item.key];
  if (action) return take(action, item);
  if (item.key === "Escape") return dropHeld();
  if (/^[0-9A-Z]$/.test(item.key) && keys["1"]?.enter) return entry.start(keys["1"].enter, item);
  if (item.key !== "Enter") tell(texts("keyNotTaken").replace("{key}", item.key)); // Enter ends a scanner's line
  return undefined;
}

// A step that cannot be taken back drops what was typed after it, if it came too soon: that was meant for what would follow.
function take(action, item) {
  if (!action.final && !item.key.endsWith("Space")) return act(action, item);
  const final = action.final ?? false;
  if (!isTooSoon(item, final)) return step(item, final, () => act(action, item));
  takeAll();
  beep();
  return refuseTooSoon(item);
}

function correcting(item) {
  if (item.key === "Backspace") return cards.correct(null, item);
  return item.key === "Escape" ? cards.stopCorrecting() : undefined;
}

start(handle);

// ---- the server was away: what was typed meanwhile waits until the dealer has confirmed the cards

let restarted = false;

onChange(() => {
  if (isRestarted() && !restarted) markLost();
  restarted = isRestarted();
  if (!restarted) releaseHeld();
});

// ---- keys

function nameOf(event) {
  if (event.code === "Space") return event.shiftKey ? "Shift Space" : "Space";
  if (/^[!-~]$/.test(event.key)) return event.key.toUpperCase();
  const typed = /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(event.code); // a keyboard that writes another script
  return typed ? typed[1] : event.key;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || dialogs.isOpen()) return;
  if (event.target.closest("input, textarea, select")) return;
  const name = nameOf(event);
  if (name === "!") return; // the guide: see guide/key.js
  const known = name.length === 1 || ["Space", "Shift Space", "Enter", "Backspace", "Escape"].includes(name);
  if (!known || (name === "Enter" && event.target.closest("a, button"))) return;
  event.preventDefault();
  if (isHeldDown(event) && name !== "Backspace") return; // holding a key down counts once
  type(name);
});

function type(name) {
  if (!lost.accepts()) return beep();
  const reads = scanner.isUsed() && cards.isWanted() && !questions.isOpen() && !entry.isOpen();
  if (!reads || !/^([0-9A-Z]|Enter|Backspace)$/.test(name)) return push(name);
  const read = scanner.take(name);
  if (read?.typed !== undefined) return read.typed && complain(texts("notACard").replace("{text}", read.typed));
  for (const each of read ?? []) push(each);
  return undefined;
}

// ---- taps

// A tap counts where it began: the table may change the screen before the finger is lifted, and then no click comes.
const SLIPPED_PX = 24;
let began = null; // where a tap began, and on what
let counted = false; // the tap has counted, and the click that follows is no second one

// The body has the rank that waits for its suit, and is no button.
const buttonAt = (element) => element.closest(":not(body, dialog *):is([data-key], [data-rank], [data-suit], [data-chars], [data-chip], [data-box])");

document.addEventListener("pointerdown", (event) => {
  const button = event.isPrimary && event.button === 0 && buttonAt(event.target);
  began = button ? { x: event.clientX, y: event.clientY, of: { ...button.dataset } } : null;
  counted = false;
});
document.addEventListener("pointercancel", () => (began = null)); // it scrolls
document.addEventListener("pointerup", (event) => {
  if (!began || !event.isPrimary || Math.hypot(event.clientX - began.x, event.clientY - began.y) > SLIPPED_PX) return;
  counted = true;
  tap(began.of);
});

document.addEventListener("click", (event) => {
  if (event.detail && !dialogs.isOpen()) document.activeElement?.blur(); // after a tap, Enter and Space are the table's
  const button = buttonAt(event.target);
  if (button && !(counted && event.detail)) tap(button.dataset);
});

function tap({ key, rank, suit, chars, chip, box }) {
  if (!lost.accepts()) return beep();
  if (chip !== undefined) return push(String(chip / 100), { chip: Number(chip) });
  if (box !== undefined) return push(box, { box });
  for (const each of chars ?? [key ?? rank ?? suit.toUpperCase()]) push(each);
  return undefined;
}

// a tap on a box starts the entry of the moment for it, or names the box in the one that is open
function tapBox(label) {
  if (!entry.isOpen()) {
    const entries = Object.values(moment().keys ?? {}).map((action) => action.enter);
    const wanted = ["insurance", "bet", "correct_bet"].find((each) => entries.includes(each));
    if (!wanted) return;
    entry.start(wanted);
  }
  entry.type(label);
}

show();
tellUnsent();
connect();
