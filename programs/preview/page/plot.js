// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";

// Lines over two axes in an <svg>.
const plot = {
  // A place for the axes' numbers, in pixels.
  left: 58,
  bottom: 30,
  top: 8,
  right: 22,

  make (name, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);

    for (const [key, value] of Object.entries(attributes))
      made.setAttribute(key, value);
    if (text !== undefined)
      made.textContent = text;
    return made;
  },

  // 1, 2 or 5 times a power of ten, of which at most n are in the range.
  step (range, n) {
    const least = Math.max(range, 1e-9) / n;
    const power = 10 ** Math.floor(Math.log10(least));

    return power * [1, 2, 5, 10].find(times => times * power >= least * (1 - 1e-9));
  },

  // An axis from a multiple of the step to another one.
  axis (values, n, from) {
    const finite = values.filter(Number.isFinite);
    let low = from ?? Math.min(...finite), high = Math.max(...finite);

    if (finite.length === 0)
      [low, high] = [from ?? 0, 1];
    if (high - low < 1e-3 * Math.max(Math.abs(high), 1e-3))
      [low, high] = [from ?? low - Math.max(Math.abs(low), 1) / 100,
        high + Math.max(Math.abs(high), 1) / 100];
    const step = this.step(high - low, n);
    return {low: step * Math.floor(low / step + 1e-9),
      high: step * Math.ceil(high / step - 1e-9), step};
  },

  ticks ({low, high, step}) {
    const n = Math.round((high - low) / step);

    return Array.from({length: n + 1}, (_, i) => +(low + i * step).toPrecision(10));
  },

  // lines: [{points: [[x, y]...], name: a class, dots: whether to draw them}], in the
  // order of x; a y that is null is infinite, and at the top. options: the axes' names
  // x and y, xRange: [low, high] where it is not the points', cursor: an x, large:
  // [{x, y, name}], points in force. Returns {x, y}, the axes, to find places in.
  show (svg, lines, options) {
    const width = svg.clientWidth, height = svg.clientHeight;
    const all = lines.flatMap(line => line.points).concat(
      (options.large ?? []).map(({x, y}) => [x, y]));
    const x = options.xRange ? {low: options.xRange[0], high: options.xRange[1],
      step: this.step(options.xRange[1] - options.xRange[0], Math.max(width / 90, 2))}
      : this.axis(all.map(point => point[0]), Math.max(width / 90, 2), 0);
    const y = this.axis(all.map(point => point[1]), Math.max(height / 34, 2));
    const across = value => this.left + (width - this.left - this.right)
      * (value - x.low) / (x.high - x.low);
    const down = value => value === null ? this.top : this.top
      + (height - this.top - this.bottom) * (y.high - value) / (y.high - y.low);

    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    for (const value of this.ticks(y)) {
      const at = Math.round(down(value)) + 0.5;
      svg.append(this.make("line", {x1: this.left, x2: width - this.right, y1: at, y2: at}),
        this.make("text", {x: this.left - 5, y: at + 4, "text-anchor": "end"}, value));
    }
    for (const value of this.ticks(x).filter(value => value <= x.high + x.step / 1e6)) {
      const at = Math.round(across(value)) + 0.5;
      svg.append(this.make("line", {x1: at, x2: at, y1: this.top,
        y2: height - this.bottom + 4}), this.make("text", {x: at,
        y: height - this.bottom + 15, "text-anchor": "middle"}, value));
    }
    svg.append(this.make("text", {x: (this.left + width) / 2, y: height - 3,
      "text-anchor": "middle"}, options.x), this.make("text", {
      transform: `translate(12 ${(height - this.bottom) / 2}) rotate(-90)`,
      "text-anchor": "middle"}, options.y));
    // Of more than one, which is which.
    for (const [i, {name}] of lines.filter(({points}, _, all) => all.length > 1 && points.length > 0)
      .entries())
      svg.append(this.make("text", {class: name, x: 4 + 36 * i, y: height - 3},
        name === "a" ? "A —" : "B - -"));
    for (const {points, name, dots} of lines) {
      const places = points.map(([a, b]) => [across(a), down(b)]
        .map(place => place.toFixed(1)));
      // One point is a dot.
      svg.append(this.make("polyline", {class: name,
        points: [...places, ...places.slice(-1)].map(place => place.join()).join(" ")}));
      for (const [cx, cy] of dots ? places : [])
        svg.append(this.make("circle", {class: name, cx, cy, r: 3}));
    }
    for (const point of options.large ?? [])
      svg.append(this.make("circle", {class: `${point.name} large`, cx: across(point.x),
        cy: down(point.y), r: 6}));
    if (options.cursor !== undefined)
      svg.append(this.make("line", {class: "cursor", x1: across(options.cursor),
        x2: across(options.cursor), y1: this.top, y2: height - this.bottom}));
    return {x, y, across, down, toX: pixel => x.low + (x.high - x.low)
      * (pixel - this.left) / (width - this.left - this.right)};
  },
};
