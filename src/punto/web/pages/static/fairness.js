// Works out the seal of a shoe that is over, and says whether it is the one that was published.

const seal = async (nonce, cards) => {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${nonce}\n${cards}`));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
};

const check = async (shoe) => {
  const written = (name) => shoe.querySelector(`[data-${name}]`).textContent.trim();
  // browsers keep crypto.subtle from pages that came over an open line
  if (!globalThis.crypto?.subtle) return "cannot";
  return (await seal(written("nonce"), written("cards"))) === written("commitment") ? "fits" : "fails";
};

for (const shoe of document.querySelectorAll("[data-shoe]")) {
  shoe.querySelector("[data-check]").addEventListener("click", async () => {
    const words = shoe.querySelector(`template[data-${await check(shoe)}]`);
    shoe.querySelector("[data-proof]").replaceChildren(words.content.cloneNode(true));
  });
}
