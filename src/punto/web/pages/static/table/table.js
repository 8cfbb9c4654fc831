// A player's table: each module does one thing that a player can do.
"use strict";

import "../live/countdown.js";
import "./absence.js";
import "./betting.js";
import "./faces.js";
import "./info.js";
import "./insurance.js";
import "./keys.js";
import "./options.js";
import "./places.js";
import "./refusals.js";
import "./seats.js";
import "./settings.js";
import "./sound.js";
import "./spoken.js";
import "./squeeze.js";
import "./visit.js";
import "./wins.js";
