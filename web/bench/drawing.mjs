// The report as a picture: the sweep over γ with its prediction, and milliseconds per token
// beside the peers. Colours and marks are those of the page.
import { fastest } from "./figures.mjs";
import { areTooFew, figure, verdict } from "./statistics.mjs";

const WIDTH = 1120;
const MARGIN = 24;
const GUTTER = 24;

const STYLE = `
  svg { --desk: #faf7f0; --sheet: #fffdf8; --ink: #1d1c1a; --ink-2: #5a554c; --line: #e4decf; --edge: #8b8578; --wash: #f3eee2; --draft: #2f6fab; --draft-fill: #cfe0ee; --target: #bf7600; --overlap: #00856a; background: var(--desk); }
  @media (prefers-color-scheme: dark) { svg { --desk: #17181a; --sheet: #1f2124; --ink: #ece7dc; --ink-2: #b4aea2; --line: #35373b; --edge: #7e8289; --wash: #292b2f; --draft: #7db7ec; --draft-fill: #2c4257; --target: #f0b03f; --overlap: #2fb38a; } }
  text { font: 13px "Source Sans 3", Seravek, "Gill Sans Nova", Ubuntu, Calibri, sans-serif; fill: var(--ink); font-feature-settings: "tnum"; }
  .head { font: 600 20px "Source Serif 4", Charter, Georgia, serif; } .small { fill: var(--ink-2); } .strong { font-weight: 600; }
  .sheet { fill: var(--sheet); stroke: var(--line); } .grid { stroke: var(--line); } .even { stroke: var(--ink); stroke-width: 1.5; } .wash { fill: var(--wash); }
  .predicted { fill: none; stroke: var(--ink-2); stroke-width: 1.5; stroke-dasharray: 5 4; } .bar { stroke: var(--overlap); stroke-width: 1.75; } .point { fill: var(--sheet); stroke: var(--overlap); stroke-width: 2; } .best { fill: var(--overlap); stroke: var(--overlap); }
  .ours { fill: var(--overlap); } .alone { fill: var(--target); } .peer { fill: var(--edge); } .spread { stroke: var(--ink); stroke-width: 1.5; }
`;

/** The whole picture as SVG. */
export function drawing(report) {
  const parts = [];
  let y = MARGIN;
  const place = (height, draw) => {
    parts.push(draw(y));
    y += height + GUTTER;
  };
  place(54, (top) => heading(report, top));
  const sweeps = report.sweeps;
  for (let at = 0; at < sweeps.length; at += 2) {
    const width = (WIDTH - 2 * MARGIN - GUTTER) / 2;
    place(348, (top) => sweeps.slice(at, at + 2).map((sweep, column) => sweepCard(sweep, MARGIN + column * (width + GUTTER), top, width, 348)).join(""));
  }
  for (const group of groups(report)) {
    const height = 76 + 34 * group.bars.length;
    place(height, (top) => barCard(group, MARGIN, top, WIDTH - 2 * MARGIN, height));
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img" aria-label="Couplet, measured: speed-up by draft length, and milliseconds per token beside other runtimes"><style>${STYLE}</style>${parts.join("\n")}</svg>\n`;
}

function heading({ browser, versions, threads, quick }, top) {
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const line = [browser, ...(threads ? [`${threads} threads`] : []), ...names, ...(quick ? ["quick run: too short to go by"] : [])].join(" · ");
  return text(MARGIN, top + 22, "Couplet, measured", "head") + text(MARGIN, top + 46, line, "small");
}

function sweepCard({ pair, backend, device, verdict: said, report }, left, top, width, height) {
  const best = fastest(report);
  const all = report.gammas;
  const ends = all.flatMap(({ interval_among_all, predicted }) => [...interval_among_all, predicted ?? 1]).concat(1);
  const [low, high] = [Math.min(0.8, ...ends), Math.max(1.2, ...ends)];
  const step = [0.1, 0.2, 0.5, 1, 2, 5].find((step) => (high - low) / step <= 7) ?? 10;
  const [floor, ceiling] = [Math.floor(low / step) * step, Math.ceil(high / step) * step];
  const [x0, x1, y0, y1] = [left + 56, left + width - 20, top + height - 50, top + 116];
  const x = (index) => x0 + ((index + 0.5) / all.length) * (x1 - x0);
  const y = (value) => y0 - ((value - floor) / (ceiling - floor)) * (y0 - y1);
  const parts = [sheet(left, top, width, height)];
  const temperature = report.request.settings.temperature;
  parts.push(text(left + 20, top + 32, `${pair}, ${backend === "cpu" ? "CPU" : "WebGPU"}, temperature ${temperature}`, "head"));
  parts.push(wrapped(left + 20, top + 54, said, 60, "strong"));
  parts.push(text(left + 20, top + 92, `${device.name}; dashed: predicted; bars: ${best.confidence_among_all === null ? "range" : "interval"} of ${report.request.pairs} pairs`, "small"));
  parts.push(`<rect class="wash" x="${n(x0)}" y="${n(y(1))}" width="${n(x1 - x0)}" height="${n(y0 - y(1))}"/>`);
  for (let tick = floor; tick <= ceiling + step / 2; tick += step) {
    const even = Math.abs(tick - 1) < step / 100;
    parts.push(line(x0, y(tick), x1, y(tick), even ? "even" : "grid"));
    parts.push(text(x0 - 8, y(tick) + 4, `${tick.toFixed(step < 1 ? 1 : 0)}×`, "small", "end"));
  }
  const predicted = all.flatMap(({ predicted }, index) => (predicted ? [`${n(x(index))},${n(y(predicted))}`] : []));
  if (predicted.length > 1) parts.push(`<polyline class="predicted" points="${predicted.join(" ")}"/>`);
  all.forEach((each, index) => {
    const [from, to] = each.interval_among_all;
    const isBest = each === best;
    parts.push(line(x(index), y(from), x(index), y(to), "bar"), line(x(index) - 4, y(from), x(index) + 4, y(from), "bar"), line(x(index) - 4, y(to), x(index) + 4, y(to), "bar"));
    parts.push(`<circle class="${isBest ? "best" : "point"}" cx="${n(x(index))}" cy="${n(y(each.speed_up))}" r="${isBest ? 6 : 5}"/>`);
    if (isBest) parts.push(text(x(index), y(to) - 10, `${figure(each.speed_up)}×`, "strong", "middle"));
    parts.push(text(x(index), y0 + 18, String(each.gamma), isBest ? "strong" : "small", "middle"));
  });
  parts.push(text((x0 + x1) / 2, y0 + 38, "tokens drafted per round, γ", "small", "middle"));
  return parts.join("");
}

/** Bars for each pair and backend: ours, then what was measured beside it. */
function groups({ peers, native }) {
  const found = new Map();
  const group = (pair, backend) => {
    const key = `${pair}, ${backend === "cpu" ? "CPU" : "WebGPU"}`;
    if (!found.has(key)) found.set(key, { title: key, bars: [] });
    return found.get(key);
  };
  for (const { pair, backend, peer, theirs, settings, target_alone, best_mode } of peers) {
    if (!theirs) continue;
    const { bars } = group(pair, backend);
    const name = { ort: "onnxruntime-web", wllama: "wllama" }[peer];
    if (bars.length === 0) {
      if (best_mode.gamma) bars.push({ kind: "ours", label: `Couplet, speculation, γ ${best_mode.gamma}`, ...best_mode, note: "" });
      bars.push({ kind: "alone", label: "Couplet, target alone", ...target_alone, note: "" });
    }
    const mode = peer === "ort" ? target_alone : best_mode;
    const compared = peer === "ort" ? "target alone" : "best mode";
    const said = verdict(mode.ratio.interval);
    const word = said === "cannot tell" ? said : `Couplet is ${said}${areTooFew(mode.ratio.pairs) ? ` in all ${mode.ratio.pairs} pairs` : ""}`;
    bars.push({ kind: "peer", label: name, ...theirs, note: `${compared}: ${figure(mode.ratio.median)}× [${mode.ratio.interval.map(figure).join(", ")}], ${word}; ${settings}` });
  }
  for (const { pair, backend, device, milliseconds, plain_burn } of native) {
    if (!milliseconds) continue;
    const { bars } = group(pair, backend);
    const bar = (kind, label, { median, interval: [min, max] }, note) => bars.push({ kind, label, median, min, max, note });
    bar("alone", "Couplet native, target alone", milliseconds.native, device);
    if (plain_burn?.ratio) bar("peer", "plain burn native, KV cache", plain_burn.plain, `fused: ${figure(plain_burn.ratio.median)}× [${plain_burn.ratio.interval.map(figure).join(", ")}]`);
  }
  return [...found.values()];
}

function barCard({ title, bars }, left, top, width, height) {
  const longest = Math.max(...bars.map(({ max }) => max));
  const [x0, span] = [left + 240, 270];
  const parts = [sheet(left, top, width, height)];
  parts.push(text(left + 20, top + 32, title, "head"), text(left + 20, top + 52, "milliseconds per token, greedy, same weights, prompt and text; line: from fastest to slowest", "small"));
  bars.forEach(({ kind, label, median, min, max, note }, index) => {
    const y = top + 68 + 34 * index;
    const x = (value) => x0 + (value / longest) * span;
    parts.push(text(left + 20, y + 16, label, kind === "peer" ? "" : "strong"));
    parts.push(`<rect class="${kind}" x="${n(x0)}" y="${n(y)}" width="${n(Math.max(1, x(median) - x0))}" height="22"/>`);
    parts.push(line(x(min), y + 11, x(max), y + 11, "spread"));
    parts.push(text(x(Math.max(max, median)) + 8, y + 16, figure(median), "strong"));
    if (note) parts.push(wrapped(x0 + span + 56, y + 9, note, 66));
  });
  return parts.join("");
}

/** A note in at most two lines of about `length` signs. */
function wrapped(x, y, note, length, kind = "small") {
  const lines = [""];
  for (const word of note.split(" ")) {
    if (lines.at(-1).length + word.length >= length && lines.length < 2) lines.push("");
    lines[lines.length - 1] += `${lines.at(-1) ? " " : ""}${word}`;
  }
  return lines.map((line, index) => text(x, y + 16 * index, line.length > length ? `${line.slice(0, length - 1)}…` : line, kind)).join("");
}

function sheet(x, y, width, height) {
  return `<rect class="sheet" x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" rx="8"/>`;
}

function line(x1, y1, x2, y2, kind) {
  return `<line class="${kind}" x1="${n(x1)}" y1="${n(y1)}" x2="${n(x2)}" y2="${n(y2)}"/>`;
}

function text(x, y, content, kind = "", anchor = "start") {
  const escaped = content.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
  return `<text class="${kind}" x="${n(x)}" y="${n(y)}" text-anchor="${anchor}">${escaped}</text>`;
}

/** A length for SVG. */
function n(value) {
  return Number(value.toFixed(2));
}
