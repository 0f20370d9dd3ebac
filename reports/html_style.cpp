#include "reports/html_parts.h"

namespace ropewalk::reports {

const char* const page_style = R"css(:root {
  --paper: #fbfaf7; --card: #ffffff; --ink: #1d2329; --faint: #5d6873; --line: #dfe2e4; --code: #f1f2ef;
  --bad: #b3261e; --bad-soft: #fbe9e7; --warn: #8a5a00; --warn-soft: #fdf1d8; --good: #1e6b3a; --good-soft: #e4f3e8;
  --note: #1d5b8f; --note-soft: #e4eef7; --body: #e3e8ec; --hit: #d98a00; --link: #1d5b8f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181c; --card: #1c2227; --ink: #e6e9eb; --faint: #9aa6b0; --line: #313a42; --code: #242b31;
    --bad: #ff8a80; --bad-soft: #3a1f1e; --warn: #f2c066; --warn-soft: #382c14; --good: #7fd39a; --good-soft: #18301f;
    --note: #86bdea; --note-soft: #17293a; --body: #333e47; --hit: #e6a23c; --link: #86bdea;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
header, main { max-width: 62rem; margin: 0 auto; padding: 0 1.25rem; }
header { margin-top: 1.5rem; padding: 1.1rem 1.25rem 1.25rem; border: 1px solid var(--line); border-left: 6px solid var(--bad); border-radius: 8px; background: var(--card); max-width: 59.5rem; }
header.clean { border-left-color: var(--good); }
header.not-run { border-left-color: var(--warn); }
h1 { margin: 0; font-size: 1.45rem; line-height: 1.3; }
.verdict { color: var(--bad); text-transform: uppercase; letter-spacing: .04em; margin-right: .25rem; }
.clean .verdict { color: var(--good); }
.not-run .verdict { color: var(--warn); }
.faint { color: var(--faint); }
header p { margin: .3rem 0 .8rem; }
h2 { font-size: 1.2rem; line-height: 1.35; margin: 2.4rem 0 .6rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 0; }
p { margin: .4rem 0; overflow-wrap: anywhere; }
a { color: var(--link); }
code, pre, .label, .remark { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875em; }
.finding { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.25rem 1.25rem; margin: 1rem 0; }
.finding:target { outline: 2px solid var(--link); outline-offset: 2px; }
.message { font-size: 1.08rem; font-weight: 600; }
.inlined { color: var(--faint); font-size: .875rem; margin: 0 0 0 1rem; }
.badge { display: inline-block; font-size: .75rem; font-weight: 700; padding: .05rem .5rem; border-radius: 99px; color: var(--note); background: var(--note-soft); }
.badge.error { color: var(--bad); background: var(--bad-soft); }
.badge.warning { color: var(--warn); background: var(--warn-soft); }
.cause { border-left: 4px solid var(--line); padding: .1rem 0 .1rem 1rem; }
.cause ul { margin: .3rem 0; padding-left: 1.2rem; }
.advice { background: var(--good-soft); border-radius: 6px; padding: .5rem .8rem; }
.source { background: var(--code); border-radius: 6px; padding: .5rem 0; margin: .7rem 0; overflow-x: auto; line-height: 1.55; }
.line { display: block; width: max-content; min-width: 100%; padding: 0 .8rem; background: none; color: inherit; }
mark.line { background: var(--bad-soft); box-shadow: inset 4px 0 0 var(--bad); }
mark u { text-decoration: underline wavy var(--bad); text-underline-offset: 3px; }
.number { color: var(--faint); user-select: none; }
figure { margin: .9rem 0; }
svg { display: block; width: 100%; height: auto; shape-rendering: crispEdges; }
svg .body { fill: var(--body); }
svg .beyond { fill: none; stroke: var(--line); stroke-dasharray: 3 3; }
svg .in { fill: var(--hit); }
svg .out { fill: var(--bad); }
svg .s1 { fill-opacity: .45; } svg .s2 { fill-opacity: .62; } svg .s3 { fill-opacity: .8; }
svg .heat.s1 { fill-opacity: .25; } svg .heat.s2 { fill-opacity: .5; } svg .heat.s3 { fill-opacity: .75; }
svg text { fill: var(--faint); font-size: 9px; }
svg .label { text-anchor: end; }
svg .remark { fill: var(--bad); }
figcaption { color: var(--faint); font-size: .8125rem; margin-top: .4rem; }
.key { white-space: nowrap; margin-right: .8rem; }
.key::before { content: ""; display: inline-block; width: .75em; height: .75em; margin-right: .35em; border-radius: 2px; background: var(--hit); }
.key.out::before { background: var(--bad); }
.key.s1::before { opacity: .25; } .key.s2::before { opacity: .5; } .key.s3::before { opacity: .75; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .9rem .25rem 0; overflow-wrap: anywhere; }
thead th { white-space: nowrap; color: var(--faint); font-weight: 600; border-bottom: 1px solid var(--line); }
.facts th { color: var(--faint); font-weight: 400; white-space: nowrap; }
.overview { margin-top: 1.5rem; width: 100%; }
.overview td { border-bottom: 1px solid var(--line); }
.overview td:first-child { width: 5.5rem; }
.count { text-align: right; font-variant-numeric: tabular-nums; }
.overview th:last-child { text-align: right; }
.wide { overflow-x: auto; }
.wide td { min-width: 4rem; }
details { margin: .6rem 0; font-size: .9rem; }
summary { cursor: pointer; color: var(--link); }
.command { display: flex; gap: .5rem; align-items: flex-start; background: var(--code); border-radius: 6px; padding: .5rem .5rem .5rem .8rem; }
.command code { flex: 1; min-width: 0; white-space: pre-wrap; overflow-wrap: anywhere; padding: .15rem 0; }
.command code::before { content: "$ "; color: var(--faint); }
button { font: inherit; font-size: .8125rem; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 5px; padding: .15rem .7rem; cursor: pointer; }
button:hover { border-color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
main { padding-bottom: 4rem; }
.told { position: fixed; right: 1rem; bottom: 1rem; margin: 0; background: var(--ink); color: var(--paper); border-radius: 6px; padding: .3rem .9rem; }
.told:empty { display: none; }
@media (max-width: 40rem) {
  header { margin: 0; border-radius: 0; border-width: 0 0 1px 6px; }
  header, main { padding-left: .9rem; padding-right: .9rem; }
  .finding { margin-left: -.9rem; margin-right: -.9rem; border-radius: 0; border-width: 1px 0; padding: .9rem; }
  h1 { font-size: 1.2rem; }
  svg text { font-size: 11px; }
  .overview, .overview tbody { display: block; }
  .overview thead { display: none; }
  .overview tr { display: grid; grid-template-columns: auto 1fr auto; column-gap: .7rem; padding: .4rem 0; border-bottom: 1px solid var(--line); }
  .wide td { min-width: 9rem; }
  .overview td { border: 0; padding: 0; min-width: 0; }
  .overview td:first-child { width: auto; }
  .overview td:nth-child(3), .overview td:nth-child(4) { grid-column: 1 / -1; }
  .overview td:last-child { grid-column: 3; grid-row: 1; }
}
@media print {
  body { background: none; font-size: 11pt; }
  button, .told { display: none; }
  .finding, header { break-inside: avoid; }
  mark.line, .badge, svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .source { white-space: pre-wrap; }
}
)css";

const char* const page_script = R"js("use strict";
const told = document.getElementById("told");
function tell(text) {
  told.textContent = text;
  setTimeout(() => { told.textContent = ""; }, 1500);
}
function copySelected(code) {
  const range = document.createRange();
  range.selectNodeContents(code);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  return document.execCommand("copy");
}
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", async () => {
    const code = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(code.textContent);
      tell("Copied");
    } catch {
      tell(copySelected(code) ? "Copied" : "Selected: press Ctrl+C");
    }
  });
}
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
)js";

}  // namespace ropewalk::reports
