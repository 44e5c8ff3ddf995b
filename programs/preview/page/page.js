// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";

// The connection, the player, files, and undo.

const sentAt = {}; // by the kind of command, which one was the last
const held = new Map(); // texts that wait for the line; the newest of each kind
const page = {
  socket: null,
  said: 0, // commands
  news: {}, // all that has come, the newest of each
  newsAt: 0, // ms
  values: {}, // of the controls
  took: 0, // ms that the picture came after it; 0: none did
  data: null, // the picture's bytes
  width: 0,
  height: 0,
  lost: false,
  opens: "", // the side that a file is chosen for; "": the original
  shownAt: [], // ms, of the last pictures
  colours: false, // differences have those of chroma
  turned: 0, // pixels by the wheel, since the last step
  drawing: null, // a promise: the last picture is drawn
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

function turn (name, value) {
  say(`set ${name}=${value}`, name);
}

function isNewer (name) {
  return held.has(name) || sentAt[name] > page.news.heard;
}

// The player

const player = {
  // Frames are counted by their duration; times are rounded.
  frame (at) {
    return Math.floor(at / page.news["frame-duration"] + 0.1);
  },

  // How a frame is called: of a clip whose rate varies by its time.
  call (at) {
    return page.news["rate-varies"] ? `${at.toFixed(2)} s` : `${this.frame(at) + 1}`;
  },

  // Of the picture that is seen; of others, too, there may be news.
  get position () {
    return (page.figures?.["stream-time"] ?? 0) / 1e9;
  },

  open () {
    find("transport").append(
      makeButton("back", "", "Previous frame, while paused (,)", () => say("back"), "back"),
      makeButton("pause", "", "Play or pause (p)", pause, "pause"),
      makeButton("step", "", "Next frame, while paused (.)", () => say("step"), "step"),
      makeButton("loop", "", "Repeat from here; again: repeat up to here; again: stop "
        + "repeating (l)", () => say("mark"), "loop"));
    find("seek").addEventListener("input", () => seek(find("seek").value));
  },

  // The slider keeps its place while it is dragged, and until the server has heard of
  // its latest seek.
  show () {
    const {duration, paused, moves, from, to} = page.news, bar = find("seek"), {position} = this;

    bar.disabled = duration === undefined;
    for (const id of ["back", "loop"])
      find(id).disabled = bar.disabled;
    find("pause").replaceChildren(makeIcon(paused ? "play" : "pause"));
    find("pause").ariaLabel = paused ? "Play" : "Pause";
    find("loop").ariaPressed = from !== undefined;
    find("loop").classList.toggle("half", from !== undefined && to === undefined);
    if (bar.disabled) {
      find("clock").value = moves ? "live" : "still";
    } else if (!bar.matches(":active") && !isNewer("seek")) {
      bar.max = duration;
      bar.value = position;
      find("clock").title = `${position.toFixed(2)} s of ${duration.toFixed(2)} s`;
      bar.ariaValueText = find("clock").value = page.news["rate-varies"] ? find("clock").title
        : `${this.frame(position) + 1} of ${this.frame(duration)}`;
    }
  },
};

function pause () {
  say(page.news.paused ? "play" : "pause");
}

function seek (seconds) {
  say(`seek ${seconds}`, "seek");
}

// Undo: the settings that were in force before the last ones, of those that came to rest.
const history = [];
const notUndone = ["wipe-position"];

function remember (values) {
  clearTimeout(page.resting);
  page.resting = setTimeout(() => {
    if (JSON.stringify(history.at(-1)) !== JSON.stringify(values))
      history.push(values);
    find("undo").disabled = history.length < 2;
  }, 400);
}

function undo () {
  const rests = history.at(-1), text = JSON.stringify(page.values);
  const to = JSON.stringify(rests) === text ? history.at(-2) : rests;

  if (to === undefined)
    return;
  clearTimeout(page.resting);  // what is undone has not come to rest
  while (history.length > 1 && history.at(-1) !== to)
    history.pop();
  for (const [name, value] of Object.entries(to))
    if (JSON.stringify(value) !== JSON.stringify(page.values[name]) && !notUndone.includes(name))
      turn(name, Array.isArray(value) ? value.join("+") || "0" : value);
}

// Texts and pictures from the server

// What is wrong stays until it is closed or over; what is done leaves by itself.
function showNotice (text, done = false) {
  clearTimeout(page.noticed);
  find("notice").firstChild.textContent = text;
  find("notice").classList.toggle("done", done);
  find("notice").hidden = text === "";
  if (done)
    page.noticed = setTimeout(showNotice, 4000, "");
}

const kinds = {png: "PNG", RGBX: "RGB"};

// Pictures shown in the last second, of a clip that has so many.
function describePace () {
  const now = performance.now(), {paused, moves, "frame-duration": duration} = page.news;

  page.shownAt = page.shownAt.filter(at => at > now - 1000);
  return paused || !moves ? ""
    : `; ${page.shownAt.length} of ${Math.round(1 / duration)} pictures/s`;
}

function showSource () {
  const {name, late} = page.news, {data, picture} = page;

  find("scale").value = view.picture === null ? "" : view.description;
  find("scale").title = view.scale < 1 ? "Reduced: artefacts look different"
    : view.isSmoothed ? "Enlarged and smoothed" : "Sample by sample";
  find("scale").classList.toggle("untrue", view.isSmoothed);
  find("name").textContent = find("name").title = isAlone() ? "No reference" : name ?? "";
  if (data === null)
    return;
  find("about").textContent = find("about").title = page.news.about
    + (page.shown["tone-mapped"] ? "; tone-mapped for show, figures are of its samples" : "");
  find("source").textContent = `${view.part.join(" × ")}${picture.aspect === 1 ? ""
    : `, samples of ${+picture.aspect.toFixed(3)} : 1`}${
    page.news.duration === undefined || page.news["rate-varies"] ? ""
      : `, ${player.frame(page.news.duration)} frames`}`;
  find("line").textContent = `Lossless ${kinds[picture.format] ?? "YUV"}${describePace()}`;
  find("line").title = `${(data.byteLength / 1024).toFixed(0)} KiB per picture. ${picture.skipped} `
    + `frames were not sent, as the browser was drawing; ${late} were computed too late`;
}

// Which part of the picture is which, with the codec that its card names.
function describeSide (side) {
  return side === "original" ? "Original" : `${side.toUpperCase()}: ${
    page.news[`failed-${side}`] ? "failed" : find(`codec-${side}`).selectedOptions[0]
      ?.textContent ?? ""}`;
}

function showCaptions () {
  const {view: name, left, right} = page.values, halves = ["wipe", "side-by-side", "stacked"];
  const words = name === "flicker" ? " in turn with " : " against ";
  const [caption, other] = halves.includes(name) ? [left, right].map(describeSide)
    : isOfTwo(name) ? [`${viewNames[name]}: ${describeSide(right)}${words}${
      describeSide(left)}`, ""]
      : [name in {original: 0, a: 0, b: 0} ? describeSide(name)
        : `${viewNames[name]} of ${describeSide("a")}`, ""];

  find("left").textContent = caption;
  find("right").textContent = other;
  find("right").classList.toggle("below", name === "stacked");
  view.divider = name !== "wipe" ? null : Math.round(page.values["wipe-position"] * page.width);
  find("picture").ariaLabel = `picture: ${caption} ${other} ${
    find("legend").hidden ? "" : find("legend").title}`;
}

// What colours say: a ramp, its ends and middle, and what they are of.
const legends = {"error-map": ["map", "≥ 60", "40", "≤ 20 dB", "PSNR of each block"],
  "hvs-map": ["map", "≥ 60", "40", "≤ 20 dB", "PSNR-HVS of each block: what the eye sees"],
  "ssim-map": ["map", "1", "0.75", "≤ 0", "SSIM of each window"],
  "nonzero-map": ["map", "0", "25", "100 %", "levels of each block that are not 0"],
  "quality-map": ["map", "≥ +24", "0", "≤ −24 QP", "from the frame's setting; finer below 0"],
  "size-map": ["map", "4", "16", "64 samples", "side of each block"],
  coefficients: ["levels", "1", "32", "≥ 1024", "magnitude of each level; black: 0"],
  difference: ["grey", "", "0", "", "right minus left, 8 bits"]};

// Whether all that is drawn has one colour.
function isPlain () {
  const draw = () => {
    const context = new OffscreenCanvas(page.width, page.height).getContext("2d");
    context.drawImage(view.picture, 0, 0);
    return new Uint32Array(context.getImageData(0, 0, page.width, page.height).data.buffer);
  };
  return (view.luma ?? draw()).every((value, i, all) => value === all[0]);
}

function showLegend ({values, figures}) {
  const {view: name, left, right, "difference-gain": gain} = values;
  const [kind, low, middle, high, of] = legends[name] ?? [];

  find("legend").hidden = !kind;
  if (!kind)
    return;
  const end = +(128 / gain).toPrecision(3), same = {original: null, a: figures?.psnr,
    b: figures?.["b-psnr"]};
  const words = !isPlain() ? "" : name === "difference"
    || (isOfTwo(name) && (left === right || same[left] === same[right]))
    ? "Nothing differs." : name === "coefficients" ? "All levels are 0." : "All blocks are alike.";

  find("ramp").className = kind;
  const ends = name === "difference" ? [`−${end}`, middle, `+${end}`] : [low, middle, high];
  find("ends").replaceChildren(...ends.map(text => make("span", {}, text)));
  find("of").textContent = words || of;
  find("legend").title = `${ends.join(", ")}: ${words || of}`;
}

function show (news) {
  Object.assign(page.news, news);
  for (const name of ["duration", "position", "from", "to"])
    if (!(name in news))
      delete page.news[name];
  if (news.controls !== undefined)
    makeCards(news);
  if (news.opened)
    time.points.clear();
  if (JSON.stringify(page.values) !== JSON.stringify(news.values))
    remember(news.values);
  if (news.properties !== undefined)
    showProperties(news.properties);
  page.values = news.values;
  showValues(news.values, isNewer);
  showCaptions();
  if (news.picture === undefined)
    showSource();
  const work = ["a", "b"].map(side => [side.toUpperCase(), news[`encoded-${side}`]])
    .filter(([, n]) => n >= 0)
    .map(([side, n]) => n === 0 ? `${side}: the encoder starts` : `${side}: ${n} frames encoded`);
  document.body.classList.toggle("busy", work.length > 0 && news.paused);
  find("work").textContent = work.join(", ");
  player.show();
  if (news.points !== undefined)
    time.add(news.points);
  if (news.notice !== undefined)
    showNotice(news.notice);
  if (news.block !== undefined)
    block.take(news.block);
  if (news.curve !== undefined)
    rate.take(news.curve);
  panels.show();
}

// Whether this picture is to be drawn without colours: differences of luma alone.
function isGrey ({view: name}) {
  return name === "difference" && !page.colours;
}

const isPlanar = format => /^(I4|NV)/.test(format);

// What the browser can draw.
async function makePicture ({format, width, height, matrix, full}, data, grey) {
  const options = {colorSpaceConversion: "none", premultiplyAlpha: "none"};

  if (format === "png")
    return createImageBitmap(new Blob([data], {type: "image/png"}), options);
  if (format === "RGBX")
    return createImageBitmap(new ImageData(new Uint8ClampedArray(data), width, height), options);
  const planes = grey ? new Uint8Array(data.slice(0)).fill(128, width * height) : data;
  // Only the matrix is converted.
  return new VideoFrame(planes, {format, codedWidth: width, codedHeight: height, timestamp: 0,
    colorSpace: {matrix, fullRange: full, primaries: "bt709", transfer: "iec61966-2-1"}});
}

// Shows the picture and its figures at the same time.
async function showPicture (news, data) {
  const {picture} = news, {width, height, columns, rows} = picture, grey = isGrey(news.values);
  const drawn = await makePicture(picture, data, grey), planar = isPlanar(picture.format);

  Object.assign(page, {data, width, height, picture, shown: news});
  page.shownAt.push(performance.now());
  view.hasValues = !news["tone-mapped"];
  view.show(drawn, picture, planar ? new Uint8Array(data, 0, width * height) : null,
    grey && !planar);
  find("control-part").hidden = columns * rows === 1;
  if (news.figures !== undefined) {
    page.figures = news.figures;
    showIdle();
    showFigures(news.figures);
    player.show();
  }
  showLegend(news);
  showSource();
  block.data && block.place();
  panels.show();
}

// The next text may come: while this picture is drawn, or, of a page that is not seen,
// when it is. The time of the picture in transit decides whether the next one is
// compressed.
function acknowledge () {
  const answer = () => {
    if (page.socket.readyState === WebSocket.OPEN)
      page.socket.send(`shown ${page.took}`);
  };

  if (document.hidden)
    requestAnimationFrame(answer);
  else
    answer();
}

async function receive (message) {
  if (typeof message.data === "string") {
    page.latest = JSON.parse(message.data);
    page.newsAt = message.timeStamp;
    page.took = 0;
    if (page.latest.picture === undefined) {
      show(page.latest);
      acknowledge();
    }
  } else {
    const news = page.latest;
    page.took = Math.max(message.timeStamp - page.newsAt, 0.1);
    // A PNG may take longer than the raw picture after it.
    await page.drawing;
    acknowledge();
    show(news);
    page.drawing = showPicture(news, message.data).catch(error => showNotice(error.message));
  }
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
    if (window.VideoFrame !== undefined)
      socket.send("planes");
    if (page.lost)
      showNotice("");
    page.lost = false;
  });
  socket.addEventListener("close", () => {
    page.lost = true;
    showNotice("No connection; trying again.");
    setTimeout(connect, 1000);
  });
}

// Files

async function ask (path, options) {
  const answer = await fetch(path, options);

  if (answer.ok)
    return answer;
  showNotice(await answer.text());
  return null;
}

// A file to show, or, for a side, one that is A or B.
async function openFile (file, side = "") {
  if (file === undefined)
    return;
  showNotice(`Opening ${file.name}`, true);
  if (await ask(`open?size=${file.size}`) === null)
    return;
  if (await ask(`open?name=${encodeURIComponent(file.name)}&side=${side}`,
    {method: "POST", body: file}))
    showNotice("");
}

async function save (name) {
  const answer = await ask(`${name}.png`);

  if (answer === null)
    return;
  const link = make("a", {download: `${page.news.name}-${page.figures?.index ?? 0}-${name}.png`});
  link.href = URL.createObjectURL(await answer.blob());
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// The line for a colleague who has the same file.
function describeLine () {
  const settings = page.news.controls
    .filter(({name, default: normal}) => !notUndone.includes(name)
      && (name === "quality" || String(page.values[name]) !== String(normal)))
    .map(({name}) => `${name}=${[page.values[name]].flat().join("+") || 0}`);
  const {paused, duration, "frame-duration": frame, "file-a": a, "file-b": b} = page.news;
  const hold = paused && duration && `--hold=${(player.position + frame / 4).toFixed(3)}`;

  return ["blockdct-preview", hold, isAlone() ? "--no-original" : page.news.name, a, b, ...settings,
    ...listProperties(0), ...listProperties(1)].filter(word => word)
    .map(word => /^[\w=:.+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
    .join(" ");
}

async function copy (path) {
  const text = path === undefined ? describeLine() : await (await ask(path))?.text();
  const area = make("textarea", {}, text);

  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
  } else { // elsewhere than on this machine
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  showNotice(`Copied: ${text.length < 200 ? text : `${text.slice(0, 200)}…`}`, true);
}

// A list of actions that opens over what is below it.
function makeMenu (id, text, about, items) {
  const menu = make("details", {class: "menu", id},
    make("summary", {title: about}, text));

  menu.append(make("div", {}, ...items.map(([name, action]) =>
    makeButton(undefined, name, name, () => {
      menu.open = false;
      action();
    }))));
  menu.addEventListener("focusout", ({relatedTarget}) => {
    if (!menu.contains(relatedTarget))
      menu.open = false;
  });
  return menu;
}

function makeFiles () {
  find("files").append(
    makeButton("open", "Open", "Open a file (Ctrl+O), or drop one on the page",
      () => find("file").click()),
    makeMenu("save", "Save", "Save a picture as PNG (Ctrl+S: the view)",
      [["View", () => save("view")], ["Original", () => save("original")],
        ["A", () => save("a")], ["B", () => save("b")]]),
    makeMenu("copy", "Copy", "Copy as a command or program (Ctrl+C: as blockdct-preview)",
      [["as blockdct-preview", () => copy()], ["as gst-launch-1.0", () => copy("command.txt")],
      ["as Python", () => copy("program.py")]]));
  find("file").addEventListener("change", ({target}) => {
    openFile(target.files[0], page.opens);
    target.value = page.opens = "";
  });
  document.addEventListener("dragover", event => event.preventDefault());
  document.addEventListener("drop", event => {
    event.preventDefault();
    openFile(event.dataTransfer.files[0],
      event.target.closest?.("#card-a, #card-b")?.id.slice(-1));
  });
}
