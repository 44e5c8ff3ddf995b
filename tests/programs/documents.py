#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""documents.py BUILD PYTHON GI_PYTHON PAGE...

Run what pages tell their readers to: each block of sh, each command for a file within a
line, and each block of python with PYTHON, or with GI_PYTHON if it imports gi, in the
order in which they stand, in a folder that looks like a fresh clone with BUILD in it,
videos and pictures, in the environment of `meson devenv`. A block of python continues
those before it on its page. Of the lines that a page shows as the output of a block, in
the block without a language behind it, one at least must have come. Nothing is installed,
compiled or shown on the user's display: what does is replaced below, and what has no end
gets one. Prints TAP."""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'measure'))
from tap import Skip, case, run_cases  # noqa: E402

BUILD, PYTHON, GI_PYTHON, *PAGES = sys.argv[1:]
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# In place of programs that would change the machine or the build, or reach another one.
INSTEAD = '''
git () { :; }
sudo () { :; }
ninja () { :; }
pip () { :; }
ssh () { :; }
python () { "$PYTHON" "$@"; }
meson () {
  case $1 in
    devenv) command meson "$@" ;;
    install) command meson "$@" --no-rebuild --quiet --destdir "$HOME/installed" ;;
    setup | configure | compile) ;;
    *) echo "what is meson $1 to do here?"; return 1 ;;
  esac
}
cd () { test "$1" = gst-blockdct || builtin cd "$@"; }
# It ends as by Ctrl+C, once it serves the page, or by itself.
blockdct-preview () {
  rm -f address
  command blockdct-preview --http=0 "$@" > address & preview=$!
  until test -s address || ! kill -0 $preview; do sleep 0.1; done
  kill -INT $preview || true
  wait $preview
}
'''
FENCE = re.compile(r'^```(\w*)$')
INLINE = re.compile(r'`(blockdct-(?:measure|preview) [^`]*\.[^`]*)`')
# The reader's.
VIDEOS = ('holiday.mp4', 'original.mkv', 'coded.mp4', '../home/holiday.mp4', 'crf23.mp4',
          'crf28.mp4', 'film.mkv', 'film-1080p.mkv', 'film-720p.mp4', 'film-25.mkv',
          'film-30.mp4', 'film-hdr.mkv', 'coded-hdr.mp4')
# And pictures, by PYTHON from a landscape.
FILES = '''
from PIL import Image
picture = Image.open('landscape.ppm').resize((384, 288))
for name in 'photo.jpg', 'photo.png', 'b.png':
    picture.save(name)
picture.save('a.jpg', quality=70)
Image.open('a.jpg').crop((5, 7, 205, 157)).save('a.png')
'''
# What pages leave to the reader.
NAMES = {'jpeg-files.md': '''
import io
import numpy
from PIL import Image
paths, file = ['photo.jpg', 'a.jpg'], io.BytesIO()
picture, pixels = (numpy.asarray(Image.open(name)) for name in ('photo.png', 'a.png'))
''', 'training-data.md': '''
import numpy
picture = numpy.zeros((64, 96, 3), 'uint8')
pictures, tensor = [picture, picture[:40]], picture.transpose(2, 0, 1)
y, u, v = (numpy.zeros((2, side, side), 'uint16') for side in (64, 32, 32))
'''}
# Of elements that not every machine has.
OTHERS = re.compile(r'\b(?:x26[45]enc|avdec_\w+|nvh264dec|nvjpegdec|facedetect)\b')
# What takes a GPU and gigabytes of packages, or ports that others may have.
ELSEWHERE = re.compile(r'\b(?:torch|device=.cuda|StraightThrough|training\.py|speed\.py|dask)\b')
WINDOW = '/usr/bin/python3 tests/programs/examples/blockdct_window.py'


def read_blocks(page):
    """(line, language, text) of each block between fences, and of commands elsewhere."""
    begin = None
    with open(page, encoding='utf-8') as file:
        lines = file.read().split('\n')
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if fence and begin is None:
            begin, language = number, fence[1]
        elif line == '```':
            yield begin, language, '\n'.join(lines[begin:number - 1])
            begin = None
        elif begin is None:
            yield from ((number, 'sh', command) for command in INLINE.findall(line))
    if begin is not None:
        raise SystemExit(f'{page}:{begin}: the block has no end')


def call(words, **options):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, timeout=500,
                          **options)


def make_clone():
    """The tree, with the build as it is, and files of the reader's."""
    os.makedirs('gst-blockdct/tools')
    os.makedirs('home/pictures')
    os.chdir('gst-blockdct')
    for name in os.listdir(TOP):
        # Whoever has done the tutorial here has a video of that name, and files from it.
        if not name.startswith(('.', 'build')) and name not in ('tools', 'check') \
                and not name.endswith(('.mp4', '.mkv', '.csv', '.png')):
            os.symlink(os.path.join(TOP, name), name)
    os.symlink(BUILD, 'build')
    os.symlink(os.path.join(TOP, 'tools', 'messages.awk'), 'tools/messages.awk')
    os.symlink(os.path.join(TOP, 'tests', 'programs', 'built.sh'), 'tools/setup.sh')
    with open('check', 'w', encoding='utf-8') as file:
        file.write(f'#!/bin/sh\nexec "{TOP}/check" --help\n')
    os.chmod('check', 0o755)
    commands = [[PYTHON, os.path.join(TOP, 'docs', 'make-landscape'), 'landscape.ppm'],
                [PYTHON, '-c', FILES]]
    for source, outputs in (
            ('size=160x96:rate=30', ['-t', '1', '-pix_fmt', 'yuv420p', VIDEOS[0]]),
            ('size=32x32:rate=25', ['-frames:v', '1010', '-preset', 'ultrafast', 'long.mkv']),
            ('size=96x64', ['-frames:v', '3', '-pix_fmt', 'rgb24', '../home/pictures/%d.png'])):
        commands.append(['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=' + source,
                         *outputs])
    commands.append(['ffmpeg', '-v', 'error', '-i', VIDEOS[0], 'clip.mjpeg', *(
        word for name in VIDEOS[1:] for word in ('-c', 'copy', name))])
    for command in commands:
        done = call(command)
        if done.returncode:
            raise SystemExit(done.stdout)
    # Once: it takes longer than most blocks.
    shell = call(['meson', 'devenv', '-C', BUILD, '-w', os.getcwd(), 'env', '-0'])
    environment.update(pair.split('=', 1) for pair in shell.stdout.split('\0') if '=' in pair)
    environment.update(HOME=os.path.abspath('../home'), PYTHON=PYTHON, PYTHONDONTWRITEBYTECODE='1')


def skip_what_is_missing(language, text):
    elsewhere = ELSEWHERE.search(text)
    if elsewhere:
        raise Skip(f'in tests/python/ and tests/programs/measure/: {elsewhere[0]}')
    if WINDOW in text and not shutil.which('xvfb-run'):
        raise Skip('not there: xvfb-run')
    for name in {*OTHERS.findall(text), *(['gtksink'] if WINDOW in text else ())}:
        if call(['gst-inspect-1.0', '--exists', name]).returncode:
            raise Skip(f'not there: {name}')
    if language == 'python' and not os.path.isdir(os.path.join(BUILD, 'python', 'blockdct')):
        raise Skip('not there: the Python module (-Dpython=enabled)')


def run(language, text):
    if language == 'python':
        words = [GI_PYTHON if 'import gi' in text else PYTHON, '-c', text]
    else:
        # No camera, no port that another may have, and the reader's own FILE.
        for what, instead in (
                ('autovideosink', 'fakesink'), ('location=FILE', 'location=holiday.mp4'),
                (' --camera', ' '), ('blockdct-preview --http ', 'blockdct-preview ')):
            text = text.replace(what, instead)
        text = re.sub(f'^({WINDOW}.*)', r'xvfb-run -a timeout 5 \1 || test $? = 124', text,
                      flags=re.M)
        words = ['bash', '-eu', '-o', 'pipefail', '-c', INSTEAD + text]
    return call(words, env=environment)


def add_case(page, line, language, text, expected):
    def check():
        skip_what_is_missing(language, text)
        whole = text
        if language == 'python' and 'import gi' not in text:
            whole = before[page] = before[page] + text + '\n'
        done = run(language, whole)
        if done.returncode and 'vmaf needs' in done.stdout:
            raise Skip('not there: vmaf')
        assert done.returncode == 0, done.stdout[-1900:]
        assert not expected or (set(expected) - {'...'}) & set(done.stdout.split('\n')), \
            f'none of {expected} is a line of {done.stdout}'
    check.__name__ = f'{os.path.basename(page)}:{line}'
    case(check)


environment, before = {}, {}  # the second: of each page, in python
for path in PAGES:
    before[path] = NAMES.get(os.path.basename(path), '')
    blocks = list(read_blocks(path))
    for (at, kind, body), (_, next_kind, shown) in zip(blocks, [*blocks[1:], (0, None, '')]):
        if kind in ('sh', 'python'):
            add_case(path, at, kind, body, shown.split('\n') if next_kind == '' else [])
if shutil.which('ffmpeg'):
    run_cases(make_clone)
else:
    print('1..0 # SKIP ffmpeg is not there')
