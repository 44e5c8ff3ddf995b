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
import tempfile

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
VIDEOS = ('holiday.mp4', 'original.mkv', 'coded.mp4', 'clip.mjpeg', '../home/holiday.mp4',
          'crf23.mp4', 'crf28.mp4', 'film.mkv', 'film-1080p.mkv', 'film-720p.mp4', 'film-25.mkv',
          'film-30.mp4', 'film-hdr.mkv', 'coded-hdr.mp4')
# And pictures, by PYTHON from a landscape.
FILES = '''
from PIL import Image
picture = Image.open('landscape.ppm')
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


def make_clone(folder):
    """The tree, with the build as it is, and files of the reader's."""
    clone, home = os.path.join(folder, 'gst-blockdct'), os.path.join(folder, 'home')
    os.makedirs(os.path.join(clone, 'tools'))
    os.makedirs(os.path.join(home, 'pictures'))
    for name in os.listdir(TOP):
        # Whoever has done the tutorial here has a video of that name, and files from it.
        if not name.startswith(('.', 'build')) and name not in ('tools', 'check') \
                and not name.endswith(('.mp4', '.mkv', '.csv', '.png')):
            os.symlink(os.path.join(TOP, name), os.path.join(clone, name))
    os.symlink(BUILD, os.path.join(clone, 'build'))
    os.symlink(os.path.join(TOP, 'tools', 'messages.awk'),
               os.path.join(clone, 'tools', 'messages.awk'))
    os.symlink(os.path.join(TOP, 'tests', 'programs', 'built.sh'),
               os.path.join(clone, 'tools', 'setup.sh'))
    with open(os.path.join(clone, 'check'), 'w', encoding='utf-8') as file:
        file.write(f'#!/bin/sh\nexec "{TOP}/check" --help\n')
    os.chmod(file.name, 0o755)
    video = ['-t', '1', '-pix_fmt', 'yuv420p']
    commands = [[PYTHON, os.path.join(TOP, 'docs', 'make-landscape'), 'landscape.ppm'],
                [PYTHON, '-c', FILES]]
    for source, outputs in (
            ('size=320x180:rate=30', [option for name in VIDEOS for option in (*video, name)]),
            ('size=64x64:rate=25', ['-frames:v', '1010', 'long.mkv']),
            ('size=96x64', ['-frames:v', '3', '-pix_fmt', 'rgb24', '../home/pictures/%d.png'])):
        commands.append(['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=' + source,
                         *outputs])
    for command in commands:
        done = call(command, cwd=clone)
        if done.returncode:
            raise SystemExit(done.stdout)
    return clone, home


def missing(text):
    """Why a block is not run here."""
    elsewhere = ELSEWHERE.search(text)
    if elsewhere:
        return f'in tests/python/ and tests/programs/measure/: {elsewhere[0]}'
    names = sorted(set(OTHERS.findall(text)))
    if WINDOW in text:
        names.append('gtksink')
        if not shutil.which('xvfb-run'):
            return 'not there: xvfb-run'
    for name in names:
        if call(['gst-inspect-1.0', '--exists', name]).returncode:
            return f'not there: {name}'
    return None


def run(language, text, clone, home):
    environment = {**os.environ, 'HOME': home, 'PYTHON': PYTHON, 'PYTHONDONTWRITEBYTECODE': '1'}
    if language == 'python':
        environment['PYTHONPATH'] = os.path.join(BUILD, 'python')
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
    words = ['meson', 'devenv', '-C', BUILD, '-w', clone, *words]
    try:
        return call(words, cwd=clone, env=environment)
    except subprocess.TimeoutExpired as error:
        return subprocess.CompletedProcess(words, 124, f'no end: {error}\n')


def main():
    number = 0
    try:
        call(['ffmpeg', '-version'])
    except FileNotFoundError:
        print('1..0 # SKIP ffmpeg is not there')
        return
    with tempfile.TemporaryDirectory() as folder:
        clone, home = make_clone(folder)
        for page in PAGES:
            before = NAMES.get(os.path.basename(page), '')
            blocks = list(read_blocks(page))
            shown = [text.split('\n') if language == '' else []
                     for _, language, text in blocks[1:]] + [[]]
            for (line, language, text), expected in zip(blocks, shown):
                if language not in ('sh', 'python'):
                    continue
                number += 1
                name = f'{number} {os.path.basename(page)}:{line}'
                lacks = missing(text)
                if language == 'python' \
                        and not os.path.isdir(os.path.join(BUILD, 'python', 'blockdct')):
                    lacks = 'not there: the Python module (-Dpython=enabled)'
                if lacks:
                    print(f'ok {name} # SKIP {lacks}')
                    continue
                if language == 'python' and 'import gi' not in text:
                    text = before = before + text + '\n'
                done = run(language, text, clone, home)
                output = done.stdout.split('\n')
                if done.returncode and 'vmaf needs' in done.stdout:
                    print(f'ok {name} # SKIP not there: vmaf')
                    continue
                as_shown = not expected or any(
                    known in output for known in expected if known != '...')
                if done.returncode == 0 and as_shown:
                    print(f'ok {name}')
                    continue
                for known in [] if as_shown else expected:
                    print(f'# not a line of the output: {known}')
                for said in output[-30:]:
                    print(f'# {said}')
                print(f'not ok {name}')
    print(f'1..{number}')


if __name__ == '__main__':
    main()
