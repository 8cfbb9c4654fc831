// Asking to squeeze a hand, and opening its cards.
"use strict";

import { attempt, onTap } from "../punto.js";
import { give, me, shownRound } from "./commands.js";

onTap("[data-squeeze]", (button) => attempt(() => give("squeeze_card", shownRound(), { place: Number(button.dataset.squeeze) })));
onTap("[data-ask-squeeze]", async (button) => {
  const asked = await attempt(() => give("request_squeeze", shownRound(), { who: me, side: button.dataset.askSqueeze }));
  if (asked) document.getElementById("squeeze")?.focus(); // the button goes
});
