// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";

// The PSNR of the last frames in an <svg>, of A and of B; null is a frame without a
// difference.
const plot = {
  length: 300,

  // Multiples of five around the values, at least ten apart.
  range (values) {
    const finite = values.filter(value => value !== null);

    if (finite.length === 0)
      return [30, 40];
    const low = 5 * Math.floor(Math.min(...finite) / 5);
    return [low, Math.max(5 * Math.ceil(Math.max(...finite) / 5), low + 10)];
  },

  make (name, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);

    for (const [key, value] of Object.entries(attributes))
      made.setAttribute(key, value);
    if (text !== undefined)
      made.textContent = text;
    return made;
  },

  // The newest frame is at the right edge; frames without a difference are at the top.
  show (svg, ...lines) {
    const width = svg.clientWidth, height = svg.clientHeight - 20;
    const [low, high] = this.range(lines.flat());
    const place = value => value === null ? 2
      : 10 + height * (high - value) / (high - low);
    const draw = (values, i) => {
      const points = values.map((value, j) => {
        const x = width - (values.length - 1 - j) * width / (this.length - 1);
        return `${x.toFixed(1)},${place(value).toFixed(1)}`;
      });
      // One frame is a dot.
      points.push(...points.slice(-1));
      svg.append(this.make("polyline", {points: points.join(" "),
        class: "ab"[i]}));
    };

    svg.replaceChildren();
    for (const value of [low, (low + high) / 2, high]) {
      const y = Math.round(place(value)) + 0.5;
      svg.append(this.make("line", {x1: 0, x2: width, y1: y, y2: y}),
        this.make("text", {x: 4, y: Math.max(y - 3, 10)}, `${value} dB`));
    }
    lines.filter(values => values.length > 0).forEach(draw);
    if (lines[1]?.length > 0)
      ["A", "B"].forEach((name, i) => svg.append(this.make("text",
        {x: width - 14, y: 14 + 14 * i, class: "ab"[i]}, name)));
  },
};
