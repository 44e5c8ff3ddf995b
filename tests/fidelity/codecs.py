#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""codecs.py [X265|H264]: blockdct's transforms against whole codecs, through ffmpeg.

X265: hevc-16x16 and hevc-32x32 with flat, default and a file's scaling lists, sample for
sample. Nothing is beside the first block of a picture, so that it is predicted by mid-grey,
whatever x265 chooses: a video of pictures of one block is then what `hevc-*` does to each of
them, if all that an encoder does beside is turned off.

H264: chroma, with its DC transform. Its levels become a stream (clauses 7.3 and 9.2 of ITU-T
H.264: CAVLC), and what ffmpeg decodes of it has to be the picture."""
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import blockdct
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'python'))
from common import main

RAW = '-f', 'rawvideo', '-pix_fmt'


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, **more).stdout


def ffmpeg(*options, **more):
    return run('ffmpeg', '-y', '-v', 'error', '-xerror', '-err_detect', 'explode', *options, **more)


def sides_of(height, width, down, across):
    return (height, width), *[(-(-height // down), -(-width // across))] * 2


def split(data, sides, depth):
    """Planes in raw video: (frames, height, width) of Y, U and V."""
    frames = np.frombuffer(data, np.uint8 if depth == 8 else '<u2').reshape(
        -1, sum(height * width for height, width in sides))
    for height, width in sides:
        yield frames[:, :height * width].reshape(-1, height, width)
        frames = frames[:, height * width:]


@unittest.skipUnless(shutil.which('ffmpeg') and b'libx265' in run('ffmpeg', '-encoders'),
                     'there is no ffmpeg, or it has no libx265')
class X265(unittest.TestCase):
    FRAMES = 20
    QPS = 9, 26, 41
    # ffmpeg's name, bits, luma samples for one of chroma.
    FORMATS = (('yuv420p', 8, 2), ('yuv444p', 8, 1), ('yuv420p10le', 10, 2),
               ('yuv444p12le', 12, 1))
    PLAIN = ('keyint=1:ipratio=1:cbqpoffs=0:crqpoffs=0:aq-mode=0:cutree=0:rdoq-level=0:psy-rd=0:'
             'psy-rdoq=0:signhide=0:deblock=0:sao=0:strong-intra-smoothing=0:log-level=none:'
             'pools=none:frame-threads=1')

    def make(self, sides, depth, rng):
        """Blocks of slopes, waves and noise, more or less of each."""
        peak, frame = (1 << depth) - 1, np.arange(self.FRAMES)[:, None, None]
        for n, _ in sides:
            y, x = np.mgrid[0:n, 0:n] / n
            a, b = rng.uniform(-1, 1, (2, self.FRAMES, 1, 1))
            wave = rng.choice([-1, 1], (self.FRAMES, 1, n)) * (frame % 5) / 10
            noise = rng.uniform(-1, 1, (self.FRAMES, n, n)) * (frame % 4) / 6
            v = rng.random((self.FRAMES, 1, 1)) + a * x + b * y + noise \
                + wave * wave.swapaxes(1, 2)
            yield np.clip(np.rint(v * peak), 0, peak).astype(np.uint8 if depth == 8 else '<u2')

    def make_lists(self):
        """A scaling list file: as HM's names and x265's order have it."""
        rng, text = random.Random(1), ''
        for size in 4, 8, 16, 32:
            for mode in 'INTRA', 'INTER':
                for component in ('LUMA', 'CHROMAU', 'CHROMAV')[:1 if size == 32 else 3]:
                    name, n = f'{mode}{size}X{size}_{component}', 16 if size == 4 else 64
                    text += f'{name} =\n' + ''.join(f'{rng.randint(8, 90)},\n' for _ in range(n))
                    if size > 8:
                        text += f'{name}_DC =\n{rng.randint(8, 60)}\n'
        return text

    def decoded(self, folder, size, pixels, planes, lists):
        """What is decoded at each of QPS: one ffmpeg encodes for all of them, one decodes, as
        starting takes it longer than the work does."""
        options = f'{self.PLAIN}:ctu={size}:min-cu-size={size}:max-tu-size={size}' + (
            '' if lists == 'flat' else f':scaling-list={lists}')
        encode, inputs, outputs = [], [], []
        for i, qp in enumerate(self.QPS):
            encode += ['-c:v', 'libx265', '-x265-params', f'{options}:qp={qp}', '-f', 'hevc',
                       f'{folder}/{qp}.hevc']
            inputs += ['-i', f'{folder}/{qp}.hevc']
            outputs += ['-map', f'{i}:v', *RAW, pixels, f'{folder}/{qp}.raw']
        ffmpeg(*RAW, pixels, '-s', f'{size}x{size}', '-i', '-', *encode, input=b''.join(
            plane[n].tobytes() for n in range(self.FRAMES) for plane in planes))
        ffmpeg(*inputs, *outputs)
        for qp in self.QPS:
            with open(f'{folder}/{qp}.raw', 'rb') as file:
                yield qp, file.read()

    def test_x265(self):
        pixels_there, samples = run('ffmpeg', '-h', 'encoder=libx265').decode().split(), 0
        with tempfile.TemporaryDirectory() as folder:
            own = os.path.join(folder, 'lists.txt')
            with open(own, 'w', encoding='ascii') as file:
                file.write(self.make_lists())
            for i, size in enumerate((16, 32) * len(self.FORMATS)):
                pixels, depth, ratio = self.FORMATS[i // 2]
                if pixels not in pixels_there:
                    print(f'this libx265 has not {depth} bits')
                    continue
                sides = sides_of(size, size, ratio, ratio)
                for lists in 'flat', 'default', own:
                    planes = tuple(self.make(sides, depth, np.random.default_rng(i)))
                    for qp, data in self.decoded(folder, size, pixels, planes, lists):
                        made = blockdct.transform(
                            planes, f'hevc-{size}x{size}', qp=qp, layout='YUV', depth=depth,
                            scaling_list=self.make_lists() if lists == own else lists).pictures
                        for ours, theirs in zip(made, split(data, sides, depth)):
                            np.testing.assert_array_equal(ours, theirs, f'{pixels} {lists} {qp}')
                            samples += ours.size
        print(f'# compared: x265, through ffmpeg: {samples} samples, 0 differ')


def read(text):
    return [codes.split() for codes in text.split('|')]


# Table 9-5, coeff_token, by TotalCoeff and TrailingOnes, for nC from 0, 2 and 4 on, and of -1
# and -2: chroma's DCs. From 8 on it has 6 bits.
TOKENS = [read(text) for text in (
    '1 | 000101 01 | 00000111 000100 001 | 000000111 00000110 0000101 00011 | 0000000111 '
    '000000110 00000101 000011 | 00000000111 0000000110 000000101 0000100 | 0000000001111 '
    '00000000110 0000000101 00000100 | 0000000001011 0000000001110 00000000101 000000100 | '
    '0000000001000 0000000001010 0000000001101 0000000100 | 00000000001111 00000000001110 '
    '0000000001001 00000000100 | 00000000001011 00000000001010 00000000001101 0000000001100 | '
    '000000000001111 000000000001110 00000000001001 00000000001100 | 000000000001011 '
    '000000000001010 000000000001101 00000000001000 | 0000000000001111 000000000000001 '
    '000000000001001 000000000001100 | 0000000000001011 0000000000001110 0000000000001101 '
    '000000000001000 | 0000000000000111 0000000000001010 0000000000001001 0000000000001100 | '
    '0000000000000100 0000000000000110 0000000000000101 0000000000001000',
    '11 | 001011 10 | 000111 00111 011 | 0000111 001010 001001 0101 | 00000111 000110 000101 '
    '0100 | 00000100 0000110 0000101 00110 | 000000111 00000110 00000101 001000 | 00000001111 '
    '000000110 000000101 000100 | 00000001011 00000001110 00000001101 0000100 | 000000001111 '
    '00000001010 00000001001 000000100 | 000000001011 000000001110 000000001101 00000001100 | '
    '000000001000 000000001010 000000001001 00000001000 | 0000000001111 0000000001110 '
    '0000000001101 000000001100 | 0000000001011 0000000001010 0000000001001 0000000001100 | '
    '0000000000111 00000000001011 0000000000110 0000000001000 | 00000000001001 00000000001000 '
    '00000000001010 0000000000001 | 00000000000111 00000000000110 00000000000101 00000000000100',
    '1111 | 001111 1110 | 001011 01111 1101 | 001000 01100 01110 1100 | 0001111 01010 01011 1011 '
    '| 0001011 01000 01001 1010 | 0001001 001110 001101 1001 | 0001000 001010 001001 1000 | '
    '00001111 0001110 0001101 01101 | 00001011 00001110 0001010 001100 | 000001111 00001010 '
    '00001101 0001100 | 000001011 000001110 00001001 00001100 | 000001000 000001010 000001101 '
    '00001000 | 0000001101 000000111 000001001 000001100 | 0000001001 0000001100 0000001011 '
    '0000001010 | 0000000101 0000001000 0000000111 0000000110 | 0000000001 0000000100 0000000011 '
    '0000000010',
    '01 | 000111 1 | 000100 000110 001 | 000011 0000011 0000010 000101 | 000010 00000011 '
    '00000010 0000000',
    '1 | 0001111 01 | 0001110 0001101 001 | 000000111 0001100 0001011 00001 | 000000110 '
    '000000101 0001010 000001 | 0000000111 0000000110 000000100 0001001 | 00000000111 '
    '00000000110 0000000101 0001000 | 000000000111 000000000110 00000000101 0000000100 | '
    '0000000000111 000000000101 000000000100 00000000100',
)]
# Tables 9-7 and 9-8, total_zeros, by TotalCoeff from 1 on; Table 9-9 of chroma's DCs.
ZEROS = [read(text) for text in (
    '1 011 010 0011 0010 00011 00010 000011 000010 0000011 0000010 00000011 00000010 000000011 '
    '000000010 000000001 | 111 110 101 100 011 0101 0100 0011 0010 00011 00010 000011 000010 '
    '000001 000000 | 0101 111 110 101 0100 0011 100 011 0010 00011 00010 000001 00001 000000 | '
    '00011 111 0101 0100 110 101 100 0011 011 0010 00010 00001 00000 | 0101 0100 0011 111 110 '
    '101 100 011 0010 00001 0001 00000 | 000001 00001 111 110 101 100 011 010 0001 001 000000 | '
    '000001 00001 101 100 011 11 010 0001 001 000000 | 000001 0001 00001 011 11 10 010 001 '
    '000000 | 000001 000000 0001 11 10 001 01 00001 | 00001 00000 001 11 10 01 0001 | 0000 0001 '
    '001 010 1 011 | 0000 0001 01 1 001 | 000 001 1 01 | 00 01 1 | 0 1',
    '1 01 001 000 | 1 01 00 | 1 0',
    '1 010 011 0010 0011 0001 00001 00000 | 000 01 001 100 101 110 111 | 000 001 01 10 110 111 | '
    '110 00 01 10 111 | 00 01 10 11 | 00 01 1 | 0 1',
)]
# Table 9-10, run_before, by zerosLeft from 1 on.
RUNS = read(
    '1 0 | 1 01 00 | 11 10 01 00 | 11 10 01 001 000 | 11 10 011 010 001 000 | 11 000 001 011 010 '
    '101 100 | 111 110 101 100 011 010 001 0001 00001 000001 0000001 00000001 000000001 '
    '0000000001 00000000001')

def ue(value):
    return f'{value + 1:0{2 * (value + 1).bit_length() - 1}b}'


def se(value):
    return ue(2 * value - 1 if value > 0 else -2 * value)


def nal(kind, bits):
    """With trailing bits, start code and emulation prevention (7.4.1)."""
    bits = f'{3 << 5 | kind:08b}{bits}1'
    bits += '0' * (-len(bits) % 8)
    return b'\0\0\0\1' + re.sub(rb'\0\0(?=[\0-\3])', b'\0\0\3',
                                int(bits, 2).to_bytes(len(bits) // 8, 'big'))


def level_bits(code, suffix):
    """9.2.2.1: a level whose levelCode is `code`."""
    escape = 15 << suffix if suffix else 30
    if code < (escape if suffix else 14):
        tail = f'{code & (1 << suffix) - 1:0{suffix}b}' if suffix else ''
        return '0' * (code >> suffix) + '1' + tail
    if code < escape:
        return f'{1:015b}{code - 14:04b}'
    n = 12
    while code - escape + 4096 >= 1 << n + 1:
        n += 1
    return f'{1:0{n + 4}b}{code - escape + 4096 - (1 << n):0{n}b}'


def block_bits(levels, nc):
    """residual_block_cavlc() of levels in the order of their scan, with nC, which is -1 or -2
    for chroma's DCs; TotalCoeff."""
    places = [i for i, level in enumerate(levels) if level]
    total = len(places)
    ones = 0
    while ones < min(3, total) and abs(levels[places[-1 - ones]]) == 1:
        ones += 1
    table = 2 - nc if nc < 0 else (nc > 1) + (nc > 3)
    bits = TOKENS[table][total][ones] if nc < 8 else f'{(total - 1) * 4 + ones if total else 3:06b}'
    suffix = int(total > 10 and ones < 3)
    for i, place in enumerate(reversed(places)):
        level = int(levels[place])
        if i < ones:
            bits += '1' if level < 0 else '0'
            continue
        code = 2 * level - 2 if level > 0 else -2 * level - 1
        bits += level_bits(code - 2 * (i == ones < 3), suffix)
        suffix = suffix or 1
        suffix += abs(level) > 3 << suffix - 1 and suffix < 6
    zeros = places[-1] + 1 - total if total else 0
    if 0 < total < len(levels):
        bits += ZEROS[max(-nc, 0)][total - 1][zeros]
    for i in range(total - 1, 0, -1):
        if zeros == 0:
            break
        run_before = places[i] - places[i - 1] - 1
        bits += RUNS[min(zeros, 7) - 1][run_before]
        zeros -= run_before
    return bits, total


ZIGZAG = 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15
# 8.5.11.1: the blocks in the order of their DCs.
DC_ORDER = {4: (0, 1, 2, 3), 8: (0, 2, 1, 5, 3, 6, 4, 7)}


def chroma_bits(levels):
    """residual() of a macroblock without luma: (2, blocks, 16) levels."""
    n = len(levels[0])
    order = np.argsort(DC_ORDER[n])
    bits = ''.join(block_bits(one[order, 0], -n // 4)[0] for one in levels)
    for one in levels:
        total = []
        for i in range(n):
            # 9.2.1: the blocks to the left and above.
            beside = total[i - 1:i] * (i % 2) + (total[i - 2:i - 1] if i > 1 else [])
            more, count = block_bits(one[i, ZIGZAG], (sum(beside) + len(beside) // 2)
                                     // max(len(beside), 1))
            bits += more
            total.append(count)
    return bits


@unittest.skipUnless(shutil.which('ffmpeg'), 'there is no ffmpeg')
class H264(unittest.TestCase):
    FRAMES = 52  # one a QP
    OFFSETS = -12, -6, 0, 6, 12  # a picture parameter set each

    def begin(self, depth, tall, height, width):
        """Parameter sets. All is even, in 4:2:0."""
        rows, columns = -(-height // 16), -(-width // 16)
        yield nal(7, f'{122:08b}{0:08b}{51:08b}' + ue(0) + ue(2 if tall else 1) + 2 * ue(depth - 8)
                  + '00' + ue(0) + ue(2) + ue(1) + '0' + ue(columns - 1) + ue(rows - 1) + '111'
                  + ue(0) + ue((columns * 16 - width) // 2) + ue(0)
                  + ue((rows * 16 - height) // (1 if tall else 2)) + '0')
        for i, offset in enumerate(self.OFFSETS):
            yield nal(8, ue(i) + ue(0) + '00' + 3 * ue(0) + '000' + 2 * se(0) + se(offset) + '100')

    def picture(self, number, levels):
        """Intra macroblocks, each a slice by itself, so that with nothing beside it the
        prediction is mid-grey, which is all that luma has: Intra_16x16, DC."""
        for i in range(len(levels[0])):
            yield nal(5, ue(i) + ue(7) + ue(number % 5) + '0000' + ue(number % 2) + '00'
                      + se(number % 52 - 26) + ue(1) + ue(1 + 2 + 4 * 2) + ue(0) + se(0)
                      + block_bits([0] * 16, 0)[0] + chroma_bits([one[i] for one in levels]))

    def draw(self, content, side, depth, rng):
        """Noise on a gradient, noise, extremes or stripes."""
        peak, (y, x) = (1 << depth) - 1, np.mgrid[0:side[0], 0:side[1]]
        noise = rng.integers(0, peak + 1, side)
        v = ((x * 5 + y * 3) % peak + noise % 9, noise, noise % 2 * peak,
             (x // 2 + y // 3) % 2 * peak // 3 + noise % 3)[content]
        return np.minimum(v, peak).astype(np.uint8 if depth == 8 else np.uint16)

    def check(self, transform, tall, depth, size, seed):
        rng, sides = np.random.default_rng(seed), sides_of(*size, 1 if tall else 2, 2)
        stream, wanted = b''.join(self.begin(depth, tall, *size)), []
        for number in range(self.FRAMES):
            planes = tuple(self.draw((number + seed) % 4, side, depth, rng)[None]
                           for side in sides)
            given = {'qp': number, 'chroma_qp_offset': self.OFFSETS[number % 5], 'layout': 'YUV',
                     'depth': depth}
            wanted.append(blockdct.transform(planes, transform, **given).pictures)
            levels = blockdct.levels(planes, transform, **given)
            stream += b''.join(self.picture(number, [
                np.ascontiguousarray(levels.blocks(c)[0]).reshape(-1, 8 if tall else 4, 16)
                for c in (1, 2)]))
        data = ffmpeg('-f', 'h264', '-i', '-', '-fps_mode', 'passthrough', '-f', 'rawvideo', '-',
                      input=stream)
        luma, *chroma = split(data, sides, depth)
        self.assertTrue((luma == 1 << depth - 1).all())
        for c, theirs in enumerate(chroma, 1):
            np.testing.assert_array_equal(np.concatenate([one[c] for one in wanted]), theirs)

    def test_chroma(self):
        sizes = (38, 74), (16, 16), (52, 20)
        for seed, (transform, tall, depth) in enumerate(itertools.product(
                ('h264-4x4', 'h264-8x8'), (False, True), (8, 10))):
            with self.subTest(f'{transform}, {depth} bits, tall: {tall}'):
                self.check(transform, tall, depth, sizes[seed % 3], seed)


if __name__ == '__main__':
    main()
