#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""said.py PROGRAM: what elements say. blockdct's curves are what single runs give;
blockdctcompare says of blockdct's pictures what this does, of encoders' the bits that leave
these, frame by frame, through parsers and decoders. Speaks TAP."""

import math

from program import Gst, have, launch
from tap import case, run_cases

FRAMES = 40
RGB = "RGB", "BGRx", "ARGB", "GBR"
VP9 = "vp9enc deadline=1 lag-in-frames=10 auto-alt-ref=true"
# An encoder, and what decodes its stream; whether some bits are of headers, and whether its
# buffers have the times of pictures.
LINES = (
    ("x264enc", "h264parse ! avdec_h264", True, True),
    ("x264enc ! video/x-h264,stream-format=byte-stream", "avdec_h264", True, True),
    ("x264enc bframes=3 b-pyramid=true rc-lookahead=20", "h264parse ! openh264dec", True, True),
    ("x265enc key-int-max=10", "h265parse ! avdec_h265", True, True),
    ("openh264enc", "h264parse ! openh264dec", True, True),
    ("svtav1enc", "av1dec", True, True),
    ("av1enc cpu-used=8 lag-in-frames=8", "av1parse ! av1dec", True, True),
    ("vp8enc deadline=1 lag-in-frames=10 auto-alt-ref=true", "vp8dec", False, True),
    (VP9, "vp9dec", False, True), (VP9, "vp9parse ! vp9dec", False, True),
    ("mpeg2enc format=3 ! mpegvideoparse", "avdec_mpeg2video", True, False),
    ("avenc_mpeg4", "mpeg4videoparse ! avdec_mpeg4", True, False),
    ("jpegenc", "jpegparse ! jpegdec", True, True),
    ("jpegenc quality=95 ! jpegdec ! jpegenc quality=20", "jpegdec", True, True),
    ("theoraenc", "theoradec", True, True),
)


@case
def curves_are_single_runs():
    """All settings, and some in their own order; whatever else is set is kept."""
    some = 40, 7, 40, 51, 1
    for format_ in "GRAY8", "I420", "Y42B", "I420_10LE":
        for transform, setting, rest in (("jpeg-8x8", "quality", ""), ("dct-8x8", "quality", ""),
                                         ("hevc-8x8", "qp", "deadzone=0.2")):
            dct = f"t. ! queue ! blockdct backend=cpu transform={transform} {rest}"
            said = launch(
                f"videotestsrc num-buffers=1 ! video/x-raw,format={format_},width=45,height=27,"
                "framerate=25/1 ! tee name=t",
                f"{dct} name=all curve=<all> ! fakesink {dct} name=some curve=<"
                + ",".join(map(str, some)) + "> ! fakesink",
                *(f"{dct} name=b{i} {setting}={v} metrics=bits ! fakesink"
                  for i, v in enumerate(some)))
            single = {who: f for who, f in said if who[0] == "b"}
            curve = {who: f for who, f in said if "setting" in f}
            first, last = (0, 51) if setting == "qp" else (1, 100)
            assert curve["all"]["setting"] == [*range(first, last + 1)]
            assert curve["some"]["setting"] == [*some]
            own = next(f for who, f in said if who == "some" and "type" in f)
            assert "bpp" not in own
            for name in "transform", "backend", "timestamp", "stream-time", "running-time", \
                    "duration", "index":
                assert curve["some"][name] == own[name], name
            for name in ("psnr-y", "psnr-u", "psnr-v", "psnr", "nonzero", "bits",
                         "bits-estimated"):
                wanted = [single[f"b{i}"].get(name) for i in range(len(some))]
                for found in (curve["some"].get(name),
                              name in curve["all"] and [curve["all"][name][v - first]
                                                        for v in some]):
                    assert (found or [None] * len(some)) == wanted, (format_, transform, name)

    said = launch("videotestsrc num-buffers=1 ! blockdct curve=<50> post-messages=false ! fakesink")
    assert said == []


@case
def a_stream_is_the_sum_of_its_frames():
    """With one of no error, which is infinitely good, and capped at 60 dB and more."""
    for format_, cap in ("I420", 60), ("Y42B", 60), ("GRAY8", 60), ("I420_10LE", 72), (
            "I420_12LE", 84):
        shape = f"video/x-raw,format={format_},width=64,height=48,framerate=25/1 ! c."
        said = [f for _, f in launch(
            f"concat name=c videotestsrc pattern=snow num-buffers=1 ! {shape} videotestsrc "
            f"pattern=black num-buffers=1 ! {shape} videotestsrc pattern=snow num-buffers=2 ! "
            f"{shape} c. ! blockdct backend=cpu quality=100 metrics=bits+ssim ! fakesink")]
        frames, pooled = said[:-1], said[-1]
        assert [f["type"] for f in said] == ["frame"] * 4 + ["pooled"]
        for i, f in enumerate(frames):
            assert f["identical"] == (f["psnr"] == math.inf) == (f["mse"] == 0) == (i == 1), f
        psnr = [f["psnr"] for f in frames]
        peak = 2 ** (cap // 6 - 2) - 1
        mse = sum(f["mse"] for f in frames) / 4
        for name, wanted in {
                "psnr": 10 * math.log10(peak ** 2 / mse), "mse": mse, "psnr-min": min(psnr),
                "ssim": sum(f["ssim"] for f in frames) / 4,
                "psnr-mean-capped": sum(min(v, cap) for v in psnr) / 4}.items():
            assert abs(pooled[name] - wanted) < 1e-9, (format_, name, pooled)
        assert pooled["psnr-max"] == pooled["psnr-mean"] == math.inf and not pooled["identical"]
        assert (pooled["index"], pooled["dropped"], pooled["timestamp"]) == (0, 0, 0)
    said = [f for _, f in launch("videotestsrc num-buffers=5 pattern=ball ! blockdct ! fakesink")]
    psnr = [f["psnr"] for f in said[:-1]]
    assert len(set(psnr)) > 1 and (said[-1]["psnr-min"], said[-1]["psnr-max"]) == (
        min(psnr), max(psnr))
    assert abs(said[-1]["psnr-mean"] - sum(psnr) / 5) < 1e-9
    assert said[-1]["duration"] == said[-2]["timestamp"] + said[-2]["duration"]


@case
def three_versions_have_blockdcts_own_figures():
    """In each format: errors, of R, G and B too, and SSIM; what only a coder has, it has not."""
    pads = "dist_sink", "dist_sink_1", "dist_sink_2"
    for format_ in ("NV12", "GRAY8", "Y42B", "P010_10LE", "Y444_12LE", *RGB):
        said = launch(
            f"videotestsrc num-buffers=2 ! video/x-raw,format={format_},width=37,height=23,"
            "framerate=25/1 ! tee name=t ! queue ! compare.ref_sink blockdctcompare name=compare "
            "view=side-by-side left=0 right=2 metrics=psnr+ssim ! fakesink", *(
                f"t. ! queue ! blockdct name=b{i} backend=cpu quality={7 + 30 * i} metrics=ssim !"
                f" compare.{pad}" for i, pad in enumerate(pads)))
        for i, pad in enumerate(pads):
            own = [f for who, f in said if who == f"b{i}"]
            compared = [f for who, f in said if who == "compare" and f["pad"] == pad]
            assert [f["type"] for f in compared] == ["frame", "frame", "pooled"]
            assert compared[-1]["unmatched"] == 0
            for a, b in zip(own, compared, strict=True):
                # The planes of R, G and B are those of what came out.
                names = {n for n in a if (n.endswith(("-r", "-g", "-b", "-rgb")) if format_ in RGB
                         else n.startswith(("mse", "sse", "psnr", "samples", "ssim")))}
                assert names >= ({"sse-r", "psnr-rgb"} if format_ in RGB else {"sse-y", "ssim"})
                assert {n: a[n] for n in names} == {n: b.get(n) for n in names}, (format_, a, b)
                assert not {"nonzero", "levels", "transform"} & set(b)


@case
def a_lookahead_fits_behind_a_tee():
    """As encoders and queues come, at any rate: every frame has a partner. The lookahead of
    96 threads, some 140 frames, fits from 30 frames/s on."""
    for encoder, decoder, rates in (("x264enc", "avdec_h264", (1, 5, 24, 60)),
                                    ("x264enc threads=96", "avdec_h264", (30, 60)),
                                    ("x265enc", "avdec_h265", (1, 60))):
        for rate in rates if have(encoder.split()[0]) and have(decoder) else ():
            said = launch(
                "videotestsrc num-buffers=250 ! video/x-raw,format=I420,width=64,height=64,"
                f"framerate={rate}/1 ! tee name=t ! queue ! compare.ref_sink t. ! queue !",
                encoder, "!", decoder, "! compare.dist_sink blockdctcompare name=compare ! "
                "fakesink")
            pooled, = (f for _, f in said if f["type"] == "pooled")
            assert (pooled["frames"], pooled["unmatched"]) == (250, 0), (encoder, rate, pooled)


def add_seeks(muxer, demuxer):
    def check():
        for name, quality in ("a", 90), ("b", 30):
            launch("videotestsrc num-buffers=100 ! video/x-raw,format=I420,width=64,height=64,"
                   f"framerate=25/1 ! jpegenc quality={quality} ! {muxer} ! "
                   f"filesink location={name}")
        compare = "compare.dist_sink blockdctcompare name=compare ! appsink name=out sync=false"
        for line in (f"filesrc location=b ! {demuxer} ! jpegdec ! ",
                     "t. ! queue ! blockdct post-messages=false ! "):
            pipeline = Gst.parse_launch(f"filesrc location=a ! {demuxer} ! jpegdec ! tee name=t ! "
                                        f"queue ! compare.ref_sink {line} {compare}")
            sink = pipeline.get_by_name("out")

            def reach(state):
                pipeline.set_state(state)
                assert pipeline.get_state(60 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS

            def seek(second):
                assert pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH
                                            | Gst.SeekFlags.ACCURATE, second * Gst.SECOND)
                assert pipeline.get_state(60 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS
                buffer = sink.emit("pull-preroll").get_buffer()
                assert buffer.pts == second * Gst.SECOND
                assert buffer.get_custom_meta("blockdct-compare")

            reach(Gst.State.PAUSED)
            for second in 2, 1, 3, 0:
                seek(second)
            pipeline.set_state(Gst.State.PLAYING)
            while sink.emit("try-pull-sample", 60 * Gst.SECOND):
                pass
            assert sink.props.eos
            reach(Gst.State.PAUSED)
            seek(2)
            pipeline.set_state(Gst.State.NULL)
    check.__name__ = f"files of {muxer} seek"
    if all(map(have, (muxer, demuxer, "jpegenc", "jpegdec"))):
        case(check)


class Seen:
    """What a blockdctcoded lets through."""

    def __init__(self):
        self.bits, self.headers, self.pending, self.sum, self.wrong = {}, 0, 0, 0, []
        self.frames, self.stats = 0, None

    def begin(self, pipeline):
        pad = pipeline.get_by_name("coded").get_static_pad("src")
        pad.add_probe(Gst.PadProbeType.BUFFER, self.note)

    def end(self, pipeline):
        stats = pipeline.get_by_name("coded").props.stats
        self.stats = [stats.get_value(name) for name in ("frames", "bits", "bits-headers")]

    def note(self, pad, info):
        buffer = info.get_buffer()
        self.pending += 8 * buffer.get_size()
        self.sum += 8 * buffer.get_size()
        meta = buffer.get_custom_meta("blockdct-coded")
        if meta:
            bits, headers = map(meta.get_structure().get_value, ("bits", "bits-headers"))
            if bits + headers != self.pending:
                self.wrong.append((bits, headers, self.pending))
            segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
            self.bits[segment.to_running_time(Gst.Format.TIME, buffer.pts)] = self.pending
            self.headers += headers
            self.frames += 1
            self.pending = 0
        return Gst.PadProbeReturn.OK


def add_case(encoder, decoder, has_headers, is_timed):
    def check():
        seen = Seen()
        said = launch(
            f"videotestsrc pattern=ball num-buffers={FRAMES} ! video/x-raw,format=I420,width=176,"
            "height=144,framerate=25/1,colorimetry=bt601 ! tee name=t ! queue max-size-buffers=0 "
            "max-size-bytes=0 max-size-time=0 ! compare.ref_sink t. ! queue !", encoder,
            "! blockdctcoded name=coded !", decoder, "! compare.dist_sink blockdctcompare "
            "name=compare view=single right=-1 ! fakesink", begin=seen.begin, end=seen.end)
        frames = [f for _, f in said if f["type"] == "frame"]
        assert len(frames) == seen.frames == FRAMES and seen.pending == 0
        assert not seen.wrong, seen.wrong
        for f in frames:
            assert not is_timed or f["bits"] + f["bits-headers"] == seen.bits[f["running-time"]], f
        headers = sum(f["bits-headers"] for f in frames)
        assert sum(f["bits"] for f in frames) + headers == seen.sum
        assert headers == seen.headers and (headers > 0) == has_headers
        assert seen.stats == [FRAMES, seen.sum - headers, headers]
    check.__name__ = f"{encoder} then {decoder}"
    case(check)


add_seeks("matroskamux", "matroskademux")
add_seeks("qtmux", "qtdemux")
for line in LINES:
    parts = " ! ".join(line[:2]).split(" ! ")
    if all("/" in part or have(part.split()[0]) for part in parts):
        add_case(*line)
    else:
        print(f"# not installed: {' ! '.join(parts)}")
run_cases(lambda: None)
