# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a person does with the page; for tests with bench.py's arguments. Without
Chromium the tests are skipped."""

import asyncio
import functools
import os
import sys

from bench import start, synchronous
from devtools import Browser, find_chromium

if find_chromium() is None:
    print("1..0 # SKIP there is no Chromium: install chromium")
    sys.exit()

# A picture's R, G, B and 255 of each sample of a part; how far others are away in the mean;
# and what the server saves.
READING = """globalThis.dataOf = (picture, [width, height], x = 0, y = 0) => {
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(picture, x, y, width, height, 0, 0, width, height);
  return context.getImageData(0, 0, width, height).data;
}, globalThis.distance = (a, b) => a.reduce((sum, value, i) => sum + Math.abs(value - b[i]), 0)
  / a.length,
globalThis.saved = async name => createImageBitmap(await (await fetch(`${name}.png`)).blob(),
  {colorSpaceConversion: "none"}), 0"""


def on_page(*arguments, name=None, plays=False, **options):
    """The case in a browser that shows the page, paused: what plays draws 30 times a second."""
    def decorate(function):
        @functools.wraps(function)
        async def body():
            with start(*arguments) as server:
                async with Browser(**options) as browser:
                    await browser.open(server.address)
                    await browser.wait("page.picture.frame > 0 && page.figures !== undefined")
                    await browser.read(READING)
                    if not plays:
                        await browser.key("p", until="page.news.paused")
                    await function(browser)
                    assert not browser.errors, browser.errors
        body.__name__ = name or function.__name__
        return synchronous(body)
    return decorate


async def pause(browser):
    await browser.key("p", until="page.news.paused")


async def on_line(browser, took):
    """That takes so many ms, however busy the machine is: the first picture says it."""
    await browser.read(f"acknowledge = () => page.socket.send('shown {took}'), 0")
    for quality in (7, 8, 9):
        await browser.read(f"page.socket.send('set quality={quality}')")
        await browser.wait(f"page.figures.quality === {quality}")


async def move_slider(browser, name, value, until="true"):
    """To where it is this value, by the mouse."""
    x, y, width, height = await browser.box(f"#control-{name.replace('::', '-')}")
    low, high = await browser.read(f"[+widgets['{name}'].min, +widgets['{name}'].max]")
    thumb, middle = 16, y + height / 2
    now = await browser.read(f"+widgets['{name}'].value")
    await browser.press(*((x + thumb / 2 + (width - thumb) * (at - low) / (high - low), middle)
                          for at in (now, (now + value) / 2, value)))
    await browser.wait(until)


async def choose(browser, selector, value, until="true"):
    """Of a list: headless Chromium shows none to click on."""
    await browser.read(f"(widget => {{ widget.value = '{value}';"
                       " widget.dispatchEvent(new Event('input')); })"
                       f"(document.querySelector('{selector}'))")
    await browser.wait(until)
