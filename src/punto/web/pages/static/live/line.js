// Keeps a page up to date: the pieces that have changed come over a socket and are morphed in.
"use strict";

import { say, setServerNow } from "../punto.js";

const address = document.body.dataset.live;
const listeners = [];

// Calls the listener now and after each update.
export function onShown(listener) {
  listeners.push(listener);
  listener();
}

function morph(pieces) {
  for (const [id, html] of Object.entries(pieces)) {
    const element = document.getElementById(id);
    if (!element) continue;
    Idiomorph.morph(element, html, {
      morphStyle: "innerHTML",
      callbacks: {
        // keep what is being typed, what is unfolded, and buttons whose action is still running
        beforeNodeMorphed: (old, fresh) =>
          !(old instanceof HTMLInputElement && old.dataset.keep && old.dataset.keep === fresh.dataset?.keep),
        beforeAttributeUpdated: (name, node) =>
          name !== "data-busy" && !(name === "open" && node instanceof HTMLDetailsElement),
      },
    });
  }
  for (const listener of listeners) listener();
}

let failedConnects = 0;
function connect() {
  const socket = new WebSocket(location.origin.replace(/^http/, "ws") + address);
  socket.addEventListener("message", (event) => {
    failedConnects = 0;
    if (!document.getElementById("away").hidden) document.getElementById("messages").replaceChildren();
    document.getElementById("away").hidden = true;
    const update = JSON.parse(event.data);
    if (update.error) return say(update.error.message, update.error);
    setServerNow(update.now);
    morph(update.pieces);
  });
  socket.addEventListener("close", (event) => {
    if (event.code === 4001 || event.code === 4023) return location.reload();
    if (event.code === 4000) return;
    document.getElementById("away").hidden = false;
    failedConnects = Math.min(failedConnects + 1, 6);
    setTimeout(connect, 250 * 2 ** failedConnects * (0.5 + Math.random() / 2));
  });
}

connect();
