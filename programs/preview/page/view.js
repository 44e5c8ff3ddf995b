// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";

// The scales that + and - choose. Whole ones show samples as they are.
const zooms = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

// The picture in a <canvas>: one sample is `scale` of the display's pixels high. A picture
// of two frames has each in its half of the canvas, the same part of both.
const view = {
  wanted: 0, // scale; 0: as large as fits
  fills: false, // what fits is a part of two frames that fills their halves
  luma: null, // the samples' values, where the picture is Y, U and V
  picture: null, // ImageBitmap or VideoFrame
  width: 0,
  height: 0,
  middle: null, // the sample of a half that is in the middle
  columns: 1, // halves
  rows: 1,
  aspect: 1, // a sample's width, of its height
  grey: false, // is drawn without colours
  hasValues: true, // those of samples
  divider: null, // the column at which the wipe's right picture begins
  inset: 0, // pixels at the bottom that a panel covers
  mark: null, // [x, y, size] of a block, or null
  waits: false, // for the next refresh of the screen
  stale: false, // what is drawn is not what is to be seen

  open (canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", {alpha: false});
    new ResizeObserver(() => this.draw()).observe(canvas);
  },

  // The sizes of a half: of the canvas, and of the picture.
  get room () {
    return [this.canvas.width / this.columns,
      Math.max(this.canvas.height - this.inset, 1) / this.rows];
  },
  get part () {
    return [this.width / this.columns, this.height / this.rows];
  },

  get fitting () {
    const fits = this.room.map((size, i) => size / (this.part[i] * [this.aspect, 1][i] || 1));

    return this.fills && this.columns * this.rows > 1 ? Math.max(...fits) : Math.min(...fits);
  },
  get scale () {
    return this.wanted || (this.picture === null ? 1 : this.fitting);
  },
  // Across and down.
  get scales () {
    return [this.scale * this.aspect, this.scale];
  },
  get isSmoothed () {
    return this.scales.some(scale => scale < 4 && !Number.isInteger(scale));
  },
  get isWhole () {
    return this.scale <= this.fitting;
  },

  // Where a half's corner is, in its half of the canvas: at a whole pixel, so that
  // all samples have the same size.
  get corner () {
    return this.room.map((size, i) =>
      Math.round(size / 2 - this.middle[i] * this.scales[i]));
  },

  show (picture, {width, height, columns, rows, aspect}, luma, grey) {
    const old = this.picture, part = this.part.join();

    Object.assign(this, {picture, width, height, columns, rows, aspect, luma, grey});
    if (this.part.join() !== part)
      this.middle = this.part.map(size => size / 2);
    this.draw();
    old?.close();
  },

  // What is smaller than its place is centred; what is larger fills it.
  keepInside () {
    this.middle = this.middle.map((at, i) => {
      const half = this.room[i] / 2 / this.scales[i], all = this.part[i];
      return 2 * half >= all ? all / 2 : Math.min(Math.max(at, half), all - half);
    });
  },

  resize () {
    const ratio = window.devicePixelRatio;
    const size = [this.canvas.clientWidth, this.canvas.clientHeight]
      .map(length => Math.max(Math.round(length * ratio), 1));

    if (size[0] !== this.canvas.width || size[1] !== this.canvas.height)
      [this.canvas.width, this.canvas.height] = size;
    else
      this.context.clearRect(0, 0, ...size);
  },

  // Once a refresh: at once, then at the next one.
  draw () {
    this.stale = this.waits;
    if (this.waits)
      return;
    this.waits = true;
    requestAnimationFrame(() => {
      this.waits = false;
      if (this.stale)
        this.draw();
    });
    this.paint();
  },

  paint () {
    this.resize();
    if (this.picture === null)
      return;
    this.keepInside();
    const {context, scale, scales, room, part, corner} = this;
    context.imageSmoothingEnabled = this.isSmoothed;
    context.imageSmoothingQuality = scale < 0.5 ? "high" : "low";
    for (let i = 0; i < this.columns * this.rows; i++) {
      const half = this.columns > 1 ? [i, 0] : [0, i], from = half.map((n, k) => n * part[k]);
      context.save();
      context.beginPath();
      context.rect(...half.map((n, k) => n * room[k]), ...room);
      context.clip();
      context.translate(...half.map((n, k) => n * room[k] + corner[k]));
      context.filter = this.grey ? "grayscale(1)" : "none";
      context.drawImage(this.picture, ...from, ...part, 0, 0,
        ...part.map((n, k) => Math.round(n * scales[k])));
      context.filter = "none";
      if (scale >= 16 && this.hasValues)
        this.drawValues(from);
      if (this.mark !== null)
        this.drawMark();
      context.restore();
    }
    this.showDivider();
  },

  // The wipe's line, between two columns. It hides little, and at rest nearly nothing.
  showDivider () {
    const line = find("divider"), [at] = this.place([this.divider ?? 0, 0]);

    line.hidden = this.divider === null || at < 0 || at > this.canvas.clientWidth;
    line.style.left = `${at}px`;
  },

  wake () {
    find("divider").classList.add("awake");
    clearTimeout(this.rests);
    this.rests = setTimeout(() => find("divider").classList.remove("awake"), 1000);
  },

  // Luma's values, or those of R, G and B, of the samples that are seen of the frame that
  // begins there.
  drawValues (begin) {
    const {context, scale, scales, width, room, part, corner} = this;
    const [from, to] = [0, 1].map(end => room.map((size, k) => Math.min(Math.max(0,
      Math.floor((end * size - corner[k]) / scales[k]) + end), part[k])));
    const size = to.map((end, k) => end - from[k]), start = begin.map((n, k) => n + from[k]);
    if (size.some(length => length <= 0))
      return;
    const canvas = new OffscreenCanvas(...size).getContext("2d");
    canvas.drawImage(this.picture, ...start, ...size, 0, 0, ...size);
    const {data} = canvas.getImageData(0, 0, ...size);
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let v = 0; v < size[1]; v++)
      for (let u = 0; u < size[0]; u++) {
        const rgb = data.slice(4 * (v * size[0] + u)), [x, y] = [from[0] + u, from[1] + v];
        const lines = this.luma === null ? [...rgb.slice(0, 3)]
          : [this.luma[(start[1] + v) * width + start[0] + u]];
        const line = scale / Math.max(lines.length, 2);
        context.font = `${Math.round(Math.min(line * 0.9, scale / 2))}px sans-serif`;
        context.fillStyle = 3 * rgb[0] + 6 * rgb[1] + rgb[2] > 1275 ? "#000" : "#fff";
        lines.forEach((value, i) => context.fillText(value, (x + 0.5) * scales[0],
          (y + 0.5) * scale + (i - (lines.length - 1) / 2) * line, scales[0]));
      }
  },

  // A block's border, seen on dark and on bright.
  drawMark () {
    const [x, y, size] = this.mark;
    const place = [x, y, size, size].map((length, i) => Math.round(length * this.scales[i % 2]));

    for (const [colour, width] of [["#000", 4], ["#fff", 2]]) {
      this.context.strokeStyle = colour;
      this.context.lineWidth = width;
      this.context.strokeRect(...place);
    }
  },

  // The middle of the pixel under the pointer.
  pixel (event) {
    return [event.offsetX, event.offsetY].map(at =>
      (at + 0.5) * window.devicePixelRatio);
  },
  // The half that a pixel is in, as the numbers of its column and row.
  half (pixel) {
    return [this.columns, this.rows].map((n, i) =>
      Math.min(Math.max(Math.floor(pixel[i] / this.room[i]), 0), n - 1));
  },

  // The place in the picture, in samples; beside it, that at its edge.
  sample (event) {
    const pixel = this.pixel(event), half = this.half(pixel);

    return pixel.map((at, i) => half[i] * this.part[i] + Math.min(Math.max(0,
      (at - half[i] * this.room[i] - this.corner[i]) / this.scales[i]), this.part[i] - 0.01));
  },

  // The place on the canvas, in CSS pixels, of a sample of the picture.
  place (sample) {
    return sample.map((at, i) => {
      const half = Math.min(Math.floor(at / this.part[i]), [this.columns, this.rows][i] - 1);
      return (half * this.room[i] + this.corner[i] + (at - half * this.part[i]) * this.scales[i])
        / window.devicePixelRatio;
    });
  },

  // The sample that is under the pointer stays there.
  scaleTo (scale, event) {
    const pixel = event && this.pixel(event);
    const before = event && this.sample(event);

    this.wanted = scale === 0 ? 0 : Math.min(Math.max(scale, zooms[0]), zooms.at(-1));
    if (event) {
      const half = this.half(pixel);
      this.middle = before.map((at, i) => at - half[i] * this.part[i]
        - (pixel[i] - (half[i] + 0.5) * this.room[i]) / this.scales[i]);
    }
    this.draw();
  },

  // The next larger (1) or smaller (-1) one.
  scaleBy (step, event) {
    const now = this.scale;

    this.scaleTo((step > 0 ? zooms.find(scale => scale > now * 1.001)
      : zooms.findLast(scale => scale < now / 1.001)) ?? now, event);
  },

  moveBy (...pixels) {
    this.middle = this.middle.map((at, i) =>
      at - pixels[i] * window.devicePixelRatio / this.scales[i]);
    this.draw();
  },

  get description () {
    const scale = this.scale;

    return Number.isInteger(scale) ? `${scale}:1` : `${Math.round(100 * scale)} %`;
  },
};
