#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""edges.py PROGRAM [--no-element]

blockdct-measure with files that are no pictures, that break off, stall, cannot be
read or do not fit the memory, with any names, and with tables that are not its
own: what it cannot do it says, and nothing else is lost. Speaks TAP.
--no-element: it was built with sanitizers."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from lists import make_lists
from program import (LIMIT, PROGRAM, ZONES, have, launch, read, rows_of, run, skip_without,
                     table, write)
from tap import Skip, case, run_cases

STALLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stalls.py")
PACKAGES = {"videotestsrc": "gstreamer1.0-plugins-base", "jpegenc": "gstreamer1.0-plugins-good",
            "pngenc": "gstreamer1.0-plugins-good", "avimux": "gstreamer1.0-plugins-good",
            "matroskamux": "gstreamer1.0-plugins-good", "qtmux": "gstreamer1.0-plugins-good"}
MUXERS = {"avi": "avimux", "mkv": "matroskamux", "mov": "qtmux faststart=true"}


def make_files():
    launch(ZONES + "1 ! video/x-raw,format=GRAY8,width=97,height=65 ! pngenc",
           "! filesink location=grey.png")
    shape = "video/x-raw,format=I420,width=64,height=48,framerate=25/1"
    for kind, muxer in MUXERS.items():
        launch(f"{ZONES}400 ! {shape} ! jpegenc ! {muxer} ! filesink location=film.{kind}")


def make_slow(*names):
    for name in names:
        write(name, name.encode().ljust(57000, b"\0"))


def run_slow(*arguments, status=0):
    """With decoders that take their time."""
    return run(STALLS, PROGRAM, "table", *arguments, status=status, program=sys.executable)


@case
def nothing_but_files_is_opened():
    if not have("hlsdemux") or not have("dashdemux"):
        raise Skip("hlsdemux or dashdemux is missing: install gstreamer1.0-plugins-bad")
    os.mkdir("lists")
    shutil.copy("grey.png", "lists/grey.png")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        lists = make_lists(f"http://127.0.0.1:{port}/a.ts")
        write("reference.mov", lists.pop("reference.mov"))
        lists["hls.png"] = lists["hls.m3u8"]
        for name, data in lists.items():
            write(f"lists/{name}", data)
        assert [r["file"] for r in table("lists")] == ["lists/grey.png"]
        out = run("--list", "lists")[0]
        assert json.loads(out) == {"file": "lists/grey.png", "frames": 1}
        for name in "reference.mov", *(f"lists/{name}" for name in lists):
            for options in ("--quiet",), ("--list",):
                err = run(*options, name, status=2)[1]
                assert f"{name}: " in err, err
                assert "it is a list of other files" in err or "/list." in name \
                    or name[6:] in ("session.sdp", "project.xges"), err
        server.settimeout(0)
        try:
            server.accept()
        except BlockingIOError:
            return
    raise AssertionError("the network was asked")


@case
def what_breaks_off_is_said():
    for kind in MUXERS:
        film, half = f"film.{kind}", f"half.{kind}"
        row, = table(film)
        assert row["frames"] == "400"
        write(half, read(film)[:os.path.getsize(film) // 2])
        assert json.loads(run("--list", half)[0]) == {"file": half, "frames": 400}
        err = run("--quiet", "--csv", "half.csv", half, film, status=2)[1]
        n = err.split(f"{half}: it breaks off: ")[-1].split(" of 400 frames")[0]
        assert 100 < int(n) < 300, err
        # It is not done, for --resume either; what is there can be had.
        assert read("half.csv").count(half.encode()) == 0
        assert read("half.csv").count(film.encode()) == 1
        run("--quiet", "--csv", "half.csv", "--resume", half, film, status=2)
        row, = table("--n-frames", n, half)
        assert row["frames"] == n


@case
def sound_of_another_length_breaks_nothing_off():
    if not have("audiotestsrc"):
        raise Skip("audiotestsrc is missing: install gstreamer1.0-plugins-base")
    for muxer in MUXERS.values():
        for n in 10, 60:    # tenths of a second; the pictures are 3 s
            launch(f"{ZONES}75 ! video/x-raw,format=I420,width=64,height=48,framerate=25/1 ! "
                   f"jpegenc ! {muxer} name=mux ! filesink location=sound audiotestsrc "
                   f"samplesperbuffer=4410 num-buffers={n} ! audio/x-raw,rate=44100 ! mux.")
            row, = table("sound")
            assert row["frames"] == "75"


@case
def what_stalls_is_given_up():
    make_slow("STALLS", "SLOW", "COMPUTES")
    assert "it gave nothing" in run_slow("--list", "--stall-limit", "1", "STALLS", status=2)[1]
    # Ten seconds, so that a busy machine stalls nothing; they sleep, all at once.
    options = "--quiet", "--csv", "-", "--stall-limit", "10"
    with ThreadPoolExecutor() as pool:
        stalled = pool.submit(run_slow, *options, "STALLS", "grey.png", status=2)
        # It takes longer, but goes on: bytes are read, or a processor is busy.
        going = [pool.submit(run_slow, *options, name) for name in ("SLOW", "COMPUTES")]
    out, err = stalled.result()
    assert [r["file"] for r in rows_of(out)] == ["grey.png"]
    assert "STALLS: it gave nothing for 10 s" in err and "--stall-limit" in err, err
    for output in going:
        row, = rows_of(output.result()[0])
        assert row["frames"] == "1"


@case
def one_run_at_a_time_writes_a_table():
    make_slow("STALLS")
    options = ("--quiet", "--csv", "shared.csv")
    with subprocess.Popen([sys.executable, STALLS, PROGRAM, "table", *options, "grey.png", "STALLS",
                           "film.avi"]) as first:
        try:
            end = time.monotonic() + LIMIT
            while time.monotonic() < end and not (
                    os.path.exists("shared.csv") and b"grey.png" in read("shared.csv")):
                time.sleep(0.05)
            before = read("shared.csv")
            for resume in ("--resume",), ():
                err = run(*options, *resume, "grey.png", "film.mkv", status=2)[1]
                assert "another run is writing shared.csv" in err, err
            assert read("shared.csv") == before and before.count(b"\n") == 2
        finally:
            first.send_signal(signal.SIGKILL)
    run(*options, "--resume", "grey.png", "film.mkv")
    assert read("shared.csv").startswith(before)


@case
def nothing_but_tables_is_overwritten():
    run("--quiet", "--csv", "table.csv", "--metrics", "ssim", "grey.png")
    run("--quiet", "--json", "table.json", "grey.png")
    foreign = {"copy.png": read("grey.png"), "text": "text\n", "word": "word",
               "foreign.csv": "file,transform,x\n1,2,3\n", "foreign.json": '{"file": 3}\n',
               "list.json": run("--list", "grey.png")[0], "film": read("film.avi")}
    own = {"empty": b"", "own.csv": read("table.csv"), "own.json": read("table.json"),
           "half.csv": read("table.csv")[:-9], "head.csv": b"file,tr",
           "half.json": read("table.json")[:-9]}
    for name, data in {**foreign, **own}.items():
        for kind in "--csv", "--json":
            write(name, data)
            err = run("--quiet", kind, name, "grey.png", status=2 if name in foreign else 0)[1]
            if name in foreign:
                assert f"{name} is not a table of blockdct-measure, and is not" in err, err
                assert read(name) == (data if isinstance(data, bytes) else data.encode()), name
            else:
                assert read(name) == run("--quiet", kind, "-", "grey.png")[0].encode(), name
    run("--quiet", "--csv", "/dev/null", "grey.png")


@case
def outputs_are_apart_and_complete():
    os.symlink("one", "other")
    write("one", "")
    for first, second in ("new", "new"), ("new", "./new"), ("one", "other"), ("one", "one"):
        err = run("--csv", first, "--json", second, "grey.png", status=2)[1]
        assert "--csv and --json cannot both be" in err, err
    assert read("one") == b"" and not os.path.exists("new")
    for options in ("table", "--list", "grey.png"), ("table", "grey.png"):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, *options], stdout=full, stderr=subprocess.PIPE,
                                  timeout=LIMIT, check=False)
        assert done.returncode == 2 and b"No space left" in done.stderr, (options, done)


@case
def what_cannot_be_read_is_said():
    os.makedirs("locked/in")
    for name in "locked/a.png", "locked/b.png":
        shutil.copy("grey.png", name)
    os.symlink("not-there", "locked/link")
    os.chmod("locked/b.png", 0)
    os.chmod("locked/in", 0)
    # root reads everything, unless told.
    drop = [] if os.geteuid() else ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    if drop and (not shutil.which(drop[0]) or subprocess.run(
            [*drop, "cat", "locked/b.png"], capture_output=True, check=False).returncode == 0):
        raise Skip("root cannot be kept from reading: no setpriv, or it is not allowed")
    done = subprocess.run([*drop, PROGRAM, "table", "--csv", "-", "locked"], text=True,
                          capture_output=True, timeout=LIMIT, check=False)
    assert [r["file"] for r in rows_of(done.stdout)] == ["locked/a.png"]
    assert done.returncode == 2 and "3 of 4 files" in done.stderr, done
    for words in "b.png: Permission denied", "in: Permission denied", "link: there is no such":
        assert f"  locked/{words}" in done.stderr, done.stderr


@case
def no_pipe_is_waited_for():
    os.mkfifo("pipe.png")
    for options in ("--quiet", "--csv", "-"), ("--list",):
        out, err = run(*options, "pipe.png", "grey.png", status=2)
        assert "pipe.png: it is not a regular file" in err and "grey.png" in out, err


@case
def any_bytes_are_a_name():
    names = {b'a,b "c".png': 'a,b "c".png', b"line\nbreak.png": r"line\x0Abreak.png",
             b"raw\xff.png": r"raw\xFF.png", b"raw\xfe.png": r"raw\xFE.png",
             br"raw\xFF.png": r"raw\x5CxFF.png", br"raw\n\\x\xf.png": r"raw\n\\x\xf.png",
             b"raw\33[1m.png": r"raw\x1B[1m.png", "raw\x9b.png".encode(): r"raw\xC2\x9B.png",
             "raw\xff\ud7ff.png".encode() + b"\xed\xa0\x80": "raw\xff\ud7ff.png" r"\xED\xA0\x80"}
    os.mkdir("names")
    for name in names:
        shutil.copy("grey.png", b"names/" + name)
    wanted = ["names/" + names[name] for name in sorted(names)]
    for environment in "C.UTF-8", "C":
        env = dict(os.environ, LC_ALL=environment)
        lines = run("--list", "names", env=env, encoding="utf-8")[0].splitlines()
        assert [json.loads(line)["file"] for line in lines] == wanted, lines
    whole = run("--quiet", "--json", "-", "names")[0]
    assert [json.loads(line)["file"] for line in whole.splitlines()] == wanted
    rows = run("--quiet", "--csv", "-", "names")[0]
    assert [r["file"] for r in rows_of(rows)] == wanted
    assert run("--merge", "-", "--json", "-", input=rows)[0] == whole
    write("names.json", "".join(whole.splitlines(keepends=True)[:2]))
    run("--quiet", "--json", "names.json", "--resume", "names")
    assert read("names.json").decode() == whole


if not skip_without(PACKAGES):
    run_cases(make_files)
