# SPDX-License-Identifier: LGPL-2.1-or-later
"""A page in headless Chromium, by its DevTools protocol: opened, turned by mouse
and keys as a person would, read, and photographed."""

import asyncio
import atexit
import base64
import functools
import json
import os
import shutil
import subprocess
import tempfile
import time

import websockets

NAMES = ("chromium", "chromium-browser", "google-chrome")
START = 240  # s, for a browser to start on a busy machine
LIMIT = 240  # s, for anything else


def starts(path):
    """Whether it is a browser: Ubuntu has a script of that name that asks for another."""
    return path and subprocess.run([path, "--version"], check=False, timeout=START,
                                   capture_output=True).returncode == 0


@functools.cache
def find_chromium():
    return next(filter(starts, map(shutil.which, NAMES)), None)


def stop(process):
    process.terminate()
    try:
        process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@functools.cache
def start_chromium():
    """The address of its DevTools. It is started once, and ends with the test."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    process = subprocess.Popen(
        [find_chromium(), "--headless=new", "--no-sandbox", "--disable-gpu",
         "--disable-dev-shm-usage", "--disable-extensions", "--no-first-run",
         "--disable-background-networking", "--remote-debugging-port=0",
         "--disable-features=SpareRendererForSitePerProcess,BackForwardCache",
         f"--user-data-dir={folder}", "about:blank"],
        env=dict(os.environ, HOME=folder, TMPDIR=folder), stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    atexit.register(stop, process)
    port = os.path.join(folder, "DevToolsActivePort")
    end = time.monotonic() + START
    while not os.path.exists(port) or not open(port, encoding="ascii").read():
        assert process.poll() is None and time.monotonic() < end, "Chromium does not start"
        time.sleep(0.05)
    number, path = open(port, encoding="ascii").read().split()
    return f"ws://127.0.0.1:{number}{path}"


class Browser:
    """The page, which is one after the other's, as starting one takes longer than most do with
    it; a server has an origin of its own:
    async with Browser(width, height) as browser: await browser.open(address)"""

    def __init__(self, width=1280, height=800, scheme="light", mobile=False):
        self.size = width, height
        self.mobile = mobile
        self.scheme = scheme
        self.last = 0
        self.session = None
        self.errors = []

    async def __aenter__(self):
        self.socket = await websockets.connect(start_chromium(), max_size=None)
        page = next(target for target in (await self.call("Target.getTargets"))["targetInfos"]
                    if target["type"] == "page")
        self.session = (await self.call("Target.attachToTarget", targetId=page["targetId"],
                                        flatten=True))["sessionId"]
        for domain in "Page", "Runtime", "Log":
            await self.call(f"{domain}.enable")
        await self.call("Emulation.setDeviceMetricsOverride", width=self.size[0],
                        height=self.size[1], deviceScaleFactor=1, mobile=self.mobile)
        await self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": self.scheme}])
        return self

    async def __aexit__(self, *_):
        await self.call("Page.navigate", url="about:blank")
        await self.socket.close()

    async def call(self, method, **parameters):
        """The answer; what the page complains of meanwhile is kept."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        await self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(await asyncio.wait_for(self.socket.recv(), LIMIT))
            if answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(json.dumps(answer["params"]["exceptionDetails"]))
            elif answer.get("method") == "Log.entryAdded" \
                    and answer["params"]["entry"]["level"] == "error":
                self.errors.append(answer["params"]["entry"]["text"])
            elif answer.get("id") == self.last:
                assert "error" not in answer, (method, answer)
                return answer["result"]

    async def open(self, address):
        await self.call("Page.navigate", url=address)

    async def read(self, expression):
        """Its value, of what JSON has; a promise's, too."""
        answer = await self.call("Runtime.evaluate", expression=expression,
                                 returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def wait(self, expression):
        """Until it is true; its value then."""
        for _ in range(20 * LIMIT):
            value = await self.read(f"(() => {{ try {{ return {expression}; }} "
                                    "catch (error) { return false; } })()")
            if value:
                return value
            await asyncio.sleep(0.05)
        raise AssertionError(f"{expression} did not come true")

    async def mouse(self, kind, x, y, button="left", **more):
        await self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button,
                        buttons=0 if kind == "mouseReleased" or button == "none" else 1,
                        clickCount=1, **more)

    async def point(self, x, y):
        """Where a sample of the page's picture is."""
        left, top, *_ = await self.box("#picture")
        at = await self.read(f"view.place([{x}, {y}])")
        return left + at[0], top + at[1]

    async def press(self, *places):
        """At the first one, moved over the others."""
        await self.mouse("mousePressed", *places[0])
        for place in places[1:]:
            await self.mouse("mouseMoved", *place)
        await self.mouse("mouseReleased", *places[-1])

    async def drag(self, *places):
        """In the page's picture, by its samples."""
        await self.press(*[await self.point(*place) for place in places])

    async def key(self, key, code=0, modifiers=0, until="true"):
        """modifiers: 1 is Alt, 2 Ctrl."""
        for kind in ("keyDown", "keyUp"):
            await self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=modifiers,
                            windowsVirtualKeyCode=code, text=key if len(key) == 1
                            and kind == "keyDown" and modifiers == 0 else "")
        await self.wait(until)

    async def wheel(self, x, y, by, key=None):
        await self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y,
                        deltaX=0, deltaY=by,
                        modifiers={None: 0, "Control": 2, "Shift": 8}[key])

    async def click(self, selector, scrolled=False, until="true"):
        """Again if it moved away between look and press, as a person would."""
        element = f"document.querySelector('{selector}')"
        if scrolled:
            await self.read(f"{element}.scrollIntoView()")
        await self.read(f"globalThis.hit = false, {element}.addEventListener('click',"
                        " () => globalThis.hit = true, {capture: true, once: true})")
        for _ in range(3):
            x, y, width, height = await self.box(selector)
            await self.press((x + width / 2, y + height / 2))
            if await self.read("globalThis.hit !== false"):
                await self.wait(until)
                return
        raise AssertionError(f"{selector} takes no click")

    async def box(self, selector):
        """Its left and upper edge, width and height."""
        return await self.read(f"(b => [b.x, b.y, b.width, b.height])("
                               f"document.querySelector('{selector}')"
                               ".getBoundingClientRect())")

    async def photograph(self, path):
        answer = await self.call("Page.captureScreenshot", format="png")
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))
