// Does what a key stands for: gives commands, asks a question, starts an entry, opens a dialog, or takes a step of the
// page. The server has decided which of these it is.
"use strict";

import { giveAll } from "./commands.js";
import * as dialogs from "./dialogs.js";
import * as entry from "./entry.js";
import { openGuide } from "./guide.js";
import * as questions from "./questions.js";
import "./sheet.js";
import { dismiss } from "./state.js";

const PAGE = { dismiss, guide: openGuide };

export async function act(action, item) {
  if (action.open) return dialogs.open(action.open, action) ?? fallback(action, item);
  if (action.enter) return entry.start(action.enter, item);
  if (action.ask) return questions.ask(action.ask);
  if (action.page) return PAGE[action.page]();
  return fallback(action, item);
}

function fallback(action, item) {
  if (action.needs) return dialogs.approve(action.give, action.needs);
  return giveAll(action.give ?? [], item);
}
