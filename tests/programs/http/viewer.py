# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdct-preview --http, started and ended; and a viewer of its page that is no
browser: what it receives, and what it sends. BLOCKDCT_TEST_BACKEND=cuda has the GPU
make the frames, BLOCKDCT_TEST_DEPTH=4 so many at a time."""

import asyncio
import json
import os
import signal
import struct
import subprocess
import time
import urllib.error
import urllib.request

import websockets

LIMIT = 240  # s, for whatever is waited for
ENGINE = [f"backend={os.environ.get('BLOCKDCT_TEST_BACKEND', 'cpu')}",
          f"async-depth={os.environ.get('BLOCKDCT_TEST_DEPTH', '1')}"]

# On the machine itself, whatever proxy there is for other hosts.
os.environ["no_proxy"] = "*"


def decode_png(picture):
    """Width and height, and R, G and B of each sample."""
    with open("picture.png", "wb") as file:
        file.write(picture)
    subprocess.run("gst-launch-1.0 -q filesrc location=picture.png ! pngdec ! videoconvert ! "
                   "video/x-raw,format=RGB ! filesink location=picture.rgb", shell=True,
                   timeout=LIMIT, check=True)
    width, height = struct.unpack(">II", picture[16:24])
    pitch = (3 * width + 3) // 4 * 4  # rows are filled up to four bytes
    with open("picture.rgb", "rb") as file:
        return (width, height), b"".join(file.read(pitch)[:3 * width] for _ in range(height))


def fetch(server, path, body=None, headers=None):
    """Status and body of the answer to a GET, or a POST of this body."""
    request = urllib.request.Request(server.address + path, body, headers or {})
    try:
        with urllib.request.urlopen(request, timeout=LIMIT) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


class Server:
    """with Server(PROGRAM, PLUGINS, ARGUMENT...) as server: server.address"""

    def __init__(self, program, plugins, *arguments, environment=(), **options):
        environment = dict(os.environ, GST_PLUGIN_PATH_1_0=plugins, DISPLAY="",
                           WAYLAND_DISPLAY="", LC_ALL="C.UTF-8", G_DEBUG="fatal-criticals",
                           **dict(environment))
        self.process = subprocess.Popen([program, "--http=0", *ENGINE, *arguments], text=True,
                                        stdout=subprocess.PIPE, env=environment, **options)
        self.address = self.process.stdout.readline().strip()

    def __enter__(self):
        assert self.address.startswith("http://"), self.address
        return self

    def __exit__(self, kind, *_):
        self.process.send_signal(signal.SIGINT)
        try:
            status = self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.process.stdout.close()
        assert kind or status == 0, f"it ended with {status}"

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    @property
    def memory(self):
        """KiB"""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def is_paused(news):
    return news["paused"]


class Viewer:
    """async with Viewer(ADDRESS) as viewer"""

    def __init__(self, address, **options):
        self.address = address.replace("http://", "ws://") + "socket"
        self.options = options
        self.file = None
        self.picture = None
        self.took = 0  # ms
        self.pretended = None  # instead
        self.news = {}  # all it has received, the newest of each

    async def __aenter__(self):
        self.socket = await websockets.connect(self.address, max_size=None,
                                               open_timeout=LIMIT, **self.options)
        return self

    async def __aexit__(self, *_):
        await self.socket.close()

    async def say(self, text):
        await self.socket.send(text)

    async def hear(self, limit=LIMIT):
        """The next text; the picture, too, if there is one."""
        news = json.loads(await asyncio.wait_for(self.socket.recv(), limit))
        self.took = 0
        if "picture" in news:
            start = time.monotonic()
            self.file = await asyncio.wait_for(self.socket.recv(), limit)
            self.took = max(1000 * (time.monotonic() - start), 0.1)
            self.picture = news["picture"]
        self.news.update(news)
        return news

    def decode(self):
        """Width and height, and R, G and B of each sample."""
        if self.picture["format"] == "png":
            return decode_png(self.file)
        size = self.picture["width"], self.picture["height"]
        assert self.picture["format"] == "RGBX" and len(self.file) == 4 * size[0] * size[1]
        samples = bytearray(3 * size[0] * size[1])
        for i in range(3):
            samples[i::3] = self.file[i::4]
        assert set(self.file[3::4]) == {255}
        return size, bytes(samples)

    async def next(self):
        """As hear(), and the next may come."""
        news = await self.hear()
        await self.say(f"shown {self.pretended or self.took}")
        return news

    async def wait(self, condition):
        """For news of which this is true."""
        async def look():
            while not condition(news := await self.next()):
                pass
            return news
        return await asyncio.wait_for(look(), LIMIT)

    async def ask(self, text, condition):
        """Say it, and wait for news of which this is true."""
        await self.say(text)
        return await self.wait(condition)

    async def wait_figure(self, name, value):
        return await self.wait(lambda news: news.get("figures", {}).get(name) == value)

    async def turn(self, name, value):
        await self.say(f"set {name}={value}")
        return await self.wait_figure(name, value)

    async def pretend(self, took):
        """To be on a line that takes so many ms: the first one says how fast it is."""
        self.pretended = took
        for quality in (7, 8, 9):
            await self.turn("quality", quality)

    async def click(self, x, y):
        await self.say(f"press {x} {y}")
        await self.say(f"release {x} {y}")
