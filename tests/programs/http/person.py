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

SHOTS = os.environ.get("BLOCKDCT_SHOTS")


async def photograph(browser, name):
    if SHOTS:
        await asyncio.sleep(0.5)  # until the picture is of what is turned
        await browser.photograph(os.path.join(SHOTS, f"{name}.png"))


def on_page(*arguments, **options):
    """The case in a browser that shows the page."""
    def decorate(function):
        @functools.wraps(function)
        async def body():
            with start(*arguments) as server:
                async with Browser(**options) as browser:
                    await browser.open(server.address)
                    await browser.wait("page.picture.frame > 0 && page.figures !== undefined")
                    await function(browser)
                    assert not browser.errors, browser.errors
        return synchronous(body)
    return decorate


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


async def choose(browser, selector, value):
    """Of a list: headless Chromium shows none to click on."""
    await browser.read(f"(widget => {{ widget.value = '{value}';"
                       " widget.dispatchEvent(new Event('input')); })"
                       f"(document.querySelector('{selector}'))")
