// What is typed before it is given as a command: box, bet and amount.
"use strict";

export const isOpen = () => false;
export const start = () => {};
export const key = () => {};
