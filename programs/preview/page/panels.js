// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";

// What is below the picture: figures over time, rate and distortion, a block.

const time = {
  points: new Map(), // figures by the frame's time
  length: 300, // of a stream without a duration

  // With other settings the figures of other frames are of no use.
  add (points) {
    for (const figures of points) {
      const of = ["transform", "quality", "qp", "encoder", "b-transform", "b-quality", "b-qp",
        "b-encoder"]
        .map(name => figures[name]).join();
      if (of !== this.settings)
        this.points.clear();
      this.settings = of;
      this.points.set(figures["stream-time"], figures);
      if (page.news.duration === undefined && this.points.size > this.length)
        this.points.delete(this.points.keys().next().value);
    }
  },

  get fields () {
    const last = [...this.points.values()].at(-1) ?? {};
    const known = {psnr: "PSNR, dB", "psnr-y": "PSNR of Y, dB", "psnr-u": "PSNR of U, dB",
      "psnr-v": "PSNR of V, dB", bpp: "bits per luma sample", nonzero: "levels that are not 0, %",
      ssim: "SSIM", "ms-ssim-y": "MS-SSIM", "psnr-hvs": "PSNR-HVS, dB",
      "xpsnr-y": "XPSNR, dB", "psnr-rgb": "PSNR of RGB, dB", bits: "kbit/s"};

    return Object.entries(known).filter(([name]) => name === "bits"
      ? page.news.moves && bitsOf(last, "") !== undefined : name in last);
  },

  line (field, name) {
    const times = field.endsWith("nonzero") ? 100 : field.endsWith("bits") ? rate.unit : 1;
    const read = figures => field.endsWith("bits") ? bitsOf(figures, field.slice(0, -4))
      : figures[field];

    return {name, points: [...this.points.values()].map(figures => [figures["stream-time"] / 1e9,
      read(figures)]).filter(([, value]) => value !== undefined)
      .map(([at, value]) => [at, value === null ? null : times * value])
      .sort((a, b) => a[0] - b[0])};
  },

  // Of all frames, where it is known.
  mean (get) {
    const values = [...this.points.values()].map(get).filter(Number.isFinite);

    return values.length > 0 ? values.reduce((sum, value) => sum + value) / values.length
      : undefined;
  },

  // The times and figures of the five frames that are worst in A, in B, or in B against A:
  // with the lowest figures, of bits the highest.
  worst (of) {
    const sign = ["bpp", "nonzero", "bits"].includes(this.field) ? -1 : 1;
    const [a, b] = ["", "b-"].map(prefix => new Map(this.line(prefix + this.field).points
      .filter(([, value]) => value !== null)));
    const all = of === "a" ? [...a] : of === "b" ? [...b]
      : [...b].filter(([at]) => a.has(at)).map(([at, value]) => [at, value - a.get(at)]);

    return all.sort((one, other) => sign * (one[1] - other[1])).slice(0, 5);
  },

  // Each is a button; they stay while they are the same.
  listWorst () {
    const list = find("worst-frames");
    const frames = this.worst(isAlone() ? "b" : find("worst-of").value);
    const texts = frames.map(([at, value]) => `${player.call(at)}: ${value.toPrecision(4)}`);

    if (list.dataset.shown !== texts.join())
      list.replaceChildren(...texts.map((text, i) => makeButton(undefined, text, `Go to frame ${text}`,
        () => goTo(frames[i][0]))));
    list.dataset.shown = texts.join();
  },

  // Of A's and B's bits, and of a metric, over the frames that have both.
  means (field) {
    const both = [...this.points.values()].filter(figures => "b-psnr" in figures);
    const sides = [field, `b-${field}`];
    const finite = both.filter(figures => sides.every(side => figures[side] !== null));
    const mean = (frames, get) => frames.map(get).reduce((sum, value) => sum + (value ?? NaN), 0)
      / frames.length;

    return {a: mean(both, figures => bitsOf(figures, "")),
      b: mean(both, figures => bitsOf(figures, "b-")),
      of: mean(finite, figures => figures[field]), than: mean(finite, figures => figures[sides[1]]),
      n: both.length,
      same: sides.map(side => both.filter(figures => figures[side] === null).length)};
  },

  field: "psnr",

  open (panel) {
    const choice = makeSelect("figure", [], "Figure to plot", field => {
      this.field = field;
      this.show();
    }, "figure");
    this.svg = plot.make("svg", {id: "time", class: "plot", role: "img"});
    this.svg.addEventListener("click", event => {
      if (page.news.duration !== undefined)
        seek(Math.max(this.shown.toX(event.offsetX), 0));
    });
    const of = makeSelect("worst-of", [["a", "A"], ["b", "B"], ["both", "B against A"]],
      "What they are the worst of, by this figure", () => this.show(), "worst of");
    panel.replaceChildren(make("div", {class: "side"}, choice, make("div", {class: "buttons"},
      makeButton("worst", "Worst frame", "Go to the worst frame so far (w)", goToWorst), of),
    make("div", {class: "buttons", id: "worst-frames"}),
    make("p", {class: "small"}, "Click in the plot to go there.")), this.svg);
  },

  show () {
    const choice = find("figure"), fields = this.fields;
    const title = fields.find(([name]) => name === this.field)?.[1] ?? "";
    const lines = [this.line(this.field, "a"), this.line(`b-${this.field}`, "b")]
      .filter(({points}) => points.some(([, value]) => !isAlone() || value !== null));
    const {duration} = page.news;

    if (fields.map(([name]) => name).join() !== [...choice.options].map(o => o.value).join())
      choice.replaceChildren(...fields.map(([value, text]) => make("option", {value}, text)));
    choice.value = this.field;
    find("worst-of").hidden = isAlone();
    this.listWorst();
    this.shown = plot.show(this.svg, lines, {x: "time, s", y: title,
      xRange: duration && [0, duration], cursor: duration && player.position});
    this.svg.ariaLabel = `${title} of ${this.points.size} frames over time`;
  },
};

// Within the frame: the one before may end later than this one begins, by rounded times.
function goTo (at) {
  seek(at + page.news["frame-duration"] / 4);
}

function goToWorst () {
  goTo(time.worst(isAlone() ? "b" : find("worst-of")?.value ?? "a")[0]?.[0] ?? 0);
}

const rate = {
  curve: null,
  asked: "",

  open (panel) {
    this.svg = plot.make("svg", {id: "rate", class: "plot", role: "img"});
    this.svg.addEventListener("click", event => this.choose(event.offsetX, event.offsetY));
    this.asked = "";
    panel.replaceChildren(make("div", {class: "side"}, make("p", {id: "rate-text"}),
      make("p", {class: "small", id: "rate-help"}, "Large dots: the current settings; of "
        + "encoders and files, the mean of all frames so far. Click to choose the nearest "
        + "one.")), this.svg);
  },

  // A curve is asked for when the frame or what it depends on is another one.
  ask (figures) {
    const of = ["index", "transform", "chroma-qp-offset", "scaling-list", "b-transform"]
      .map(name => figures[name] ?? page.values[name]).join();

    if (of !== this.asked)
      say("curve", "curve");
    this.asked = of;
  },

  take (curve) {
    this.curve = curve;
    this.wait?.();
  },

  // What a frame's bits are times in the plot: kbit/s, of a still bits per luma sample.
  get unit () {
    return page.news.moves ? 1e-3 / page.news["frame-duration"]
      : 1 / view.part[0] / view.part[1];
  },

  // [rate, PSNR, setting] at each setting, by the rate.
  line (side) {
    const {psnr, bits, "bits-estimated": estimated, setting} = this.curve?.[side] ?? {};

    return (setting ?? []).map((value, i) => [(bits ?? estimated)[i] * this.unit, psnr[i], value])
      .sort((a, b) => a[0] - b[0]);
  },

  show () {
    const {figures} = page, sides = [["a", ""], ["b", "b-"]];
    // One frame of an encoder says little: of these it is the mean.
    const large = sides.filter(([, prefix]) => `${prefix}psnr` in figures)
      .map(([name, prefix]) => {
        const [bits, y] = this.line(name).length > 0 || !page.news.moves
          ? [bitsOf(figures, prefix), figures[`${prefix}psnr`]]
          : [time.mean(of => bitsOf(of, prefix)), time.mean(of => of[`${prefix}psnr`]) ?? null];
        return {name, bits, x: bits * this.unit, y};
      })
      .filter(({x, y}) => Number.isFinite(x) && !(isAlone() && y === null));

    this.ask(figures);
    this.shown = plot.show(this.svg, sides.map(([name]) => ({name, dots: true,
      points: this.line(name)})), {x: page.news.moves ? "kbit/s" : "bits per luma sample",
      y: "PSNR, dB", large});
    find("rate-text").textContent = large.map(({name, bits, y}) => `${name.toUpperCase()}: ${
      y === null ? "identical" : `${y.toFixed(2)} dB`}, ${formatBits(bits)}, ${
      formatRate(bits)}`).join("\n");
    find("rate-help").hidden = !this.line("a").length && !this.line("b").length;
    this.svg.ariaLabel = `PSNR over the rate. ${find("rate-text").textContent}`;
  },

  choose (x, y) {
    const {across, down} = this.shown;
    const places = ["a", "b"].flatMap(side => this.line(side).map(([bits, psnr, setting]) =>
      ({side, setting, away: Math.hypot(across(bits) - x, down(psnr) - y)})));
    const near = places.sort((one, other) => one.away - other.away)[0];

    if (near !== undefined)
      turn(numberOf(near.side), near.setting);
  },
};

// The control of a side's quality, QP or bitrate.
function numberOf (side) {
  const prefix = side === "a" ? "" : "b::", encoder = page.values[`${prefix}encoder`];

  if (encoder !== "transform")
    return `${prefix}encoder-${encoder.slice(encoder.lastIndexOf("-") + 1)}`;
  return side === "a" ? "qp" in page.figures ? "qp" : "quality"
    : "b-qp" in page.figures ? "b::qp" : "b::quality";
}

// Turn A until its bits are nearest to B's, by A's curve, whose settings lie close enough
// for a logarithmic line between two.
async function makeEqual () {
  if (numberOf("a") === "encoder-bitrate") {
    turn("encoder-bitrate", Math.round(time.means("psnr").b / page.news["frame-duration"] / 1e3));
    return;
  }
  if (!page.figures.transform) {
    showNotice("Equal bits are for A as a transform, or as an encoder with a bitrate.", true);
    return;
  }
  say("curve", "curve");
  await new Promise(done => {
    rate.wait = done;
  });
  rate.wait = null;
  const {a, b} = time.means("psnr");
  const wanted = bitsOf(page.figures, "") * b / a * rate.unit;
  const line = rate.line("a");
  const i = Math.min(Math.max(line.findIndex(([bits]) => bits >= wanted), 1), line.length - 1);
  if (i < 1 || !Number.isFinite(wanted))
    return;
  const [[low, , from], [high, , to]] = [line[i - 1], line[i]];
  const part = Math.log(wanted / low) / Math.log(high / low);
  if (part < 0 || part > 1)
    showNotice(`A has no setting with so ${part < 0 ? "few" : "many"} bits; the closest is used.`);
  turn(numberOf("a"), Math.round(from + Math.min(Math.max(part, 0), 1) * (to - from)));
}

const block = {
  arrays: ["levels", "coefficients", "samples", "reconstruction", "error"],
  most: 12, // levels beyond are counted with it
  data: null,
  half: [0, 0], // of the picture, where it was asked for
  follows: true,

  open (panel) {
    const follow = make("input", {type: "checkbox", id: "follow", checked: this.follows});
    const choice = (id, values, about) => makeSelect(id, values.map(value => [value, value]),
      about, () => this.show(), id);

    follow.addEventListener("change", () => {
      this.follows = follow.checked;
    });
    this.histogram = plot.make("svg", {id: "histogram", class: "plot", role: "img"});
    panel.replaceChildren(make("div", {class: "side"},
      make("p", {id: "block-title"}, "Point at a block."),
      make("div", {class: "buttons"}, choice("array", this.arrays, "Values to show"),
        choice("plane", ["Y"], "Plane")),
      make("label", {}, follow, "Follow the pointer"),
      make("p", {class: "small"}, "Click to keep a block; Alt+arrow goes to the next."),
      this.histogram), make("div", {id: "cells", tabindex: 0, role: "region",
      "aria-label": "values of the block"}));
  },

  take (data) {
    this.data = data;
    this.place();
  },

  // Where the block is in the frame.
  place () {
    const {x, y, size} = this.data ?? {};

    view.mark = this.data === null || find("panel").hidden ? null : [x, y, size];
    view.draw();
  },

  get (name, suffix, i) {
    return name === "error" ? this.get("reconstruction", suffix, i) - this.get("samples", suffix, i)
      : this.data[name + suffix]?.[i];
  },

  // Blue below 0, orange above, on a logarithmic scale; or grey.
  colour (value, most, bright) {
    const part = Math.log1p(Math.abs(value)) / Math.log1p(most);
    const [r, g, b] = bright ? Array(3).fill(255 * value / most) : value < 0
      ? [255 - 153 * part, 255 - 77 * part, 255] : [255, 255 - 102 * part, 255 - 204 * part];

    return `background:rgb(${r} ${g} ${b});color:${g < 118 ? "#fff" : "#000"}`;
  },

  // What is small is shown whole, else the chosen array.
  show () {
    const planes = {Y: "", U: "-u", V: "-v"};
    const known = Object.keys(planes).filter(name => `levels${planes[name]}` in this.data);

    if (find("plane").options.length !== known.length)
      find("plane").replaceChildren(...known.map(name => make("option", {value: name}, name)));
    const suffix = planes[find("plane").value || "Y"];
    const size = this.data[`size${suffix}`] ?? this.data.size;

    find("array").hidden = size <= 8;
    find("cells").replaceChildren(...(size <= 8 ? this.arrays : [find("array").value])
      .map(name => this.makeTable(name, suffix, size)));
    find("block-title").textContent = `${this.data.side.toUpperCase()}: ${
      nameTransform(this.data.transform)}, ${size} × ${size} at (${this.data[`x${suffix}`]}, ${
      this.data[`y${suffix}`]})`;
    this.showHistogram(Array.from({length: size * size}, (_, i) => this.get("levels", suffix, i)));
  },

  makeTable (name, suffix, size) {
    const cells = Array.from({length: size * size}, (_, i) => this.get(name, suffix, i));
    const most = Math.max(...cells.map(Math.abs), 1);
    const bright = ["samples", "reconstruction"].includes(name);
    const scale = name !== "coefficients" || /^dct/.test(this.data.transform) ? ""
      : /^jpeg/.test(this.data.transform) ? " × 8" : ", in the standard's scale";
    const table = make("table", {}, make("caption", {}, name, scale)), body = table.createTBody();

    for (let v = 0; v < size; v++) {
      const row = body.insertRow();
      for (const value of cells.slice(v * size, (v + 1) * size)) {
        const cell = row.insertCell();
        cell.textContent = Number.isInteger(value) ? value : value.toFixed(1);
        cell.style = this.colour(value, most, bright);
      }
    }
    return table;
  },

  // How many levels have which value, on a logarithmic scale, as nearly all are 0.
  showHistogram (levels) {
    const count = Array(2 * this.most + 1).fill(0);

    for (const level of levels)
      count[Math.min(Math.max(level, -this.most), this.most) + this.most]++;
    plot.show(this.histogram, [{name: "a", points: count.map((n, i) =>
      [i - this.most, Math.log10(n + 1)])}], {x: `level (${count[this.most]} of ${
      levels.length}: 0)`, y: "log n", xRange: [-this.most, this.most]});
    this.histogram.ariaLabel = `${count[this.most]} of ${levels.length} levels are 0`;
  },

  // Ask for the block at a sample of the picture, by a click there.
  ask (sample) {
    this.half = sample.map((at, i) => Math.floor(at / view.part[i]));
    const place = sample.map(at => at.toFixed(2)).join(" ");

    say(`press ${place}`, "ask");
    say(`release ${place}`, "asked");
  },

  // The block beside it.
  step (x, y) {
    const [left, top, size] = view.mark ?? [];

    if (size)
      this.ask([left + (x + 0.5) * size, top + (y + 0.5) * size]
        .map((at, i) => at + this.half[i] * view.part[i]));
  },
};

// All fields except times and fields that are shown elsewhere, in tables of some rows.
const all = {
  rows: 8,
  left: new RegExp("^(type|index|timestamp|.*-time|duration|frames|(mse|samples|sse|sum).*"
    + "|repeated|pad|identical)$"),

  open (panel) {
    panel.replaceChildren(make("div", {id: "all", tabindex: 0, role: "region",
      "aria-label": "all figures"}));
  },

  show () {
    const {figures} = page, sides = "b-psnr" in figures ? ["", "b-"] : [""];
    const names = [...new Set(Object.keys(figures).map(name => name.replace(/^b-/, "")))]
      .filter(name => !this.left.test(name));
    const tables = Array.from({length: Math.ceil(names.length / this.rows)}, (_, i) =>
      names.slice(i * this.rows, (i + 1) * this.rows));

    find("all").replaceChildren(...tables.map(rows => make("table", {},
      make("tr", {}, ...["figure", "A", "B"].slice(0, sides.length + 1)
        .map(text => make("th", {scope: "col"}, text))),
      ...rows.map(name => make("tr", {}, make("th", {scope: "row"}, name),
        ...sides.map(side => make("td", {}, format(name, figures[side + name]))))))));
  },
};

const panels = {
  Time: [time, "Figures over time (t)"], Rate: [rate, "PSNR over the rate (r)"],
  Block: [block, "A block's samples, coefficients and levels (i)"],
  Figures: [all, "All figures of this frame (a)"],
  shown: "",

  // The second time it is closed.
  toggle (name) {
    this.shown = this.shown === name ? "" : name;
    find("panel").hidden = this.shown === "";
    for (const button of find("tabs").children)
      button.ariaPressed = button.id === `tab-${this.shown}`;
    if (this.shown !== "")
      this[this.shown][0].open(find("panel"));
    view.inset = find("panel").offsetHeight * window.devicePixelRatio;
    block.place();
    showSource();
    this.show();
  },

  show () {
    if (this.shown !== "" && page.figures !== undefined
        && (this.shown !== "Block" || block.data !== null))
      this[this.shown][0].show();
  },
};
