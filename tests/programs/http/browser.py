#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""browser.py PLUGIN-FOLDER BLOCKDCT-PREVIEW

The page of blockdct-preview in headless Chromium, turned as a person would: its cards,
views, panels, keys, files and undo. Speaks TAP."""

from bench import launch, make_video
import picture  # noqa: F401: its cases
from person import choose, move_slider, on_page, pause
from tap import Skip, run_cases


@on_page("view=wipe", "quality=85")
async def sliders_wipe_keys_and_figures(browser):
    before = await browser.read("page.figures.psnr")
    await move_slider(browser, "quality", 5)
    quality = await browser.wait("page.figures.quality < 15 && page.figures.quality")
    assert await browser.wait(f"widgets.quality.nextSibling.value === '{quality}'")
    assert await browser.read("page.figures.psnr") < before - 5
    shown = await browser.read("find('figures-a').innerText")
    assert "dB" in shown and "bit" in shown, shown
    await browser.key("a")
    await browser.wait(f"[...find('all').querySelectorAll('tr')].some(row => row.innerText === "
                       f"'quality\\t{quality}')")
    await browser.key("a")

    await browser.drag((320, 240), (240, 240), (160, 240))
    await browser.wait("Math.abs(widgets['wipe-position'].value - 0.25) < 0.02")
    assert await browser.read("[find('left').textContent, find('right').textContent]") \
        == ["Original", "A: JPEG 8×8"]
    # The line lies between two columns, and hides none in the picture.
    darkest = await browser.wait("""view.divider === Math.round(640
      * page.values['wipe-position']) && Math.abs(parseFloat(find('divider').style.left)
        - view.place([view.divider, 240])[0]) < 0.1
      && [-2, -1, 0, 1, 2].map(away => view.luma.filter((value, i) =>
        i % 640 === view.divider + away).reduce((a, b) => Math.min(a, b)))""")
    assert max(darkest) < 235, darkest
    # Where it can be dragged, the pointer says so.
    left, top, *_ = await browser.box("#divider")
    for away, cursor in (15, "ew-resize"), (90, "crosshair"):
        await browser.mouse("mouseMoved", left + away, top + 200, button="none")
        assert await browser.read("getComputedStyle(find('picture')).cursor") == cursor

    await browser.key("ArrowUp", 38, until=f"page.figures.quality === {quality} + 1")
    await browser.key("v", until="page.values.view === 'side-by-side' && find('divider').hidden")
    await browser.key("ArrowRight", 39, until="page.figures.transform === 'dct-8x8'")
    x, y, width, height = await browser.box("#picture")
    await browser.wheel(x + width / 2, y + height / 2, 100, key="Shift")
    await browser.wait(f"page.figures.quality === {quality}")


@on_page("left=a", "right=b")
async def the_verdict_counts_identical_frames_apart(browser):
    await browser.wait("'b-psnr' in page.figures")
    # In one go: figures of frames that are on their way may come between.
    words, said = await browser.read("""(async () => {
      const figures = (i, a, b) => ({"stream-time": i * 1e9, psnr: a, "b-psnr": b, bits: 1000,
        "b-bits": 900});
      time.points.clear();
      time.settings = undefined;
      time.add([figures(0, 30, 33), figures(1, null, null), figures(2, 32, null),
        figures(3, 40, 41)]);
      const words = compareFigures();
      // As many bits as B, of an encoder with a bitrate; others say why not.
      const {...values} = page.values, real = turn, said = [];
      turn = (...pair) => said.push(pair.join("="));
      page.values.encoder = "x264enc-bitrate";
      await makeEqual();
      page.values.encoder = "x264enc-crf";
      delete page.figures.transform;
      await makeEqual();
      turn = real;
      page.values = values;
      return [words, [...said, find("notice").innerText.includes("Equal bits")]];
    })()""")
    assert words == ["B: 10 % fewer bits, 2.0 dB better", "mean of 4 frames: A 35.00 dB, "
                     "30 kbit/s; B 37.00 dB, 27 kbit/s; identical to the original: 1 of A, 2 of "
                     "B, without dB"], words
    assert "ffmpeg" in await browser.read("find('over').title")
    assert said == ["encoder-bitrate=27", True], said


@on_page("--test-pattern=smpte100", plays=True)
async def notices_and_help_leave(browser):
    await browser.read("later = setTimeout,"
                       " setTimeout = (run, ms, ...of) => later(run, ms / 40, ...of),"
                       " showNotice('Done', true)")
    await browser.wait("find('notice').hidden")
    for leave in browser.click("#close"), browser.key("Escape", 27):
        await browser.read("showNotice('Wrong')")
        assert not await browser.read("find('notice').hidden")
        await leave
        assert await browser.read("find('notice').hidden")
    await browser.key("?", until="find('help').open")
    # All keys of one letter are in it.
    missing = await browser.read("""Object.keys({...pageKeys, ...elementKeys}).filter(key =>
      /^[a-z]$/.test(key) && ![...find("help").querySelectorAll("th")].some(cell =>
        cell.innerText.split(/[ ,]+/).includes(key)))""")
    assert missing == [], missing
    await browser.key("p")
    assert not await browser.read("page.news.paused")
    await browser.click("#help button", until="!find('help').open")


@on_page("quality=60", "view=wipe", "grid=true", plays=True)
async def cards_of_a_and_b(browser):
    hidden = "widgets['%s'].closest('.row').hidden"
    await browser.wait(f"find('card-b').matches('.off') && {hidden % 'qp'}"
                       f" && !{hidden % 'quality'}")
    names = await browser.read("[...find('codec-b').options].map(o => o.textContent)")
    assert {"JPEG 8×8", "HEVC 32×32", "HEVC chosen sizes", "JPEG (encoder), quality"} \
        <= set(names), names
    await browser.click("#compare")
    await browser.wait("'b-psnr' in page.figures && find('pair').value === 'a b'")
    await browser.click("#store", until="page.figures['b-quality'] === 60")
    await browser.wait("find('words').textContent === 'B: as many bits, the same PSNR'")
    await pause(browser)
    await move_slider(browser, "b::quality", 5)
    low = await browser.wait("page.figures['b-quality'] < 15 && page.figures['b-quality']")
    words = await browser.wait("/^B, this frame: \\d+ % fewer bits, [\\d.]+ dB worse$/.test("
                               "find('words').textContent) && find('words').textContent")
    bits, psnr = await browser.read("[1 - bitsOf(page.figures, 'b-') / bitsOf(page.figures, ''),"
                                    " page.figures.psnr - page.figures['b-psnr']]")
    assert words == f"B, this frame: {100 * bits:.0f} % fewer bits, {psnr:.1f} dB worse", words
    await browser.click("#swap")
    await browser.wait(f"page.figures.quality === {low} && page.figures['b-quality'] === 60")
    await choose(browser, "#codec-b", "hevc-8x8")
    await browser.wait(f"!{hidden % 'b::qp'} && {hidden % 'b::quality'}"
                       f" && !{hidden % 'b::chroma-qp-offset'}")
    await choose(browser, "#codec-b", "encoder jpegenc-quality")
    await browser.wait("page.figures['b-encoder'] === 'jpegenc quality=75'"
                       f" && {hidden % 'b::qp'} && !{hidden % 'b::encoder-quality'}")
    await move_slider(browser, "b::encoder-quality", 30)
    await browser.wait("Math.abs(parseInt(page.figures['b-encoder']?.split('=')[1]) - 30) < 5")
    # Of one coder with the same tables, equal bits are nearly equal qualities.
    await browser.click("#equal", until="Math.abs(page.figures.quality - 30) < 8")
    await choose(browser, "#metric", "psnr-hvs")
    await browser.wait("/PSNR-HVS\\n[\\d.]+ dB/.test(find('figures-b').innerText)")
    await choose(browser, "#codec-b", "hevc-8x8")
    await browser.wait("'b-qp' in page.figures && !find('swap').disabled")
    # B goes on while A's levels are seen.
    await browser.click("#view-coefficients", until="page.shown.values.view === 'coefficients'")
    assert await browser.read("'b-psnr' in page.figures && !find('card-b').matches('.off')")
    await browser.click("#view-wipe", until="page.shown.values.view === 'wipe'")
    await choose(browser, "#pair", "original a")
    await browser.wait("!('b-psnr' in page.figures) && find('card-b').matches('.off')")


@on_page("left=a", "right=b", "--test-pattern=smpte100")
async def an_encoder_has_its_preset(browser):
    if not await browser.wait("find('codec-b').options.length > 0") or not await browser.read(
            "[...find('codec-b').options].some(o => o.value === 'encoder x264enc-crf')"):
        raise Skip("x264enc is missing: install gstreamer1.0-plugins-ugly")
    await choose(browser, "#codec-b", "encoder x264enc-crf")
    await browser.wait("!widgets['b::encoder-crf'].closest('.row').hidden")
    await browser.read("document.querySelector('#card-b .advanced').open = true")
    await browser.wait("document.querySelector('#properties-b select')?.id"
                       " === 'b-encoder-speed-preset'")
    await browser.read("""(widget => {
      widget.value = "ultrafast";
      widget.dispatchEvent(new Event("change"));
    })(find("b-encoder-speed-preset"))""")
    await browser.wait("page.figures['b-encoder']?.endsWith('speed-preset=ultrafast')")
    assert "b::encoder::speed-preset=ultrafast" in await browser.read("describeLine()")
    # A gets it, too.
    await browser.click("#swap")
    await browser.wait("page.figures.encoder?.endsWith('speed-preset=ultrafast')"
                       " && !('b-encoder' in page.figures)")


@on_page("left=a", "right=b", "--b-encoder", "identity sleep-time=300000 ! jpegenc", plays=True)
async def an_encoder_says_that_it_starts(browser):
    await choose(browser, "#codec-b", "hevc-8x8")
    await browser.wait("'b-qp' in page.figures && find('work').textContent === ''")
    await browser.read("""said = new Set(), new MutationObserver(() =>
      said.add(find("work").textContent)).observe(find("work"), {childList: true}),
      turn("b::encoder", "line")""")
    await browser.wait("said.has('B: the encoder starts') && 'b-encoder' in page.figures"
                       " && find('work').textContent === ''")
    assert not await browser.read("page.news.paused")


@on_page("view=wipe", "transform=hevc-quadtree", "--test-pattern=smpte100")
async def views_are_a_row(browser):
    names = await browser.read("[...find('views').querySelectorAll('button')].map(b => b.id)")
    assert len(names) == 15
    # No picture here has regions.
    await browser.wait("find('view-quality-map').hidden")
    await browser.read("turn('view', 'quality-map')")
    await browser.wait("!find('view-quality-map').hidden")
    for name in names:
        if name == "view-quality-map":
            continue
        await browser.click(f"#{name}", scrolled=True)
        shown = name.replace("view-", "")
        await browser.wait(f"page.values.view === '{shown}'"
                           f" && find('{name}').ariaChecked === 'true'")
        # Only what applies is there: the line, the gain, the pair.
        await browser.wait(f"""(() => {{
          const shows = name => !widgets[name].closest(".row").hidden;
          return shows("wipe-position") === ("{shown}" === "wipe")
            && shows("difference-gain") === ("{shown}" === "difference")
            && find("pair").hidden === !isOfTwo("{shown}");
        }})()""")
        # Colours have a legend with numbers.
        await browser.wait("find('legend').hidden === !legends[page.values.view]"
                           " && (find('legend').hidden || /\\d/.test(find('ends').innerText))")
    assert await browser.read("[...find('views').querySelectorAll('button')]"
                              ".filter(b => b.tabIndex === 0).length") == 1
    await browser.read("find('view-size-map').focus()")
    await browser.key("ArrowRight", 39)
    await browser.wait("page.values.view === 'original' && document.activeElement.id"
                       " === 'view-original'")
    await browser.key("ArrowLeft", 37, until="page.values.view === 'size-map'")
    await choose(browser, "#codec-a", "jpeg-8x8")
    await browser.click("#view-wipe", until="find('view-size-map').hidden")
    # An encoder has no levels to show.
    await browser.key("p", until="!page.news.paused")
    assert not await browser.read("find('view-coefficients').hidden")
    await choose(browser, "#codec-a", "encoder jpegenc-quality")
    await browser.wait("find('view-coefficients').hidden && find('view-nonzero-map').hidden")
    await browser.key("i")
    assert await browser.read("panels.shown === '' && find('tab-Block').disabled")
    await browser.key("r", until="rate.curve !== null && find('rate-help').hidden")
    await choose(browser, "#codec-a", "jpeg-8x8")
    await browser.wait("!find('rate-help').hidden && !find('tab-Block').disabled")
    await browser.key("r", until="!find('view-coefficients').hidden")
    for name in ("grid", "overlay"):
        await browser.click(f"#control-{name}", scrolled=True)
        await browser.wait(f"page.values['{name}'] === true"
                           f" && widgets['{name}'].ariaPressed === 'true'")


@on_page("--test-pattern=smpte100", "quality=90", "view=a")
async def a_block_is_inspected(browser):
    await browser.key("i")
    await browser.mouse("mouseMoved", *await browser.point(100, 70), button="none")
    await browser.wait("find('block-title').textContent === 'A: JPEG 8×8, 8 × 8 at (96, 64)'")
    await browser.mouse("mouseMoved", *await browser.point(108, 78), button="none")
    await browser.wait("find('block-title').textContent.endsWith('(104, 72)')")
    # It is marked: white, with a black border.
    assert await browser.wait("""(() => {
      const [x, y] = view.place([104, 72]).map(Math.round);
      return view.context.getImageData(x, y + 4, 1, 1).data[0] === 255
        && view.context.getImageData(x - 2, y + 4, 1, 1).data[0] === 0;
    })()""")
    before = await browser.read("find('cells').innerText")
    assert len(before.split()) == 5 * 65 + 2  # with their names, and:
    assert "coefficients × 8" in before
    await move_slider(browser, "quality", 5)
    await browser.wait(f"find('cells').innerText !== {before!r} && block.data.quality < 15")
    errors = await browser.read("block.get('error', '', 5) === block.data.reconstruction[5]"
                                " - block.data.samples[5]")
    assert errors
    await choose(browser, "#plane", "V")
    await browser.wait("find('block-title').textContent.includes('8 × 8 at (48, 32)')")
    await choose(browser, "#plane", "Y")
    # A click keeps it; Alt and arrows go to the next one.
    await browser.drag((100, 70))
    await browser.wait("!find('follow').checked && block.data.x === 96")
    await browser.mouse("mouseMoved", *await browser.point(300, 200), button="none")
    await browser.key("ArrowRight", 39, modifiers=1)
    await browser.wait("block.data.x === 104 && block.data.y === 64")
    await choose(browser, "#codec-a", "hevc-32x32")
    await browser.wait("block.data.size === 32 && find('array').checkVisibility()")
    for name in ("samples", "reconstruction", "error", "coefficients", "levels"):
        await choose(browser, "#array", name)
        await browser.wait(f"find('cells').innerText.split(/[,\\n]/)[0] === '{name}'"
                           " && find('cells').querySelectorAll('td').length === 1024")
    await browser.key("Escape", 27, until="find('panel').hidden && view.mark === null")


@on_page("quality=20", "left=a", "right=b", "b::transform=hevc-16x16", "b::qp=30")
async def a_curve_has_both_points(browser):
    await browser.key("r")
    await browser.wait("find('rate').querySelectorAll('polyline').length === 2"
                       " && rate.line('a').length === 20 && rate.line('b').length === 20")
    # The points in force lie on the curves, when those of the frame that stands have come.
    await browser.wait("""(() => {
      const [, a] = rate.line("a").find(([,, setting]) => setting === 20);
      return Math.abs(a - page.figures.psnr) < 1e-6;
    })()""")
    await browser.wait("find('rate').querySelectorAll('.large').length === 2")
    # Numbers as in the cards, of this frame.
    for side in "ab":
        card = (await browser.read(f"find('figures-{side}').innerText")).split("\n")
        text = await browser.read("find('rate-text').textContent")
        assert f"{card[1]}, {card[3]}, " in text and card[4].endswith("mean rate"), (card, text)
    x, y, *_ = await browser.box("#rate")
    for side, name in (("a", "quality"), ("b", "b-qp")):
        at = await browser.read(f"(([bits, psnr, setting]) => [rate.shown.across(bits),"
                                f" rate.shown.down(psnr), setting])(rate.line('{side}')[12])")
        await browser.press((x + at[0], y + at[1]))
        await browser.wait(f"page.figures['{name}'] === {at[2]}")


@on_page("long.mkv", "quality=20", plays=True)
async def a_plot_of_time_seeks(browser):
    await browser.key("t")
    await browser.wait("time.points.size === 90")  # one play of it
    await pause(browser)
    x, y, width, height = await browser.box("#time")
    at = await browser.read("plot.left + (find('time').clientWidth - plot.left - plot.right) / 2")
    await browser.press((x + at, y + height / 2))
    await browser.wait("Math.abs(page.figures.timestamp / 1e9 - 1.5) < 0.05")
    await browser.wait("find('clock').value === '46 of 90'")
    await browser.click("#worst")
    worst = await browser.read("Math.min(...[...time.points.values()].map(f => f.psnr))")
    await browser.wait(f"Math.abs(page.figures.psnr - {worst}) < 1e-9")
    # Five, which one clicks; as many of B once it is shown.
    listed = "[...find('worst-frames').children].map(b => b.textContent)"
    psnr = await browser.read("[...time.points].map(([i, f]) => [f.psnr, i + 1])")
    five = [[float(part) for part in text.split(":")] for text in await browser.read(listed)]
    for (frame, value), (lowest, _) in zip(five, sorted(psnr)[:5], strict=True):
        assert abs(value - lowest) < 6e-3 and frame > 0, (five, sorted(psnr)[:5])
    await browser.click("#worst-frames > :last-child")
    await browser.wait(f"Math.abs(page.figures.psnr - {sorted(psnr)[4][0]}) < 1e-9")
    await choose(browser, "#worst-of", "both")
    assert await browser.read(listed) == []
    await choose(browser, "#figure", "bpp")
    await browser.wait("find('time').ariaLabel.startsWith('bits per luma sample of 90 frames')")
    await choose(browser, "#figure", "bits")
    await browser.wait("find('time').ariaLabel.startsWith('kbit/s of 90 frames')")
    assert await browser.read("time.line('bits', 'a').points.every(([at, rate]) => Math.abs(rate"
                              " - 0.03 * time.points.get(Math.round(1e9 * at)).bits) < 1)")
    await browser.read("turn('quality', 21)")
    await browser.wait("time.points.size === 1")  # the others are of other settings


@on_page("varies.mkv", plays=True)
async def frames_of_a_variable_rate_are_counted(browser):
    """Each once, and none is said to have a number; there are 10 in one second, then 20."""
    await browser.key("t", until="time.points.size === 30 && page.news['rate-varies']")
    assert "frames" not in await browser.read("find('source').textContent")
    listed = await browser.read("[...find('worst-frames').children].map(b => b.textContent)")
    assert len(listed) == 5 and all(" s: " in text for text in listed), listed


@on_page("long.mkv")
async def the_bar_seeks(browser):
    await browser.wait("!find('seek').disabled")
    await browser.wait("Math.abs(find('seek').max - 3) < 0.1 && find('clock').value !== ''")
    x, y, width, height = await browser.box("#seek")
    await browser.press(*((x + part * width, y + height / 2)
                          for part in (0.05, 0.3, 0.6, 0.5)))
    # Its frame has come when the bar, which is let loose, is where the frame is.
    await browser.wait("Math.abs(page.figures.timestamp / 1e9 - 1.5) < 0.1"
                       " && page.figures.timestamp / 1e9 === page.news.position"
                       " && !isNewer('seek')")
    stamp = await browser.read("page.figures.timestamp")
    await browser.key(".", until=f"page.figures.timestamp > {stamp}")
    await browser.wait("Math.abs(find('seek').value - page.figures.timestamp / 1e9) < 0.05")
    stamp = await browser.read("page.figures.timestamp")
    await browser.key(",", until=f"page.figures.timestamp < {stamp}")
    await browser.key("l")
    await browser.wait("find('loop').ariaPressed === 'true' && find('loop').matches('.half')")


@on_page("--hold=1.508", "long.mkv", plays=True)
async def a_copied_command_holds_the_frame(browser):
    await browser.wait("page.news.paused && find('clock').value === '46 of 90'")
    await browser.wait("describeLine().startsWith('blockdct-preview --hold=1.508 long.mkv ')")


@on_page("long.mkv", "quality=33")
async def files_are_opened_saved_and_copied(browser):
    for dialog in (True, False):
        await browser.read("""(async () => {
          const canvas = new OffscreenCanvas(%d, 65);
          canvas.getContext("2d").fillRect(9, 9, 9, 9);
          const file = new File([await canvas.convertToBlob()], "%s.png");
          const data = new DataTransfer();
          data.items.add(file);
          if (%s) {
            find("file").files = data.files;
            find("file").dispatchEvent(new Event("change"));
          } else {
            document.dispatchEvent(new DragEvent("drop", {dataTransfer: data, cancelable: true}));
          }
        })()""" % ((97, "dialog", "true") if dialog else (99, "drop", "false")))
        name, width = ("dialog.png", 97) if dialog else ("drop.png", 99)
        await browser.wait(f"find('name').textContent === '{name}' && page.width === {width}"
                           " && find('notice').hidden")
    await browser.read("""saved = [], HTMLAnchorElement.prototype.click = function () {
      saved.push(this.download);
    }""")
    for name in ("View", "Original", "A"):
        await browser.click("#save > summary")
        await browser.read(f"[...find('save').querySelectorAll('button')].find(b =>"
                           f" b.textContent === '{name}').click()")
        await browser.wait(f"/^drop.png-\\d+-{name.lower()}.png$/.test(saved.at(-1))")
    await browser.read("Object.defineProperty(navigator, 'clipboard', {value: {writeText:"
                       " async text => { copied = text; }}}), copied = ''")
    await browser.key("c", modifiers=2)
    await browser.wait("copied === 'blockdct-preview drop.png quality=33 metrics=bits'")
    for i, start in ((1, "gst-launch-1.0 filesrc location=drop.png ! decodebin "),
                     (2, "import gi")):
        await browser.read(f"find('copy').querySelectorAll('button')[{i}].click()")
        await browser.wait(f"copied.startsWith('{start}')")
    await browser.wait("!find('notice').hidden")
    await browser.read("openFile(new File(['nothing'], 'x.bin'))")
    await browser.wait("find('notice').textContent.includes('no video')"
                       " || find('notice').textContent.includes('determine type')")
    browser.errors.clear()


@on_page("long.mkv", "left=a", "right=b")
async def a_file_is_dropped_on_a_card(browser):
    await browser.read("""(async () => {
      const file = new File([await (await fetch("a.png")).blob()], "coded.png");
      dropped = new DataTransfer();
      dropped.items.add(file);
      find("card-b").dispatchEvent(new DragEvent("drop", {dataTransfer: dropped, bubbles: true,
        cancelable: true}));
    })()""")
    await browser.wait("find('codec-b').selectedOptions[0].textContent === 'coded.png'"
                       " && find('right').textContent === 'B: coded.png'"
                       " && page.news.name === 'long.mkv'")
    # Or chosen; and a transform again.
    await browser.read("HTMLInputElement.prototype.click = () => {}")
    await choose(browser, "#codec-a", "choose", until="find('codec-a').value === 'jpeg-8x8'")
    await browser.read("find('file').files = dropped.files,"
                       " find('file').dispatchEvent(new Event('change')), 0")
    await browser.wait("find('codec-a').value === 'file' && page.news['file-a'] === 'coded.png'")
    # What copies settings leaves files, which have none.
    await browser.key("x")
    await browser.key("b")
    await browser.read("turn('quality', 22)")
    await browser.wait("page.values.quality === 22")
    files = "[page.news['file-a'], page.news['file-b']]"
    assert await browser.read(files) == ["coded.png"] * 2, await browser.read(files)
    assert await browser.read("find('store').hidden && find('swap').disabled"
                              " && !find('no-original').hidden")
    for side in "ab":
        await choose(browser, f"#codec-{side}", "hevc-8x8")
        await browser.wait(f"find('codec-{side}').value === 'hevc-8x8'"
                           f" && page.news['file-{side}'] === null")
    await browser.wait("'b-transform' in page.figures && 'transform' in page.figures")


@on_page("--no-original", "long.mkv", "again.mkv", plays=True)
async def two_files_without_an_original(browser):
    await browser.wait("find('name').textContent === 'No reference' && 'b-psnr' in page.figures")
    assert "dB" not in await browser.read("find('figures-a').innerText")
    shown = await browser.read("find('figures-b').innerText")
    assert "PSNR A against B" in shown and "dB" in shown, shown
    # Bits are compared; nothing is better.
    words = await browser.wait("/^B: [0-9]+ % fewer bits$/.test(find('words').textContent)"
                               " && find('over').textContent")
    assert words.startswith("No reference"), words
    assert await browser.read("find('view-original').hidden && find('no-original').hidden"
                              " && [...find('pair').options].filter(o => !o.hidden).length === 1")
    assert (await browser.read("describeLine()")).startswith(
        "blockdct-preview --no-original long.mkv again.mkv ")
    # The worst frame is that of B against A; A has no line.
    await browser.key("t")
    await browser.wait("time.points.size === 90 && find('time').querySelectorAll('polyline.b')"
                       ".length === 1 && !find('time').querySelector('polyline.a')")
    await browser.key("p")
    await browser.key("w", until="Math.abs(page.figures['b-psnr'] - time.worst('b')[0][1]) < 1e-9")


@on_page("quality=30", "view=wipe")
async def undo_goes_back(browser):
    await browser.wait("history.length === 1")
    await browser.read("turn('quality', 31), turn('quality', 32)")
    await browser.wait("history.length === 2")
    await choose(browser, "#codec-a", "hevc-8x8", until="history.length === 3")
    await browser.click("#view-difference", until="history.length === 4")
    await browser.key("z")
    await browser.wait("page.values.view === 'wipe' && page.values.transform === 'hevc-8x8'")
    await browser.click("#undo")
    await browser.wait("page.values.transform === 'jpeg-8x8' && page.values.quality === 32")
    await browser.key("z", modifiers=2, until="page.values.quality === 30")


@on_page("-t", plays=True)
async def a_server_that_goes_and_comes(browser):
    await browser.read("page.socket.close()")
    await browser.wait("!find('notice').hidden")
    await browser.wait("find('notice').hidden && page.socket.readyState === 1")
    frame = await browser.read("page.picture.frame")
    await browser.wait(f"page.picture.frame > {frame}")


def make_files():
    make_video()
    launch("filesrc location=long.mkv ! matroskademux ! jpegdec ! jpegenc quality=20 ! "
           "matroskamux ! filesink location=again.mkv")
    launch("concat name=c ! jpegenc ! capssetter 'caps=image/jpeg,framerate=(fraction)0/1' ! "
           "matroskamux ! filesink location=varies.mkv " + " ".join(
               f"videotestsrc num-buffers={n} pattern=ball ! video/x-raw,format=I420,width=64,"
               f"height=48,framerate={n}/1 ! c." for n in (10, 20)))
    launch("videotestsrc num-buffers=9 ! video/x-raw,format=I420,width=320,height=240,"
           "pixel-aspect-ratio=2/1 ! y4menc ! filesink location=wide.y4m")
    launch("videotestsrc num-buffers=1 pattern=zone-plate kx2=8 ky2=8 ! "
           "video/x-raw,format=RGB,width=1251,height=751 ! pngenc compression-level=1 ! "
           "filesink location=still.png")


run_cases(make_files)
