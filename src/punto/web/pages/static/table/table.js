// A player's table: each module does one thing that a player can do.
"use strict";

import "../live/countdown.js";
import "./betting.js";
import "./insurance.js";
import "./options.js";
import "./places.js";
import "./squeeze.js";
