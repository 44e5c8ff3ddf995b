#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdct_window.py [FILE]: a preview in a window of its own.

FILE, or a test pattern, plays in a Gtk.Window beside a list of blockdctpreview's views,
which is made from their enumeration; the one in force is printed. The picture has the
keys: what is chosen in the list gives the focus back to it.

Needs PyGObject, GTK 3 and gtksink (Debian: python3-gi, gir1.2-gtk-3.0,
gir1.2-gstreamer-1.0 and gstreamer1.0-gtk3)."""
import sys

import gi
gi.require_version('Gdk', '3.0')
gi.require_version('Gst', '1.0')
gi.require_version('Gtk', '3.0')
from gi.repository import Gdk, GLib, Gst, Gtk  # noqa: E402

REST = 'videoconvert ! blockdctpreview name=preview ! videoconvert ! gtksink name=sink'
KEYS = (Gdk.KEY_Up, Gdk.KEY_Down, Gdk.KEY_Left, Gdk.KEY_Right, Gdk.KEY_space)


class App:
    def __init__(self, file):
        self.failed = False
        self.make_pipeline(file)
        self.list_views()
        self.make_window()

    def make_pipeline(self, file):
        self.pipeline = Gst.parse_launch(
            ('filesrc name=source ! decodebin ! ' if file
             else 'videotestsrc pattern=ball ! ') + REST)
        if file:
            self.pipeline.get_by_name('source').set_property('location', file)
        preview = self.pipeline.get_by_name('preview')
        preview.get_by_name('a').set_property('quality', 20)
        self.compare = preview.get_by_name('compare')  # it has the view
        self.compare.set_property('interactive', True)
        self.video = self.pipeline.get_by_name('sink').get_property('widget')
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect('message::error', self.fail)

    def list_views(self):
        self.views = Gtk.ComboBoxText()
        values = type(self.compare.get_property('view')).__enum_values__.values()
        for value in sorted(values):
            self.views.append(value.value_nick, value.value_nick)
        self.follow_view()
        self.views.connect('changed', self.choose_view)
        # In any thread: a key has turned it.
        self.compare.connect('notify::view', lambda *_: GLib.idle_add(self.follow_view))

    def follow_view(self):
        nick = self.compare.get_property('view').value_nick
        print(nick, flush=True)
        self.views.set_active_id(nick)

    def choose_view(self, views):
        Gst.util_set_object_arg(self.compare, 'view', views.get_active_id())
        self.video.grab_focus()

    def make_window(self):
        window = Gtk.Window(title='blockdct-window')
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
        window.set_default_size(640, 520)
        self.video.set_can_focus(True)
        # The picture's keys are not GTK's way from widget to widget.
        self.video.connect_after('key-press-event',
                                 lambda _, event: event.keyval in KEYS)
        box.pack_start(self.video, True, True, 0)
        box.pack_start(self.views, False, False, 0)
        window.add(box)
        window.connect('destroy', Gtk.main_quit)
        window.show_all()
        self.video.grab_focus()

    def fail(self, _, message):
        print(message.parse_error()[0].message, file=sys.stderr)
        self.failed = True
        Gtk.main_quit()

    def run(self):
        self.pipeline.set_state(Gst.State.PLAYING)
        Gtk.main()
        self.pipeline.set_state(Gst.State.NULL)
        return self.failed


Gst.init(None)
sys.exit(App(sys.argv[1] if len(sys.argv) > 1 else None).run())
