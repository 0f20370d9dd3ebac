#!/usr/bin/env python3
"""Opens the HTML report in a headless browser, light and dark, wide and narrow. Usage: page_test.py PAGE.html

The page must run without a message on the console, ask for nothing but itself, follow the reader's choice of light or
dark with enough contrast, not scroll sideways, have unique ids, names for its pictures and buttons, and copy a command.
Ends with 77 (skipped) where Debian's chromium is not installed.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Added to the page's end: gathers what the page has become, and leaves it as text in the document.
PROBE = r"""<script>
(async () => {
  const button = document.querySelector("button[data-copy]");
  button.click();
  await new Promise(done => setTimeout(done, 200));
  const style = getComputedStyle(document.body);
  const ids = [...document.querySelectorAll("[id]")].map(node => node.id);
  const low = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim());
    if (!own || node.closest("svg, script, #told, details")) continue;
    let behind = node, back = "rgba(0, 0, 0, 0)";
    while (behind && back === "rgba(0, 0, 0, 0)") { back = getComputedStyle(behind).backgroundColor; behind = behind.parentElement; }
    low.push([getComputedStyle(node).color, back, node.className + " " + node.textContent.slice(0, 30)]);
  }
  const result = {
    background: style.backgroundColor,
    color: style.color,
    colors: low,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    repeated: ids.filter((id, n) => ids.indexOf(id) !== n),
    pictures: [...document.querySelectorAll("svg")].map(svg => [svg.getAttribute("aria-label"), svg.getBoundingClientRect().height]),
    unnamed: [...document.querySelectorAll("button, a")].filter(node => !(node.getAttribute("aria-label") || node.textContent.trim())).length,
    broken: [...document.querySelectorAll("a[href^='#']")].filter(a => !document.getElementById(a.getAttribute("href").slice(1))).length,
    told: document.getElementById("told").textContent,
  };
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(result);
  document.body.append(out);
})();
</script>"""

browser = shutil.which("chromium")
if not browser:
    print("skipped: chromium is not installed")
    sys.exit(77)
page = pathlib.Path(sys.argv[1])
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)
bad = []  # what is wrong with the page


def numbers(color):
    return [float(n) for n in re.findall(r"[0-9.]+", color)[:3]]


def luminance(color):
    """Relative luminance, WCAG 2.1."""
    parts = [c / 255 for c in numbers(color)]
    parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def opened(text, name, dark, width):
    """What the probe saw, the console's messages, and the addresses that were asked for."""
    path, log = folder / f"{name}.html", folder / f"{name}.net.json"
    path.write_text(text)
    done = subprocess.run(
        [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
         "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND",
         "--disable-sync", "--no-first-run", f"--user-data-dir={folder / name}",
         f"--blink-settings=preferredColorScheme={0 if dark else 1}", f"--window-size={width},1200",
         f"--log-net-log={log}", "--enable-logging=stderr", "--virtual-time-budget=3000", "--dump-dom", path.as_uri()],
        capture_output=True, text=True, timeout=120, check=False)
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    probe = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.S)
    if not probe:
        print(done.stderr[-2000:])
        sys.exit(f"{name}: the page did not run to its end")
    seen = json.loads(probe.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    asked = set(re.findall(r'"url":"([^"]*)"', log.read_text())) if log.exists() else set()
    return seen, console, asked


def judge(name, dark, width):
    text = page.read_text()
    seen, console, asked = opened(text.replace("</body>", PROBE + "</body>"), name, dark, width)
    own = (folder / f"{name}.html").as_uri()
    foreign = [url for url in asked if not url.startswith((own, "data:", "chrome", "devtools")) and page_asked(url)]
    checks = {
        "messages on the console": console,
        "asks for more than itself": foreign,
        "is not dark" if dark else "is not light": (luminance(seen["background"]) > 0.2) == dark,
        "scrolls sideways": seen["overflow"] > 0,
        "has ids twice": seen["repeated"],
        "has pictures without a name or a height": [p for p in seen["pictures"] if not p[0] or p[1] < 5],
        "has no picture": not seen["pictures"],
        "has buttons or links without a name": seen["unnamed"],
        "has links to nowhere": seen["broken"],
        "does not say that it copied": seen["told"] not in ("Copied", "Selected: press Ctrl+C"),
        "has text of low contrast": [(what, round(contrast(a, b), 2)) for a, b, what in seen["colors"] if contrast(a, b) < 4.5],
    }
    for what, found in checks.items():
        if found:
            bad.append(f"{name}: the page {what}: {found}")


def page_asked(url):
    """The browser itself may look for its updates; the page's own requests are those that the page's text names."""
    return url.split("/")[2] in page.read_text() if url.startswith("http") else True


for name, dark, width in (("light", False, 1100), ("dark", True, 1100), ("narrow", False, 500)):
    judge(name, dark, width)

# The policy in the page must hold what it promises: an image from elsewhere is refused.
spoilt = page.read_text().replace("</body>", '<img src="http://127.0.0.1:9/x.png" alt="">' + PROBE + "</body>")
_, console, _ = opened(spoilt, "policy", False, 1100)
if not any("Content Security Policy" in line for line in console):
    bad.append(f"the page's policy lets it load an image from elsewhere: {console}")

for line in bad:
    print(line)
print(f"4 pages opened, {len(bad)} errors")
sys.exit(bool(bad))
