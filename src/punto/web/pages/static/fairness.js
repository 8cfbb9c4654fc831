// Computes the commitment of a finished shoe, or the root that the order of a round leads to, and shows whether it is
// the one that was published.

const hash = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer()));
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const fromHex = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));

// A leaf is hashed behind a zero byte and a node behind a one, so that neither can pass for the other.
const rootOf = async (nonce, cards, at, path) => {
  let found = await hash(Uint8Array.of(0), `${nonce}\n${cards}`);
  for (const [height, beside] of path.map(fromHex).entries()) {
    const pair = (at >> height) & 1 ? [beside, found] : [found, beside];
    found = await hash(Uint8Array.of(1), ...pair);
  }
  return found;
};

const check = async (shoe) => {
  const textOf = (name) => shoe.querySelector(`[data-${name}]`).textContent.trim();
  // browsers offer crypto.subtle only on https and localhost
  if (!globalThis.crypto?.subtle) return "cannot";
  const [nonce, cards] = [textOf("nonce"), textOf("cards")];
  const { order } = shoe.dataset;
  const found = order ? await rootOf(nonce, cards, Number(order), textOf("path").split(" ")) : await hash(`${nonce}\n${cards}`);
  return toHex(found) === textOf("commitment") ? "fits" : "fails";
};

for (const shoe of document.querySelectorAll("[data-shoe]")) {
  shoe.querySelector("[data-check]").addEventListener("click", async () => {
    const result = shoe.querySelector(`template[data-${await check(shoe)}]`);
    shoe.querySelector("[data-proof]").replaceChildren(result.content.cloneNode(true));
  });
}
