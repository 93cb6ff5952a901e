#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens the site from the file system in headless Chromium, as wide as a desktop and as a phone.

    browse_site.py FOLDER SCREENSHOTS [PAGE...]

Each named page, or each page if none is named, must load without an error in the console, be no wider than the screen, and show its
pictures large enough for their text. The search must find polar_rotation, tabs and dark mode must switch, and titles must be larger than
headings. Text, also in pictures, must be readable in light and in dark mode: with a contrast of 4.5, as WCAG says.
"""
import os
import shutil
import socket
import sys
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

os.environ |= {"SE_OFFLINE": "true", "SE_AVOID_STATS": "true"}
SCREENS = {"desktop": (1440, 900, False), "phone": (390, 844, True)}
SHOTS = ["index", "start", "vmap", "benchmarks", "conventions", "gallery", "reference/index", "reference/types",
         "reference/tensors/kinematics", "reference/tensors/SSR4", "examples/j2_plasticity", "shapes", "energies", "python",
         "python_reference", "install"]
LAYOUT = """
const scrolls = e => e && e.tagName != 'ARTICLE' && (['auto', 'scroll', 'hidden'].includes(getComputedStyle(e).overflowX)
                                                     || scrolls(e.parentElement));
return {
  wide: [...document.querySelectorAll('article *')].filter(
    e => e.getBoundingClientRect().right > arguments[0] + 1 && getComputedStyle(e).position != 'absolute' && !scrolls(e)).map(
    e => `${e.tagName}.${e.className}: ${e.textContent.trim().slice(0, 40)}`),
  broken: [...document.images].filter(i => !i.complete || i.naturalWidth == 0).map(i => i.src),
  // Pictures are drawn with text of 11 pixels and more.
  small: [...document.images].filter(i => i.width < 0.62 * i.naturalWidth).map(i => `${i.src} at ${i.width} of ${i.naturalWidth} pixels`),
  headings: ['H1', 'H2', 'H3'].map(h => document.querySelector(`article ${h}`)).filter(h => h).map(
    h => parseFloat(getComputedStyle(h).fontSize)).some((size, i, all) => i && size >= all[i - 1]),
  scrolls: document.documentElement.scrollWidth > arguments[0] + 1,
  images: document.images.length,
  styled: getComputedStyle(document.body).getPropertyValue('--color-brand-primary') != ''
};"""
# Finds text whose colour has too little contrast with the nearest background.
CONTRAST = r"""
const rgb = c => (c.match(/[\d.]+/g) || []).map(Number);
const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const found = {};
const walker = document.createTreeWalker(document.querySelector('article'), NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const text = walker.currentNode.textContent.trim(), element = walker.currentNode.parentElement;
  if (!text || !element.getClientRects().length) continue;
  const style = getComputedStyle(element), color = rgb(style.color);
  let at = element, back = [];
  while (at && !((back = rgb(getComputedStyle(at).backgroundColor)).length == 3 || back[3] > 0.99)) at = at.parentElement;
  if (!at) back = [255, 255, 255];
  const [a, b] = [light(color), light(back)].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05), large = parseFloat(style.fontSize) >= 24;
  if (ratio < (large ? 3 : 4.5))
    found[`${style.color} on ${back}`] = `${element.tagName}.${element.className}: ${text.slice(0, 30)} ${ratio.toFixed(1)}`;
}
return Object.entries(found).map(e => e.join(' '));"""


class Browser:
    def __init__(self, folder):
        self.folder, self.errors = folder, []
        options = webdriver.ChromeOptions()
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        # Debian's browser and driver; without them, Selenium looks for others on this machine.
        if chromium := shutil.which("chromium"):
            options.binary_location = chromium
        self.driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
        self.screen = ""

    def fault(self, page, text):
        self.errors.append(f"{self.screen} {page}: {text}")

    def size(self, screen):
        width, height, mobile = SCREENS[screen]
        self.screen = screen
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 2 if mobile else 1, "mobile": mobile})

    def theme(self, theme):
        self.driver.execute_script(f"localStorage.setItem('theme', '{theme}')")

    def open(self, page, query=""):
        self.driver.get((self.folder / f"{page}.html").as_uri() + query)

    def console(self, page):
        for entry in self.driver.get_log("browser"):
            if entry["level"] in ("SEVERE", "WARNING"):
                self.fault(page, entry["message"])

    def wait(self, found, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := found():
                return value
            time.sleep(0.05)
        return None

    def check_page(self, page):
        self.open(page)
        # By default pictures load only when the page is scrolled to them.
        self.driver.execute_script("for (const i of document.images) i.loading = 'eager'")
        width = SCREENS[self.screen][0]
        self.wait(lambda: not self.driver.execute_script(LAYOUT, width)["broken"], 5)
        layout = self.driver.execute_script(LAYOUT, width)
        for wide in layout["wide"][:3]:
            self.fault(page, f"is wider than the screen: {wide}")
        for small in layout["small"]:
            self.fault(page, f"shows a picture too small for its text: {small}")
        if layout["scrolls"]:
            self.fault(page, "scrolls sideways")
        if layout["headings"]:
            self.fault(page, "has a heading as large as the one above it")
        if not layout["styled"]:
            self.fault(page, "has no style")
        for broken in layout["broken"]:
            self.fault(page, f"the picture {broken} does not load")
        self.console(page)
        return layout["images"]

    def check_contrast(self, page):
        for theme in ("light", "dark"):
            self.theme(theme)
            self.open(page)
            if self.driver.execute_script("return document.body.dataset.theme") != theme:
                self.fault(page, f"the theme is not {theme}")
            for entry in self.driver.execute_script(CONTRAST):
                self.fault(page, f"{theme}: {entry}")
        self.theme("auto")

    def check_search(self, word, page):
        """Searches for a word in the field of the first page, by the keyboard; the results must include the page."""
        self.open("index")
        if self.screen == "phone":
            self.driver.find_element(By.CSS_SELECTOR, "label[for=__navigation]:not(.overlay)").click()
            time.sleep(0.5)
        fields = self.driver.find_elements(By.CSS_SELECTOR, ".sidebar-search")
        field = self.wait(lambda: next((f for f in fields if f.is_displayed()), None))
        field.send_keys(word + Keys.RETURN)
        links = lambda: [a.get_attribute("href") for a in self.driver.find_elements(By.CSS_SELECTOR, "#search-results li a")]
        if not self.wait(lambda: any(f"/{page}.html" in link for link in links())):
            self.fault("search", f"{word} does not lead to {page} but to {links()[:5]}")
        else:
            self.wait(lambda: "finished" in self.driver.find_element(By.ID, "search-results").text.lower(), 3)
            first = self.driver.find_element(By.CSS_SELECTOR, "#search-results li a")
            first_link = first.get_attribute("href")
            first.click()
            if f"/{page}.html" not in self.driver.current_url:
                self.fault("search", f"the first result for {word} is {first_link}")
        self.console("search")

    def check_tabs(self):
        self.open("index")
        shown = lambda: [d.is_displayed() for d in self.driver.find_elements(By.CSS_SELECTOR, ".sd-tab-content")]
        if shown() != [True, False]:
            self.fault("index", f"the tabs show {shown()} at first")
        self.driver.find_elements(By.CSS_SELECTOR, ".sd-tab-set label")[1].click()
        if shown() != [False, True] or "import torch" not in self.driver.find_elements(By.CSS_SELECTOR, ".sd-tab-content")[1].text:
            self.fault("index", f"the tab of Python does not show: {shown()}")
        self.open("examples/labeled_state")
        if shown() != [False, True]:
            self.fault("examples/labeled_state", "does not remember the tab of Python")
        self.driver.find_elements(By.CSS_SELECTOR, ".sd-tab-set label")[0].click()
        self.console("tabs")

    def check_dark(self):
        """The switch beside the title goes through automatic, light and dark."""
        self.open("index")
        back = lambda: self.driver.execute_script("return getComputedStyle(document.body).backgroundColor")
        seen = set()
        for _ in range(3):
            button = next(b for b in self.driver.find_elements(By.CSS_SELECTOR, "button.theme-toggle") if b.is_displayed())
            button.click()
            seen.add((self.driver.execute_script("return document.body.dataset.theme"), back()))
        if {theme for theme, _ in seen} != {"auto", "light", "dark"} or len({colour for _, colour in seen}) != 2:
            self.fault("index", f"the switch of the theme gives {seen}")
        self.console("theme")

    def check_copy(self):
        self.open("index")
        if not self.driver.find_elements(By.CSS_SELECTOR, "button.copybtn"):
            self.fault("index", "code has no button to copy it")

    def shoot(self, page, folder, theme):
        self.theme(theme)
        self.open(page)
        self.driver.save_screenshot(str(folder / f"{page.replace('/', '_')}_{self.screen}_{theme}.png"))
        self.theme("auto")


def main(folder, shots, chosen=()):
    try:
        socket.getaddrinfo("localhost", None)
    except OSError:
        return "The driver of the browser needs the name localhost, which this system lacks: echo '127.0.0.1 localhost' >> /etc/hosts"
    shots.mkdir(parents=True, exist_ok=True)
    pages = [p.relative_to(folder).with_suffix("").as_posix() for p in sorted(folder.rglob("*.html")) if "_static" not in p.parts]
    pages = [p for p in pages if p in chosen] or pages
    browser = Browser(folder)
    pictures = 0
    try:
        for screen in SCREENS:
            browser.size(screen)
            pictures += sum(browser.check_page(page) for page in pages)
            browser.check_search("polar_rotation", "reference/tensors/kinematics")
            browser.check_tabs()
            browser.check_dark()
            browser.check_copy()
            for page in [p for p in SHOTS if p in pages]:
                browser.check_contrast(page)
                for theme in ("light", "dark"):
                    browser.shoot(page, shots, theme)
    finally:
        browser.driver.quit()
    for error in dict.fromkeys(browser.errors):
        print(error, file=sys.stderr)
    print(f"{len(pages)} pages and {pictures} pictures at {len(SCREENS)} widths; screenshots in {shots}")
    return bool(browser.errors)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]), sys.argv[3:]))
