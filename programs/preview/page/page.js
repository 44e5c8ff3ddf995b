// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";

const find = id => document.getElementById(id);
const widgets = {}; // by the control's name
const sentAt = {}; // by the kind of command, which one was the last
const held = new Map(); // texts that wait for the line; the newest of each kind
const page = {
  socket: null,
  said: 0, // commands
  news: null, // the latest text
  newsAt: 0, // ms
  took: 0, // ms that the picture came after it; 0: none did
  data: null, // the picture's file
  paused: false,
  before: "wipe", // the view before flicker
  lost: false,
};

// What the server is sent

function send (text) {
  page.said++;
  page.socket.send(text);
}

function sendHeld () {
  if (page.socket.readyState !== WebSocket.OPEN) {
    held.clear();
  } else if (page.socket.bufferedAmount > 0) {
    setTimeout(sendHeld, 10);
  } else {
    for (const [kind, text] of held) {
      send(text);
      if (typeof kind === "string")
        sentAt[kind] = page.said;
    }
    held.clear();
  }
}

// When the line is free again, only the newest text of each `kind` is sent.
function say (text, kind = Symbol()) {
  held.delete(kind);
  held.set(kind, text);
  if (held.size === 1)
    sendHeld();
}

// Controls

function turn (name, value) {
  say(`set ${name}=${value}`, name);
}

function makeSelect (control) {
  const select = document.createElement("select");

  select.multiple = control.flags !== undefined;
  if (select.multiple)
    select.size = control.flags.length;
  for (const value of control.flags ?? control.values) {
    const option = new Option(value.nick, value.nick);
    option.title = value.about;
    select.append(option);
  }
  return select;
}

function makeInput (control) {
  const input = document.createElement("input");

  input.type = control.step === undefined ? "checkbox" : "range";
  // With a whole number as zoom all samples have the same size.
  if (control.step !== undefined) {
    input.min = control.minimum;
    input.max = control.maximum;
    input.step = control.name === "zoom" ? 1 : control.step;
  }
  return input;
}

function makeControl (control) {
  const label = document.createElement("label");
  const widget = control.values || control.flags ? makeSelect(control) : makeInput(control);

  widget.id = label.htmlFor = `control-${control.name.replace("::", "-")}`;
  widget.title = label.title = control.about;
  label.textContent = control.name;
  widget.addEventListener("input", () => {
    const value = widget.type === "checkbox" ? widget.checked
      : widget.multiple ? [...widget.selectedOptions].map(one => one.value)
        .join("+") || "0" : widget.value;
    showOutput(widget, value);
    turn(control.name, value);
  });
  widgets[control.name] = widget;
  find("controls").append(label, widget);
  if (widget.matches("input"))
    find("controls").append(document.createElement("output"));
}

function makePresets (names) {
  const values = names.map(name => ({nick: name, about: name}));
  const select = makeSelect({values: [{nick: "", about: ""}, ...values]});
  const label = document.createElement("label");

  select.id = label.htmlFor = "control-preset";
  label.textContent = "preset";
  select.addEventListener("input", () => {
    if (select.value !== "")
      say(`preset ${select.value}`);
    select.value = "";
  });
  if (names.length > 0)
    find("controls").append(label, select);
}

function makeControls (news) {
  for (const name of Object.keys(widgets))
    delete widgets[name];
  find("controls").replaceChildren();
  makePresets(news.presets);
  news.controls.forEach(makeControl);
}

function showOutput (widget, value) {
  if (widget.type === "range")
    widget.nextSibling.value = +Number(value).toFixed(2);
}

// A control that the user has changed since is not changed back: its new value
// comes later.
function showValues (values, heard) {
  for (const [name, value] of Object.entries(values)) {
    const widget = widgets[name];
    if (held.has(name) || sentAt[name] > heard)
      continue;
    if (widget.type === "checkbox")
      widget.checked = value;
    else if (widget.multiple)
      for (const option of widget.options)
        option.selected = value.includes(option.value);
    else
      widget.value = value;
    showOutput(widget, value);
  }
  find("swap").disabled = (values.left !== "b" && values.right !== "b")
    || values["b::encoder"] !== "transform";
  find("flicker").ariaPressed = values.view === "flicker";
}

// Texts and pictures from the server

function format (name, value) {
  if (/^psnr|^xpsnr/.test(name))
    return value === null ? "identical" : `${value.toFixed(2)} dB`;
  if (name === "nonzero")
    return `${(100 * value).toFixed(1)} %`;
  if (typeof value === "number" && !Number.isInteger(value))
    return value.toPrecision(6);
  return String(value);
}

function addRow (body, name, cells) {
  const row = body.insertRow(), head = document.createElement("th");

  head.textContent = name;
  row.append(head);
  for (const cell of cells)
    row.insertCell().textContent = cell;
}

// All fields except times and fields that are shown elsewhere, with a column for A and
// one for B.
function showFigures (figures) {
  const left = /^(type|timestamp|.*-time|duration|frames|mse.*|repeated|pad)$/;
  const body = document.createElement("tbody");
  const columns = "b-psnr" in figures ? ["", "b-"] : [""];
  const names = new Set(Object.keys(figures).map(name => name.replace(/^b-/, "")));

  if (columns.length > 1)
    addRow(body, "", ["A", "B"]);
  for (const name of names)
    if (!left.test(name))
      addRow(body, name, columns.map(column => column + name in figures
        ? format(name, figures[column + name]) : ""));
  find("figures").tBodies[0]?.remove();
  find("figures").append(body);
}

// The lowest frequencies of a block's levels.
function showBlock (block) {
  const table = document.createElement("table"), shown = Math.min(block.size, 8);

  table.createCaption().textContent = `Levels of luma's block at (${block.x}, `
    + `${block.y}), ${block.size}x${block.size}`;
  for (let v = 0; v < shown; v++) {
    const row = table.insertRow();
    for (let u = 0; u < shown; u++)
      row.insertCell().textContent = block.levels[v * block.size + u];
  }
  find("block").replaceChildren(table);
}

function showNotice (text) {
  find("notice").textContent = text;
  find("notice").hidden = text === "";
}

function showTransport () {
  const {picture, width, height, data} = page;

  find("scale").value = view.description;
  if (picture === undefined)
    return;
  find("transport").textContent =
    `${isBitmap(data) ? "uncompressed BMP" : "PNG"}, lossless at 8 bits, `
    + `${width} x ${height}, ${(data.byteLength / 1024).toFixed(0)} KiB; `
    + `${picture.skipped} frames not sent, `
    + "as this browser was busy with others; shown "
    + (view.scale < 1 ? "smaller than it is: artefacts look otherwise"
      : "sample by sample");
}

// The slider keeps its place while it is dragged, and until the server has heard of its
// latest seek. While a seek is on its way the text has no time.
function showTime (news) {
  const seek = find("seek");

  if (news.duration === undefined || seek.matches(":active")
      || held.has("seek") || sentAt.seek > news.heard)
    return;
  find("time").hidden = false;
  seek.max = news.duration;
  seek.value = news.position;
  find("clock").value = `${news.position.toFixed(2)} s of `
    + `${news.duration.toFixed(2)} s`;
}

function show (news) {
  if (news.controls !== undefined)
    makeControls(news);
  showValues(news.values, news.heard);
  find("caption").textContent = news.caption;
  showTime(news);
  page.paused = news.paused;
  find("pause").textContent = news.paused ? "Play" : "Pause";
  if (news.notice !== undefined)
    showNotice(news.notice);
  if (news.block !== undefined)
    showBlock(news.block);
}

// A BMP begins with a B.
function isBitmap (data) {
  return new Uint8Array(data, 0, 1)[0] === 66;
}

// A BMP as the server writes it: 24 bits a sample, or 8 of grey, from the top down.
// Chromium's own decoder takes several times as long, more than PNG's.
function readBitmap (data) {
  const header = new DataView(data);
  const [start, width, height] = [10, 18, 22]
    .map(at => Math.abs(header.getInt32(at, true)));
  const size = header.getUint16(28, true) / 8;
  const [green, red] = size === 3 ? [1, 2] : [0, 0];
  const pitch = Math.ceil(size * width / 4) * 4;
  const bytes = new Uint8Array(data, start);
  const pixels = new Uint32Array(width * height);

  for (let v = 0, to = 0; v < height; v++)
    for (let u = 0, at = v * pitch; u < width; u++, at += size)
      pixels[to++] = 0xff000000 | bytes[at] << 16 | bytes[at + green] << 8
        | bytes[at + red];
  return new ImageData(new Uint8ClampedArray(pixels.buffer), width, height);
}

function makePng (data) {
  return new Blob([data], {type: "image/png"});
}

// Shows the picture and its figures at the same time.
async function showPicture (news, data) {
  const source = isBitmap(data) ? readBitmap(data) : makePng(data);
  const picture = await createImageBitmap(source,
    {colorSpaceConversion: "none", premultiplyAlpha: "none"});

  page.data = data;
  page.picture = news.picture;
  page.width = picture.width;
  page.height = picture.height;
  view.show(picture);
  plot.show(find("plot"), news.plot, news["b-plot"]);
  if (news.figures !== undefined) {
    page.figures = news.figures;
    showFigures(news.figures);
    for (const [name, widget] of Object.entries(widgets))
      widget.classList.toggle("idle", news.idle.includes(name));
  }
  showTransport();
}

// The next text comes after this one has been shown. The time of the picture in transit
// decides whether the next one is compressed.
function acknowledge () {
  requestAnimationFrame(() => {
    if (page.socket.readyState === WebSocket.OPEN)
      page.socket.send(`shown ${page.took}`);
  });
}

async function receive (message) {
  if (typeof message.data === "string") {
    page.news = JSON.parse(message.data);
    page.newsAt = message.timeStamp;
    page.took = 0;
    show(page.news);
    if (page.news.picture !== undefined)
      return;
  } else {
    page.took = Math.max(message.timeStamp - page.newsAt, 0.1);
    await showPicture(page.news, message.data);
  }
  acknowledge();
}

function connect () {
  const address = new URL("socket", location.href.replace(/^http/, "ws"));
  const socket = new WebSocket(address);

  socket.binaryType = "arraybuffer";
  page.socket = socket;
  page.said = 0;
  for (const name of Object.keys(sentAt))
    delete sentAt[name];
  socket.addEventListener("message", receive);
  socket.addEventListener("open", () => {
    if (page.lost)
      showNotice("");
    page.lost = false;
  });
  socket.addEventListener("close", () => {
    page.lost = true;
    showNotice("There is no connection; trying again.");
    setTimeout(connect, 1000);
  });
}

// The pointer and keys: the element's own, and those of the page

function place (event) {
  return view.sample(event).map(at => at.toFixed(2)).join(" ");
}

// The page's zoom scales the whole picture; the element's zoom is a property.
function scale (by, event) {
  if (by === 0)
    view.scaleTo(0);
  else if (by === 1)
    view.scaleTo(1);
  else
    view.scaleBy(by === "+" ? 1 : -1, event);
  showTransport();
}

function turnWheel (event) {
  const by = event.deltaY || event.deltaX; // with Shift it may be the other one

  event.preventDefault();
  if (by === 0)
    return;
  if (event.shiftKey)
    scale(by < 0 ? "+" : "-", event);
  else if (event.ctrlKey)
    say(`zoom ${place(event)} ${by < 0 ? 1 : -1}`);
  else
    say(`key ${by < 0 ? "Up" : "Down"}`);
}

function openPicture (canvas) {
  let dragging = "";

  canvas.addEventListener("pointerdown", event => {
    canvas.setPointerCapture(event.pointerId);
    canvas.focus();
    dragging = event.button === 0 && !event.shiftKey ? "line" : "picture";
    canvas.classList.toggle("panning", dragging === "picture");
    if (dragging === "line")
      say(`press ${place(event)}`);
    event.preventDefault();
  });
  canvas.addEventListener("pointermove", event => {
    if (dragging === "line")
      say(`move ${place(event)}`, "move");
    else if (dragging === "picture")
      view.moveBy(event.movementX, event.movementY);
  });
  canvas.addEventListener("lostpointercapture", event => {
    if (dragging === "line")
      say(`release ${place(event)}`);
    dragging = "";
    canvas.classList.remove("panning");
  });
  canvas.addEventListener("contextmenu", event => event.preventDefault());
  canvas.addEventListener("wheel", turnWheel, {passive: false});
}

const keys = {ArrowUp: "Up", ArrowDown: "Down", ArrowLeft: "Left",
  ArrowRight: "Right", v: "v", g: "g", b: "b", x: "x", c: "c", "+": "+", "-": "-",
  "0": "0", " ": "space"};

// A focused widget handles its own keys; all others go to the picture.
function belongsToWidget ({key, target}) {
  return target.matches("select")
    || (target.matches("input[type=range]") && key.startsWith("Arrow"))
    || (target.matches("input[type=checkbox], button, summary") && key === " ");
}

function takeKey (event) {
  if (event.ctrlKey || event.altKey || event.metaKey || belongsToWidget(event))
    return;
  if (keys[event.key] !== undefined)
    say(`key ${keys[event.key]}`);
  else if (event.key === "p")
    pause();
  else if (event.key === "." || event.key === ",")
    say(event.key === "." ? "step" : "back");
  else if (event.key === "f" || event.key === "1")
    scale(event.key === "f" ? 0 : 1);
  else
    return;
  event.preventDefault();
}

function pause () {
  say(page.paused ? "play" : "pause");
}

// The second time, it returns to the view before.
function flicker () {
  const {view: shown} = page.news.values;

  turn("view", shown === "flicker" ? page.before : "flicker");
  if (shown !== "flicker")
    page.before = shown;
}

// The shown picture as a PNG, whether it came as PNG or BMP.
async function getStill () {
  const canvas = new OffscreenCanvas(page.width, page.height);

  if (!isBitmap(page.data))
    return makePng(page.data);
  canvas.getContext("2d", {alpha: false}).drawImage(view.picture, 0, 0);
  return canvas.convertToBlob();
}

async function save () {
  const link = document.createElement("a");

  link.download = `blockdct-${page.figures?.index ?? page.picture.frame}.png`;
  link.href = URL.createObjectURL(await getStill());
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

view.open(find("picture"));
openPicture(find("picture"));
document.addEventListener("keydown", takeKey);
window.addEventListener("resize", showTransport);
find("pause").addEventListener("click", pause);
find("step").addEventListener("click", () => say("step"));
find("seek").addEventListener("input", () =>
  say(`seek ${find("seek").value}`, "seek"));
find("save").addEventListener("click", save);
for (const [id, by] of Object.entries({fit: 0, one: 1, larger: "+", smaller: "-"}))
  find(id).addEventListener("click", () => scale(by));
for (const [id, key] of Object.entries({in: "+", out: "-", whole: "0", store: "b",
  swap: "x"}))
  find(id).addEventListener("click", () => say(`key ${key}`));
find("flicker").addEventListener("click", flicker);
connect();
