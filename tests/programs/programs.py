#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""programs.py PLUGIN-FOLDER PROGRAM...

The installed programs' command lines: the options of --help are those of the
manual page beside a program's source, with values where they have some; the
pages are well formed; what blockdct-preview refuses, it names; and what a program is
told to write to stays what it is. No display is needed. Speaks TAP."""

import os
import re
import shutil
import stat
import struct
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "programs", "measure"))
from tap import Skip, case, read, run_cases, write  # noqa: E402

PLUGINS, *PROGRAMS = map(os.path.abspath, sys.argv[1:])
LIMIT = 240  # s, for each program that is run
PAGES = {os.path.basename(path): os.path.join(
    TOP, "programs", os.path.basename(path).split("-")[1], os.path.basename(path) + ".1")
    for path in PROGRAMS}


def run(*arguments, **environment):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=LIMIT,
                          env=dict(os.environ, LC_ALL="C.UTF-8", **environment), check=False)


@case
def pages_have_the_options_of_help():
    for program in PROGRAMS:
        in_help = set(re.findall(r"(?<=[ ,])--?[a-z][\w-]*", run(program, "--help").stdout))
        with open(PAGES[os.path.basename(program)], encoding="utf-8") as file:
            in_page = {"-" + name for line in file if line.startswith(".It Fl ")
                       for name in re.findall(r"Fl (-?[\w-]+)", line)}
        assert len(in_help) > 4 and in_page == in_help, in_page ^ in_help


@case
def pages_are_well_formed():
    if not shutil.which("mandoc"):
        raise Skip("mandoc is missing: install mandoc")
    done = run("mandoc", "-T", "lint", "-W", "warning", *PAGES.values())
    assert done.returncode == 0, done.stdout + done.stderr


@case
def the_desktop_knows_the_preview():
    for program, *more in ("desktop-file-validate", "desktop"), \
            ("appstreamcli", "metainfo.xml", "validate", "--no-net"):
        if not shutil.which(program):
            raise Skip(f"{program} is missing: install desktop-file-utils, appstream")
        done = run(program, *more[1:], os.path.join(TOP, "programs", "preview",
                                                    f"blockdct-preview.{more[0]}"))
        # appstreamcli 1.0 warns of what a repository without a site cannot name.
        found = [line for line in done.stdout.splitlines()
                 if line[:2] in ("E:", "W:") and "url-homepage-missing" not in line]
        assert done.returncode == 0 or program == "appstreamcli" and not found, \
            done.stdout + done.stderr


def preview(*arguments):
    program = [path for path in PROGRAMS if path.endswith("-preview")]
    if not program:
        raise Skip("blockdct-preview was not built: `meson setup` says why")
    return run(*program, *arguments, GST_PLUGIN_PATH_1_0=PLUGINS, DISPLAY="", WAYLAND_DISPLAY="")


def make(name, *elements):
    made = run(*" ! ".join(["gst-launch-1.0 -q " + elements[0], *elements[1:], "filesink"]).split(),
               f"location={name}")
    if made.returncode != 0:
        raise Skip(f"{made.stderr}: install gstreamer1.0-plugins-good and -base")


def refuses(*arguments, words):
    done = preview(*arguments, "--screenshot=none.png")
    assert done.returncode == 1 and not os.path.exists("none.png"), done
    for word in words:
        assert word in done.stderr, done.stderr
    return done.stderr


@case
def preview_names_what_cannot_be():
    for arguments, words in {
            ("--test-pattern=unknown",): ("'unknown'", "smpte", "zone-plate", "ball"),
            ("--http", "one.avi", "a.avi", "b.avi", "four.avi"):
            ("at most two versions of it: four.avi is one too many",),
            ("quality=101",): ("'quality=101'", "from 1 to 100"),
            ("--http=99999",): ("--http=99999", "65535"),
            ("--hold=-1",): ("--hold=-1", "0 to"), ("--hold=nan",): ("--hold=nan", "0 to"),
            ("--http=0", "--http-address=nonsense"): ("nonsense", "0.0.0.0"),
            ("a.mkv", __file__, "--csv=a.csv"): ("blockdct-measure score",)}.items():
        refuses(*arguments, words=words)


@case
def preview_names_a_file_without_video():
    for container in ("wavenc", "vorbisenc ! oggmux"):
        make("sound", "audiotestsrc num-buffers=9", container)
        said = refuses("sound", words=("sound: there is no video or picture",
                                        "Missing decoder: "))
        assert len(said) < 200, said


@case
def preview_has_all_frames():
    """In real time the first one would take ten minutes; sound goes on behind the frames."""
    for more, source, frames in (
            ((), "num-buffers=10 ! video/x-raw,framerate=1/60 ! jpegenc ! matroskamux", 10),
            (("-n", "20"), "num-buffers=60 ! jpegenc ! mux. audiotestsrc num-buffers=200 ! "
             "matroskamux name=mux", 20)):
        make("film.mkv", "videotestsrc " + source)
        done = preview("film.mkv", "--csv=film.csv", "--screenshot=film.png", "view=error-map",
                       *more)
        assert done.returncode == 0 and read("film.csv").count(b"\n") == 1 + frames, done
        assert read("film.png").startswith(b"\x89PNG")


@case
def preview_turns_a_picture():
    # GStreamer 1.24 does not call it a codec's parser, and decodebin passes it over.
    if not re.search("Klass.*Codec/Parser", run("gst-inspect-1.0", "jpegparse").stdout):
        raise Skip("this GStreamer decodes without jpegparse")
    make("turned.jpg", "videotestsrc num-buffers=1", "video/x-raw,width=64,height=48", "jpegenc",
         "taginject tags=image-orientation=rotate-90", "jifmux")
    assert preview("turned.jpg", "--screenshot=turned.png").returncode == 0
    assert struct.unpack(">II", read("turned.png")[16:24]) == (48, 64)


@case
def preview_takes_a_file_for_a_file():
    """Although its name may be a URI's."""
    for name in "Movie: Part two.png", "http://a=b.png":
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        make(name, "videotestsrc num-buffers=1", "pngenc")
        done = preview(name, "--screenshot=some.png")
        assert done.returncode == 0 and os.path.getsize("some.png") > 0, done.stderr
    refuses("Movie: Part three.png", words=("There is no file Movie: Part three.png",))


@case
def names_do_not_command_the_terminal():
    said = refuses("\33[31m\u009b1m.png", words=(r"\x1B[31m\xC2\x9B1m.png",))
    assert said.isprintable() or set(filter(lambda c: not c.isprintable(), said)) == {"\n"}, said


@case
def preview_writes_to_what_is_named():
    """A symbolic link, a FIFO and a device stay what they are, and a full disk is said."""
    def shoot(path):
        return preview("--screenshot=" + path, "-n", "2")
    write("old", b"old" * 1000000)
    for target in "old", "/dev/null", "/dev/full":
        os.symlink(target, "link.png")
        done = shoot("link.png")
        assert os.path.islink("link.png"), "it was replaced"
        if target == "/dev/full":
            assert done.returncode == 1 and "link.png: No space left" in done.stderr, done
        else:
            assert done.returncode == 0, done
        os.remove("link.png")
    os.mkfifo("pipe.png")
    with open("got", "wb") as got, subprocess.Popen(["cat", "pipe.png"], stdout=got) as cat:
        try:
            done = shoot("pipe.png")
            assert done.returncode == 0, done
            assert stat.S_ISFIFO(os.stat("pipe.png").st_mode), "it was replaced"
            cat.wait(LIMIT)
        finally:
            cat.kill()
    for name in "old", "got":
        assert read(name).startswith(b"\x89PNG") and not read(name).endswith(b"old"), name


run_cases(lambda: None)
