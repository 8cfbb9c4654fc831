// The line that says what the last key did. The server writes it after a command; the page, what it did not take.
"use strict";

const element = document.getElementById("did");

export function tell(text) {
  const span = document.createElement("span");
  span.textContent = text;
  element.replaceChildren(span);
}
