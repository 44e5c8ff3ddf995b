#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""programs.py PLUGIN-FOLDER PROGRAM...

The installed programs' command lines: the options of --help are those of the
manual page beside a program's source, with values where they have some; the
pages are well formed; and what blockdct-preview refuses, it names. No display is
needed. Speaks TAP."""

import os
import re
import shutil
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "programs", "measure"))
from tap import Skip, case, run_cases  # noqa: E402

PLUGINS, *PROGRAMS = map(os.path.abspath, sys.argv[1:])
LIMIT = 60  # s, for each program that is run
PAGES = {os.path.basename(path): os.path.join(
    TOP, "programs", os.path.basename(path).split("-")[1], os.path.basename(path) + ".1")
    for path in PROGRAMS}


def run(*arguments, **environment):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=LIMIT,
                          env=dict(os.environ, LC_ALL="C.UTF-8", **environment), check=False)


def read_help(program):
    """{option: whether it takes a value}"""
    done = run(program, "--help")
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        names = re.match(r"  ((?:-\w, )?--[\w-]+(?:[= ][A-Z]+)?|-\w, --[\w-]+)(?:  |$)", line)
        if names:
            words = re.split(r", |[= ]", names.group(1))
            for word in words:
                if word.startswith("-"):
                    found[word] = words[-1].isupper()
    return found


def read_page(path):
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith(".It Fl "):
                continue
            names = re.findall(r"Fl (-?[\w-]+)", line)
            found.update(("-" + name, " Ar " in line) for name in names)
    return found


@case
def pages_have_the_options_of_help():
    for program in PROGRAMS:
        name = os.path.basename(program)
        in_help, in_page = read_help(program), read_page(PAGES[name])
        assert len(in_help) > 4, f"{name}: --help was not understood: {in_help}"
        # argparse has no more than --help of GLib's three.
        assert in_page == in_help, f"{name}: in one of --help and the page only, or with " \
            f"a value in one only: {set(in_page.items()) ^ set(in_help.items())}"


@case
def pages_are_well_formed():
    if not shutil.which("mandoc"):
        raise Skip("mandoc is missing: install mandoc")
    done = run("mandoc", "-T", "lint", "-W", "warning", *PAGES.values())
    assert done.returncode == 0, done.stdout + done.stderr


@case
def pages_are_shown_without_warnings():
    if not shutil.which("man"):
        raise Skip("man is missing: install man-db")
    for page in PAGES.values():
        done = run("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page,
                   MANROFFSEQ="", MANWIDTH="80")
        assert done.returncode == 0 and done.stderr == "", done.stderr


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


def refuses(*arguments, words):
    preview = [path for path in PROGRAMS if path.endswith("-preview")]
    if not preview:
        raise Skip("blockdct-preview was not built: install libsoup-3.0-dev")
    done = run(*preview, *arguments, "--screenshot=none.png", GST_PLUGIN_PATH_1_0=PLUGINS,
               DISPLAY="", WAYLAND_DISPLAY="")
    assert done.returncode == 1 and not os.path.exists("none.png"), done
    for word in words:
        assert word in done.stderr, done.stderr
    return done.stderr


@case
def preview_names_the_patterns():
    refuses("--test-pattern=unknown", words=("'unknown'", "smpte", "zone-plate", "ball"))


@case
def preview_names_a_file_without_video():
    for container in ("wavenc", "vorbisenc ! oggmux"):
        made = run(*"gst-launch-1.0 -q audiotestsrc num-buffers=9 !".split(),
                   *container.split(), *"! filesink location=sound".split())
        if made.returncode != 0:
            raise Skip(f"{container}: install gstreamer1.0-plugins-good and -base")
        said = refuses("sound", words=("There is no video in sound", "Missing decoder: "))
        assert len(said) < 200, said


@case
def a_file_after_http_is_no_port():
    refuses("--http", "one.avi", "two.avi", words=("One file at a time: one.avi and two.avi",))


@case
def preview_names_a_wrong_property():
    refuses("quality=101", words=("'quality=101'", "from 1 to 100"))


run_cases(lambda: None)
