// One table of the pit: its dialogs are those of its console, and every key is shown on what it does.
"use strict";

import { isOpen } from "../dealer/dialogs.js";
import "../dealer/dialogs/forms.js";
import * as frame from "../dealer/dialogs/frame.js";
import { connect } from "../dealer/line.js";
import { onChange } from "../dealer/state.js";
import { attempt } from "../punto.js";
import { drawTimes } from "./times.js";

const TYPED = "input:not([type=radio]):not([type=checkbox]), textarea, select";

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-open]");
  if (button && !button.closest("dialog")) attempt(() => frame.open(button.dataset.open));
});

document.addEventListener(
  "keydown",
  (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isOpen()) return;
    if (event.target.closest(TYPED)) return;
    const name = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    const target = document.querySelector(`[data-key="${CSS.escape(name)}"]`);
    if (!target) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (target.matches("input")) target.focus();
    else target.click();
  },
  { capture: true },
);

document.addEventListener("line", ({ detail }) => {
  document.getElementById("away").hidden = detail.up;
});

onChange(drawTimes);
drawTimes();
connect();
