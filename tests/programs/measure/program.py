# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdct-measure as a test runs it, and what the element says of the same file:
SCRIPT PROGRAM [--no-element]"""

import contextlib
import csv
import faulthandler
import importlib.util
import io
import os
import subprocess
import sys
import tempfile

from tap import Skip, read, write  # noqa: F401

PROGRAM = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.dirname(PROGRAM))
from blockdct_measure import cli  # pylint: disable=wrong-import-position
from blockdct_measure.gst import Gst  # pylint: disable=wrong-import-position

PLOT = importlib.util.find_spec("matplotlib") is not None
ELEMENT = "--no-element" not in sys.argv
LIMIT = 300  # s, for each program that is run
ZONES = "videotestsrc pattern=zone-plate kx2=14 ky2=10 kt=1 num-buffers="


def run(*arguments, status=0, program=PROGRAM, **options):
    """Run it; what it has written to its standard output and error. Its command is `table`
    or, with a target, `find`."""
    if program == PROGRAM and arguments[:1] not in (("origin",), ("score",)) \
            and arguments[0] not in ("--help", "--version"):
        arguments = "find" if any(str(a).startswith(("--target", "--coll"))
                                  for a in arguments) else "table", *arguments
    if program != PROGRAM or "env" in options or {"--stall-limit", "--jobs", "--dask"} \
            & set(arguments):
        done = subprocess.run([program, *arguments], capture_output=True, text=True,
                              timeout=LIMIT, check=False, **options)
    else:
        done = run_here(*arguments, **options)
    missed = status == 0 and arguments[0] == "find"  # a target, which rows say
    assert done.returncode == status or missed and done.returncode == 1, \
        f"{arguments}: status {done.returncode}, not {status}: {done.stderr}"
    return done.stdout, done.stderr


@contextlib.contextmanager
def reading(text):
    """Have standard input be this text."""
    own = os.dup(0)
    with tempfile.TemporaryFile() as file:
        file.write(text.encode())
        file.seek(0)
        os.dup2(file.fileno(), 0)
    try:
        yield
    finally:
        os.dup2(own, 0)
        os.close(own)


def run_here(*arguments, input=""):
    """The same without a process, which takes longer to start than most runs do."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    faulthandler.dump_traceback_later(LIMIT, exit=True)
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]), \
            reading(input):
        try:
            status = cli.run_safely(list(arguments))
        except SystemExit as reason:
            status = reason.code or 0
    faulthandler.cancel_dump_traceback_later()
    return subprocess.CompletedProcess(arguments, status, *(
        stream.buffer.getvalue().decode() for stream in streams))


def rows_of(text):
    """Of CSV, as dictionaries of text."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


def table(*arguments, **options):
    return rows_of(run("--quiet", "--csv", "-", *arguments, **options)[0])


def value_of(structure, name):
    found, array = structure.get_array(name)
    return [array.get_nth(i) for i in range(array.n_values)] if found \
        else structure.get_value(name)


def launch(*pipeline, begin=None, end=None):
    """Play a launch line to its end: what its elements say, (name, {field: value}) each. The
    functions get the pipeline."""
    playing, said = Gst.parse_launch(" ".join(pipeline)), []
    bus = playing.get_bus()
    if begin:
        begin(playing)
    playing.set_state(Gst.State.PLAYING)
    while True:
        message = bus.timed_pop_filtered(LIMIT * Gst.SECOND, Gst.MessageType.EOS
                                         | Gst.MessageType.ERROR | Gst.MessageType.ELEMENT)
        if not message or message.type != Gst.MessageType.ELEMENT:
            break
        fields = message.get_structure()
        if fields.get_name().startswith("blockdct"):
            names = map(fields.nth_field_name, range(fields.n_fields()))
            said.append((message.src.get_name(), {n: value_of(fields, n) for n in names}))
    if end:
        end(playing)
    playing.set_state(Gst.State.NULL)
    assert message and message.type == Gst.MessageType.EOS, \
        f"{pipeline}: {message and message.parse_error()}"
    return said


def have(element):
    return Gst.ElementFactory.find(element) is not None


def need(element, package):
    if not have(element):
        raise Skip(f"{element} is missing: install {package}")


def element_says(name, convert, *settings, kind="pooled"):
    """The element's messages of a type for a file, with each of some settings. The queue:
    source.c."""
    queue = "queue !" if name.endswith(".y4m") else ""
    said = launch(f"filesrc location={name} ! {queue} decodebin ! {convert} tee name=t", *(
        f"t. ! queue ! blockdct name=b{i} backend=cpu metrics=bits {what} ! fakesink async=false"
        for i, what in enumerate(settings)))
    return [[fields for who, fields in said if (who, fields.get("type")) == (f"b{i}", kind)]
            for i in range(len(settings))]


def skip_without(packages):
    """Whether the tests cannot be run, which is said."""
    for element, package in packages.items():
        if not have(element):
            print(f"1..0 # SKIP {element} is missing: install {package}")
            return True
    return False
