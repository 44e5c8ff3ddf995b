#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""connections.py PLUGIN-FOLDER BLOCKDCT-PREVIEW

blockdct-preview --http without a browser: who gets what, and that nothing queues up,
whatever viewers do. Speaks TAP."""

import asyncio
import contextlib
import http.client
import os
import resource
import socket
import subprocess
import tempfile
from urllib.parse import urlsplit

from bench import GROWTH, PLUGINS, PROGRAM, STILL, start, synchronous, viewing
from tap import case, run_cases
from viewer import LIMIT, Viewer
import websockets


def get(address, path=None, method="GET", **headers):
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=LIMIT)
    with contextlib.closing(connection):
        connection.request(method, parts.path if path is None else path, headers=headers)
        answer = connection.getresponse()
        answer.text = answer.read().decode()
        return answer


async def is_refused(address, status, **options):
    try:
        # Nobody waits for the connection's end.
        async with Viewer(address, close_timeout=0.1, **options):
            raise AssertionError(f"{address} was not refused")
    except websockets.exceptions.InvalidHandshake as answer:
        assert str(status) in str(answer), answer


@case
def a_page_that_needs_no_other_host():
    with start(STILL) as server:
        page = get(server.address)
        assert page.status == 200 and "<canvas" in page.text, page.text
        for name in ("page.js", "page.css", "plot.js", "view.js", "icon.svg"):
            text = get(server.address, f"/{name}")
            assert text.status == 200, name
            assert "//" not in text.text.replace("http://www.w3.org/2000/svg", "") \
                .replace("// ", ""), name
        policy = page.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "http" not in policy, policy
        assert get(server.address, "/nothing").status == 404
        assert get(server.address, "/../../etc/passwd").status in (400, 404)
        assert get(server.address, method="POST").status == 405
        assert get(server.address, method="HEAD").text == ""
        assert get(server.address, "/socket").status == 400


@synchronous
async def other_sites_are_refused():
    with start(STILL) as server:
        own = urlsplit(server.address).netloc
        assert get(server.address, Host="localhost:1").status == 200  # ssh -L
        assert get(server.address, Host="example.org").status == 403
        assert get(server.address, Host="127.0.0.1.example.org").status == 403
        assert get(server.address, Origin="http://example.org").status == 403
        await is_refused(server.address, 403, origin="http://example.org")
        await is_refused(server.address, 403, origin="null")
        async with Viewer(server.address, origin=f"http://{own}") as viewer:
            await viewer.next()


@synchronous
async def an_address_takes_a_token():
    with start(STILL, "--http-address=127.0.0.1") as server:
        parts = urlsplit(server.address)
        token, root = parts.path.strip("/"), server.address.replace(parts.path, "/")
        assert len(token) == 32, server.address
        wrong = f"/{token[:-1]}{'0' if token[-1] != '0' else '1'}/"
        assert get(server.address).status == 200
        assert get(server.address, Host="preview.example.org").status == 200
        assert get(server.address, Origin="http://example.org").status == 403
        for path in ("/", "/page.js", wrong, f"{wrong}page.js", f"/{token}", "/socket"):
            assert get(server.address, path).status == 403, path
        await is_refused(root, 403)
        await is_refused(server.address.replace(parts.path, wrong), 403)
        async with Viewer(server.address) as viewer:
            await viewer.next()
    with start(STILL, "--http-address=127.0.0.1") as server:
        assert token not in server.address


@case
def a_port_that_is_taken_is_named():
    with start(STILL) as server:
        port = urlsplit(server.address).port
        done = subprocess.run([PROGRAM, f"--http={port}"], capture_output=True, text=True,
                              timeout=LIMIT, check=False,
                              env=dict(os.environ, GST_PLUGIN_PATH_1_0=PLUGINS, DISPLAY=""))
        assert done.returncode == 1 and f"port {port}" in done.stderr, done


@synchronous
async def who_does_not_answer_gets_no_more():
    with start() as server:
        async with Viewer(server.address) as silent, Viewer(server.address) as viewer:
            first = await silent.hear()
            for _ in range(20):
                await viewer.next()
            try:
                await silent.hear(limit=1)
                raise AssertionError("it was sent more")
            except asyncio.TimeoutError:
                pass
            await viewer.turn("quality", 9)
            # Then it gets the present state.
            await silent.say("shown")
            news = await silent.wait_figure("quality", 9)
            assert news["values"]["quality"] == 9
            assert "picture" not in first or news["picture"]["skipped"] > 0, news


@viewing("grid=true")
async def who_does_not_read_costs_nothing(server, viewer):
    parts = urlsplit(server.address)
    await viewer.next()
    before = server.memory
    with contextlib.ExitStack() as sockets:
        for _ in range(8):
            deaf = sockets.enter_context(socket.create_connection(
                (parts.hostname, parts.port), LIMIT))
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.sendall(f"GET /socket HTTP/1.1\r\nHost: {parts.netloc}\r\n"
                         "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                         "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
                         "Sec-WebSocket-Version: 13\r\n\r\n".encode())
        for i in range(40):
            await viewer.say(f"set quality={10 + i}")
            await viewer.next()
        assert server.memory < before + GROWTH, (before, server.memory)
    await viewer.turn("quality", 77)


@synchronous
async def there_is_room_for_so_many():
    with start(STILL) as server:
        async with contextlib.AsyncExitStack() as viewers:
            for _ in range(32):
                await viewers.enter_async_context(Viewer(server.address))
            await is_refused(server.address, 503)
        async with Viewer(server.address) as viewer:
            await viewer.next()


@contextlib.asynccontextmanager
async def idle(server, number, until):
    """So many connections that ask for nothing, of which the server takes as many
    as make its descriptors so many."""
    parts = urlsplit(server.address)
    with contextlib.ExitStack() as sockets:
        for _ in range(number):
            sockets.enter_context(socket.create_connection((parts.hostname, parts.port), LIMIT))
        for _ in range(20 * LIMIT):
            if server.descriptors >= until:
                break
            await asyncio.sleep(0.05)
        assert server.descriptors == until, (server.descriptors, until)
        yield


async def check_idle(number, room, low, words):
    """Whoever comes after these connections has an answer though they stay, and a
    viewer stays, who says nothing meanwhile."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log, start(STILL, stderr=log) as server:
        async with Viewer(server.address, ping_interval=None) as viewer:
            # The pipeline has its descriptors by then.
            await viewer.wait(lambda news: news.get("picture", {}).get("frame", 0) > 3)
            until = server.descriptors + room
            if low:
                resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (until, until))
            async with idle(server, number, until):
                assert (await asyncio.to_thread(get, server.address)).status == 200
                assert server.descriptors <= until, (server.descriptors, until)
                await viewer.turn("quality", 12)
        log.seek(0)
        said = [line for line in log if "Others wait" in line]
        assert len(said) == 1, said
        for word in words:
            assert word in said[0], said


@synchronous
async def connections_that_ask_for_nothing():
    await asyncio.gather(check_idle(8, 6, True, ("Too many open files", "ulimit -n", " 10 s")),
                         check_idle(132, 127, False, ("128", " 10 s")))  # and a viewer


run_cases(lambda: None)
