# SPDX-License-Identifier: LGPL-2.1-or-later
"""Presets, and tables read from text and from JPEG files made here byte by byte. (That an
error changes nothing is fuzz-tables'.)"""
import unittest

import numpy as np
from common import main

import blockdct

# FNV-1a over the steps' two bytes, low first, of luma's and of chroma's: computed from
# mozjpeg's jcparam.c (revision 08265790774c), not from tables.c.
SUMS = ((0xd318c275, 0xb96ba69a), (0xc4efb7c5, 0xc4efb7c5), (0x2b3705e5, 0xe1594481),
        (0xc29d1466, 0xc29d1466), (0xf0db686e, 0x081da607), (0x25be9bed, 0x25be9bed),
        (0x149c7dab, 0x149c7dab), (0x7e94e4dd, 0x7e94e4dd), (0x9d517a74, 0x9d517a74))
# The order of T.81 Figure A.6.
ZIGZAG = sorted(range(64), key=lambda i: (i // 8 + i % 8, (i // 8 if (i // 8 + i % 8) % 2
                                                          else i % 8)))


def fnv(data):
    total = 0x811c9dc5
    for byte in data:
        total = (total ^ byte) * 0x01000193 & 0xffffffff
    return total


def some_steps(n):
    return [32767 if i == 3 else 1 + 7 * i for i in range(n)]


def segment(marker, data):
    return bytes((0xff, marker)) + (2 + len(data)).to_bytes(2, 'big') + data


def dqt(number, steps, wide=False):
    return segment(0xdb, bytes((wide << 4 | number,)) + b''.join(
        int(steps[i]).to_bytes(1 + wide, 'big') for i in ZIGZAG))


def sof(marker, tables):
    return segment(marker, bytes((8, 0, 16, 0, 16, len(tables))) + b''.join(
        bytes((c + 1, 0x11, table)) for c, table in enumerate(tables)))


START = b'\xff\xd8' + segment(0xe0, b'\xff\xdb')
SOS = b'\xff\xff\xda\0\x08\x01'  # and cut off there


class Tables(unittest.TestCase):
    def good(self, data, steps):
        both = np.broadcast_to(np.reshape(steps, (-1, 8, 8)), (2, 8, 8))
        np.testing.assert_array_equal(blockdct.tables(data), both)

    def bad(self, data, *named):
        with self.assertRaises(ValueError) as caught:
            blockdct.tables(data)
        for part in named:
            self.assertIn(part, str(caught.exception))

    def test_presets(self):
        self.assertEqual(len(blockdct.TABLES), len(SUMS))
        for name, sums in zip(blockdct.TABLES, SUMS):
            steps = blockdct.tables(name).astype('<u2')
            self.assertEqual(tuple(fnv(table.tobytes()) for table in steps), sums, name)

    def test_text(self):
        for gap in ' ', '\n', '\t \r\n', ', ', ',', ' # 7 8\n':
            for n in 1, 2, 3, 4:
                steps = some_steps(64 if n == 1 else 128)
                text = gap.join(map(str, steps)) + gap + '9\n' * (64 * n - len(steps))
                self.good(text.encode(), steps)
                self.good(f'# a comment 1 2\n{text}# the end'.encode(), steps)

    def test_bad_text(self):
        for n, end, *named in (
                (0, b'', 'line 1', '0 of 64', 'table 1'), (0, b'# nothing\n', 'line 2', '0 of 64'),
                (63, b'', 'line 64', '63 of 64', 'table 1'), (65, b'', '1 of 64', 'table 2'),
                (127, b'', '63 of 64', 'table 2'), (256, b'5', 'line 257', 'four'),
                (63, b'0', 'line 64', 'step 0', 'number 64 of table 1'),
                (64, b'32768 ', 'line 65', '32768', 'number 1 of table 2'),
                (191, b'0', 'line 192', 'step 0', 'number 64 of table 3'),
                (3, b'9' * 29, 'line 4', 'or more', '32767'),
                (3, b'-7 ', 'line 4, column 1', '-7 is not a whole'),
                (3, b'1.5', 'line 4', '1.5 is not a whole'),
                (3, b'<html><body>\x80 \n', 'line 4, column 1: a number'),
                (0, b'\x89PNG\r\n', 'line 1, column 1: a number'),
                (0, b'\xff\xd9', 'line 1, column 1: a number'), (0, b'1 2\0 3')):
            self.bad(b'17\n' * n + end, *named)

    def test_jpeg(self):
        for marker, tables, wide in ((0xc0, (0,), False), (0xc0, (0, 1, 1), False),
                                     (0xc1, (0, 1, 1), True), (0xc2, (0, 0, 0), False),
                                     (0xc9, (3, 2, 2), True)):
            n = 64 * len(set(tables))
            steps = [32767 - 200 * k if wide else 255 - k for k in range(n)]
            # What is defined twice counts as it was last; the frame's header is anywhere.
            frame = sof(marker, tables)
            parts = dqt(tables[0], steps, wide) + (dqt(tables[1], steps[64:], wide)
                                                   if n > 64 else b'')
            data = START + dqt(tables[0], [1] * 64, wide) + (frame + parts if wide
                                                             else parts + frame) + SOS
            self.good(data, steps)
            for end in range(2, len(data) - 5):  # cut anywhere before the scan
                self.bad(data[:end])

    def test_bad_jpeg(self):
        def change(at, to):
            return [to if i == at else 30 for i in range(64)]
        good = change(0, 30)
        ones, others = dqt(1, good), dqt(2, change(63, 31))
        frame = sof(0xc0, (0, 1, 1))
        for parts, *named in (
                (dqt(0, good) + ones + others, 'no frame header'),
                (dqt(0, good) + others + frame, 'lacks quantization table 1', 'component 2'),
                (dqt(0, good) + ones + others + sof(0xc0, (0, 1, 2)), 'third'),
                (dqt(0, good) + ones + sof(0xc0, (0, 1, 1, 1)), '4 components'),
                (dqt(0, good) + ones + sof(0xc0, (4, 0, 0)), 'quantization table 4'),
                (dqt(0, change(20, 0)) + ones + frame, 'step 0', 'byte'),
                (dqt(0, change(20, 32768), True) + ones + frame, 'step 32768', 'byte'),
                (segment(0xdb, b'\x25') + frame, '0x25'),
                (segment(0xdb, b'\0\1\2') + frame, 'cut short'),
                (b'\0' + frame, '0x00 is not the begin'),
                (b'\xff\xe1\0\1' + frame, 'length is 1 byte')):
            self.bad(START + parts + SOS, *named)


if __name__ == '__main__':
    main()
