#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""screen.py PLUGIN-FOLDER BLOCKDCT-PREVIEW

The page of blockdct-preview in headless Chromium: how much of it is the picture, on
screens of five sizes; that nothing moves by a click; contrast in both themes, and
names, for everyone. Speaks TAP."""

from bench import make_video
from person import choose, on_page, pause
from tap import run_cases

# Contrast by WCAG 2.2 of every text that is seen, and of what the plots draw:
# [text, ratio] of those with less than 4.5, or 3 where it is large or no text.
CONTRAST = """(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const read = colour => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = rgb => rgb.slice(0, 3).map(value => value / 255)
    .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const ground = element => {
    for (; element !== null; element = element.parentElement) {
      const colour = read(getComputedStyle(element).backgroundColor);
      if (colour[3] === 255)
        return colour;
    }
    return [255, 255, 255, 255];
  };
  const seen = element => element.checkVisibility() && !element.closest(":disabled, option");
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    if (text === "" || !seen(element) || element.closest("script"))
      continue;
    const style = getComputedStyle(element), size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    found.push([text, ratio(read(element.closest("svg") ? style.fill : style.color),
      ground(element)), large ? 3 : 4.5]);
  }
  for (const element of document.querySelectorAll("select"))
    if (seen(element))
      found.push([element.id, ratio(read(getComputedStyle(element).color), ground(element)), 4.5]);
  for (const element of document.querySelectorAll("main ~ * button, select, .menu > summary"))
    if (seen(element))
      found.push([`border of ${element.id}`, ratio(read(getComputedStyle(element).borderColor),
        ground(element.parentElement)), 3]);
  for (const element of document.querySelectorAll("polyline, circle, path"))
    if (seen(element))
      found.push([element.outerHTML.slice(0, 60), ratio(read(getComputedStyle(element).stroke),
        ground(element)), 3]);
  return {n: found.length, less: found.filter(([, is, least]) => is < least)};
})()"""


async def check_contrast(browser, name):
    for scheme in "light", "dark":
        await browser.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        result = await browser.read(CONTRAST)
        assert result["n"] > 40 and result["less"] == [], (name, scheme, result)


@on_page("--test-pattern=ball", "left=a", "right=b", "b::transform=hevc-16x16",
         "metrics=bits+ssim")
async def both_themes_have_contrast(browser):
    await browser.wait("'b-psnr' in page.figures && find('words').textContent !== ''")
    await browser.read("for (const d of document.querySelectorAll('aside details')) d.open = true")
    for key, seen in (("t", "true"), ("r", "rate.line('b').length === 20"),
                      ("i", "block.data !== null"),
                      ("a", """[...find('all').querySelectorAll('th, td')]
                        .every(cell => cell.getClientRects()[0].height < 30)""")):
        await browser.key(key)
        if key == "i":
            await browser.drag((100, 70))
        await browser.wait(f"{seen} && find('panel').querySelector('text, td') !== null")
        await check_contrast(browser, key)
    await browser.read("showNotice('A notice')")
    await check_contrast(browser, "notice")
    # By hand, the other one, and back to the desktop's.
    grounds = []
    for _ in range(4):
        grounds.append(await browser.read("getComputedStyle(document.documentElement)"
                                          ".backgroundColor"))
        await browser.read("find('theme').click()")
    assert grounds[0] == grounds[3] and grounds[1] != grounds[2], grounds


# What a finger is to touch, and is less than so many pixels high.
SMALL = """[...document.querySelectorAll(
    "button, select, summary, label:has(input), input:not([type=checkbox])")]
  .filter(e => e.checkVisibility() && !e.closest("details:not([open]) > div"))
  .map(e => [e.id || e.textContent, e.getBoundingClientRect().height])
  .filter(([, height]) => height < %d)"""


async def measure(browser):
    return await browser.read("""(() => {
      const box = find("picture").getBoundingClientRect();
      return [box.width / innerWidth, box.width * box.height / innerWidth / innerHeight,
        document.documentElement.scrollWidth / innerWidth];
    })()""")


@on_page("left=a", "right=b", "view=difference")
async def on_five_sizes_nothing_is_cut_off(browser):
    await browser.wait("'b-psnr' in page.figures && !find('legend').hidden")
    for size in ((1280, 720, False), (1440, 900, False), (1920, 1080, False), (390, 844, True),
                 (844, 390, True)):
        await check_size(browser, *size)


async def check_size(browser, width, height, mobile):
    """All of each menu is seen, and of the page: nothing stands over."""
    await browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                       deviceScaleFactor=1, mobile=mobile)
    await browser.wait(f"innerWidth === {width} && innerHeight === {height}"
                       " && view.canvas.height === view.canvas.clientHeight")
    _, area, whole = await measure(browser)
    assert (mobile or area >= 0.75) and whole <= 1, (area, whole)
    # All of the cards is there without scrolling.
    assert mobile or await browser.read("document.querySelector('aside').scrollHeight"
                                        " <= innerHeight")
    for name in ("save", "copy", "card-a .advanced"):
        cut = await browser.read("""(menu => {
          menu.open = true;
          menu.scrollIntoView();
          const [one, all] = [menu.querySelector("div"), document.querySelector("aside")]
            .map(e => e.getBoundingClientRect());
          menu.open = false;
          return one.width > 60 && (one.left < all.left || one.right > all.right);
        })(document.querySelector("#%s"))""" % name)
        assert cut is False, name
    over = await browser.read("""[...document.querySelectorAll(
        "body, main, footer, aside, .card%s")]
      .filter(e => e.scrollWidth > e.clientWidth + 1
        || e.getBoundingClientRect().right > innerWidth + 1)
      .map(e => e.id || e.tagName)""" % ("" if mobile else ", header"))
    assert over == [], over
    # WCAG 2.2's least.
    assert not mobile or (small := await browser.read(SMALL % 24)) == [], small
    await check_contrast(browser, width)


@on_page("-t", width=390, height=844, mobile=True)
async def on_a_phone_it_is_as_wide_as_that(browser):
    across, area, whole = await measure(browser)
    assert across == 1 and area > 0.35 and whole == 1, (across, area, whole)
    assert await browser.read("page.width * view.scale / devicePixelRatio") == 390
    for key in "tia":
        await browser.key(key, until="find('panel').querySelector('text, p, td') !== null")
        assert (small := await browser.read(SMALL % 44)) == [], small
    await browser.key("a")
    await browser.read("scrollTo(0, 10000)")
    top = (await browser.box("#picture"))[1]
    assert top >= 0, top  # it stays in sight


@on_page("--test-pattern=ball", "quality=50", width=1280, height=720)
async def nothing_moves_by_a_click(browser):
    await choose(browser, "#pair", "a b", until="'b-psnr' in page.figures")
    places = """Object.fromEntries([...document.querySelectorAll(
      "header button:not([hidden]), footer button, aside button, aside select, canvas")]
      .filter(e => e.checkVisibility()).map(e => [e.id, ((b) => [b.x, b.y].map(Math.round))(
        e.getBoundingClientRect())]))"""
    before = await browser.read(places)
    assert len(before) > 30
    ids = [name for name in before if name.startswith(("view-", "tab-", "control-"))]
    await browser.read("find('card-a').querySelector('.advanced').open = true")
    await choose(browser, "#metric", "xpsnr", until="/XPSNR/.test(find('figures-b').innerText)")
    assert await browser.read(places + "['swap'][1]") == before["swap"][1]
    await browser.read("find('card-a').querySelector('.advanced').open = false")
    for name in [*ids, "pause", "one", "larger", "fit", "store", "swap", "equal"]:
        if not name.startswith("control-") or name in ("control-grid", "control-overlay"):
            await browser.click(f"#{name}", until="held.size === 0 && page.news.heard >= page.said")
        after = await browser.read(places)
        moved = {key: (before[key], after[key]) for key in before
                 if key in after and before[key] != after[key]
                 and key not in ("control-wipe-position", "control-difference-gain")}
        assert not moved, (name, moved)


@on_page("long.mkv", "left=a", "right=b", plays=True)
async def everything_has_a_name(browser):
    await browser.key("i")
    await browser.drag((100, 70))
    await browser.wait("block.data !== null")
    await browser.read("for (const d of document.querySelectorAll('details')) d.open = true")
    nodes = (await browser.call("Accessibility.getFullAXTree"))["nodes"]
    found = [(node["role"]["value"], node.get("name", {}).get("value", ""))
             for node in nodes if not node.get("ignored")]
    roles = {"button", "slider", "combobox", "radio", "checkbox", "img", "radiogroup",
             "DisclosureTriangle", "region"}
    nameless = [role for role, name in found if role in roles and not name]
    assert nameless == [], nameless
    names = set(found)
    for expected in (("radiogroup", "view"), ("radio", "Wipe"), ("slider", "Quality"),
                     ("slider", "time"), ("combobox", "codec of A"), ("combobox", "codec of B"),
                     ("button", "Pause"), ("region", "A"), ("region", "B")):
        assert expected in names, (expected, names)
    # Tab reaches all of it, and what has the focus is seen to have it.
    reached = set()
    await pause(browser)
    await browser.read("find('picture').focus()")
    for _ in range(80):
        await browser.key("Tab", 9)
        reached.add(await browser.read("document.activeElement.id"))
        assert await browser.read("""document.activeElement === document.body
          || getComputedStyle(document.activeElement).outlineStyle !== "none" """)
    assert {"seek", "pause", "codec-a", "control-quality", "store", "codec-b", "theme", "metric",
            "open", "view-wipe", "pair", "tab-Block", "picture"} <= reached, reached


run_cases(make_video)
