#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tables.py JSON

Prints what blockdct-bench wrote with --json in the form of its sources: the HEVC paper's
Tables 1 to 6 (ns a block), the whitepaper's speed-ups over its golds, and the tuner's best
points with its front of time, registers and shared memory."""
import json
import sys


def front(points):
    """Those than which none is better in one of these and no worse in the others."""
    keys = 'ns', 'registers', 'shared'
    return [p for p in points if not any(
        all(q[k] <= p[k] for k in keys) and any(q[k] < p[k] for k in keys) for q in points)]


def who(result):
    return f"{result['source']:10} {result['implementation']:28}"


def print_by_transform(title, results):
    transforms = list(dict.fromkeys(r['transform'] for r in results))
    if results:
        print(f'\n{title}\n{"":39}', *(f'{t:>12}' for t in transforms))
    for name in dict.fromkeys(who(r) for r in results):
        ns = {r['transform']: r['ns_per_block'] for r in results if who(r) == name}
        print(name, *(f'{ns[t]:12.4f}' if t in ns else f'{"-":>12}' for t in transforms))


def print_speedups(results):
    golds = [r['gsamples_per_s'] for r in results if r['implementation'].startswith('gold')]
    if len(golds) < 2:
        return
    print(f'\nWhitepaper: the chain of dct-8x8\n{"":39}   Msamples/s     x gold 1     x gold 2')
    for r in results:
        speed = r['gsamples_per_s']
        print(f'{who(r)} {speed * 1e3:12.1f}', *(f'{speed / g:12.1f}' for g in golds))


def print_points(title, points):
    if points:
        print(f'\n{title}\n{"":39}         us    share  regs   smem')
    for p in points:
        print(f"{p['implementation']:39} {p['ns'] / 1e3:10.1f} {p['share']:8.1%}"
              f" {p['registers']:5} {p['shared']:6}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding='utf-8') as file:
        results = [r for r in json.load(file)['results'] if r['ns'] > 0]
    tables = [(stage, batch) for stage in ('forward', 'inverse') for batch in (1, 10**4, 10**6)]
    for number, (stage, batch) in enumerate(tables, 1):
        print_by_transform(
            f'HEVC paper, table {number}: {stage}, batch of {batch}, ns a block',
            [r for r in results if (r['stage'], r['batch']) == (stage, batch)])
    chains = [r for r in results if r['stage'] == 'chain']
    print_by_transform('blockdct: the whole chain, 8 bits, ns a block',
                       [r for r in chains if r['shape'] == 'plane, 8 bits'])
    print_speedups([r for r in chains if r['transform'] == 'dct-8x8'
                    and r['shape'] not in ('plane, 10 bits', 'NV12 frame')])
    points = sorted((r for r in results if r['source'] == 'spector'), key=lambda p: p['ns'])
    print_points("Spector's space: the best points", points[:5])
    print_points('The front of time, registers and shared memory', front(points))


if __name__ == '__main__':
    main()
