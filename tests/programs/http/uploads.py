#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""uploads.py PLUGIN-FOLDER BLOCKDCT-PREVIEW

blockdct-preview --http without a browser: files that are opened, whatever they name
and however slowly they come. Speaks TAP."""

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from urllib.parse import urlsplit

from bench import STILL, launch, read, start, synchronous, viewing
from lists import PICTURES, make_lists
from tap import Skip, run_cases, write
from viewer import LIMIT, Viewer, decode_png, fetch


def is_opened(pipe):
    """Whether anyone reads it, or waits for what it has."""
    try:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def is_asked(web):
    try:
        web.accept()[0].close()
    except BlockingIOError:
        return False
    return True


@viewing(STILL)
async def nothing_that_a_file_names_is_opened(server, viewer):
    os.mkfifo("secret")
    with socket.create_server(("127.0.0.1", 0)) as web:
        web.setblocking(False)
        for address in (f"file://{os.getcwd()}/secret",
                        f"http://127.0.0.1:{web.getsockname()[1]}/internal.ts"):
            for name, data in make_lists(address).items():
                assert (await asyncio.to_thread(fetch, server, f"open?name={name}", data))[0] == 415
                await viewer.wait(lambda news, name=name: news.get("notice", "").startswith(name))
                assert not is_opened("secret") and not is_asked(web), (name, address)
            for name, text in PICTURES.items():
                fetch(server, f"open?name={name}", text.format(address).encode())
                await viewer.wait(lambda news, name=name: news["name"] == name
                                  and "picture" in news and viewer.decode()[0] == (64, 48))
                assert not is_opened("secret") and not is_asked(web), (name, address)


@viewing("still.png")
async def what_is_wrong_with_a_file_is_said(server, viewer):
    try:
        from PIL import Image
    except ImportError as error:
        raise Skip("PIL is missing: install python3-pil") from error
    Image.new("CMYK", (64, 48)).save("cmyk.jpg")
    Image.new("RGB", (64, 48)).save("moving.webp", save_all=True, append_images=[
        Image.new("RGB", (64, 48), "red")])
    for name, words in {"cmyk.jpg": "such as CMYK", "moving.webp": "such as an animation",
                        "tiny.pgm": "pictures of a few bytes", "empty.png": "no data",
                        "sound.wav": "Missing decoder", "half.png": "it is damaged"}.items():
        fetch(server, f"open?name={name}", read(name))
        news = await viewer.wait(lambda news: "notice" in news)
        assert news["notice"].startswith(f"{name}: ") and words in news["notice"], news["notice"]


@contextlib.contextmanager
def asking(server, request, *headers):
    """A socket on which a request's headers have been sent."""
    parts = urlsplit(server.address)
    with socket.create_connection((parts.hostname, parts.port), LIMIT) as client:
        client.sendall("\r\n".join([f"{request} HTTP/1.1", f"Host: {parts.netloc}", *headers,
                                    "", ""]).encode())
        yield client


async def read_all(client):
    return await asyncio.to_thread(client.makefile("rb").read)


@synchronous
async def slow_ones_that_take_longer_than_the_limit():
    """What is opened and what is saved, both at once: they sleep."""
    await asyncio.gather(open_slowly(), save_slowly())


async def open_slowly():
    still = read("still.png")
    with start(STILL) as server, \
            asking(server, "POST /open?name=slow.png", f"Content-Length: {len(still)}") as client, \
            asking(server, "POST /open?name=stopped.png", "Content-Length: 99") as stopped:
        async with Viewer(server.address) as viewer:
            stopped.sendall(b"some")
            for i in range(7):
                client.sendall(still[10 * i:10 * (i + 1)])
                await asyncio.sleep(2)
            client.sendall(still[70:])
            assert (await read_all(client)).startswith(b"HTTP/1.1 200 ")
            await viewer.wait(lambda news: news["name"] == "slow.png" and "picture" in news)
            # Without progress it is the limit.
            assert await read_all(stopped) == b""


async def save_slowly():
    with start("large.jpg") as server:
        while (await asyncio.to_thread(fetch, server, "original.png"))[0] != 200:
            await asyncio.sleep(0.1)
        with asking(server, "GET /original.png") as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2 ** 17)
            with client.makefile("rb") as file:
                got = b""
                for _ in range(7):
                    got += await asyncio.to_thread(file.read, 200000)
                    await asyncio.sleep(2)
                got += await asyncio.to_thread(file.read)
    head, png = got.split(b"\r\n\r\n", 1)
    assert head.startswith(b"HTTP/1.1 200 ") and len(png) > 5000000, (head, len(png))
    assert (await asyncio.to_thread(decode_png, png))[0] == (3072, 1728)


@viewing(STILL)
async def one_that_is_too_large(server, viewer):
    free = os.statvfs(tempfile.gettempdir())
    free = free.f_bavail * free.f_frsize
    for request in "GET /open?size=", "POST /open?name=x":
        # A browser sends all, curl waits for the answer.
        post = request.startswith("POST")
        headers = ["Content-Length: 1000000000000000000", "Expect: 100-continue"] if post else []
        with asking(server, request + ("" if post else 18 * "9"), *headers) as client:
            answer = await read_all(client)
        size = "1" + 18 * "0" if post else 18 * "9"
        assert answer.startswith(b"HTTP/1.1 413 ") and f" {size} bytes".encode() in answer, answer
        limit = int(answer.split(b"the limit is ")[1].split(b",")[0])
        assert free / 4 < limit < free, (limit, free)
    assert fetch(server, "open?size=1000") == (200, b"")
    await viewer.turn("quality", 12)


@synchronous
async def none_is_kept_that_grows_too_large():
    """Without a size it is counted."""
    small = "small"
    os.mkdir(small)
    if not shutil.which("mount") or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", small], check=False,
            capture_output=True).returncode != 0:
        raise Skip("no file system of its own can be mounted: run as root")
    try:
        with start(STILL, environment={"TMPDIR": os.path.abspath(small)}) as server:
            with asking(server, "POST /open?name=x", "Transfer-Encoding: chunked") as client:
                for _ in range(3):
                    client.sendall(b"80000\r\n" + bytes(0x80000) + b"\r\n")
                client.sendall(b"0\r\n\r\n")
                answer = await read_all(client)
            assert answer.startswith(b"HTTP/1.1 413 ") and b" 1572864 bytes" in answer, answer
            # It is removed after the answer.
            while os.listdir(small):
                await asyncio.sleep(0.1)
    finally:
        subprocess.run(["umount", "-l", small], check=True)


@synchronous
async def a_slow_encoder_does_not_keep_the_port():
    """10 minutes for a frame, a request that waits for one, and a file to remove."""
    os.mkdir("kept")
    with start(STILL, "--b-encoder", "identity sleep-time=600000000 ! jpegenc",
               environment={"TMPDIR": os.path.abspath("kept")}) as server:
        port = urlsplit(server.address).port
        assert fetch(server, "open?name=still.png", read("still.png"))[0] == 200
        async with Viewer(server.address) as viewer:
            await viewer.say("set right=b")
        assert len(os.listdir("kept")) == 1
        with asking(server, "GET /b.png") as client:
            await asyncio.sleep(1)
            server.process.send_signal(signal.SIGINT)
            await asyncio.to_thread(server.process.wait, LIMIT)
            assert os.listdir("kept") == []
            with start(STILL, f"--http={port}") as again:
                assert again.address == server.address and fetch(again, "")[0] == 200
            client.close()


def make_files():
    still = "videotestsrc num-buffers=1 ! video/x-raw,width=97,height=65"
    launch(f"{still} ! pngenc ! filesink location=still.png")
    launch("audiotestsrc num-buffers=9 ! wavenc ! filesink location=sound.wav")
    launch("videotestsrc num-buffers=1 pattern=snow ! video/x-raw,format=RGB,width=3072,"
           "height=1728 ! jpegenc ! filesink location=large.jpg")
    write("tiny.pgm", b"P5\n1 1\n255\n\x7f")
    write("empty.png", b"")
    write("half.png", read("still.png")[:500])


run_cases(make_files)
