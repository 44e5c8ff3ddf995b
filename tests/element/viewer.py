# SPDX-License-Identifier: LGPL-2.1-or-later
"""Keys and the pointer of somebody in front of a sink's window."""
from player import Gst, GstVideo

MODIFIERS = {"ctrl": GstVideo.NavigationModifierType.CONTROL_MASK,
             "alt": GstVideo.NavigationModifierType.MOD1_MASK}


def event_of(what):
    kind, rest = what.split(" ", 1)
    modifier = MODIFIERS.get(kind.split("-")[0], 0)
    if kind in ("key", "ctrl", "alt"):
        return GstVideo.navigation_event_new_key_press(rest, modifier)
    if kind == "up":
        return GstVideo.navigation_event_new_key_release(rest, 0)
    x, y, by = map(float, (rest + " 0").split()[:3])
    if kind == "move":
        return GstVideo.navigation_event_new_mouse_move(x, y, 0)
    if kind[:-1] in ("press", "release"):
        return getattr(GstVideo, "navigation_event_new_mouse_button_" + kind[:-1])(
            int(kind[-1]), x, y, 0)
    return GstVideo.navigation_event_new_mouse_scroll(
        x, y, *((by, 0) if kind == "side" else (0, by)), modifier)


def do(element, what):
    """Send an event to the source pad of a blockdctcompare or a blockdctpreview. Whether it goes
    on upstream, which it may only as it was.

    key NAME, up NAME    a key is pressed, let go; ctrl NAME, alt NAME: with another
    press1 X Y           a button, by its number; release1 X Y; move X Y
    wheel X Y BY         turned; ctrl-wheel: with a key; side: sideways"""
    event, passed = event_of(what), []
    text = event.get_structure().to_string()

    def on_upstream(_, info):
        if info.get_event().type != Gst.EventType.NAVIGATION:
            return Gst.PadProbeReturn.OK
        passed.append(info.get_event().get_structure().to_string())
        return Gst.PadProbeReturn.DROP
    sink = element.get_static_pad("ref_sink") or element.get_static_pad("sink")
    probe = sink.add_probe(Gst.PadProbeType.EVENT_UPSTREAM, on_upstream)
    element.get_static_pad("src").send_event(event)
    sink.remove_probe(probe)
    assert passed in ([], [text]), passed
    return bool(passed)


def expect(element, values):
    """Values of properties, also of children, are these: NAME=VALUE ...; A/B is a quotient."""
    for pair in values.split():
        name, wanted = pair.split("=")
        if isinstance(element, Gst.ChildProxy):
            _, owner, spec = element.lookup(name)
            value = owner.get_property(spec.name)
        else:
            value = element.get_property(name)
        if isinstance(value, float):
            a, b = map(float, (wanted + "/1").split("/")[:2])
            assert abs(value - a / b) < 1e-9, (pair, value)
        else:
            value = getattr(value, "value_nick", value)
            assert str(value).lower() == wanted, (pair, value)
