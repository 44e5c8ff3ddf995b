# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tests with the arguments PLUGIN-FOLDER BLOCKDCT-PREVIEW have in common."""

import asyncio
import functools
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "measure"))
from tap import Skip, case, read  # noqa: E402, F401

try:
    from viewer import LIMIT, Server, Viewer
except ImportError:
    print("1..0 # SKIP websockets is missing: install python3-websockets")
    sys.exit()

PLUGINS, PROGRAM = map(os.path.abspath, sys.argv[1:])
# Frames that are all the same.
STILL = "--test-pattern=smpte100"
# What a process may grow by that keeps nothing: frames on their way, and the heap.
GROWTH = 96 * 1024


def start(*arguments, **options):
    return Server(PROGRAM, PLUGINS, *arguments, **options)


def launch(pipeline):
    subprocess.run(f"gst-launch-1.0 -q {pipeline}", shell=True, timeout=LIMIT, check=True,
                   env=dict(os.environ, GST_PLUGIN_PATH_1_0=PLUGINS))


def need(element, package):
    if subprocess.run(["gst-inspect-1.0", "--exists", element], check=False).returncode:
        raise Skip(f"{element} is missing: install {package}")


def make_video():
    launch("videotestsrc num-buffers=90 pattern=ball ! "
           "video/x-raw,format=I420,width=320,height=240,framerate=30/1 ! jpegenc ! "
           "matroskamux ! filesink location=long.mkv")


def make_short_files():
    launch("videotestsrc num-buffers=1 ! video/x-raw,width=97,height=65 ! pngenc ! "
           "filesink location=still.png")
    launch("videotestsrc num-buffers=5 ! "
           "video/x-raw,format=I420,width=320,height=240,framerate=30/1 ! jpegenc ! avimux ! "
           "filesink location=short.avi")


def synchronous(function):
    @functools.wraps(function)
    def run():
        asyncio.run(function())
    return case(run)


def viewing(*arguments):
    """The case with a server that has these arguments, and a viewer of it."""
    def decorate(function):
        @functools.wraps(function)
        async def body():
            with start(*arguments) as server:
                async with Viewer(server.address) as viewer:
                    await function(server, viewer)
        return synchronous(body)
    return decorate
