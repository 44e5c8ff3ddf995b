# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases of browser.py: the picture on the page, sample by sample."""

import json
import re

from person import choose, move_slider, on_line, on_page


@on_page("--test-pattern=smpte100", "view=a", "transform=hevc-16x16", "qp=40", "grid=true")
async def the_screen_shows_samples_as_they_are(browser):
    await browser.wait("find('pause').ariaLabel === 'Play'")
    assert await browser.read("view.scale === view.fitting && view.isWhole")
    await browser.key("1", until="find('scale').value === '1:1'")
    here = await browser.point(300.5, 200.5)
    for _ in range(5):
        await browser.wheel(*here, -100)
    await browser.wait("view.scale === 8 && find('scale').value === '8:1'"
                       " && !find('scale').matches('.untrue')")
    # The sample under the pointer is where it was, and each is 8 x 8 pixels.
    x, y, *_ = await browser.box("#picture")
    differs = await browser.read("""(() => {
      const [x, y] = view.corner;
      if (Math.floor((%f - x) / 8) !== 300 || Math.floor((%f - y) / 8) !== 200)
        return ["moved", %f - x, %f - y];
      const all = dataOf(view.picture, [640, 480]);
      const seen = view.context.getImageData(0, 0, 400, 200).data;
      for (let v = 0; v < 200; v += 3)
        for (let u = 0; u < 400; u += 3) {
          const at = 640 * Math.floor((v - y) / 8) + Math.floor((u - x) / 8);
          if ([0, 1, 2].some(i => seen[4 * (400 * v + u) + i] !== all[4 * at + i]))
            return [u, v, at];
        }
      return "nowhere";
    })()""" % (2 * (here[0] - x, here[1] - y)))
    assert differs == "nowhere", differs
    # From 16:1 on each sample has its value on it, in the half where it is seen.
    values = """(() => {
      const texts = [], {fillText} = view.context;
      view.context.fillText = (...text) => texts.push(text.slice(0, 3));
      view.paint();
      view.context.fillText = fillText;
      return texts;
    })()"""
    assert await browser.read(values) == []
    for by in (-100, -30, -30):  # a notch, and as far by two fingers
        await browser.wheel(*here, by)
    await browser.wait("view.scale === 16")
    texts = await browser.read(values)
    assert len(texts) > 900, len(texts)
    wrong = await browser.read("""(texts => {
      const all = dataOf(view.picture, [640, 480]);
      return texts.filter(([value, x, y]) => {
        const at = Math.floor(y / 16) * 640 + Math.floor(x / 16);
        return view.luma !== null ? value !== view.luma[at]
          : !all.subarray(4 * at, 4 * at + 4).includes(value);
      });
    })(%s)""" % json.dumps(texts))
    assert wrong == [], wrong
    # What is shown of HDR are no samples.
    for tone_mapped in "true", "false":
        await browser.read(f"showPicture({{...page.shown, 'tone-mapped': {tone_mapped}}},"
                           " page.data)")
        assert await browser.read("String(/tone-mapped/.test(find('about').textContent))") \
            == tone_mapped
        assert (await browser.read(values) == []) is (tone_mapped == "true")
    for _ in range(2):
        await browser.wheel(*here, 100)
    await browser.wait("view.scale === 8")
    before = await browser.read("view.middle")
    await browser.drag((300, 200), (310, 200))  # the left button moves what is enlarged
    assert abs(await browser.read("view.middle[0]") - before[0] + 10) < 0.2
    await browser.key("f", until="view.isWhole && find('scale').matches('.untrue')")
    await browser.read("view.scaleTo(4)")
    # A picture of another size begins in its middle; its place stays in other parts.
    for part, middle in ("width: 600", "300,240"), ("width: 1200, columns: 2", "150,110"):
        found = await browser.read("""(async () => {
          const picture = await createImageBitmap(new ImageData(1200, 480));
          view.show(picture, {height: 480, columns: 1, rows: 1, aspect: 1, %s});
          const found = view.middle.join();
          view.middle = [150, 110];
          return found;
        })()""" % part)
        assert found == middle, (part, found)


@on_page("--test-pattern=smpte100", "view=side-by-side", "quality=5")
async def beside_are_whole_frames_or_the_same_part(browser):
    await browser.wait("view.columns === 2 && page.width === 1280")
    # Whole: each frame is as wide as its half; their samples are those that are saved.
    assert await browser.read("view.isWhole && Math.abs(640 * view.scale - view.room[0]) < 1e-6")
    away = await browser.read("""Promise.all(["original", "a"].map(async (name, i) => distance(
      dataOf(await saved(name), [640, 480]), dataOf(view.picture, [640, 480], 640 * i))))""")
    assert max(away) < 2, away
    await browser.click("#control-part")
    assert await browser.read("640 * view.scale > view.room[0] + 1 && view.isWhole"
                              " && find('control-part').ariaPressed === 'true'")
    # One sample lies at the same place of both, at each scale.
    for key in "f1++":
        await browser.key(key)
        apart = await browser.read("""[20, 300].map(x => [[x, 100], [x + view.room[0], 100]].map(
          ([offsetX, offsetY]) => view.sample({offsetX, offsetY}))).map(([one, other]) =>
            [other[0] - one[0], other[1] - one[1]].join())""")
        assert apart == ["640,0"] * 2, (key, apart)
    # A block of the second one is A's, too, where it is.
    await browser.key("i")
    await browser.drag((640 + 324, 242))
    await browser.wait("block.data?.x === 320 && block.data.y === 240 && block.half[0] === 1")
    await browser.key("ArrowRight", 39, modifiers=1, until="block.data.x === 328")
    await browser.read("turn('view', 'stacked')")
    await browser.wait("view.rows === 2 && page.height === 960 && view.columns === 1")
    await browser.read("turn('view', 'wipe')")
    await browser.wait("view.columns * view.rows === 1 && find('control-part').hidden")


@on_page("wide.y4m", "view=a")
async def samples_that_are_no_squares(browser):
    await browser.wait("page.picture.aspect === 2")
    assert (await browser.read("find('source').textContent")).startswith(
        "320 × 240, samples of 2 : 1")
    assert await browser.read("view.scales.join()") == \
        await browser.read("[2 * view.scale, view.scale].join()")
    await browser.key("1")
    (x, y), (right, below) = await browser.read("[[0, 0], [320, 240]].map(at => view.place(at))")
    assert (right - x, below - y) == (640, 240)
    at = await browser.read("view.sample({offsetX: %f, offsetY: %f})" % (x + 200, y + 100))
    assert abs(at[0] - 100) < 1 and abs(at[1] - 100) < 1, at
    # They keep their shape in a window that only its height changes.
    width, height = browser.size
    await browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height - 99,
                       deviceScaleFactor=1, mobile=False)
    await browser.wait(f"innerHeight === {height - 99}"
                       " && view.canvas.height === view.canvas.clientHeight")


@on_page("left=original", "right=a", "view=difference", "--test-pattern=smpte", "quality=5")
async def differences_are_of_luma_and_colours_are_explained(browser):
    await browser.wait("page.shown.values.view === 'difference'")
    colours = """dataOf(view.picture, [640, 480]).some((value, i, all) =>
      i % 4 === 0 && value !== all[i + 1])"""
    await on_line(browser, 0.001)
    assert await browser.read("page.picture.format") == "I420"
    assert not await browser.read(colours)
    await browser.click("#control-colours")
    await browser.read("page.drawing")
    assert await browser.read(colours)
    # The gain has steps; the legend follows it.
    for gain, end in ("8", "16"), ("64", "2"):
        await choose(browser, "#control-difference-gain", gain)
        await browser.wait(f"find('ends').innerText.split(/\\s+/).join() === '−{end},0,+{end}'")
    # What is all the same says so.
    await choose(browser, "#control-difference-gain", "1")
    await browser.read("turn('right', 'original')")
    await browser.wait("find('of').textContent === 'Nothing differs.'")
    await browser.read("turn('view', 'hvs-map'), turn('right', 'original')")
    await browser.wait("find('of').textContent === 'Nothing differs.' && find('ramp').matches"
                       "('.map') && find('ends').innerText.includes('≤ 20 dB')")
    await browser.read("turn('right', 'a')")
    await browser.wait("find('of').textContent.startsWith('PSNR-HVS')")
    await choose(browser, "#codec-a", "hevc-8x8")
    await browser.read("turn('qp', 51), turn('view', 'nonzero-map')")
    await browser.wait("page.figures.qp === 51")


@on_page("still.png", "view=difference", scheme="dark", plays=True)
async def a_large_still_without_a_loss(browser):
    await move_slider(browser, "quality", 100, until="page.figures.quality > 95")
    await move_slider(browser, "quality", 3)
    await browser.wait("page.figures.quality < 10 && page.figures.repeated")
    assert await browser.read("find('clock').value") == "still"
    shown = await browser.read("find('figures-a').innerText")
    assert re.search(r"\nrate\n[\d.]+ bpp$", shown), shown
    # The browser's samples are those that the server saves.
    for took, kind in ((60000, "png"), (0.001, "RGBX")):
        await on_line(browser, took)
        assert await browser.read("page.picture.format") == kind
        assert "Lossless" in await browser.read("find('line').textContent")
        assert await browser.read("""(async () => {
          const png = await saved("view");
          const [one, other] = [png, view.picture].map(p => dataOf(p, [1251, 200], 0, 300));
          return png.width === 1251 && png.height === 751
            && one.every((value, i) => value === other[i]);
        })()"""), kind


@on_page("--test-pattern=smpte", "view=a", "quality=80")
async def planes_are_converted_as_elsewhere(browser):
    """The browser's own conversion, by the matrix that it is told."""
    await on_line(browser, 0.001)
    assert await browser.read("page.picture.format") == "I420"
    # Without the noise below.
    away = await browser.read("""(async () => distance(...[await saved("view"), view.picture].map(
      picture => dataOf(picture, [640, 300]))))()""")
    assert away < 2, away  # videoconvert's white is 253


@on_page("--test-pattern=smpte100")
async def pictures_are_drawn_in_their_order(browser):
    """Though one takes much longer than those after it."""
    await browser.read("""showPicture_ = showPicture, kept = release = null, seen = [],
    showPicture = async (...news) => {
      const {quality} = news[0].figures;
      if (quality === 7 && release === null)
        await new Promise(done => { [kept, release] = [news[0], done]; });
      await showPicture_(...news);
      seen.push(quality);
    }, turn("quality", 7), 0""")
    await browser.wait("release !== null")
    await browser.read("turn('quality', 8)")
    # The next one, be it of quality 7, too: no other comes before this one is drawn.
    await browser.wait("page.latest !== kept && page.took > 0")
    await browser.read("release()")
    await browser.wait("seen.includes(7) && seen.includes(8)")
    assert await browser.read("seen.at(-1)") == 8


@on_page("long.mkv", plays=True)
async def it_draws_once_a_refresh_and_says_the_rate(browser):
    painted = await browser.read("""(async () => {
      const {paint} = view;
      let n = 0;
      view.paint = function () { n++; paint.call(view); };
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      n = 0;
      for (let i = 0; i < 9; i++)
        view.draw();
      const first = n;
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      view.paint = paint;
      return [first, n];
    })()""")
    assert painted[0] <= 1 and painted[1] <= 3, painted
    await browser.wait("/^Lossless \\w+; \\d+ of 30 pictures.s$/.test(find('line').textContent)")
    # The clock is the seen picture's, at each refresh.
    await browser.wait("find('clock').value.endsWith(' of 90')")
    other = await browser.read("""(async () => {
      for (let n = 0; n < 60; n++) {
        await new Promise(requestAnimationFrame);
        const {value} = find("clock"), seen = page.shown.figures["stream-time"] / 1e9;
        if (value !== `${player.frame(seen) + 1} of 90`)
          return [value, seen];
      }
      return null;
    })()""")
    assert other is None, other
