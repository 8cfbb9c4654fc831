// How a card folds where it is dragged from one point to another: a crease lies half way between the two, and the part
// behind the crease turns over and shows its face.
"use strict";

const minus = (a, b) => [a[0] - b[0], a[1] - b[1]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1];

// the part of a polygon where `side` is positive
function cut(corners, side) {
  const kept = [];
  corners.forEach((here, at) => {
    const next = corners[(at + 1) % corners.length];
    const [a, b] = [side(here), side(next)];
    if (a >= 0) kept.push(here);
    if (a >= 0 !== b >= 0) kept.push(here.map((value, axis) => value + ((next[axis] - value) * a) / (a - b)));
  });
  return kept;
}

const area = (corners) =>
  Math.abs(corners.reduce((sum, [x, y], at) => {
    const [u, v] = corners[(at + 1) % corners.length];
    return sum + x * v - u * y;
  }, 0)) / 2;

const polygon = (corners) => `polygon(${corners.map(([x, y]) => `${x.toFixed(1)}px ${y.toFixed(1)}px`).join(",") || "0 0"})`;

// `part` is how much of the card is turned over, from 0 to 1; the rest is CSS for the back and for the face
export function fold(width, height, from, to) {
  const corners = [[0, 0], [width, 0], [width, height], [0, height]];
  const way = minus(to, from);
  const far = Math.hypot(...way);
  if (far < 1) return { part: 0, back: "none", flap: polygon([]), matrix: "none" };
  const [nx, ny] = way.map((value) => value / far);
  const middle = from.map((value, axis) => (value + to[axis]) / 2);
  const side = (point) => dot(minus(point, middle), [nx, ny]);
  const lifted = cut(corners, (point) => -side(point));
  // seen from behind, the face is a mirror image; the crease mirrors it once more
  const [xx, xy, yy] = [1 - 2 * nx * nx, -2 * nx * ny, 1 - 2 * ny * ny];
  const shift = 2 * dot(middle, [nx, ny]);
  const matrix = [-xx, -xy, xy, yy, xx * width + shift * nx, xy * width + shift * ny];
  return {
    part: area(lifted) / (width * height),
    back: polygon(cut(corners, side)),
    flap: polygon(lifted.map(([x, y]) => [width - x, y])),
    matrix: `matrix(${matrix.map((value) => value.toFixed(4)).join(",")})`,
  };
}

// the point of an edge or corner that a hand at `point` takes hold of
export function grip(width, height, [x, y]) {
  const [left, top] = [x < width / 2, y < height / 2];
  const [acrossX, acrossY] = [left ? x : width - x, top ? y : height - y];
  const edgeX = left ? 0 : width;
  const edgeY = top ? 0 : height;
  if (acrossX < width / 4 && acrossY < height / 5) return [edgeX, edgeY];
  return acrossX < acrossY ? [edgeX, y] : [x, edgeY];
}
