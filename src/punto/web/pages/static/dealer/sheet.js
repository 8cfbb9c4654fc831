// The settlement sheet: one line after the other, until all is taken and paid.
"use strict";

import { dismiss, moment, nameOf, onChange, table } from "./state.js";

const KEPT = `console-line-${table}`; // survives a page that is loaded again: [of, at]
let [of, at] = JSON.parse(sessionStorage.getItem(KEPT) ?? '["", 0]');

const lines = () => [...document.querySelectorAll("#sheet [data-line]")];

export function nextLine() {
  at += 1;
  sessionStorage.setItem(KEPT, JSON.stringify([of, at]));
  if (at >= lines().length) dismiss();
  else show();
}

function show() {
  for (const [place, line] of lines().entries()) {
    line.classList.toggle("current", place === at);
    line.classList.toggle("done", place < at);
    if (place === at) line.scrollIntoView({ block: "nearest" });
  }
}

onChange(() => {
  if (!moment().dismiss) return;
  const name = nameOf(moment());
  if (name !== of) at = 0;
  of = name;
  show();
});
