// The dialogs of the console, by the names that moments use (`open` of an action). A dialog is a module of its own in
// `dialogs/` that registers itself with `register`; while one is open, keys belong to it.
"use strict";

import { say } from "../punto.js";
import { texts } from "./state.js";

const known = new Map();
let approver = (_, needs) => say(texts("needs").replace("{position}", JSON.parse(texts("positions"))[needs]));

export const register = (name, show) => known.set(name, show);
export const registerApproval = (ask) => (approver = ask);
export const open = (name) => known.get(name)?.();
export const approve = (commands, needs) => approver(commands, needs);
export const isOpen = () => Boolean(document.querySelector("dialog[open]"));
