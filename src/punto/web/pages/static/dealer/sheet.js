// The settlement sheet: one line after the other, until all is taken and paid.
"use strict";

import { dismiss, moment, onChange } from "./state.js";

let at = 0;
let of = "";

const lines = () => [...document.querySelectorAll("#sheet [data-line]")];

export function nextLine() {
  at += 1;
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
  const { dismiss: name = "" } = moment();
  if (name !== of) at = 0;
  of = name;
  show();
});
