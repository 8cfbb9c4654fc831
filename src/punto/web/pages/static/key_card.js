// The card of the console's keys: a button that prints it.
"use strict";

document.querySelector("[data-print]").addEventListener("click", () => window.print());
