#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""browser.py PLUGIN-FOLDER BLOCKDCT-PREVIEW

The page of blockdct-preview --http in headless Chromium, turned as a person would.
BLOCKDCT_SHOTS names a folder for photographs. Speaks TAP."""

import asyncio
import base64
import functools
import os
import sys

from bench import launch, make_video, start, synchronous
from devtools import Browser, find_chromium
from tap import run_cases
from viewer import decode

if find_chromium() is None:
    print("1..0 # SKIP there is no Chromium: install chromium")
    sys.exit()

SHOTS = os.environ.get("BLOCKDCT_SHOTS")


async def photograph(browser, name):
    if SHOTS:
        await browser.photograph(os.path.join(SHOTS, f"{name}.png"))


def on_page(*arguments, **options):
    """The case in a browser that shows the page."""
    def decorate(function):
        @functools.wraps(function)
        async def body():
            with start(*arguments) as server:
                async with Browser(**options) as browser:
                    await browser.open(server.address)
                    await browser.wait("page.picture.frame > 0")
                    await function(browser)
                    assert not browser.errors, browser.errors
        return synchronous(body)
    return decorate


async def read_blob(browser, expression):
    return base64.b64decode(await browser.read(f"""(async () => {{
      const reader = new FileReader();
      reader.readAsDataURL(await {expression});
      await new Promise(done => reader.addEventListener("load", done));
      return reader.result.split(",")[1];
    }})()"""))


async def move_slider(browser, name, value):
    """To where it is this value, by the mouse."""
    x, y, width, height = await browser.box(f"#control-{name.replace('::', '-')}")
    low, high = await browser.read(f"[+widgets['{name}'].min, +widgets['{name}'].max]")
    thumb, middle = 16, y + height / 2
    now = await browser.read(f"+widgets['{name}'].value")

    def at(value):
        return x + thumb / 2 + (width - thumb) * (value - low) / (high - low)
    await browser.mouse("mousePressed", at(now), middle)
    await browser.mouse("mouseMoved", at((now + value) / 2), middle)
    await browser.mouse("mouseMoved", at(value), middle)
    await browser.mouse("mouseReleased", at(value), middle)


@on_page("view=wipe")
async def sliders_wipe_keys_and_figures(browser):
    before = await browser.read("page.figures.psnr")
    await move_slider(browser, "quality", 5)
    quality = await browser.wait("page.figures.quality < 15 && page.figures.quality")
    assert await browser.wait(f"widgets.quality.nextSibling.value === '{quality}'")
    assert await browser.read("page.figures.psnr") < before - 5
    shown = await browser.read("[...find('figures').rows].map(row => row.innerText)")
    assert any(f"quality\t{quality}" in row for row in shown), shown
    assert await browser.read("find('plot').querySelector('polyline').points.length") > 1

    await browser.drag((320, 240), (240, 240), (160, 240))
    await browser.wait("Math.abs(widgets['wipe-position'].value - 0.25) < 0.02")
    assert "left: original" in await browser.read("find('caption').textContent")
    await photograph(browser, "wipe")

    await browser.drag((100, 70))
    await browser.wait("find('block').innerText.includes('(96, 64), 8x8')")
    await browser.key("ArrowUp", 38)
    await browser.wait(f"page.figures.quality === {quality} + 1")
    await browser.key("v")
    await browser.wait("page.news.values.view === 'side-by-side'")
    await browser.key("ArrowRight", 39)
    await browser.wait("page.figures.transform === 'dct-8x8'")
    x, y, width, height = await browser.box("#picture")
    await browser.wheel(x + width / 2, y + height / 2, 100)
    await browser.wait(f"page.figures.quality === {quality}")
    await browser.read("before = find('block').innerText")
    await move_slider(browser, "quality", 90)
    await browser.wait("find('block').innerText !== before"
                       " && find('block').innerText.includes('(96, 64), 8x8')")


@on_page("--test-pattern=smpte100", "view=a", "transform=hevc-16x16", "qp=40", "grid=true")
async def the_screen_shows_samples_as_they_are(browser):
    await browser.key("p")
    await browser.wait("page.paused && find('pause').textContent === 'Play'")
    assert await browser.read("view.description") == "1:1"
    x, y, *_ = await browser.box("#picture")
    corner = await browser.read("view.corner")
    here = x + corner[0] + 300.5, y + corner[1] + 200.5
    for _ in range(3):
        await browser.wheel(*here, -100, key="Shift")
    await browser.wait("view.scale === 8 && find('scale').value === '8:1'")
    # The sample under the pointer is where it was, and each is 8 x 8 pixels.
    differs = await browser.read("""(() => {
      const context = new OffscreenCanvas(640, 480).getContext("2d");
      context.drawImage(view.picture, 0, 0);
      const sample = (u, v) => context.getImageData(u, v, 1, 1).data.join();
      const [x, y] = view.corner;
      if (Math.floor((%f - x) / 8) !== 300 || Math.floor((%f - y) / 8) !== 200)
        return ["moved", %f - x, %f - y];
      for (let v = 0; v < 200; v += 3)
        for (let u = 0; u < 400; u += 3) {
          const at = [Math.floor((u - x) / 8), Math.floor((v - y) / 8)];
          if (view.context.getImageData(u, v, 1, 1).data.join() !== sample(...at))
            return [u, v, ...at];
        }
      return "nowhere";
    })()""" % (2 * (here[0] - x, here[1] - y)))
    assert differs == "nowhere", differs
    await photograph(browser, "scale")
    before = await browser.read("view.middle")
    await browser.call("Input.dispatchMouseEvent", type="mousePressed", x=400, y=300,
                       button="middle", buttons=4, clickCount=1)
    await browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=480, y=300,
                       button="middle", buttons=4)
    await browser.call("Input.dispatchMouseEvent", type="mouseReleased", x=480, y=300,
                       button="middle", buttons=0, clickCount=1)
    assert await browser.read("view.middle[0]") == before[0] - 10
    await browser.key("f")
    await browser.wait("view.description === '1:1'")


# Its samples: R, G, B and 255 of each.
SAMPLES = """(() => {
  const context = new OffscreenCanvas(640, 480).getContext("2d");
  context.drawImage(view.picture, 0, 0);
  return [...context.getImageData(0, 0, 640, 480).data];
})()"""


@on_page("transform=hevc-16x16", "qp=40", "wipe-position=0")
async def zoom_is_the_elements(browser):
    await browser.key("p")
    await browser.wait("page.paused")
    await browser.read("turn('qp', 41)")
    await browser.wait("page.figures.qp === 41")
    whole = await browser.read(SAMPLES)
    assert len(set(whole)) > 50
    x, y, *_ = await browser.box("#picture")
    corner = await browser.read("view.corner")
    for zoom in (2, 3, 4):
        await browser.wheel(x + corner[0] + 301, y + corner[1] + 201, -100, key="Control")
        await browser.wait(f"page.news.values.zoom === {zoom} && widgets.zoom.value === '{zoom}'")
    await browser.wait("widgets.zoom.nextSibling.value === '4'")
    left, top = [round(await browser.read(f"page.news.values['zoom-{axis}']") * 3 * size)
                 for axis, size in (("x", 640), ("y", 480))]
    places = [(u, v) for v in range(0, 480, 7) for u in range(0, 640, 7)]
    expected = [whole[4 * ((top + v) // 4 * 640 + (left + u) // 4)] for u, v in places]
    for _ in range(60):  # the picture comes after the values
        zoomed = await browser.read(SAMPLES)
        if [zoomed[4 * (v * 640 + u)] for u, v in places] == expected:
            break
        await asyncio.sleep(0.1)
    else:
        raise AssertionError((left, top))
    assert (left + 301) // 4 in (300, 301), left  # what was under the pointer
    await photograph(browser, "zoom")
    # The left button moves it: 40 samples of the picture are 10 of the frame.
    before = await browser.read("page.news.values['zoom-x'] * 480")
    await browser.drag((300, 200), (320, 200), (340, 200))
    await browser.wait(f"Math.abs(page.news.values['zoom-x'] * 480 - {before} + 10) < 1")
    await move_slider(browser, "zoom", 16)
    await browser.wait("page.news.values.zoom === 16")
    await browser.click("#control-overlay")
    await browser.wait("page.news.values.overlay && page.figures.repeated")
    await photograph(browser, "values")
    await browser.click("#out")
    await browser.wait("page.news.values.zoom === 12 && widgets.zoom.value === '12'")
    await browser.click("#whole")
    await browser.wait("page.news.values.zoom === 1 && widgets.zoom.value === '1'")
    await browser.key("+")
    await browser.wait("widgets.zoom.value === '2'")
    await browser.key("0")
    await browser.wait("widgets.zoom.value === '1'")


async def choose(browser, name, value):
    await browser.read(f"(widget => {{ widget.value = '{value}';"
                       " widget.dispatchEvent(new Event('input')); })"
                       f"(widgets['{name}'])")


@on_page("quality=60", "view=wipe", "grid=true")
async def a_and_b(browser):
    await browser.wait("find('swap').disabled"
                       " && widgets['b::quality'].classList.contains('idle')")
    await browser.click("#store")
    await browser.wait("page.figures['b-transform'] === 'jpeg-8x8'"
                       " && page.figures['b-quality'] === 60")
    await browser.wait("widgets['b::transform'].value === 'jpeg-8x8'"
                       " && !widgets['b::quality'].classList.contains('idle')")
    await move_slider(browser, "b::quality", 5)
    low = await browser.wait("page.figures['b-quality'] < 15 && page.figures['b-quality']")
    assert await browser.read("page.figures['b-psnr'] < page.figures.psnr")
    rows = await browser.read("[...find('figures').rows].map(row => row.innerText)")
    assert rows[0].split() == ["A", "B"] and f"quality\t60\t{low}" in rows, rows
    assert any(row.startswith("psnr\t") and row.count("dB") == 2 for row in rows), rows
    await choose(browser, "left", "a")
    await choose(browser, "right", "b")
    await browser.wait("find('caption').textContent === 'left: A | right: B'")
    await browser.wait("page.news['b-plot'].length > 1 "
                       "&& find('plot').querySelectorAll('polyline').length === 2")
    await photograph(browser, "a-and-b")
    await browser.click("#swap")
    await browser.wait(f"page.figures.quality === {low} && page.figures['b-quality'] === 60")
    await browser.click("#flicker")
    await browser.wait("page.news.values.view === 'flicker'"
                       " && find('flicker').ariaPressed === 'true'")
    await browser.wait("widgets['wipe-position'].classList.contains('idle')")
    await browser.click("#flicker")
    await browser.wait("page.news.values.view === 'wipe'")
    await choose(browser, "b::transform", "hevc-8x8")
    await choose(browser, "b::qp", 45)
    await browser.wait("page.figures['b-qp'] === 45 && !('b-quality' in page.figures)"
                       " && widgets['b::quality'].classList.contains('idle')")
    before = await browser.read("widgets['b::qp'].value")
    await choose(browser, "b::encoder", "jpegenc-quality")
    await browser.wait("page.figures['b-encoder'] === 'jpegenc quality=75'"
                       " && widgets['b::qp'].classList.contains('idle')"
                       " && find('swap').disabled")
    await move_slider(browser, "b::encoder-quality", 5)
    await browser.wait("parseInt(page.figures['b-encoder']?.split('=')[1]) < 15")
    rows = await browser.read("[...find('figures').rows].map(row => row.innerText)")
    assert any(row.startswith("encoder\t\tjpegenc quality=") for row in rows), rows
    await photograph(browser, "encoder")
    await choose(browser, "b::encoder", "transform")
    await browser.wait(f"page.figures['b-qp'] === {before} && !find('swap').disabled")
    await choose(browser, "left", "original")
    await choose(browser, "right", "a")
    await browser.wait("!('b-psnr' in page.figures) && find('swap').disabled "
                       "&& find('plot').querySelectorAll('polyline').length === 1")
    assert (await browser.read("find('figures').rows[0].cells.length")) == 2


@on_page("still.png", "view=difference", scheme="dark")
async def a_large_still_without_a_loss(browser):
    await move_slider(browser, "quality", 100)
    await browser.wait("page.figures.quality > 95")
    await move_slider(browser, "quality", 3)
    await browser.wait("page.figures.quality < 10 && page.figures.repeated")
    assert "lossless" in await browser.read("find('transport').textContent")
    assert await browser.read("view.description") != "1:1"
    await photograph(browser, "still")
    # The browser's samples are those of another decoder, and what is saved has them.
    for took, kind in ((60000, "PNG"), (0.001, "uncompressed BMP")):
        await browser.read(f"acknowledge = () => page.socket.send('shown {took}'), 0")
        for quality in (7, 8, 9):  # the first one says how fast it is
            await browser.read(f"page.socket.send('set quality={quality}')")
            await browser.wait(f"page.figures.quality === {quality}")
        text = await browser.read("find('transport').textContent")
        assert text.startswith(kind + ", lossless"), text
        size, samples = decode(await read_blob(browser, "new Blob([page.data])"))
        assert size == (2501, 1501)
        still = await read_blob(browser, "getStill()")
        assert still.startswith(b"\x89PNG") and decode(still) == (size, samples)
        seen = await browser.read("""(() => {
          const context = new OffscreenCanvas(2501, 200).getContext("2d");
          context.drawImage(view.picture, 0, 700, 2501, 200, 0, 0, 2501, 200);
          return [...context.getImageData(0, 0, 2501, 200).data].filter((_, i) => i % 4 < 3);
        })()""")
        assert bytes(seen) == samples[700 * 2501 * 3:900 * 2501 * 3]


@on_page("long.mkv")
async def the_bar_seeks(browser):
    await browser.key("p")
    await browser.wait("page.paused && !find('time').hidden")
    await browser.wait("Math.abs(find('seek').max - 3) < 0.1")
    x, y, width, height = await browser.box("#seek")
    await browser.mouse("mousePressed", x + 10, y + height / 2)
    for part in (0.3, 0.6, 0.5):
        await browser.mouse("mouseMoved", x + part * width, y + height / 2)
    await browser.mouse("mouseReleased", x + 0.5 * width, y + height / 2)
    await browser.wait("Math.abs(page.figures.timestamp / 1e9 - 1.5) < 0.1")
    stamp = await browser.read("page.figures.timestamp")
    await browser.key(".")
    await browser.wait(f"page.figures.timestamp > {stamp}")
    await browser.wait("Math.abs(find('seek').value - page.figures.timestamp / 1e9) < 0.05")
    await photograph(browser, "seek")


@on_page("-t")
async def a_server_that_goes_and_comes(browser):
    port = (await browser.read("location.port"))
    await browser.read("page.socket.close()")
    await browser.wait("!find('notice').hidden")
    await browser.wait("find('notice').hidden && page.socket.readyState === 1")
    frame = await browser.read("page.picture.frame")
    await browser.wait(f"page.picture.frame > {frame}")
    assert port


def make_files():
    make_video()
    launch("videotestsrc num-buffers=1 pattern=zone-plate kx2=8 ky2=8 ! "
           "video/x-raw,format=RGB,width=2501,height=1501 ! pngenc compression-level=1 ! "
           "filesink location=still.png")


run_cases(make_files)
