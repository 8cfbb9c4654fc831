// One leaf over the table at a time: about a bet, the keys, the settings, a second box.
"use strict";

const leaf = document.getElementById("leaf");

// Shows a copy of a section of the page, and returns the copy.
export function openLeaf(id) {
  const body = document.getElementById("leaf-body");
  body.replaceChildren(...document.getElementById(id).cloneNode(true).childNodes);
  body.querySelector("h2").id = "leaf-h";
  if (!leaf.open) leaf.showModal();
  leaf.scrollTop = 0;
  return body;
}

export const closeLeaf = () => leaf.close();

// not by `onTap`, so that one can look things up without a connection
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-leaf]");
  if (opener) openLeaf(opener.dataset.leaf);
  if (event.target.closest("[data-leaf-close]") || event.target === leaf) closeLeaf(); // a tap beside it closes it too
});

// keys of the table do nothing while a leaf covers it
document.addEventListener("keydown", (event) => leaf.open && event.stopPropagation(), true);
