#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The report of the committed records in a real browser, on a narrow and a wide window, light and
dark: it fits the window, can be read, its pictures load, its links lead somewhere, and the console
stays silent.

Ends with 77, which ctest takes for skipped, and says why where there is no Chromium with its
driver, no Selenium, or nothing to make the report with.
"""
import functools
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse
import urllib.request

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
RESULTS = os.path.join(SCRIPTS, "..", "results")
WINDOWS = ((400, 800), (1400, 900))  # pixels
LEAST_CONTRAST = 4.5  # WCAG 2.1, level AA
SKIPPED = 77

# What one page says of itself: overflow and size of text in pixels, pictures that did not load,
# colours of text and paper, how many folded parts are open.
LOOK = """
const root = document.documentElement, style = getComputedStyle(document.body);
return {overflow: root.scrollWidth - root.clientWidth,
        broken: [...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src),
        size: parseFloat(style.fontSize), text: style.color, paper: style.backgroundColor,
        open: document.querySelectorAll('details[open]').length}"""
LINKS = "return [...document.links].map(link => link.href)"
IDS = "return [...document.querySelectorAll('[id]')].map(element => element.id)"


class Missing(Exception):
    """What the test cannot do without, and how to get it."""


def start_browser():
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError as error:
        raise Missing("Selenium is missing: install python3-selenium") from error
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not browser or not driver:
        raise Missing("Chromium or its driver is missing: install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(driver), options=options)


def make_report(folder):
    """The report of copies of the committed records, so that links to them lead somewhere."""
    shutil.copytree(RESULTS, folder, ignore=shutil.ignore_patterns("figures", "REPORT.*"))
    made = subprocess.run([sys.executable, os.path.join(SCRIPTS, "report"),
                           os.path.join(folder, "h200"), "--output", folder],
                          capture_output=True, text=True, check=False)
    if " is missing" in made.stderr:
        raise Missing(made.stderr.strip())
    if made.returncode != 0:
        raise RuntimeError(made.stderr)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *args):  # the library's names
        pass


def contrast(first, second):
    """Of two colours as "rgb(r, g, b)", by WCAG 2.1."""
    def luminance(colour):
        channels = [int(part) / 255 for part in colour[colour.index("(") + 1:-1].split(",")[:3]]
        red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4
                            for c in channels)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


class InBrowser(unittest.TestCase):
    browser = address = folder = None  # set by main()

    def pages(self):
        figures = os.listdir(os.path.join(self.folder, "figures"))
        return ["REPORT.html"] + sorted(f"figures/{name}" for name in figures
                                        if name.endswith(".html"))

    def open(self, page, window, scheme):
        width, height = window
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.browser.get(self.address + page)

    def test_fits_and_can_be_read_with_a_silent_console(self):
        for page in self.pages():
            papers = {}
            for window in WINDOWS:
                for scheme in ("light", "dark"):
                    self.open(page, window, scheme)
                    look = self.browser.execute_script(LOOK)
                    papers[scheme] = look["paper"]
                    with self.subTest(page=page, window=window, scheme=scheme):
                        self.assertLessEqual(look["overflow"], 0)
                        self.assertEqual(look["broken"], [])
                        self.assertGreaterEqual(look["size"], 14)
                        self.assertGreaterEqual(contrast(look["text"], look["paper"]),
                                                LEAST_CONTRAST)
                        self.assertEqual(look["open"], 0)
                        self.assertEqual(self.browser.get_log("browser"), [])
            self.assertNotEqual(papers["light"], papers["dark"], page)

    def test_every_link_leads_somewhere(self):
        ids, targets = {}, set()
        for page in self.pages():
            self.open(page, WINDOWS[1], "light")
            ids[self.address + page] = self.browser.execute_script(IDS)
            found = self.browser.execute_script(LINKS)
            self.assertTrue(found, f"{page} has no link")
            targets.update(found)
        for target in sorted(targets):
            address, fragment = urllib.parse.urldefrag(target)
            with self.subTest(target=target):
                self.assertTrue(address.startswith(self.address))
                self.assertNotRegex(address, r"\.md$")
                request = urllib.request.Request(address, method="HEAD")
                with urllib.request.urlopen(request) as answer:
                    self.assertEqual(answer.status, 200)
                if fragment:
                    self.assertIn(fragment, ids[address])


def main():
    with tempfile.TemporaryDirectory() as parent:
        folder = os.path.join(parent, "results")
        try:
            make_report(folder)
            browser = start_browser()
        except Missing as missing:
            print(f"skipped: {missing}")
            return SKIPPED
        handler = functools.partial(Quiet, directory=folder)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        InBrowser.browser, InBrowser.folder = browser, folder
        InBrowser.address = f"http://127.0.0.1:{server.server_port}/"
        try:
            return 0 if unittest.main(exit=False).result.wasSuccessful() else 1
        finally:
            browser.quit()
            server.shutdown()


if __name__ == "__main__":
    sys.exit(main())
