# SPDX-License-Identifier: LGPL-2.1-or-later
"""The formats of pictures: which are measured, and into which others are converted."""
import functools

from .gst import Gst, GstVideo

#: Frames are processed as they are in memory: one may interleave two fields, but not
#: store one behind the other.
WOVEN = 'video/x-raw, interlace-mode=(string){ progressive, interleaved, mixed }'
#: What is measured as it is; others become the nearest of these.
FORMATS = ('NV12', 'I420', 'YV12', 'NV21', 'Y42B', 'NV16', 'Y444', 'GRAY8', 'P010_10LE',
           'I420_10LE', 'I422_10LE', 'Y444_10LE', 'P012_LE', 'I420_12LE', 'I422_12LE', 'Y444_12LE')
RGB = 'RGB', 'BGR', 'RGBx', 'BGRx', 'xRGB', 'xBGR', 'RGBA', 'BGRA', 'ARGB', 'ABGR', 'GBR'


@functools.lru_cache(maxsize=None)
def describe(name: str) -> GstVideo.VideoFormatInfo:
    return GstVideo.VideoFormat.get_info(GstVideo.VideoFormat.from_string(name))


def _has(info: GstVideo.VideoFormatInfo, flag: str) -> bool:
    return bool(info.flags & getattr(GstVideo.VideoFormatFlags, flag))


def depth_of(name: str) -> int:
    return int(describe(name).depth[0])


def subsampling(name: str) -> tuple[int, int]:
    """log2 of a format's; of RGB that which most JPEG files have; (-1, -1): grey."""
    info = describe(name)
    if _has(info, 'GRAY'):
        return -1, -1
    if _has(info, 'RGB'):
        return 1, 1
    return min(info.w_sub[1], 1), min(info.h_sub[1], 1)


@functools.lru_cache(maxsize=None)
def nearest(decoded: str, planes: bool) -> str:
    """The format in which pictures are measured: their own, else the planar one of their
    subsampling with the least depth that is not below theirs, else with the greatest.
    `planes`: RGB cannot be measured."""
    if decoded in FORMATS or (decoded in RGB and not planes):
        return decoded
    alike = [name for name in FORMATS if subsampling(name) == subsampling(decoded)
             and describe(name).n_planes == describe(name).n_components]
    deep = [name for name in alike if depth_of(name) >= depth_of(decoded)]
    return min(deep, key=depth_of) if deep else max(alike, key=depth_of, default='')


def convert(caps: Gst.Caps, name: str) -> Gst.Caps:
    """Caps of the same pictures in another format. RGB becomes full range."""
    decoded = caps.get_structure(0).get_string('format') or ''
    text = f'{WOVEN}, format={name}'
    if name == decoded:
        return Gst.Caps.from_string(text)
    is_rgb = _has(describe(decoded), 'RGB')
    if is_rgb and name not in RGB:
        text += ', colorimetry=1:4:0:0, chroma-site=jpeg' if name != 'GRAY8' else \
            ', colorimetry=1:4:0:0'
    elif not is_rgb:
        info = GstVideo.VideoInfo.new_from_caps(caps)
        text += f', colorimetry={info.colorimetry.to_string()}'
        site = GstVideo.VideoChromaSite.to_string(info.chroma_site)
        if site and name != 'GRAY8':
            text += f', chroma-site={site}'
    return Gst.Caps.from_string(text)


def same_picture(a: Gst.Caps, b: Gst.Caps) -> bool:
    first, second = a.get_structure(0), b.get_structure(0)
    return all(first.get_value(k) == second.get_value(k) for k in ('format', 'width', 'height'))


def tell_caps(caps: Gst.Caps) -> str:
    s = caps.get_structure(0)
    return f'{s.get_string("format")} {s.get_value("width")}x{s.get_value("height")}'
