#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tasks.py PLUGIN-FOLDER BLOCKDCT-PREVIEW

Eight tasks with the page of blockdct-preview in headless Chromium, by mouse and keys alone,
and how many clicks, keys and turns of the wheel each may take. It prints these, the seconds
that a person takes by the keystroke-level model (Card, Moran and Newell: 1.35 to think, 1.3
to point and click, 0.28 a key), and those until the page has answered. BLOCKDCT_CLIP names
a clip of some seconds; else it is a test pattern. BLOCKDCT_SHOTS names a folder for
photographs. Speaks TAP."""

import functools
import os
import time

from bench import launch, make_video
from person import choose, move_slider, on_page, photograph
from tap import Skip, run_cases

CLIP = os.path.abspath(os.environ.get("BLOCKDCT_CLIP", "")) \
    if "BLOCKDCT_CLIP" in os.environ else "long.mkv"


def task(clicks, keys=0, arguments=(), **options):
    """The case, with at most so many clicks, and keys and turns of the wheel."""
    def decorate(function):
        @functools.wraps(function)
        async def body(browser):
            browser.clicks = browser.keys = 0
            start = time.monotonic()
            answer = await function(browser)
            took = time.monotonic() - start
            person = 1.35 + 1.3 * browser.clicks + 0.28 * browser.keys
            print(f"# {function.__name__}: {browser.clicks} clicks, {browser.keys} keys and turns:"
                  f" {person:.1f} s; the page {took:.1f} s; {' '.join(answer.split())}", flush=True)
            await photograph(browser, f"task-{function.__name__}")
            assert browser.clicks <= clicks and browser.keys <= keys, (browser.clicks, browser.keys)
        return on_page(CLIP, *arguments, **options)(body)
    return decorate


async def need(browser, codec):
    if not await browser.read(f"[...find('codec-a').options].some(o => o.value === '{codec}')"):
        raise Skip(f"{codec} is missing: install gstreamer1.0-plugins-ugly and -bad")


@task(clicks=0, keys=7)
async def quality_good_enough(browser):
    """Enlarged, and one step coarser at a time."""
    here = await browser.point(200, 150)
    await browser.mouse("mouseMoved", *here, button="none")
    for _ in range(2):
        await browser.wheel(*here, -100)
    for quality in range(14, 9, -1):
        await browser.key("ArrowDown", 40)
        await browser.wait(f"page.figures.quality === {quality}")
    return await browser.read("find('figures-a').innerText")


@task(clicks=5)
async def x265_against_x264_at_equal_rate(browser):
    """Both have the same bitrate from the start."""
    await need(browser, "encoder x264enc-bitrate")
    await need(browser, "encoder x265enc-bitrate")
    await choose(browser, "#codec-a", "encoder x264enc-bitrate")
    await choose(browser, "#codec-b", "encoder x265enc-bitrate")
    await browser.click("#compare")
    await browser.wait("page.figures['b-encoder']?.startsWith('x265enc')"
                       " && page.figures.encoder?.startsWith('x264enc')")
    assert await browser.read("page.values['encoder-bitrate'] ==="
                              " page.values['b::encoder-bitrate']")
    return await browser.wait("/better|worse|same/.test(find('words').textContent)"
                              " && find('words').textContent + find('over').textContent")


@task(clicks=8)
async def two_files_that_exist(browser):
    """Of each card's list, then of the desktop's dialog."""
    node = (await browser.call("DOM.getDocument"))["root"]["nodeId"]
    node = (await browser.call("DOM.querySelector", nodeId=node, selector="#file"))["nodeId"]
    await browser.read("HTMLInputElement.prototype.click = () => {}")
    for side, name in ("a", "coarse.mkv"), ("b", "fine.mkv"):
        await choose(browser, f"#codec-{side}", "choose")
        browser.clicks += 2 if side == "a" else 1  # the file, and Open; or twice on the file
        await browser.call("DOM.setFileInputFiles", nodeId=node, files=[os.path.abspath(name)])
        await browser.wait(f"page.news['file-{side}'] === '{name}'")
    await browser.click("#compare")
    return await browser.wait("/better/.test(find('words').textContent)"
                              " && find('words').textContent")


@task(clicks=0, keys=1)
async def the_worst_frame(browser):
    await browser.wait("time.points.size >= player.frame(page.news.duration) - 1")
    await browser.key("w")
    await browser.wait("Math.abs(page.figures.psnr - time.worst('a')[0][1]) < 1e-9")
    return await browser.wait("find('clock').value")


@task(clicks=1, keys=1)
async def one_block(browser):
    await browser.key("i")
    await browser.drag((200, 150))
    await browser.wait("block.data !== null && find('cells').innerText !== ''")
    return await browser.read("find('block-title').textContent")


@task(clicks=3)
async def a_crf(browser):
    await need(browser, "encoder x264enc-crf")
    await choose(browser, "#codec-a", "encoder x264enc-crf")
    await browser.wait("!widgets['encoder-crf'].closest('.row').hidden")
    await move_slider(browser, "encoder-crf", 30)
    return await browser.wait("/quantizer=(29|30|31)/.test(page.figures.encoder)"
                              " && page.figures.encoder")


@task(clicks=2)
async def the_command_for_a_colleague(browser):
    await browser.read("Object.defineProperty(navigator, 'clipboard', {value: {writeText:"
                       " async text => { copied = text; }}}), copied = ''")
    await browser.click("#copy > summary")
    await browser.click("#copy button")
    return await browser.wait("copied.startsWith('blockdct-preview ') && copied")


@task(clicks=4, width=390, height=844, mobile=True)
async def on_a_phone(browser):
    """A against B, in the picture and in words."""
    await browser.click("#compare", scrolled=True)
    await choose(browser, "#codec-b", "hevc-16x16")
    await browser.wait("'b-qp' in page.figures")
    await browser.read("scrollTo(0, 0)")
    await browser.click("#view-difference", scrolled=True)
    await browser.wait("page.shown.values.view === 'difference'")
    return await browser.wait("/better|worse|same/.test(find('words').textContent)"
                              " && find('words').textContent")


def make_files():
    make_video()
    for name, quality in ("coarse", 10), ("fine", 90):
        launch(f"filesrc location={CLIP} ! decodebin ! videoconvert ! jpegenc quality={quality} !"
               f" matroskamux ! filesink location={name}.mkv")


run_cases(make_files)
