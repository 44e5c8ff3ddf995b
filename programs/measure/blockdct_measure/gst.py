# SPDX-License-Identifier: LGPL-2.1-or-later
"""GStreamer's bindings, and what all users of them need."""
import sys
import threading
from typing import Any

try:
    import gi
    gi.require_version('Gst', '1.0')
    gi.require_version('GstBase', '1.0')
    gi.require_version('GstApp', '1.0')
    gi.require_version('GstVideo', '1.0')
    from gi.repository import GLib, GObject, Gst, GstApp, GstBase, GstVideo
except (ImportError, ValueError) as error:
    sys.exit('blockdct-measure: GStreamer\'s bindings for Python are missing (Debian: '
             f'python3-gi gir1.2-gst-plugins-base-1.0): {error}')

__all__ = ['GLib', 'GObject', 'Gst', 'GstApp', 'GstBase', 'GstVideo']
Gst.init(None)
# The first use of a type sets it up, which two threads must not do at once.
for module in Gst, GstApp, GstBase, GstVideo:
    for name in dir(module):
        getattr(module, name)
if not Gst.Registry.get().find_plugin('app'):
    sys.stderr.write('blockdct-measure: GStreamer\'s base plugins are missing (Debian: '
                     'gstreamer1.0-plugins-base)\n')
    sys.exit(2)

_PACKAGES = {'blockdctcompare': 'gstreamer1.0-blockdct', 'blockdctcoded':
             'gstreamer1.0-blockdct', 'multifilesink': 'gstreamer1.0-plugins-good',
             'pngenc': 'gstreamer1.0-plugins-good', 'rawvideoparse': 'gstreamer1.0-plugins-bad'}


class MissingElement(Exception):
    """An element that is not installed, and what has it."""


def make(name: str, **properties: Any) -> Gst.Element:
    element = Gst.ElementFactory.make(name, None)
    if element is None:
        raise MissingElement(f'GStreamer does not find the element {name} (Debian: '
            f'{_PACKAGES.get(name, "gstreamer1.0-plugins-base")}; from a build folder, '
            'set GST_PLUGIN_PATH to its gst-plugin/)')
    for key, value in properties.items():
        key = key.replace('_', '-').strip('-')
        if isinstance(value, str):
            Gst.util_set_object_arg(element, key, value)
        else:
            element.set_property(key, value)
    return element


def sink(name: str, **properties: Any) -> Gst.Element:
    """One that no clock and no other sink waits for."""
    return make(name, sync=False, async_=False, **properties)


def chain(pipeline: Gst.Pipeline, *elements: Gst.Element) -> None:
    """Add elements and link one to the next."""
    for element in elements:
        if element.get_parent() is None:
            pipeline.add(element)
    for first, second in zip(elements, elements[1:]):
        if not first.link(second):
            raise RuntimeError('it cannot be linked between pictures and a decoder')


def has_counter(caps: Gst.Caps) -> bool:
    """Whether blockdctcoded counts the bits of such a stream."""
    factory = Gst.ElementFactory.find('blockdctcoded')
    return factory is not None and factory.can_sink_any_caps(caps)


def refuses(factory: Gst.ElementFactory) -> bool:
    """Whether an element opens what a file names: a demuxer with elements of its own, a
    source, or one that loads the parts of an adaptive stream."""
    klass, loaded = factory.get_metadata('klass') or '', factory.load()
    kind = loaded and loaded.get_element_type()
    return 'Adaptive' in klass or not kind or GObject.type_is_a(kind, Gst.URIHandler) or (
        GObject.type_is_a(kind, Gst.Bin) and 'Demuxer' in klass)


class Closed:
    """With a close(), for `with`."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


def last_line(debug: str | None) -> str:
    """The cause in an error's debug text, which follows its place."""
    return debug.rpartition('\n')[2] if debug and '\n' in debug else ''


#: Pipelines that do not stop, as one of their elements hangs.
hanging: list[Gst.Pipeline] = []


def stop(pipeline: Gst.Pipeline) -> None:
    thread = threading.Thread(target=pipeline.set_state, args=(Gst.State.NULL,), daemon=True)
    thread.start()
    thread.join(5)
    if thread.is_alive():
        hanging.append(pipeline)
