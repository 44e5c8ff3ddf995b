#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""files.py PLUGIN-FOLDER BLOCKDCT-PREVIEW

blockdct-preview --http without a browser: files that it shows, as the original, as A and as
B, and places in them. Speaks TAP."""

import math
import os
import shutil

from bench import (launch, make_short_files, make_video, need, read, start, synchronous,
                   viewing)
from tap import run_cases
from viewer import Viewer, decode_png, fetch, is_paused


@viewing("long.mkv", "quality=30", "b::qp=40")
async def files_go_and_come(server, viewer):
    """What is saved, the lines, and another file."""
    await viewer.say("pause")
    await viewer.turn("quality", 31)
    await viewer.turn("quality", 30)
    for name in ("view", "original", "a"):
        status, png = fetch(server, f"{name}.png")
        assert status == 200 and decode_png(png)[0] == (320, 240), (name, status, png[:200])
    assert fetch(server, "b.png") == (409, b"There is no B to save: neither left nor right "
                                      b"shows it.")
    status, line = fetch(server, "command.txt")
    assert status == 200 and b"a::quality=30" in line and b"/long.mkv" in line \
        and b" a::metrics=bits " in line, line
    status, program = fetch(server, "program.py")
    assert status == 200 and program.startswith(b"import gi") and b"'quality', '30'" in program
    before = os.listdir()
    still = read("still.png")
    assert fetch(server, "open?name=a/..%2Fb%20c.png", still)[0] == 200
    await viewer.wait(lambda news: news["name"] == "b c.png" and "picture" in news
                      and viewer.decode()[0] == (97, 65))
    status, line = fetch(server, "command.txt")
    assert b" 'location=\"b c.png\"' " in line and b"compare::interactive=true" in line, line
    for _ in range(2):  # one folder at a time
        assert fetch(server, "open?name=c.png", still)[0] == 200
        made = [name for name in set(os.listdir()) - set(before)
                if name.startswith("blockdct-preview-")]
        assert len(made) == 1, made
    status, words = fetch(server, "open?name=x", b"no picture")
    assert status == 415 and words.startswith(b"x: "), (status, words)
    await viewer.wait(lambda news: "notice" in news)
    # All is as it was.
    await viewer.turn("quality", 32)
    assert viewer.news["name"] == "c.png" and viewer.decode()[0] == (97, 65)
    assert fetch(server, "original.png")[0] == 200
    assert fetch(server, "open", still)[0] == 400
    assert fetch(server, "open?name=x", still, {"Origin": "http://else.where"})[0] == 403
    assert fetch(server, "page.js", b"")[0] == 405


@viewing("long.mkv", "left=a", "right=b")
async def files_are_a_and_b(server, viewer):
    """What was encoded elsewhere, against each other, with its bits; of another size, too."""
    data = {name: read(name) for name in ("fine.mkv", "coarse.mkv")}
    for side, name in (("a", "fine.mkv"), ("b", "coarse.mkv")):
        assert fetch(server, f"open?name={name}&side={side}", data[name])[0] == 200
    news = await viewer.wait(lambda news: news.get("figures", {}).get("b-encoder") == "coarse.mkv"
                             and news["figures"].get("encoder") == "fine.mkv")
    figures = news["figures"]
    assert news["file-a"] == "fine.mkv" and news["name"] == "long.mkv", news
    assert figures["psnr"] > figures["b-psnr"] > 15, figures
    if "notice" not in viewer.news:
        await viewer.wait(lambda news: "notice" in news)
    assert viewer.news["notice"] == ("coarse.mkv has 160x120 samples; it is scaled to the "
                                     "original's 320x240."), viewer.news["notice"]
    # All frames have about as many bits, and the file has them and little else.
    for prefix, name in (("", "fine.mkv"), ("b-", "coarse.mkv")):
        of_file = 8 * len(data[name]) / 90
        assert 0.7 * of_file < figures[f"{prefix}bits"] < 1.2 * of_file, (figures, of_file)
    assert fetch(server, "open?name=x&side=a", b"no picture")[0] == 415
    await viewer.say("pause")
    await viewer.say("seek 1")
    await viewer.wait_figure("timestamp", 1000000000)
    assert viewer.news["file-a"] == "fine.mkv" and viewer.news["figures"]["encoder"] == "fine.mkv"
    assert decode_png(fetch(server, "b.png")[1])[0] == (320, 240)
    assert fetch(server, "command.txt")[0] == 409
    await viewer.say("set b::encoder=transform")
    await viewer.wait(lambda news: "b-transform" in news.get("figures", {}))
    with start("long.mkv", "fine.mkv", "coarse.mkv") as again:
        async with Viewer(again.address) as other:
            await other.wait(lambda news: "b-encoder" in news.get("figures", {}))
            assert other.news["file-b"] == "coarse.mkv"


@viewing("--no-original", "fine.mkv", "coarse.mkv")
async def two_files_without_an_original(server, viewer):
    """B against A, and no figure says that one of them is the better one."""
    def are(a, b, alone):
        return lambda news: ([news.get("figures", {}).get(f"{side}encoder") for side in ("", "b-")]
                             == [a, b] and news["no-reference"] == alone)

    news = await viewer.wait(are("fine.mkv", "coarse.mkv", True))
    figures = news["figures"]
    assert (news["values"]["left"], news["values"]["right"]) == ("a", "b"), news["values"]
    assert figures["psnr"] is None and 15 < figures["b-psnr"] < 40, figures
    assert figures["bits"] > figures["b-bits"] > 0, figures
    for side, name in (("", "long.mkv"), ("side=a", "long.mkv"), ("side=b", "fine.mkv")):
        assert fetch(server, f"open?name={name}&{side}", read(name))[0] == 200
        if not side:  # it is the original: A and B are compared with it
            await viewer.wait(are("fine.mkv", "coarse.mkv", False))
    await viewer.wait(are("long.mkv", "fine.mkv", False))
    await viewer.ask("no-original", are("long.mkv", "fine.mkv", True))
    # Another A is in its place, too.
    assert fetch(server, "open?name=coarse.mkv&side=a", read("coarse.mkv"))[0] == 200
    news = await viewer.wait(are("coarse.mkv", "fine.mkv", True))
    assert news["name"] == "coarse.mkv" and viewer.decode()[0] == (160, 120), news
    await viewer.say("set encoder=transform")  # of what was A
    await viewer.wait(are(None, "fine.mkv", False))
    news = await viewer.ask("no-original", lambda news: "notice" in news)
    assert "A has to be a file" in news["notice"], news["notice"]


async def follow_shifted(server, viewer, words, frames):
    """What is shifted fits: at the start, and wherever one goes then."""
    def fit(news, frame=None):
        figures = news.get("figures", {})
        return (frame in (None, round(30e-9 * figures.get("timestamp", -1)))
                and all(figures.get(name, 0) is None or figures.get(name, 0) > 30
                        for name in ("psnr", "b-psnr")))  # None: identical

    if "notice" not in viewer.news:
        await viewer.wait(lambda news: "notice" in news)
    assert viewer.news["notice"] == words, viewer.news["notice"]
    for _ in range(20):
        await viewer.wait(fit)
    await viewer.say("pause")
    for frame in frames:
        await viewer.ask(f"seek {frame / 30 + 0.001}", lambda news, frame=frame: fit(news, frame))
        await viewer.ask("step", lambda news, frame=frame: fit(news, frame + 1))


@viewing("long.mkv", "late.mkv", "early.mkv")
async def files_that_are_late_or_early_are_shifted(server, viewer):
    """By some frames."""
    await follow_shifted(server, viewer, "late.mkv is 0.07 s late: it is shifted. early.mkv is "
                         "0.10 s early: it is shifted.", (60, 3, 45))


@viewing("scenes.mkv", "trimmed.mkv", "padded.mkv")
async def files_of_another_length_are_shifted(server, viewer):
    """By seconds. What a file does not have is not shown."""
    await follow_shifted(server, viewer, "trimmed.mkv is 4.00 s early: it is shifted. padded.mkv "
                         "is 2.00 s late: it is shifted.", (200, 120, 237))
    await viewer.say("seek 1")
    await viewer.wait_figure("timestamp", 4000000000)
    # To another one it is as late as it was.
    assert fetch(server, "open?name=padded.mkv", read("padded.mkv"))[0] == 200
    news = await viewer.wait(lambda news: "notice" in news)
    assert news["notice"] == "trimmed.mkv is 6.00 s early: it is shifted.", news["notice"]
    await viewer.say("play")
    await viewer.wait(lambda news: all(news.get("figures", {}).get(name, 0) is None
                                       for name in ("psnr", "b-psnr")))


@viewing("scenes.mkv", "varies.mkv")
async def what_shows_something_else_is_not_shifted(server, viewer):
    news = await viewer.wait(lambda news: "seem" in news.get("notice", ""))
    assert "varies.mkv does not seem to show the same as the original." in news["notice"], news
    await viewer.wait(lambda news: news.get("figures", {}).get("encoder") == "varies.mkv"
                      and news["figures"]["timestamp"] < 4e8)


@synchronous
async def it_begins_again_where_the_shorter_one_ends():
    for names in (("scenes.mkv", "varies.mkv"), ("varies.mkv", "scenes.mkv")):
        with start(*names) as server:
            async with Viewer(server.address) as viewer:
                for late in (True, False, True):
                    await viewer.wait(lambda news, late=late: "encoder" in news.get("figures", {})
                                      and (news["figures"]["timestamp"] > 7e8) == late)


@synchronous
async def hdr_is_tone_mapped_for_show():
    """And this is said; neither figures nor maps are made of what is shown."""
    need("x264enc", "gstreamer1.0-plugins-ugly")
    for transfer, name, nits in (
            ("bt2100-pq", "smpte2084", lambda v: 10000 * (
                max(v ** (32 / 2523) - 107 / 128, 0)
                / (2413 / 128 - 2392 / 128 * v ** (32 / 2523))) ** (8192 / 1305)),
            ("bt2100-hlg", "arib-std-b67", lambda v: 1000 * (
                v * v / 3 if v <= 0.5
                else (math.exp((v - 0.55991073) / 0.17883277) + 0.28466892) / 12) ** 1.2)):
        launch("videotestsrc num-buffers=5 pattern=smpte100 ! video/x-raw,format=I420_10LE,"
               f"width=64,height=48,colorimetry={transfer} ! x264enc ! matroskamux ! "
               "filesink location=hdr.mkv")
        launch("filesrc location=hdr.mkv ! decodebin ! videoconvert dither=none ! "
               "video/x-raw,format=RGB,colorimetry=sRGB ! filesink location=hdr.rgb")
        samples = read("hdr.rgb")[:3 * 64 * 48]
        lights = [min(nits(i / 255), 1000) / 203 for i in range(256)]
        shades = [255 * (light * (1 + light * 0.203 ** 2) / (1 + light)) ** (1 / 2.2)
                  for light in lights]
        with start("hdr.mkv", "view=original") as server:
            async with Viewer(server.address) as viewer:
                await viewer.say("pause")
                await viewer.say("seek 0")
                await viewer.wait_figure("timestamp", 0)
                assert f"10 bit 4:2:0, {name} transfer" in viewer.news["about"], viewer.news
                for shown in (viewer.decode(), decode_png(fetch(server, "original.png")[1])):
                    assert viewer.news["tone-mapped"] and shown[0] == (64, 48), viewer.news
                    wrong = max(abs(value - shades[sample])
                                for value, sample in zip(shown[1], samples))
                    assert wrong < 1, (transfer, wrong)
                before = viewer.news["figures"]["psnr"]
                await viewer.say("set view=error-map")
                news = await viewer.wait(lambda news: not news.get("tone-mapped", True))
                assert news["figures"]["psnr"] == before > 20, news["figures"]


@viewing("long.mkv", "coded.mkv")
async def the_original_is_described_beside_a_file(server, viewer):
    for second in (0, 1, 2):
        news = await viewer.wait(lambda news, second=second: news.get("figures", {})
                                 .get("encoder") == "coded.mkv" and news["position"] > second)
        assert news["about"].startswith("Motion JPEG, "), news["about"]


@synchronous
async def the_original_has_its_timecode():
    need("x264enc", "gstreamer1.0-plugins-ugly")
    need("timecodestamper", "gstreamer1.0-plugins-bad")
    launch("videotestsrc num-buffers=60 ! video/x-raw,format=I420,width=64,height=48,"
           "framerate=25/1 ! timecodestamper ! x264enc option-string=pic-struct=1:nal-hrd=vbr "
           "bitrate=500 ! h264parse update-timecode=true ! matroskamux ! filesink location=tc.mkv")
    with start("tc.mkv") as server:
        async with Viewer(server.address) as viewer:
            await viewer.say("pause")
            # GStreamer 1.24 writes even numbers alone.
            await viewer.say("seek 1.081")
            await viewer.wait(lambda news: news["about"].endswith(", timecode 00:00:01:02"))


@viewing("slow.mkv")
async def the_first_frame_has_the_clips_rate(server, viewer):
    news = await viewer.wait(lambda news: "picture" in news and "duration" in news)
    assert abs(news["frame-duration"] - 0.04) < 1e-6 and news["moves"], news


@viewing("short.avi", "view=wipe")
async def a_file_that_ends_while_dragging(server, viewer):
    await viewer.wait(lambda news: "picture" in news)
    await viewer.say("press 1 100")
    for i in range(60):
        await viewer.say(f"move {1 + i * 5} 100")
        await viewer.next()
    await viewer.say("move 240 100")
    await viewer.say("release 240 100")
    await viewer.wait(lambda news: abs(news["values"]["wipe-position"] - 0.75) < 0.01
                      and "picture" in news)


@viewing("long.mkv")
async def any_frame_of_a_file(server, viewer):
    news = await viewer.wait(lambda news: "picture" in news and "duration" in news)
    assert abs(news["duration"] - 3) < 0.1, news
    await viewer.wait(lambda news: news["about"] == "Motion JPEG, 8 bit 4:2:0, unknown transfer, "
                      "full range, 30/s")
    await viewer.ask("pause", is_paused)
    for second, frame in ((2, 60), (0.5, 15), (1, 30), (0.3, 9)):
        await viewer.say(f"seek {second}")
        await viewer.wait_figure("timestamp", round(1e9 * second / 1e6) * 1000000)
        for _ in range(3):
            stamp = viewer.news["figures"]["timestamp"]
            await viewer.say("step")
            await viewer.wait(lambda news, stamp=stamp: abs(
                news.get("figures", {}).get("timestamp", 0) - stamp - 1e9 / 30) < 2e6)
        assert abs(viewer.news["position"] - (frame + 3) / 30) < 0.04, viewer.news
    # While it is turned, too; the last place wins.
    for i in range(300):
        await viewer.say(f"seek {i % 30 / 10}")
        await viewer.say(f"set quality={1 + i % 50}")
    await viewer.say("seek 1.5")
    await viewer.say("set quality=77")
    await viewer.wait(lambda news: news.get("figures", {}).get("quality") == 77
                      and news["figures"]["timestamp"] == 1500000000)
    # A step that is asked for while seeks are on their way is made where they end; behind an
    # encoder frames are not shown at once.
    for frame, words in (61, ("seek 0.1", "seek 2", "step")), (
            64, ("set encoder=jpegenc-quality", "step", "step", "step")):
        for text in words:
            await viewer.say(text)
        await viewer.wait(lambda news, frame=frame: abs(
            news.get("figures", {}).get("timestamp", 0) - frame / 30e-9) < 2e6)
    news = await viewer.ask("seek nan", lambda news: "notice" in news)
    assert "not possible to seek to nan" in news["notice"], news
    assert not viewer.news["rate-varies"], viewer.news


@viewing("varies.mkv")
async def each_frame_of_a_variable_rate(server, viewer):
    """Whatever its duration, which the file does not say."""
    times = [*range(0, 1000, 100), 1000, 1033, 1067, 1100]
    await viewer.wait(lambda news: "picture" in news and "duration" in news)
    await viewer.say("pause")
    await viewer.say("seek 0")
    for command, moments in (("seek 0", times[:1]), ("step", times[1:]), ("back", times[-2::-1]),
                             ("seek 0.85", [800]), ("seek 1.05", [1033])):
        for moment in moments:
            await viewer.say(command)
            await viewer.wait(lambda news, moment=moment: news.get("figures", {}).get(
                "timestamp", -1) // 1000000 == moment)
    assert viewer.news["rate-varies"], viewer.news


@viewing("long.mkv")
async def a_range_is_repeated(server, viewer):
    await viewer.wait(lambda news: "duration" in news)
    await viewer.say("pause")
    await viewer.say("seek 1")
    await viewer.wait_figure("timestamp", 1000000000)
    await viewer.ask("mark", lambda news: news.get("from") == 1 and "to" not in news)
    await viewer.say("seek 1.2")
    await viewer.wait_figure("timestamp", 1200000000)
    await viewer.ask("mark", lambda news: news.get("from") == 1 and news.get("to", 0) > 1.2)
    await viewer.say("play")
    await viewer.wait_figure("timestamp", 1200000000)
    await viewer.wait_figure("timestamp", 1000000000)
    await viewer.ask("mark", lambda news: "from" not in news)


def make_files():
    make_short_files()
    make_video()
    launch("videotestsrc num-buffers=50 ! video/x-raw,framerate=25/1 ! jpegenc ! matroskamux ! "
           "filesink location=slow.mkv")
    launch("filesrc location=long.mkv ! matroskademux ! jpegdec ! x264enc ! matroskamux ! "
           "filesink location=coded.mkv")
    launch("filesrc location=long.mkv ! matroskademux ! multifilesink index=2 "
           "location=frame%d.jpg")
    for i in (0, 1):
        shutil.copy("frame2.jpg", f"frame{i}.jpg")
    for name, first in (("late.mkv", 0), ("early.mkv", 5)):
        launch(f"multifilesrc location=frame%d.jpg index={first} caps=image/jpeg,framerate=30/1 "
               f"! jpegdec ! jpegenc quality=95 ! matroskamux ! filesink location={name}")
    # A scene is a second; two are before and two behind what is padded.
    scenes = ["smpte", "ball", "snow", "checkers-8", "circular", "gamut", "spokes", "bar",
              "zone-plate kx2=9 ky2=9", "pinwheel", "blink", "colors"]
    for name, first, last in (("scenes", 2, 10), ("trimmed", 6, 10), ("padded", 0, 12)):
        launch("concat name=c ! jpegenc quality=95 ! matroskamux ! "
               f"filesink location={name}.mkv " + " ".join(
                   f"videotestsrc num-buffers=30 pattern={scene} ! "
                   "video/x-raw,format=I420,width=160,height=120,framerate=30/1 ! c."
                   for scene in scenes[first:last]))
    ball = "videotestsrc pattern=ball ! video/x-raw,format=I420,width=64,height=48,framerate="
    launch("concat name=c ! jpegenc ! capssetter 'caps=image/jpeg,framerate=(fraction)0/1' ! "
           "matroskamux ! filesink location=varies.mkv "
           + " ".join(ball.replace("src", f"src num-buffers={10 * n}") + f"{10 * n}/1 ! c."
                      for n in (1, 3)))
    for name, scale, quality in (("fine.mkv", "320,height=240", 90),
                                 ("coarse.mkv", "160,height=120", 20)):
        launch("filesrc location=long.mkv ! matroskademux ! jpegdec ! videoscale ! "
               f"video/x-raw,width={scale} ! jpegenc quality={quality} ! matroskamux ! "
               f"filesink location={name}")



run_cases(make_files)
