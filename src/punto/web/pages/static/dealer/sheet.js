// The settlement sheet: the line that comes next is always in sight.
"use strict";

import { onChange } from "./state.js";

onChange(() => document.querySelector("#sheet [data-line].current")?.scrollIntoView({ block: "nearest" }));
