// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";

// The cards of the original, A and B: codec, its number, figures; and the row of views.

const find = id => document.getElementById(id);
const widgets = {}; // by the control's name

function make (name, attributes = {}, ...children) {
  const made = document.createElement(name);

  for (const [key, value] of Object.entries(attributes))
    if (value === true)
      made.setAttribute(key, "");
    else if (value !== false && value !== undefined)
      made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Icons of 16 x 16, as paths that are drawn by lines.
const icons = {
  original: "M2 3h12v10H2zM2 11l4-4 3 3 2-2 3 3",
  a: "M4 13L8 3l4 10M5.5 9.5h5",
  b: "M5 3h4a2.4 2.4 0 0 1 0 5H5zM5 8h4.5a2.5 2.5 0 0 1 0 5H5z",
  wipe: "M2 3h12v10H2zM8 1v14M10 6h2M10 8h2M10 10h2",
  "side-by-side": "M1 4h6v8H1zM9 4h6v8H9z",
  stacked: "M3 1h10v6H3zM3 9h10v6H3z",
  flicker: "M1 2h9v7H1zM6 9v5h9V7h-5",
  difference: "M8 2v7M4.5 5.5h7M4.5 13h7",
  "error-map": "M2 2h12v12H2zM6 2v12M10 2v12M2 6h12M2 10h12M6.5 7l3 2M9.5 7l-3 2",
  "ssim-map": "M1 6c2-4 4-4 7 0s5 4 7 0M1 11c2-4 4-4 7 0s5 4 7 0",
  "hvs-map": "M1 8c3-5 11-5 14 0-3 5-11 5-14 0zM8 6a2 2 0 1 0 .1 0",
  coefficients: "M2 14V2M2 14h12M5 14V4M8 14V8M11 14v-3",
  "nonzero-map": "M3 3h2v2H3zM8 3h2v2H8zM3 8h2v2H3zM12 12h1",
  "quality-map": "M2 12a6 6 0 1 1 12 0M8 12l3-4",
  "size-map": "M2 2h12v12H2zM8 2v12M2 8h12M11 8v6M8 11h6",
  grid: "M2 2h12v12H2zM2 6h12M2 10h12M6 2v12M10 2v12",
  overlay: "M3 3h10M8 3v10",
  colours: "M6 6a4 4 0 1 0 .1 0M10 6a4 4 0 1 0 .1 0",
  part: "M1 4h6v8H1zM9 4h6v8H9zM3 7h2v2H3zM11 7h2v2h-2z",
  back: "M4 3v10M13 3L6 8l7 5z",
  pause: "M5 3v10M11 3v10",
  play: "M4 2l9 6-9 6z",
  step: "M12 3v10M3 3l7 5-7 5z",
  loop: "M3 8a5 4 0 0 1 9-2l2 1M13 8a5 4 0 0 1-9 2l-2-1M14 3v4h-3M2 13V9h3",
};

function makeIcon (name) {
  const svg = plot.make("svg", {viewBox: "0 0 16 16", "aria-hidden": "true", class: "icon"});

  svg.append(plot.make("path", {d: icons[name]}));
  return svg;
}

function makeButton (id, text, about, action, icon) {
  const button = make("button", {type: "button", id, title: about},
    ...icon ? [makeIcon(icon)] : [], ...text ? [make("span", {}, text)] : []);

  if (/^\W?$/.test(text))
    button.ariaLabel = about.replace(/ \(.*/, "");
  button.addEventListener("click", action);
  return button;
}

// Everyday names

const families = {jpeg: "JPEG", dct: "DCT", h264: "H.264", hevc: "HEVC", vvc: "VVC"};
const encoderNames = {x264enc: "x264", x265enc: "x265", openh264enc: "OpenH264",
  av1enc: "AV1 (libaom)", vp8enc: "VP8", vp9enc: "VP9", theoraenc: "Theora",
  jpegenc: "JPEG (encoder)", mpeg2enc: "MPEG-2", avenc_mpeg4: "MPEG-4 (libav)",
  avenc_mpeg2video: "MPEG-2 (libav)"};
const scaleNames = {quality: "quality", qp: "QP", crf: "CRF", bitrate: "bitrate"};
// Controls: names and meanings. The elements' own words name their properties.
const labels = {quality: ["Quality", "JPEG's: higher is finer"],
  qp: ["QP", "Quantizer of luma: higher is coarser"],
  "chroma-qp-offset": ["Chroma QP offset", "Added to the QP for chroma"],
  "scaling-list": ["Scaling list", "Whether high frequencies are coarser"],
  "encoder-quality": ["Quality", "The encoder's own scale: higher is finer"],
  "encoder-qp": ["QP", "The encoder's: higher is coarser"],
  "encoder-crf": ["CRF", "Constant quality: higher is coarser"],
  "encoder-bitrate": ["kbit/s", "What the encoder aims at"],
  "difference-gain": ["Gain", "How much differences are amplified"],
  "wipe-position": ["Line", "Where the line is"]};
const viewWords = {original: "The original", wipe: "Two pictures, left and right of a line",
  "side-by-side": "Two pictures beside each other", stacked: "Two pictures above each other",
  flicker: "Two pictures in turn", difference: "The right picture minus the left one",
  "size-map": "Side of each block"};
const viewNames = {original: "Original", a: "A", b: "B", wipe: "Wipe",
  "side-by-side": "Beside", stacked: "Stacked", flicker: "Flicker",
  difference: "Difference", "error-map": "Error", "ssim-map": "SSIM",
  "hvs-map": "HVS", coefficients: "Levels", "nonzero-map": "Non-zero",
  "quality-map": "Quality", "size-map": "Sizes"};
const metricNames = {psnr: "PSNR", ssim: "SSIM", "ms-ssim": "MS-SSIM",
  "psnr-hvs": "PSNR-HVS", xpsnr: "XPSNR"};
const looks = ["wipe", "side-by-side", "stacked", "flicker", "difference"];
const isOfTwo = name => [...looks, "error-map", "ssim-map", "hvs-map"].includes(name);
const pairs = {"original a": "Original | A", "original b": "Original | B", "a b": "A | B"};
// The fields of a metric: the frame's, or luma's.
const fieldNames = {"ms-ssim": "ms-ssim-y", xpsnr: "xpsnr-y"};

function nameTransform (nick) {
  const [family, ...rest] = nick.split("-");

  return [families[family] ?? family, ...rest.map(word => word === "quadtree"
    ? "chosen sizes" : word.replace(/^dst$/, "DST").replace("x", "×"))].join(" ");
}

function nameEncoder ({nick, about}) {
  const at = nick.lastIndexOf("-"), element = nick.slice(0, at);

  return at < 0 ? "Encoder of --b-encoder"
    : `${encoderNames[element] ?? about}, ${scaleNames[nick.slice(at + 1)]}`;
}

// Widgets of controls

function makeSelect (id, values, about, action, label) {
  const select = make("select", {id, title: about, "aria-label": label},
    ...values.map(([value, text, title]) => make("option", {value, title}, text)));

  if (action !== undefined)
    select.addEventListener("input", () => action(select.value));
  return select;
}

// A row: label, slider or choice, number. It is hidden where it has no effect.
function makeRow (control) {
  const id = `control-${control.name.replace("::", "-")}`;
  const [label, about] = labels[control.name.replace("b::", "")];
  const widget = control.values
    ? makeSelect(id, control.values.map(({nick}) => [nick, nick]), about)
    : make("input", {id, type: "range", min: control.minimum, max: control.maximum,
      step: control.step, title: about});
  const row = make("div", {class: "row", hidden: true},
    make("label", {for: id, title: about}, label), widget);

  if (!control.values) {
    const number = make("input", {type: "number", min: control.minimum, max: control.maximum,
      step: "any", "aria-label": `${label}, number`});
    number.addEventListener("change", () => turn(control.name, number.value));
    row.append(number);
  }
  widget.addEventListener("input", () => {
    showOutput(widget, widget.value);
    turn(control.name, widget.value);
  });
  widgets[control.name] = widget;
  return row;
}

function showOutput (widget, value) {
  if (widget.type === "range" && document.activeElement !== widget.nextSibling)
    widget.nextSibling.value = +Number(value).toFixed(2);
}

// A's or B's codec: a transform, or an encoder.
function makeCodec (side, prefix, controls) {
  const choose = value => {
    const [word, encoder] = value.split(" ");
    if (word === "choose") {
      page.opens = side;
      find("file").click();
      showValues(page.values, isNewer);
      return;
    }
    turn(`${prefix}encoder`, encoder ?? "transform");
    if (encoder === undefined)
      turn(`${prefix}transform`, word);
  };
  const select = makeSelect(`codec-${side}`, [], "Transform or encoder of this picture", choose,
    `codec of ${side.toUpperCase()}`);

  select.append(make("optgroup", {label: "transforms"}, ...controls[`${prefix}transform`].values
    .map(({nick, about}) => make("option", {value: nick, title: about}, nameTransform(nick)))),
  make("optgroup", {label: "encoders"}, ...controls[`${prefix}encoder`].values.slice(1)
    .map(value => make("option", {value: `encoder ${value.nick}`}, nameEncoder(value)))),
  make("option", {value: "file", hidden: true}), make("option", {value: "choose"}, "File…"));
  return select;
}

// A property of an encoder: a choice or a number.
function makeProperty (prefix, {name, about, values, minimum, maximum, default: normal, value}) {
  const id = `${prefix}${name}`.replaceAll("::", "-");
  const choices = values?.map(({nick}) => nick)
    ?? (typeof normal === "boolean" ? ["false", "true"] : null);
  const widget = choices ? makeSelect(id, choices.map(nick => [nick, nick]), about)
    : make("input", {id, type: "number", min: minimum, max: maximum, step: "any", title: about});

  widget.value = value ?? normal;
  widget.addEventListener("change", () => say(`set ${prefix}${name}=${widget.value}`));
  return make("div", {class: "row"}, make("label", {for: id, title: about}, name), widget);
}

function showProperties (sides) {
  const focus = document.activeElement.id, isFirst = ({name}) => /preset|cpu-used/.test(name);

  sides.forEach((properties, i) => find(`properties-${"ab"[i]}`).replaceChildren(
    ...properties.sort((one, other) => isFirst(other) - isFirst(one))
      .map(property => makeProperty(`${["", "b::"][i]}encoder::`, property))));
  find(focus)?.focus();
}

// Those of a side that are not the default ones, as settings.
function listProperties (side, prefix = side === 0 ? "" : "b::") {
  return page.news.properties[side].filter(({value}) => value !== undefined)
    .map(({name, value}) => `${prefix}encoder::${name}=${value}`);
}

function makePresets (names) {
  const select = makeSelect("preset", [["", "choose…"], ...names.map(name => [name, name])],
    "Ready-made settings for A", name => {
      say(`preset ${name}`);
      select.value = "";
    });

  return make("div", {class: "row"}, make("label", {for: "preset"}, "Preset"), select);
}

function makeCard (side, controls, presets) {
  const prefix = side === "a" ? "" : "b::";
  const rows = (...names) => names.map(name => makeRow(controls[prefix + name]));
  const buttons = side === "a"
    ? [makeButton("store", "Copy to B", "Copy A's settings to B, and show both (b)", store),
      makeButton("no-original", "No original", "Compare A and B with each other",
        () => say("no-original"))]
    : [makeButton("swap", "Swap", "Swap A and B, unless one is a file (x)", swap),
      makeButton("equal", "Equal bits", "Set A, a transform or an encoder with a bitrate, so that "
        + "its bits come closest to B's", makeEqual)];
  const head = make("h2", {}, make("span", {class: `badge ${side}`}, side.toUpperCase()),
    makeCodec(side, prefix, controls));

  find(`card-${side}`).replaceChildren(head,
    ...rows("quality", "qp", "encoder-quality", "encoder-qp", "encoder-crf", "encoder-bitrate"),
    make("dl", {class: "figures", id: `figures-${side}`}),
    make("div", {class: "buttons"}, ...buttons,
      make("details", {class: "menu advanced"}, make("summary", {}, "More"), make("div", {},
        ...rows("chroma-qp-offset", "scaling-list"),
        ...side === "a" && presets.length > 0 ? [makePresets(presets)] : [],
        make("div", {id: `properties-${side}`}),
        make("p", {class: "small none"}, "no other settings")))),
    // Last: what they say takes lines as it changes, and moves nothing that is clicked.
    ...side === "b" ? [make("p", {id: "words"}), make("p", {id: "over", class: "small",
      title: "A mean of dB is that of the frames' dB; ffmpeg's \"average\" is the dB of the mean "
        + "error, and lower"})] : []);
  if (side === "b")
    find("card-b").append(makeButton("compare", "Compare with B",
      "Show A and B together", () => showPair("a b")));
}

// Views

function makeViews (control) {
  const groups = {"": ["original", "a", "b"], Look: looks, Where: ["error-map", "ssim-map",
    "hvs-map", "coefficients", "nonzero-map", "quality-map", "size-map"]};

  find("views").replaceChildren(...Object.entries(groups).map(([word, group]) => {
    const made = make("span", {class: "group"}, make("span", {class: "word"}, word));
    for (const name of group) {
      const about = viewWords[name] ?? control.values.find(({nick}) => nick === name).about;
      const button = makeButton(`view-${name}`, viewNames[name], word === "Look"
        ? `${about} (v: next)` : about, () => turn("view", name), name);
      button.setAttribute("role", "radio");
      made.append(button);
    }
    return made;
  }));
}

function makeOptions (controls) {
  const pair = makeSelect("pair", Object.entries(pairs), "Pictures to compare (c: next)",
    showPair, "pictures to compare");
  const toggles = [["grid", "Grid", "Block borders (g)"],
    ["overlay", "Text", "Figures on the picture"]].map(([name, text, about]) => {
    const button = makeButton(`control-${name}`, text, about,
      () => turn(name, !page.values[name]), name);
    widgets[name] = button;
    return button;
  });
  const gain = makeRow({...controls["difference-gain"],
    values: [1, 2, 4, 8, 16, 32, 64].map(nick => ({nick}))});
  // What this page does by itself: the server does not know.
  const colours = makeButton("control-colours", "Colour", "Differences of chroma, too", () => {
    page.colours = colours.ariaPressed = !page.colours;
    page.drawing = showPicture(page.shown, page.data);
  }, "colours");
  const part = makeButton("control-part", "Same part", "Fill both halves with the same part; "
    + "again: both whole frames", () => {
    view.fills = part.ariaPressed = !view.fills;
    scale(0);
  }, "part");
  colours.ariaPressed = page.colours;
  part.ariaPressed = view.fills;
  gain.append(colours);
  find("options").replaceChildren(make("span", {class: "group"}, pair,
    makeRow(controls["wipe-position"]), gain, part),
  make("span", {class: "group"}, ...toggles));
}

// What makes a side: these settings of it, the choice last.
const sideSettings = ["transform", "quality", "qp", "encoder-quality", "encoder-qp",
  "encoder-crf", "encoder-bitrate", "encoder"];

// Set the other side as this one is: 0 is A.
function copySide (side) {
  const [from, to] = side === 0 ? ["", "b::"] : ["b::", ""];

  for (const name of sideSettings)
    turn(to + name, page.values[from + name]);
  for (const setting of listProperties(side, to))
    say(`set ${setting}`);
}

// Of files there are no settings.
function store () {
  if (isFile("a"))
    return;
  copySide(0);
  showPair("a b");
}

function swap () {
  if (!isFile("a") && !isFile("b"))
    [0, 1].forEach(copySide);
}

// Make A finer by a step.
function turnBy (by) {
  const name = numberOf("a"), widget = widgets[name];

  if (widget === undefined)
    return;
  widget.value = +widget.value + (/qp|crf/.test(name) ? -by : by);
  widget.dispatchEvent(new Event("input"));
}

function nextTransform (by) {
  const all = [...find("codec-a").querySelectorAll("optgroup:first-child option")]
    .map(({value}) => value);

  turn("transform", all.at((all.indexOf(page.values.transform) + by) % all.length));
}

function showPair (pair) {
  const [left, right] = pair.split(" ");

  turn("left", left);
  turn("right", right);
  if (page.values.view in viewNames && !isOfTwo(page.values.view))
    turn("view", "wipe");
}

function makeCards (news) {
  const controls = Object.fromEntries(news.controls.map(control => [control.name, control]));

  makeCard("a", controls, news.presets);
  makeCard("b", controls, []);
  makeViews(controls.view);
  makeOptions(controls);
  makeMore(controls.metrics);
}

// The chosen metric.
function makeMore (control) {
  const select = makeSelect("metric", [["psnr", "PSNR"], ...control.flags
    .filter(({nick}) => nick in metricNames)
    .map(({nick, about}) => [nick, metricNames[nick], about])], "Metric that the cards show",
  name => turn("metrics", name === "psnr" ? "bits" : `bits+${name}`));

  widgets.metrics = select;
  find("card-more").replaceChildren(
    make("div", {class: "row"}, make("label", {for: "metric"}, "Metric"), select),
    make("div", {class: "buttons"},
      makeButton("help-open", "?", "Help (?)", () => find("help").showModal()),
      makeButton("undo", "Undo", "Undo the last change (z)", undo),
      makeButton("theme", "Theme", "Dark, light, or as on the desktop", nextTheme)));
}

// What is in force. A control that the user has turned since keeps its value: the new
// one comes later.
function showValues (values, isNewer) {
  const metric = Object.keys(metricNames).find(name => values.metrics.includes(name));
  const [codecA, codecB] = ["", "b::"].map(prefix => values[`${prefix}encoder`] === "transform"
    ? values[`${prefix}transform`] : `encoder ${values[`${prefix}encoder`]}`);

  for (const [name, widget] of Object.entries(widgets)) {
    if (isNewer(name))
      continue;
    if (widget.matches("button"))
      widget.ariaPressed = values[name];
    else if (name === "metrics")
      widget.value = metric ?? "psnr";
    else
      widget.value = values[name];
    showOutput(widget, values[name]);
  }
  for (const side of ["a", "b"]) {
    const option = find(`codec-${side}`).querySelector("[value=file]");
    const name = page.news[`file-${side}`];
    option.hidden = !name;
    option.textContent = name ?? "";
  }
  for (const [id, value] of [["codec-a", isFile("a") ? "file" : codecA],
    ["codec-b", isFile("b") ? "file" : codecB], ["pair", `${values.left} ${values.right}`]])
    find(id).value = value;
  for (const button of find("views").querySelectorAll("button")) {
    const chosen = button.id === `view-${values.view}`;
    button.ariaChecked = chosen;
    button.tabIndex = chosen ? 0 : -1;
  }
  find("pair").hidden = !isOfTwo(values.view);
  find("card-b").classList.toggle("off", !showsB(values));
  find("store").hidden = isFile("a");
  find("no-original").hidden = !isFile("a") || isAlone();
  find("view-original").hidden = isAlone();
  for (const option of find("pair").options)
    option.hidden = isAlone() && option.value.startsWith("original");
  find("swap").disabled = isFile("a") || isFile("b");
}

function isFile (side) {
  return Boolean(page.news[`file-${side}`]);
}

// Whether A's file is in the place of the original: figures are of B against A.
function isAlone () {
  return page.news["no-reference"];
}

// What is of A's blocks is there for those that it has.
function showViews (figures) {
  const {transform, regions, "b-transform": ofB} = figures;
  const has = {coefficients: transform, "nonzero-map": transform, "quality-map": regions,
    "size-map": transform === "hevc-quadtree"};

  for (const [name, value] of Object.entries(has))
    find(`view-${name}`).hidden = !value && page.values.view !== name;
  find("tab-Block").disabled = !transform && !ofB && panels.shown !== "Block";
}

function showsB ({left, right, view: name}) {
  return [left, right, name].includes("b");
}

// Whether a setting has no effect: it is of another view, or of what does not make its side.
function isIdle (name) {
  const side = name.startsWith("b::") ? "b" : "a", setting = name.replace("b::", "");
  const number = numberOf(side).replace("b::", "");
  const transform = page.figures[side === "a" ? "transform" : "b-transform"];

  if (name === "wipe-position" || name === "difference-gain")
    return page.values.view !== name.split("-")[0];
  return isFile(side) || (/offset$|list$/.test(setting)
    ? number !== "qp" || (setting === "scaling-list" && transform.startsWith("h264"))
    : setting !== number);
}

// Rows without an effect are hidden. Before B's figures come its rows stay as they are.
function showIdle () {
  const shown = "b-psnr" in page.figures && showsB(page.values);

  for (const [name, widget] of Object.entries(widgets)) {
    const row = widget.closest(".row");
    if (row !== null && name !== "metrics" && (shown || !name.startsWith("b::")))
      row.hidden = isIdle(name);
  }
  for (const none of document.querySelectorAll(".none"))
    none.hidden = none.parentElement.querySelector(".row:not([hidden])") !== null;
}

// Figures

function isDecibel (name) {
  return /^(b-)?x?psnr/.test(name);
}

function format (name, value) {
  if (value === undefined)
    return "–";
  if (isDecibel(name))
    return value === null ? "identical" : `${value.toFixed(2)} dB`;
  if (/nonzero(-[yuv])?$/.test(name))
    return `${(100 * value).toFixed(1)} %`;
  if (typeof value === "number" && !Number.isInteger(value))
    return value.toPrecision(4);
  return String(value);
}

// A frame's bits, headers included; undefined: they are not known.
function bitsOf (figures, prefix) {
  const bits = figures[`${prefix}bits`];

  return bits === undefined ? figures[`${prefix}bits-estimated`]
    : bits + (figures[`${prefix}bits-headers`] ?? 0);
}

function metricOf (values) {
  const name = Object.keys(metricNames).find(metric => values.metrics.includes(metric))
    ?? "psnr";

  return [metricNames[name], fieldNames[name] ?? name];
}

function formatBits (bits) {
  return bits === undefined ? "–" : bits < 1e6 ? `${(bits / 1e3).toPrecision(3)} kbit`
    : `${(bits / 1e6).toPrecision(3)} Mbit`;
}

// Of a clip whose frames all have these bits; of a still, bits per luma sample.
function formatRate (bits) {
  const value = bits * rate.unit;

  return bits === undefined ? "–" : !page.news.moves ? `${value.toFixed(3)} bpp`
    : value < 1e4 ? `${Math.round(value)} kbit/s` : `${(value / 1e3).toPrecision(3)} Mbit/s`;
}

function showCard (side, figures) {
  const prefix = side === "a" ? "" : "b-";
  const bits = bitsOf(figures, prefix), [name, field] = metricOf(page.values);
  const about = `${prefix}bits` in figures ? "" : "≈ ";
  const metrics = [[isAlone() ? "PSNR A against B" : "PSNR", format("psnr",
    figures[`${prefix}psnr`])], field === "psnr" ? ["", ""]
    : [name, format(field, figures[prefix + field])]];
  const rows = [...isAlone() && side === "a" ? [] : metrics,
    [`${about}bits`, formatBits(bits)],
    [`${about}${page.news.moves ? "mean " : ""}rate`,
      formatRate(time.mean(of => bitsOf(of, prefix)))]];

  const failed = page.news[`failed-${side}`];
  find(`figures-${side}`).replaceChildren(...(failed ? [["Failed", failed]] : rows)
    .map(([term, value]) => make("div", {}, make("dt", {}, term), make("dd", {}, value))));
  find(`figures-${side}`).title = bits === undefined ? ""
    : `${Math.ceil(bits / 8)} bytes, ${(bits / view.part[0] / view.part[1]).toFixed(3)
    } bits per luma sample (bpp)`;
}

// In words, by the means of all frames that these settings have made: of an encoder's, one
// frame alone says little. A frame that is identical has no dB: it is counted.
function compareFigures () {
  const [name, field] = metricOf(page.values);
  const {a, b, of, than, n, same} = time.means(field);
  const part = 100 * (b / a - 1), gain = than - of;
  const unit = isDecibel(field) ? " dB" : ` ${name}`;
  const digits = isDecibel(field) ? 1 : 3;
  const words = [];
  const describe = (value, bits) => [Number.isFinite(value) && format(field, value),
    Number.isFinite(bits) && formatRate(bits)]
    .filter(text => text).join(", ");

  if (Number.isFinite(part))
    words.push(Math.abs(part) < 0.5 ? "as many bits"
      : `${Math.abs(part).toFixed(0)} % ${part < 0 ? "fewer" : "more"} bits`);
  if (isAlone())
    return [`B: ${words.join() || "–"}`, "No reference: figures are of A against B, and do not "
      + "say which is better"];
  if (Number.isFinite(gain))
    words.push(Math.abs(gain) < 0.5 / 10 ** digits ? `the same ${name}`
      : `${Math.abs(gain).toFixed(digits)}${unit} ${gain > 0 ? "better" : "worse"}`);
  return [`B${n === 1 && page.news.moves ? ", this frame" : ""}: ${words.join(", ")}`,
    `mean of ${n} frame${n === 1 ? "" : "s"}: A ${
    describe(of, a)}; B ${describe(than, b)}${
    same.some(count => count > 0) ? `; identical to the original: ${same[0]} of A, ${
      same[1]} of B, without dB` : ""}`];
}

function showFigures (figures) {
  const both = "b-psnr" in figures;

  showViews(figures);
  showCard("a", figures);
  if (both) {
    showCard("b", figures);
    [find("words").textContent, find("over").textContent] = compareFigures();
  }
}
