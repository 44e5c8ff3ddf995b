// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";

// The picture in a <canvas>: one pixel of it is `scale` of the display's own, by
// the nearest one from 1:1 on.
const view = {
  wanted: 0, // scale; 0: as large as fits, 1:1 at most
  largest: 32,
  picture: null, // ImageBitmap
  middle: [0, 0], // the sample that is in the middle

  open (canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", {alpha: false});
    new ResizeObserver(() => this.draw()).observe(canvas);
  },

  get scale () {
    if (this.wanted > 0 || this.picture === null)
      return this.wanted || 1;
    return Math.min(1, this.canvas.width / this.picture.width,
      this.canvas.height / this.picture.height);
  },

  // The picture's corner is at a whole pixel, so that all samples have the same
  // size.
  get corner () {
    return [this.canvas.width, this.canvas.height].map((size, i) =>
      Math.round(size / 2 - this.middle[i] * this.scale));
  },

  show (picture) {
    const old = this.picture;

    if (old === null || old.width !== picture.width
        || old.height !== picture.height)
      this.middle = [picture.width / 2, picture.height / 2];
    this.picture = picture;
    this.draw();
    if (old !== null)
      old.close();
  },

  // A picture smaller than the canvas is centred; a larger one fills it.
  keepInside () {
    const size = [this.canvas.width, this.canvas.height];
    const all = [this.picture.width, this.picture.height];

    this.middle = this.middle.map((at, i) => {
      const half = size[i] / 2 / this.scale;
      return 2 * half >= all[i] ? all[i] / 2
        : Math.min(Math.max(at, half), all[i] - half);
    });
  },

  draw () {
    const ratio = window.devicePixelRatio;

    this.canvas.width = Math.round(this.canvas.clientWidth * ratio);
    this.canvas.height = Math.round(this.canvas.clientHeight * ratio);
    if (this.picture === null)
      return;
    this.keepInside();
    const scale = this.scale, [x, y] = this.corner;
    this.context.imageSmoothingEnabled = scale < 1;
    this.context.imageSmoothingQuality = "high";
    this.context.drawImage(this.picture, x, y,
      Math.round(this.picture.width * scale),
      Math.round(this.picture.height * scale));
  },

  // The middle of the pixel under the pointer.
  pixel (event) {
    return [event.offsetX, event.offsetY].map(at =>
      (at + 0.5) * window.devicePixelRatio);
  },

  // The place in the picture, in samples.
  sample (event) {
    const corner = this.corner;

    return this.pixel(event).map((at, i) => (at - corner[i]) / this.scale);
  },

  // The sample that is under the pointer stays there.
  scaleTo (scale, event) {
    const before = event === undefined ? null : this.sample(event);

    this.wanted = scale === 0 ? 0
      : Math.min(Math.max(scale, 1 / 16), this.largest);
    if (before !== null) {
      const size = [this.canvas.width, this.canvas.height];
      const pixel = this.pixel(event);
      this.middle = before.map((at, i) =>
        at - (pixel[i] - size[i] / 2) / this.scale);
    }
    this.draw();
  },

  // The next power of two.
  scaleBy (steps, event) {
    const now = Math.log2(this.scale);

    this.scaleTo(2 ** (steps > 0 ? Math.floor(now + 1e-9) + 1
      : Math.ceil(now - 1e-9) - 1), event);
  },

  moveBy (x, y) {
    const ratio = window.devicePixelRatio / this.scale;

    this.middle = [this.middle[0] - x * ratio, this.middle[1] - y * ratio];
    this.draw();
  },

  get description () {
    const scale = this.scale;

    return scale >= 1 ? `${scale}:1` : `${Math.round(100 * scale)} %`;
  },
};
