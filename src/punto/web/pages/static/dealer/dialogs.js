// The dialogs of the console, by the names that moments use (`open` of an action). A dialog is a module of its own that
// calls `register(name, show)` and is imported by console.js; `show(action)` gets what the moment proposes in
// `action.give` and who has to approve it in `action.needs`. While a <dialog> is open, keys belong to it.
"use strict";

import { say } from "../punto.js";
import { texts } from "./state.js";

const known = new Map();
let approver = (_, needs) => say(texts("needs").replace("{position}", JSON.parse(texts("positions"))[needs]));

export const register = (name, show) => known.set(name, show);
export const registerApproval = (ask) => (approver = ask); // ask(commands, position)
export const approve = (commands, needs) => approver(commands, needs);
export const isOpen = () => Boolean(document.querySelector("dialog[open]"));

// Returns undefined if there is no such dialog.
export function open(name, action = {}) {
  const show = known.get(name);
  return show ? (show(action) ?? true) : undefined;
}
