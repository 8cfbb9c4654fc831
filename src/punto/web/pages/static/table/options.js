// The choice after a dealing error.
"use strict";

import { attempt, onTap } from "../punto.js";
import { give, me, shownRound } from "./commands.js";

onTap("[data-choose]", (button) => attempt(() => give("choose_option", shownRound(), { who: me, choice: button.dataset.choose })));
