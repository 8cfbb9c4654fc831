// The key ! on every screen of the staff: something is wrong.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.key !== "!" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input:not([type=radio]):not([type=checkbox]), textarea, select")) return;
  event.preventDefault();
  location.assign(document.getElementById("to-guide").href);
});
