#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cluster.py PROGRAM CLUSTER

blockdct-measure-cluster on real clusters of worker processes of this machine:
what it writes has to be, byte for byte, what blockdct-measure alone does,
whatever dies or fails meanwhile. Speaks TAP."""

import csv
import glob
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import time

from tap import Skip, case, run_cases

PROGRAM, CLUSTER = (os.path.abspath(path) for path in sys.argv[1:])
LIMIT = 90  # s, for each program that is run
NAMES = ["long.mkv", "a.jpg", "-dash.jpg", 'a,b "c".jpg', "line\nbreak\u2028.jpg", "Äpfel [1].jpg"]
STILLS = [os.path.join(".", name) for name in NAMES[1:]]

# A worker's calls of the program, and no other.
OF_WORKER = "*' --json - -- '*"
PROGRAMS = {
    # Kills the worker that runs it, once, when some tasks are done.
    "killer": f"""case "$*" in {OF_WORKER})
        for n in 1 2 3; do mkdir call$n 2> /dev/null && break; done
        if test $n = 3 && mkdir killed 2> /dev/null; then kill -KILL $PPID; sleep 1; fi
        esac""",
    "fails-once": f"""case "$*" in {OF_WORKER})
        echo call >> calls
        if mkdir failed 2> /dev/null; then echo out of order >&2; exit 3; fi
        esac""",
    "crashes-at-a": """case "$*" in *' --json - -- '*/a.jpg*) kill -SEGV $$ ;; esac""",
    "slow-end": f"""case "$*" in *'--first-frame 40 '*)
        touch slow; sleep {LIMIT} & wait; exit 9 ;;
        {OF_WORKER}) "{PROGRAM}" "$@"; echo done >> done; exit 0 ;;
        esac""",
}

scheduler = []  # arguments that name the tests' own cluster


def make_files():
    shape = "! video/x-raw,format=I420,width={},height={} !"
    for name, source in {
            "long.mkv": f"num-buffers=50 {shape.format(96, 64)} jpegenc ! matroskamux",
            "a.jpg": f"num-buffers=1 {shape.format(131, 77)} jpegenc"}.items():
        subprocess.run(["gst-launch-1.0", "-q", "videotestsrc", "pattern=zone-plate", "kx2=14",
                        "ky2=10", "kt=1", *source.split(), "!", "filesink", f"location={name}"],
                       timeout=LIMIT, check=True)
    for name in NAMES[2:]:
        shutil.copy("a.jpg", name)
    with open("text.jpg", "w", encoding="utf-8") as file:
        file.write("text\n" * 99)
    for name, text in PROGRAMS.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\n{text}\nexec "{PROGRAM}" "$@"\n')
        os.chmod(name, 0o755)


def run(command, status=0, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=LIMIT, check=False, **options)
    err = done.stderr.decode()
    assert done.returncode == status, f"{command}: {done.returncode}, not {status}: {err}"
    return done.stdout, err


def alone(*arguments, **options):
    return run([PROGRAM, "--quiet", *arguments], **options)[0]


def cluster(*arguments, program=PROGRAM, where=None, **options):
    where = scheduler if where is None else where
    return run([sys.executable, CLUSTER, "--program", program, *where, *arguments], **options)


def forget(*names):
    for name in names:
        for path in glob.glob(name):
            os.rmdir(path) if os.path.isdir(path) else os.remove(path)


@case
def one_worker_of_three_is_killed():
    options = ("--transform", "jpeg-8x8,hevc-8x8", "--quality=10,60", "--qp", "30", "--frames",
               "--metrics", "ssim,xpsnr")
    for kind in ("--csv", "--json"):
        forget("killed", "call?")
        out, err = cluster("long.mkv", *STILLS, "--segment", "7", "--", *options, kind, "-",
                           program="./killer", where=["--workers", "3"])
        assert os.path.exists("killed"), err
        assert out == alone("long.mkv", *STILLS, *options, kind, "-"), f"{kind}: {out[:2000]}"


@case
def what_cannot_be_read_loses_nothing():
    out, err = cluster("text.jpg", "long.mkv", "not-there.jpg", *STILLS, "--segment", "20", "--",
                       "--csv=-", status=1)
    assert out == alone("long.mkv", *STILLS, "--csv", "-")
    assert f"2 of {2 + len(NAMES)} files could not be measured" in err, err
    assert "\n  text.jpg: " in err and "\n  not-there.jpg: " in err, err
    # Half of it: not one of its segments counts.
    with open("long.mkv", "rb") as whole, open("half.mkv", "wb") as half:
        half.write(whole.read(os.path.getsize("long.mkv") // 2))
    with open("half.mkv", "ab") as half:
        half.write(b"\x1f\x43\xb6\x75\x10\x00\x20\x00" * 99)
    status = subprocess.run([PROGRAM, "half.mkv"], capture_output=True, timeout=LIMIT).returncode
    out, err = cluster("half.mkv", "a.jpg", "--segment", "20", "--", "--csv=-", status=status)
    assert out == alone("half.mkv", "a.jpg", "--csv=-", status=status)


@case
def folders_and_targets():
    os.makedirs("folder/in")
    for name in ("b.jpg", "in/c.jpg"):
        shutil.copy("a.jpg", f"folder/{name}")
    options = ("--target-psnr", "35", "--transform=jpeg-8x8,hevc-4x4", "--json=-")
    files = ("long.mkv", "folder", "[b]*.jpg", "folder/*.jpg")
    out, err = cluster(*files, "--segment", "30", "--", *options, status=1)
    assert out == alone(*files, *options, status=1) and "[b]*.jpg" in err
    options = ("--plot", "curves.svg", "--csv", "-", "--quality", "10-90:20", "-n", "9")
    out, err = cluster("long.mkv", "--segment", "3", "--", *options)
    with open("curves.svg", "rb") as file:
        drawn = file.read()
    assert out == alone("long.mkv", *options)
    with open("curves.svg", "rb") as file:
        assert len(drawn) == len(file.read())


@case
def names_that_are_not_utf_8():
    os.mkdir("names")
    for name in b"a\xff.jpg", b"a\xfe.jpg", br"a\xfe.jpg":
        shutil.copy("a.jpg", b"names/" + name)
    out = cluster("names", "--", "--csv=-")[0]
    assert out == alone("names", "--csv=-") and out.count(b"\n") == 4, out


@case
def what_fails_is_tried_again():
    # The files of the first call, each alone, after it.
    out, err = cluster(*STILLS, "--", "--csv=-", program="./fails-once")
    assert out == alone(*STILLS, "--csv=-")
    with open("calls", encoding="utf-8") as file:
        assert len(file.readlines()) == 1 + len(STILLS)
    forget("failed")
    out, err = cluster(*STILLS, "--retries", "0", "--", "--csv=-", program="./fails-once", status=1)
    assert out == b"" and err.count("status 3: out of order") == len(STILLS), err
    out, err = cluster(*STILLS, "--", "--csv=-", program="./crashes-at-a", status=1)
    assert out == alone(*STILLS[1:], "--csv=-") and "\n  ./a.jpg: " in err and "-11" in err, err


@case
def workers_without_the_program():
    os.makedirs("bin", exist_ok=True)
    shutil.copy("fails-once", "bin/only-here")
    path = os.path.abspath("bin") + ":" + os.environ["PATH"]
    err = cluster("a.jpg", program="only-here", status=1, env=dict(os.environ, PATH=path))[1]
    assert "does not have blockdct-measure" in err and "only-here" in err, err
    assert "Traceback" not in err, err


@case
def no_scheduler():
    env = dict(os.environ, DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="1s")
    for where in (["--scheduler", "tcp://127.0.0.1:1"], ["--scheduler", "nonsense://x"]):
        err = cluster("a.jpg", where=where, status=1, env=env)[1]
        assert "Does the scheduler run" in err and "Traceback" not in err, err


def watch(act, *arguments, **options):
    """The cluster's program on a terminal, whose last task hangs; what to do when all others
    are done. Its status, the table, and what is shown."""
    command = [sys.executable, CLUSTER, "--program", "./slow-end", "--segment", "10", *arguments,
               "a.jpg", "long.mkv", "--", "--csv", "-"]
    master, slave = pty.openpty()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave, start_new_session=True,
                          **options) as process:
        os.close(slave)
        shown, wanted, end = b"", b"5 of 6 tasks", time.monotonic() + LIMIT
        try:
            while time.monotonic() < end and process.poll() is None:
                if select.select([master], [], [], 0.05)[0]:
                    shown += os.read(master, 4096)
                if wanted and wanted in shown:
                    act(process)
                    wanted = b""
            if wanted:
                os.killpg(process.pid, signal.SIGKILL)
            out = process.communicate(timeout=LIMIT)[0]
            while select.select([master], [], [], 0)[0]:
                shown += os.read(master, 4096)
        except OSError:  # the terminal's other end is closed
            out = process.communicate(timeout=LIMIT)[0]
        finally:
            os.close(master)
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    assert not wanted, shown.decode()
    return process.returncode, out, shown.rpartition(b"\033[K")[2].decode()


@case
def interrupted():
    for number in signal.SIGINT, signal.SIGTERM:
        # As a terminal does it: the whole group. The shell's background would ignore it.
        status, out, shown = watch(
            lambda process, number=number: (os.killpg(process.pid, number)
                                            if number == signal.SIGINT
                                            else process.send_signal(number)), "--workers", "2")
        assert status == 130 and out == alone("a.jpg", "--csv=-"), (status, out, shown)
        assert "interrupted; 1 of 2 files are in the table" in shown, shown
        assert "Traceback" not in shown, shown


@case
def its_scheduler_is_lost():
    code = "from distributed import LocalCluster\nimport time\ncluster = LocalCluster(" \
        "n_workers=2, threads_per_worker=1, processes=False, protocol='tcp://', " \
        "dashboard_address=':0')\nprint(cluster.scheduler_address, flush=True)\ntime.sleep(999)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
                          start_new_session=True) as host:
        try:
            status, out, shown = watch(
                lambda _: os.killpg(host.pid, signal.SIGKILL), "--scheduler",
                host.stdout.readline().strip(),
                env=dict(os.environ, DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="1s"))
        finally:
            if host.poll() is None:
                os.killpg(host.pid, signal.SIGKILL)
    assert status == 1 and out == alone("a.jpg", "--csv=-"), (status, out, shown)
    lines = shown.split("\r\n")
    assert [line for line in lines if "blockdct-measure-cluster: the scheduler is gone; "
            "1 of 2 files are in the table" in line] and len(lines) == 2, shown


@case
def tables_that_cannot_be_written_are_kept():
    err = cluster("a.jpg", "--", "--csv", "not-there/x.csv", status=1)[1]
    kept = err.split("The rows are in ")[1].split(": ")[0]
    assert alone("--merge", kept, "--csv=-") == alone("a.jpg", "--csv=-")
    os.remove(kept)


@case
def parquet():
    try:
        from pyarrow import parquet as reader
    except ImportError:
        err = cluster("a.jpg", "--parquet", "x.parquet", status=2)[1]
        assert "pyarrow" in err
        raise Skip("pyarrow is missing: install pyarrow (PyPI)") from None
    shutil.copy("a.jpg", "2024")  # a name, not a number
    options = ("--transform", "jpeg-8x8,hevc-8x8", "--quality", "1,100")
    for files in (["2024"], ["long.mkv", *STILLS]):
        cluster(*files, "--parquet", "rows.parquet", "--", *options)
        found = reader.read_table("rows.parquet").to_pylist()
        wanted = list(csv.DictReader(
            alone(*files, *options, "--csv=-").decode().splitlines(keepends=True)))
        assert len(found) == len(wanted)
        for row, texts in zip(found, wanted):
            assert list(row) == list(texts)
            for name, text in texts.items():
                value = row[name]
                assert (value is None) if text == "" else value == type(value)(text), name


@case
def wrong_usage():
    for arguments, words in {
            (): ("FILE",),
            ("a.jpg", "--workers", "0"): ("--workers 0", "1"),
            ("a.jpg", "--segment", "0"): ("--segment 0", "1"),
            ("a.jpg", "--retries", "-1"): ("--retries -1", "0"),
            ("a.jpg", "--quality", "5"): ("--quality", "after --"),
            ("a.jpg", "--program", "no-such"): ("no-such", "--program"),
            ("a.jpg", "--scheduler-file", "not-there"): ("not-there", "start the scheduler"),
            ("a.jpg", "--workers", "2", "--scheduler", "tcp://x:1"): ("--scheduler",),
            ("a.jpg", "--", "--quality", "0"): ("'0'", "1 to 100"),
            ("a.jpg", "--", "--quality"): ("--quality",),
            ("a.jpg", "--", "--csv"): ("--csv needs a value",),
            ("a.jpg", "--", "--csv", "-", "--json=-"): ("--csv", "--json"),
            ("a.jpg", "--", "--resume"): ("--resume",),
            ("a.jpg", "--", "--collection=min", "--target-psnr=30"): ("--collection",),
            ("a.jpg", "--", "--merge"): ("--merge",),
            ("a.jpg", "--", "long.mkv"): ("before --",)}.items():
        err = cluster(*arguments, where=[], status=2)[1]
        for word in words:
            assert word in err, f"{arguments}: {err}"
    os.makedirs("nothing")
    assert "nothing in these folders" in cluster("nothing", status=1)[1]


def main():
    try:
        from distributed import LocalCluster
    except ImportError:
        print("1..0 # SKIP Dask's distributed is missing: install python3-distributed")
        return
    for element in ("videotestsrc", "jpegenc", "matroskamux"):
        if not shutil.which("gst-launch-1.0") or subprocess.run(
                ["gst-inspect-1.0", "--exists", element], timeout=LIMIT).returncode != 0:
            print(f"1..0 # SKIP {element} or gst-launch-1.0 is missing: install "
                  "gstreamer1.0-plugins-good and gstreamer1.0-tools")
            return
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as own:
        scheduler.extend(["--scheduler", own.scheduler_address])
        run_cases(make_files)


if __name__ == "__main__":  # the workers import this file too
    main()
