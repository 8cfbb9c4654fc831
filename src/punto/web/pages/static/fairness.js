// Computes the commitment of a finished shoe, and shows whether it is the one that was published.

const commitment = async (nonce, cards) => {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${nonce}\n${cards}`));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
};

const check = async (shoe) => {
  const textOf = (name) => shoe.querySelector(`[data-${name}]`).textContent.trim();
  // browsers offer crypto.subtle only on https and localhost
  if (!globalThis.crypto?.subtle) return "cannot";
  return (await commitment(textOf("nonce"), textOf("cards"))) === textOf("commitment") ? "fits" : "fails";
};

for (const shoe of document.querySelectorAll("[data-shoe]")) {
  shoe.querySelector("[data-check]").addEventListener("click", async () => {
    const result = shoe.querySelector(`template[data-${await check(shoe)}]`);
    shoe.querySelector("[data-proof]").replaceChildren(result.content.cloneNode(true));
  });
}
