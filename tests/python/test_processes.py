# SPDX-License-Identifier: LGPL-2.1-or-later
"""Threads, forks and spawned processes; memory, standard output, the lock."""
import multiprocessing
import os
import resource
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
# numpy looks for np.testing anew each time, under the import lock, which a fork
# would leave locked.
from numpy.testing import assert_array_equal
from common import main, make_batch

import blockdct

BATCH = make_batch()
EXPECTED = {q: blockdct.transform(BATCH, quality=q).pictures
            for q in range(10, 90, 10)}


def check_all(threads=0):
    """Every quality, and sizes that make engines."""
    for quality, expected in EXPECTED.items():
        made = blockdct.transform(BATCH, quality=quality, threads=threads).pictures
        assert_array_equal(made, expected)
        side = 8 + quality
        blockdct.transform(BATCH[:, :side, :side], threads=threads)


def in_child(queue):
    try:
        check_all()
        check_all(2)
        queue.put('right')
    except BaseException as error:
        queue.put(repr(error))


def with_ever_more_memory(queue, metrics, threads):
    """How often there is a MemoryError, and whether what then comes is right."""
    batch = np.tile(make_batch(1, 200, 300), (1, 5, 5, 1))

    def work():
        return blockdct.transform(batch, quality=20, metrics=metrics,
                                  threads=threads)

    try:
        failed, made = 0, None
        while made is None:
            with open('/proc/self/statm') as file:
                used = int(file.read().split()[0]) * resource.getpagesize()
            limit = used + (3 * failed << 20)
            resource.setrlimit(resource.RLIMIT_AS, (limit, -1))
            try:
                made = work()
            except MemoryError:
                failed += 1
            except RuntimeError as error:
                if 'cannot start thread' not in str(error):
                    raise
                failed += 1
            finally:
                resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
        queue.put((failed, (made.pictures == work().pictures).all()))
    except BaseException as error:
        queue.put((repr(error), False))


def count_threads():
    return len(os.listdir('/proc/self/task'))


class Processes(unittest.TestCase):
    def run_children(self, method, n=3):
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        children = [context.Process(target=in_child, args=(queue,))
                    for _ in range(n)]
        for child in children:
            child.start()
        for child in children:
            self.assertEqual(queue.get(timeout=100), 'right')
        for child in children:
            child.join(100)
            self.assertEqual(child.exitcode, 0)

    @unittest.skipIf('asan' in os.environ.get('LD_PRELOAD', ''),
                     "AddressSanitizer's own allocator waits for ever in such a child")
    def test_fork_while_threads_work(self):
        stop = threading.Event()

        def work():
            while not stop.is_set():
                check_all()

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(4):
            self.run_children('fork', 1)
        stop.set()
        for thread in threads:
            thread.join()

    def test_spawn(self):
        self.run_children('spawn', 1)

    def test_nothing_is_printed(self):
        made = subprocess.run(
            [sys.executable, '-c', 'import blockdct, numpy as np;'
             'b = np.zeros((40, 200, 200, 3), "uint8");'
             'blockdct.transform(b, metrics=blockdct.METRICS);'
             'blockdct.transform(b, threads=3)'],
            capture_output=True, check=True, timeout=100)
        self.assertEqual((made.stdout, made.stderr), (b'', b''))


class Threads(unittest.TestCase):
    def test_threads(self):
        errors = []

        def work(i):
            try:
                check_all(i % 3)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])

    def test_lock_is_released(self):
        batch = make_batch(1, 1000, 1000).repeat(12, 0)
        count, done = 0, threading.Event()

        def work():
            blockdct.transform(batch, 'hevc-quadtree', threads=1)
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            count += 1
            time.sleep(0.001)
        thread.join()
        self.assertGreater(count, 20)

    def test_pool(self):
        blockdct.close()
        before = count_threads()
        for i in range(20):
            blockdct.transform(BATCH[:, :, :60 + i], threads=4)
        self.assertLessEqual(count_threads(), before + 8 * 4)
        self.assertGreater(count_threads(), before)
        blockdct.close()
        blockdct.close()
        self.assertEqual(count_threads(), before)
        check_all()

    def test_small_pictures_need_no_thread(self):
        blockdct.close()
        before = count_threads()
        for threads in 0, 1:
            blockdct.transform(BATCH[:, :16, :16], threads=threads)
        self.assertEqual(count_threads(), before)

    @unittest.skipIf('asan' in os.environ.get('LD_PRELOAD', ''),
                     'AddressSanitizer keeps what is freed')
    def test_memory(self):
        """Batches leave nothing behind."""
        def used():
            with open('/proc/self/statm') as file:
                return int(file.read().split()[1]) * 4096

        for i in range(600):
            blockdct.transform(BATCH[:, :40 + i % 10], quality=range(10, 14),
                               metrics='bits')
            try:
                blockdct.transform(BATCH, 'hevc-8x8', deadzone=i + 1)
            except ValueError:
                pass
            if i == 300:
                first = used()
        self.assertLess(used() - first, 4 << 20)

    @unittest.skipIf('asan' in os.environ.get('LD_PRELOAD', ''),
                     'AddressSanitizer takes all addresses')
    def test_out_of_memory(self):
        context = multiprocessing.get_context('spawn')
        for arguments in ((), 1), ('bits', 3), (('ssim', 'ms-ssim'), 1):
            queue = context.Queue()
            child = context.Process(target=with_ever_more_memory,
                                    args=(queue, *arguments))
            child.start()
            failed, right = queue.get(timeout=100)
            child.join(100)
            self.assertTrue(right, failed)
            self.assertGreater(failed, 2)


if __name__ == '__main__':
    main()
