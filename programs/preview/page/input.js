// SPDX-License-Identifier: LGPL-2.1-or-later
"use strict";

// Size on the screen, pointer, keys and theme; and the start.

// Size on the screen

function scale (by, event) {
  if (typeof by === "number")
    view.scaleTo(by);
  else
    view.scaleBy(by === "+" ? 1 : -1, event);
  showSource();
}

function makeScaling () {
  const output = make("output", {id: "scale"});

  find("scaling").append(
    makeButton("fit", "Fit", "Fit the window (f, 0)", () => scale(0)),
    makeButton("one", "1:1", "One pixel per sample (1)", () => scale(1)),
    makeButton("smaller", "−", "Smaller (-, wheel)", () => scale("-")), output,
    makeButton("larger", "+", "Larger (+, wheel)", () => scale("+")));
}

// The pointer

function place (event) {
  return view.sample(event).map(at => at.toFixed(2)).join(" ");
}

// A notch of a wheel, or as far by two fingers, is a step.
function turnWheel (event) {
  const by = event.deltaY || event.deltaX; // with Shift it may be the other one

  event.preventDefault();
  page.turned += by * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 40);
  if (Math.abs(page.turned) < 50)
    return;
  page.turned = 0;
  if (event.shiftKey)
    turnBy(by < 0 ? 1 : -1);
  else
    scale(by < 0 ? "+" : "-", event);
}

function isOnLine (event) {
  return view.divider !== null && Math.abs(view.place([view.divider, 0])[0] - event.offsetX) < 22;
}

// The line is dragged where it is, or wherever the whole picture is seen.
function dragsLine (event) {
  return event.button === 0 && !event.shiftKey && view.divider !== null && (view.isWhole
    || isOnLine(event));
}

function openPicture (canvas) {
  const fingers = new Map();
  let dragging = "", spread = 0;

  const measure = () => {
    const [one, other] = [...fingers.values()];
    return Math.hypot(one.offsetX - other.offsetX, one.offsetY - other.offsetY);
  };

  canvas.addEventListener("pointerdown", event => {
    fingers.set(event.pointerId, event);
    block.half = view.half(view.pixel(event));
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({preventScroll: true});
    dragging = fingers.size > 1 ? "scale" : dragsLine(event) ? "line" : "picture";
    canvas.classList.toggle("panning", dragging === "picture");
    if (dragging === "scale")
      spread = measure();
    else if (event.button === 0)
      say(`press ${place(event)}`);
    event.preventDefault();
  });
  canvas.addEventListener("pointermove", event => {
    view.wake();
    canvas.classList.toggle("on-line", isOnLine(event));
    if (fingers.has(event.pointerId))
      fingers.set(event.pointerId, event);
    if (dragging === "line") {
      say(`move ${place(event)}`, "move");
    } else if (dragging === "picture") {
      view.moveBy(event.movementX, event.movementY);
    } else if (dragging === "scale" && fingers.size === 2) {
      scale(view.scale * measure() / spread, event);
      spread = measure();
    } else if (panels.shown === "Block" && block.follows) {
      block.ask(view.sample(event));
    }
  });
  canvas.addEventListener("lostpointercapture", event => {
    fingers.delete(event.pointerId);
    if (dragging !== "scale" && event.button <= 0)
      say(`release ${place(event)}`);
    if ((dragging === "line" || view.isWhole) && panels.shown === "Block" && find("follow").checked)
      find("follow").click();
    dragging = "";
    canvas.classList.remove("panning");
  });
  canvas.addEventListener("contextmenu", event => event.preventDefault());
  canvas.addEventListener("wheel", turnWheel, {passive: false});
}

// Keys

const elementKeys = {v: "v", c: "c", " ": "space"};
const pageKeys = {ArrowUp: () => turnBy(1), ArrowDown: () => turnBy(-1),
  ArrowLeft: () => nextTransform(-1), ArrowRight: () => nextTransform(1),
  "?": () => find("help").showModal(), g: () => turn("grid", !page.values.grid),
  b: store, x: swap, p: pause, z: undo, ".": () => say("step"), ",": () => say("back"),
  l: () => say("mark"), f: () => scale(0), 0: () => scale(0), 1: () => scale(1),
  "+": () => scale("+"), "=": () => scale("+"), "-": () => scale("-"),
  t: () => panels.toggle("Time"), r: () => panels.toggle("Rate"),
  i: () => find("tab-Block").click(), a: () => panels.toggle("Figures"), w: goToWorst};
const controlKeys = {z: undo, o: () => find("file").click(), s: () => save("view"),
  c: () => copy()};
const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

// A focused widget handles its own keys; all others go to the picture.
function belongsToWidget ({key, target}) {
  return target.matches("select, textarea, input[type=number], [role=region]")
    || (target.matches("input[type=range], [role=radio]") && key.startsWith("Arrow"))
    || (target.matches("input, button, summary") && key === " ");
}

// The arrows choose among views, as of any group of this kind.
function stepView ({key, target}) {
  const buttons = [...find("views").querySelectorAll("button:not([hidden])")];
  const by = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
  const next = buttons.at((buttons.indexOf(target) + by) % buttons.length);

  next.focus();
  next.click();
}

function takeKey (event) {
  const {key} = event, control = event.ctrlKey || event.metaKey;
  const action = control ? controlKeys[key] : pageKeys[key];

  if (find("help").open)
    return;
  if (key === "Escape" && !find("notice").hidden)
    showNotice("");
  else if (key === "Escape" && panels.shown !== "")
    panels.toggle(panels.shown);
  else if (event.altKey && key in steps)
    block.step(...steps[key]);
  else if (event.altKey || (control && key === "c" && !getSelection().isCollapsed))
    return;
  else if (event.target.matches("[role=radio]") && key.startsWith("Arrow"))
    stepView(event);
  else if (!control && belongsToWidget(event))
    return;
  else if (action !== undefined)
    action();
  else if (!control && key in elementKeys)
    say(`key ${elementKeys[key]}`);
  else
    return;
  event.preventDefault();
}

// The theme is kept; none is the desktop's.
function showTheme () {
  document.documentElement.style.colorScheme = localStorage.theme ?? "";
}

function nextTheme () {
  const themes = ["", "dark", "light"];

  localStorage.theme = themes[(themes.indexOf(localStorage.theme ?? "") + 1) % themes.length];
  showTheme();
  panels.show();
}

showTheme();
player.open();
makeFiles();
makeScaling();
find("notice").append(makeButton("close", "×", "Close (Escape)", () => showNotice("")));
find("tabs").append(...["Time", "Rate", "Block", "Figures"].map(name =>
  makeButton(`tab-${name}`, name, panels[name][1], () => panels.toggle(name))));
view.open(find("picture"));
openPicture(find("picture"));
document.addEventListener("keydown", takeKey);
window.addEventListener("resize", () => {
  view.inset = find("panel").offsetHeight * window.devicePixelRatio;
  showSource();
  panels.show();
});
connect();
