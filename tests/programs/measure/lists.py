# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that name another file or address."""

import struct


def atom(kind, *parts):
    data = b"".join(parts)
    return struct.pack(">I", 8 + len(data)) + kind + data


def reference_movie(address):
    """QuickTime's: a movie that is elsewhere."""
    url = address.encode() + b"\0"
    return atom(b"ftyp", b"qt  ", bytes(4), b"qt  ") + atom(b"moov", atom(b"rmra", atom(
        b"rmda", atom(b"rdrf", bytes(4), b"url ", struct.pack(">I", len(url)), url))))


TEXTS = {
    "hls.m3u8": """#EXTM3U
#EXT-X-VERSION:3
#EXT-X-TARGETDURATION:10
#EXTINF:10,
{0}
#EXT-X-ENDLIST
""",
    "variants.m3u8": """#EXTM3U
#EXT-X-STREAM-INF:BANDWIDTH=1000000,RESOLUTION=160x120
{0}
""",
    "dash.mpd": """<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT9S"
 minBufferTime="PT1S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period>
<AdaptationSet mimeType="video/mp4" contentType="video"><Representation id="1" bandwidth="9">
<SegmentList duration="9"><Initialization sourceURL="{0}"/><SegmentURL media="{0}"/>
</SegmentList></Representation></AdaptationSet></Period></MPD>
""",
    "smooth.ismc": """<?xml version="1.0"?>
<SmoothStreamingMedia MajorVersion="2" MinorVersion="0" Duration="90000000">
<StreamIndex Type="video" QualityLevels="1" Chunks="1" Url="{0}">
<QualityLevel Index="0" Bitrate="9000" FourCC="H264" MaxWidth="64" MaxHeight="48"
 CodecPrivateData="00000001674D400D"/><c d="90000000"/></StreamIndex></SmoothStreamingMedia>
""",
    "list.m3u": "#EXTM3U\n#EXTINF:9,x\n{0}\n",
    "list.ffconcat": "ffconcat version 1.0\nfile '{0}'\n",
    "session.sdp": """v=0
o=- 0 0 IN IP4 127.0.0.1
s=x
c=IN IP4 127.0.0.1
t=0 0
a=control:{0}
m=video 5004 RTP/AVP 96
a=rtpmap:96 H264/90000
a=control:{0}
""",
    "project.xges": """<ges version='0.4'><project><ressources><asset id='{0}'
 extractable-type-name='GESUriClip'/></ressources></project></ges>
""",
}
# A picture that names another.
PICTURES = {
    "picture.svg": """<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
 width="64" height="48">
<rect width="64" height="48"/><image width="64" height="48" xlink:href="{0}"/></svg>
""",
}


def make_lists(address):
    """Name and content of each file that is nothing but names."""
    return {name: text.format(address).encode() for name, text in TEXTS.items()} \
        | {"reference.mov": reference_movie(address)}
