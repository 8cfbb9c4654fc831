// The key ! on every screen of the staff: something is wrong.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.key !== "!" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input:not([type=radio]):not([type=checkbox]), textarea, select")) return;
  const link = document.getElementById("to-guide"); // the guide itself has none
  if (!link) return;
  event.preventDefault();
  location.assign(link.href);
});
