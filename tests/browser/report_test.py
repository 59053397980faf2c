#!/usr/bin/env python3
"""Opens `warptune report` in a real headless browser.   report_test.py WARPTUNE [unittest arguments]

Needs playwright and a Chromium (`scripts/setup.sh browser` brings both); without them it says so and exits with 77."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def skip(why):
    print(f"SKIPPED: {why}; `scripts/setup.sh browser` installs what is missing")
    sys.exit(SKIPPED)


try:
    from playwright.sync_api import Error as BrowserError
    from playwright.sync_api import sync_playwright
except ImportError:
    own = ROOT / ".venv/bin/python3"
    if own.exists() and pathlib.Path(sys.prefix) != ROOT / ".venv":
        os.execv(own, [str(own), *sys.argv])
    skip("no playwright here")

import sample  # noqa: E402


def start_browser(playwright):
    named = os.environ.get("WARPTUNE_BROWSER")
    names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
    found = named or next((path for path in map(shutil.which, names) if path), None)
    try:
        # Without a sandbox only as root, which Chromium refuses otherwise.
        return playwright.chromium.launch(executable_path=found, args=["--no-sandbox"] if os.geteuid() == 0 else [])
    except BrowserError as error:
        skip(f"no browser that starts ({str(error).splitlines()[0]})")


def luminance(color):
    parts = [int(part) / 255 for part in color[color.index("(") + 1:-1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    light, dark = sorted([luminance(a), luminance(b)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


class Report(unittest.TestCase):
    page_options = {}

    def setUp(self):
        self.problems = []
        self.context = BROWSER.new_context(viewport={"width": 1100, "height": 900}, **self.page_options)
        self.page = self.context.new_page()
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", lambda message: self.problems.append(message.text)
                     if message.type in ("error", "warning") else None)
        self.page.on("request", lambda request: self.problems.append("loads " + request.url)
                     if request.url != PAGE.as_uri() and not request.url.startswith("data:") else None)
        self.page.goto(PAGE.as_uri())
        self.choose_kernel("dot")

    def tearDown(self):
        self.context.close()
        self.assertEqual(self.problems, [])

    def choose_kernel(self, name):
        self.page.select_option("#kernel", label=name)

    def choose_problem(self, part):
        labels = self.page.locator("#problem option").all_text_contents()
        self.page.select_option("#problem", label=next(each for each in labels if part in each))

    def count(self, selector):
        return self.page.locator(selector).count()

    def tip_of(self, locator):
        locator.scroll_into_view_if_needed()
        self.page.wait_for_timeout(100)  # scrolling hides a tooltip, as what it was about moves away
        locator.hover()
        self.assertTrue(self.page.locator("#tip").is_visible())
        return self.page.locator("#tip").text_content()

    def test_every_chart_has_the_right_number_of_marks(self):
        self.choose_problem("n=16384")
        self.assertEqual(self.count(".winner-row"), len(sample.SIZES) + 2)
        for kind in ("winner", "default", "limit"):
            self.assertEqual(self.count(".size-" + kind), len(sample.SIZES), kind)
        self.assertEqual(self.count(".size-library"), 1)
        self.assertEqual(self.count("#variance .variance-bar"), 3)
        self.assertEqual(self.count("#variance .variance-rest"), 1)
        bars = self.page.locator(".hist-bar").all()
        ran = sum(not sample.fails(config) for config in sample.configs())
        self.assertEqual(sum(int(bar.get_attribute("data-count")) for bar in bars), ran)
        self.assertEqual(self.count(".hist-winner"), 1)
        self.assertEqual(self.count(".hist-default"), 1)
        self.assertEqual(self.count(".convergence-step"), sample.improvements(2**14))
        self.assertEqual(self.count(".failure-row"), 1)
        self.assertIn("crashed", self.page.locator(".failure-row").text_content())

    def test_heat_map_of_any_two_tunables(self):
        self.page.select_option("#heat-x", label="THREADS")
        self.page.select_option("#heat-y", label="PACK")
        self.assertEqual(self.count(".heat-cell"), len(sample.THREADS) * len(sample.PACK))
        self.assertEqual(self.count(".heat-cell.hatched"), 1, "the pair that always fails")
        # 128 threads with PACK=1: 1024 * 1.5 ns with MODE=a; the best of the map is 1024 ns.
        cell = self.page.locator('.heat-cell[aria-label^="THREADS=128 PACK=1"]')
        self.assertIn("best 1.54 us of 2 configs", self.tip_of(cell))
        self.assertIn("1.50x", self.page.locator("#heat").text_content())
        self.assertIn("all 2 configs failed", self.tip_of(self.page.locator(".heat-cell.hatched")))
        self.page.select_option("#heat-y", label="MODE")
        self.assertEqual(self.count(".heat-cell"), len(sample.THREADS) * len(sample.MODE))

    def test_tooltips_follow_pointer_and_keyboard(self):
        self.choose_problem("n=16384")
        self.assertIn("cuBLAS 13.1 cublasDotEx, n=16384\n40.0 us\nours in the same rounds 20.0 us, 1.90x as fast",
                      self.tip_of(self.page.locator(".size-library")))
        self.assertIn("what compares is the factor", self.page.locator("#size").text_content())
        # 4 bytes * 16384 / (4e12 bytes/s) = 16.4 ns.
        self.assertIn("limit, n=16384\n16.4 ns", self.tip_of(self.page.locator(".size-limit").nth(1)))
        self.page.mouse.move(2, 2)
        self.assertFalse(self.page.locator("#tip").is_visible())
        self.page.locator(".size-winner").first.focus()
        self.assertIn("winner, n=1024", self.page.locator("#tip").text_content())

    def test_filter_and_selection(self):
        self.page.fill("#filter", "h100 n=1024")
        self.assertEqual(self.count(".winner-row"), 1)
        self.assertEqual(self.page.locator("#filter-count").text_content(), "1 of 5")
        self.page.locator(".winner-row").click()
        self.assertIn("H100", self.page.locator("#provenance").text_content())
        self.assertEqual(self.count(".size-winner"), 1, "one size was tuned on that GPU")
        self.page.fill("#filter", "nothing like this")
        self.assertEqual(self.count(".winner-row"), 0)
        self.page.fill("#filter", "")
        self.assertEqual(self.count(".winner-row"), 5)

    def test_names_do_no_harm(self):
        self.choose_kernel(sample.EVIL)
        for name in (sample.EVIL, "<script>window.hacked = 3</script>", sample.EVIL_REASON, "A<i>", "<u>GPU</u>"):
            self.assertIn(name, self.page.locator("body").inner_text())
        self.assertIsNone(self.page.evaluate("window.hacked ?? null"))
        for tag in ("b", "u", "i", "img"):
            self.assertEqual(self.count(tag), 0, tag)
        self.assertEqual(self.count("script"), 2)

    def test_provenance_names_what_the_numbers_depend_on(self):
        text = self.page.locator("#provenance").inner_text()
        for part in ("NVIDIA H", "132 SMs", "driver 580.1", "NVRTC 13.0", "certified by its race",
                     "SM clock 1980 MHz (1935 to 1980), 64 rounds raced, 3 repeated, made up 7", "exhaustive seed 1", "2023-11-14"):
            self.assertIn(part, text)

    def test_neighbouring_problems_say_what_the_winner_loses(self):
        self.choose_problem("n=16384")
        rows = self.page.locator(".nearby-row").all_text_contents()
        self.assertEqual(len(rows), 2)
        self.assertIn("n=32768", rows[0])
        self.assertIn("10.0 %", rows[0])  # 1.1 / 1.0, the winner
        self.assertIn("50.0 %", rows[0])  # 1.5 / 1.0, the default
        self.assertIn("MODE=b", self.page.locator(".nearby-row + .below").first.text_content())
        self.assertIn("0.0 %", rows[1])
        self.choose_kernel(sample.EVIL)
        self.assertEqual(self.count(".nearby-row"), 0)
        self.assertIn("None was timed", self.page.locator("#nearby").text_content())

    def test_lines_differ_in_form_and_cells_hold_numbers(self):
        self.choose_problem("n=16384")
        dashes = self.page.evaluate("['winner', 'default', 'limit', 'library'].map(kind => getComputedStyle("
                                    "document.querySelector('#size .' + kind + '-line')).strokeDasharray)")
        self.assertEqual(len(set(dashes)), 4, dashes)
        self.assertRegex(self.page.locator("#heat").text_content(), r"1\.00x")

    def test_text_is_legible_light_and_dark(self):
        self.choose_problem("n=16384")
        grounds = []
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            color = lambda selector, name: self.page.evaluate(
                "([selector, name]) => getComputedStyle(document.querySelector(selector))[name]", [selector, name])
            ground = color("body", "backgroundColor")
            grounds.append(ground)
            self.assertGreaterEqual(contrast(color("body", "color"), ground), 7)
            self.assertGreaterEqual(contrast(color("figcaption", "color"), ground), 4.5)
            for kind in ("winner", "default", "library"):
                self.assertGreaterEqual(contrast(color("#size ." + kind + "-line", "stroke"), ground), 3, kind)
        self.assertGreater(abs(luminance(grounds[0]) - luminance(grounds[1])), 0.5)

    def test_fits_a_phone_and_paper(self):
        self.page.set_viewport_size({"width": 360, "height": 740})
        self.page.wait_for_timeout(100)
        self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), 360)
        drawn = self.page.locator("#size svg").bounding_box()
        self.assertLessEqual(drawn["x"] + drawn["width"], 360)
        self.page.emulate_media(media="print", color_scheme="dark")
        self.assertFalse(self.page.locator("#controls").is_visible())
        self.assertIn("of dot T=", self.page.locator("#chosen").inner_text())
        self.assertTrue(self.page.locator("#size svg").is_visible())
        self.assertEqual(self.page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")


def make_page(warptune, folder):
    (folder / "all.json").write_text(sample.document())
    for words in (["import", "all.json"], ["report", "-o", "report.html"]):
        subprocess.run([warptune, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder / "report.html"


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        BROWSER = start_browser(playwright)
        PAGE = make_page(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder))
        done = unittest.main(argv=[sys.argv[0], *sys.argv[2:]], exit=False)
        BROWSER.close()
    sys.exit(not done.result.wasSuccessful())
