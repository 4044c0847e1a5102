// node --test: what the bench makes of its measurements.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { csv } from "./csv.mjs";
import { drawing } from "./drawing.mjs";
import { besideTheBest, fastest, figures, judged, table } from "./figures.mjs";
import { runNative } from "./native.mjs";
import { against, agreement, checkLanes } from "./peers.mjs";
import { figure, inTurn, median, medianInterval, sentence, summary } from "./statistics.mjs";

test("medians and intervals are those of order statistics", () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.deepEqual(medianInterval([5, 1, 4, 2, 3]), [1, 5]);
  assert.deepEqual(medianInterval([1, 2, 3, 4, 5, 6]), [1, 6]);
  // 2 P(Binomial(9, 1/2) < 2) = 20 / 512 is below 5 %, and with 3 it is not.
  assert.deepEqual(medianInterval([1, 2, 3, 4, 5, 6, 7, 8, 9]), [2, 8]);
  assert.throws(() => median([]), /needs numbers/);
  assert.throws(() => median([1, NaN]), /needs numbers/);
});

test("nothing is claimed while the interval holds one", () => {
  const said = (low, middle, high) => sentence("A", "B", { median: middle, interval: [low, high] });
  assert.equal(said(1.38, 1.41, 1.44), "A is 1.41 times [1.38, 1.44] as fast as B.");
  assert.equal(said(0.69, 0.71, 0.73), "A is slower than B: 0.71 times [0.69, 0.73].");
  assert.match(said(0.9, 1.1, 1.2), /^A against B: can't tell/);
  const of = (...values) => sentence("A", "B", summary(values));
  assert.equal(of(1.3, 1.4, 1.5, 1.4, 1.4), "A is 1.40 times [1.30, 1.50] as fast as B in all 5 pairs, too few for 95 %.");
  assert.equal(of(0.7, 0.8, 0.9, 0.8, 0.8), "A is slower than B in all 5 pairs, too few for 95 %: 0.80 times [0.70, 0.90].");
  assert.equal(of(1.3, 1.4, 1.5, 1.4, 1.4, 1.4), "A is 1.40 times [1.30, 1.50] as fast as B.");
  assert.deepEqual([figure(0.5), figure(12.34), figure(123.4), figure(NaN)], ["0.50", "12.3", "123", "–"]);
});

test("texts are compared token by token", () => {
  assert.equal(agreement([1, 2, 3], [1, 2, 3]), 3);
  assert.equal(agreement([1, 2, 4], [1, 2, 3]), 2);
  assert.equal(agreement([1, 2], [1, 2, 3]), 2);
  const race = (tokens) => ({ race: [{ gamma: 2, rounds: [{ tokens: tokens.slice(0, 1) }, { tokens: tokens.slice(1) }] }] });
  checkLanes(race([1, 2, 3]), [1, 2, 3]);
  assert.throws(() => checkLanes(race([1, 9, 3]), [1, 2, 3]), /γ 2 differs .* after 1 tokens/);
});

const speed = { median: 1000, min: 900, max: 1100 };
const swept = (gamma, speedUp, verdict = "cannot_tell") => ({ gamma, ratios: [speedUp - 0.1, speedUp, speedUp + 0.1], speed_up: speedUp, interval: [speedUp - 0.1, speedUp + 0.1], interval_among_all: [speedUp - 0.2, speedUp + 0.2], confidence_among_all: verdict === "cannot_tell" ? null : 0.95, verdict, speculation: speed, target_alone: speed, rounds: 1, judged: 10, accepted: 8, tokens: 9, predicted: 1.6 });
test("a larger median of which nothing can be said is not the fastest", () => {
  const fast = (gamma, speedUp) => swept(gamma, speedUp, "faster");
  assert.equal(fastest({ gammas: [fast(2, 1.4), swept(4, 1.8), fast(6, 1.3)] }).gamma, 2);
  assert.equal(fastest({ gammas: [swept(4, 1.8), swept(2, 0.8)] }).gamma, 4);
  assert.equal(fastest({ gammas: [swept(1, 0.98, "slower"), swept(4, 0.9)] }).gamma, 4);
  assert.equal(fastest({ gammas: [fast(2, 1.4), fast(3, 1.4)] }).gamma, 2);
});

test("the best of several is judged by the interval that allows for the choice", () => {
  const said = (row) => sentence("A", "B", judged(row));
  assert.equal(said({ ...swept(2, 1.4, "faster"), ratios: Array(9).fill(1.4) }), "A is 1.40 times [1.20, 1.60] as fast as B.");
  // Alone its interval would lie above 1.
  assert.match(said({ ...swept(2, 1.15, "cannot_tell"), ratios: Array(9).fill(1.15), confidence_among_all: 0.95 }), /^A against B: can't tell, 1\.15 times \[0\.95, 1\.35\] holds 1/);
  assert.match(said({ ...swept(2, 1.4), ratios: Array(8).fill(1.4) }), /in all 8 pairs, too few for 95 %/);
});

test("who comes first takes turns", async () => {
  const order = [];
  for (let turn = 0; turn < 3; turn++) await inTurn(turn, async () => order.push("a"), async () => order.push("b"));
  assert.equal(order.join(""), "abbaab");
});

const lane = (tokens, readbacks) => ({ rounds: [{ tokens: Array(tokens).fill(0) }], readbacks });
const ratio = (...values) => summary(values);
const report = {
  version: 1,
  quick: false,
  browser: "Chromium 1",
  versions: { "onnxruntime-web": "1" },
  threads: 2,
  sweeps: [
    {
      pair: "a",
      backend: "cpu",
      device: { name: 'CPU "x" & <y>' },
      verdict: "said",
      report: { request: { settings: { temperature: 0 }, gammas: [2, 4], pairs: 5 }, tokens: 64, target_alone: speed, gammas: [swept(2, 1.2), swept(4, 1.5)], costs: { target_step: 1, draft_step: 0.1, draft_first_extra: 0.05, verify: [1.2, 1.83] }, race: [lane(0, 0), lane(9, 0)] },
    },
    {
      pair: "a",
      backend: "webgpu",
      device: { name: "WebGPU, google swiftshader" },
      verdict: "said",
      report: { request: { settings: { temperature: 1 }, gammas: [2], pairs: 5 }, tokens: 64, target_alone: speed, gammas: [swept(2, 1.5)], auto: swept(1.7, 1.45), costs: { target_step: 1, draft_step: 0.1, draft_first_extra: 0.05, verify: [1.2] }, race: [lane(9, 1), { ...lane(9, 3), gamma: 2 }] },
    },
  ],
  peers: [
    { pair: "a", backend: "cpu", peer: "ort", settings: "best", checked: [64], tried: [{ settings: "best", milliseconds: 2 }, { settings: "other, worse", error: "too slow" }], theirs: { median: 2, min: 1.9, max: 2.1 }, target_alone: { median: 1, min: 0.9, max: 1.1, ratio: ratio(1.9, 2, 2.1) }, best_mode: { gamma: 4, median: 0.7, min: 0.6, max: 0.8, ratio: ratio(2.9, 3, 3.1) } },
    { pair: "a", backend: "cpu", peer: "wllama", checked: [64], tried: [{ settings: "one", error: "its greedy text differs" }] },
  ],
  native: [
    { pair: "a", backend: "webgpu", device: "SwiftShader", same_driver: true, milliseconds: { browser: ratio(1, 1), native: ratio(0.8, 0.8) }, target_alone: ratio(0.8, 0.8), speculation: { gamma: 4, ...ratio(0.8, 0.8) }, plain_burn: { tokens: 8, fused: ratio(1), plain: ratio(9), ratio: ratio(9) } },
    { pair: "b", backend: "cpu", error: "no such program", tried: [] },
    { pair: "b", backend: "webgpu", error: "not done after 300 s", tried: [] },
  ],
};

test("figures say what is met, what is missed and what could not be measured", () => {
  const rows = figures(report);
  const met = Object.fromEntries(rows.map((row) => [`${row.figure}; ${row.where}`, row.met]));
  assert.deepEqual(met, {
    "target alone / onnxruntime-web; a, cpu": true,
    "best mode / best mode of wllama; a": false,
    "fused / plain burn, native; a, webgpu": true,
    "browser / native, same driver; a, webgpu": false,
    "browser / native, same driver; b, cpu": false,
    "fused / plain burn, native; b, webgpu": false,
    "browser / native, same driver; b, webgpu": false,
    "verifying 5 rows / 1 row; a, cpu, T 0": true,
    "measured / formula, γ 4; a, cpu, T 0": true,
    "tokens per readback, γ 2; a, webgpu, T 1": false,
    "γ of the engine's own / the better of off and the best γ; a, webgpu, T 1": false,
    "measured / formula, γ 2; a, webgpu, T 1": true,
  });
  const text = table(rows);
  assert.equal(text.split("\n").length, 13);
  assert.match(text, /fused \/ plain burn, native +b, webgpu +not measured +at least 8\.00 +MISSED +not done after 300 s/);
  assert.match(text, /wllama +a +not measured +at least 1\.00 +MISSED +one: its greedy text differs/);
});

test("a graphics card has other bars than what a processor computes in its place", () => {
  const [, sweep] = report.sweeps;
  const card = { ...sweep, device: { name: "WebGPU, nvidia" }, report: { ...sweep.report, request: { settings: { temperature: 1 }, gammas: [4] }, gammas: [swept(4, 1.6)], costs: { ...sweep.report.costs, verify: [1.25] } } };
  const peer = { ...report.peers[0], backend: "webgpu", target_alone: { ratio: ratio(4, 4, 4) } };
  const rows = figures({ sweeps: [card], peers: [peer], native: [report.native[0]] });
  const met = Object.fromEntries(rows.map((row) => [row.figure, [row.required, row.met]]));
  assert.deepEqual(met["target alone / onnxruntime-web"], [3, true]);
  assert.deepEqual(met["fused / plain burn, native"], [10, false]);
  assert.deepEqual(met["verifying 5 rows / 1 row"], [1.15, false]);
  assert.deepEqual(met["speculation / target alone, γ 4"], [1.5, true]);
  assert.equal(met["browser / native, same driver"], undefined);
  const nameless = { ...card, device: { name: "WebGPU" } };
  const [{ required }] = figures({ sweeps: [nameless], peers: [], native: [] });
  assert.equal(required, 1.8);
});

test("the engine's own γ is held against what the other pairs say is best", () => {
  const gammas = [{ ratios: [1.2, 1.2, 1.2] }, { ratios: [2, 1.3, 1] }];
  // The second γ has the larger median, thanks to a first pair that knows nothing of the others'.
  assert.deepEqual(besideTheBest({ gammas, auto: { ratios: [1.2, 1.3, 1.1] } }), summary([1, 1, 1.1]));
  const slower = [{ ratios: [0.8, 0.7, 0.9, 0.8] }];
  assert.equal(besideTheBest({ gammas: slower, auto: { ratios: [0.9, 0.9, 0.9, 0.9] } }).median, 0.9);
});

test("the table and the picture are well formed, whatever names hold", () => {
  const lines = csv(report).trimEnd().split("\n");
  assert.match(lines.find((line) => line.includes("other")), /"other, worse: too slow"$/);
  const columns = lines[0].split(",").length;
  for (const line of lines.slice(1)) assert.equal(line.replaceAll(/"(""|[^"])*"/g, "").split(",").length, columns, line);
  const svg = drawing(report);
  assert.match(svg, /CPU &quot;x&quot; &amp; &lt;y&gt;/);
  assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
});

test("a measurement that broke off before anything was found can be written too", () => {
  const nothing = { ...report, threads: undefined, sweeps: [], peers: [], native: [] };
  assert.deepEqual(figures(nothing), []);
  assert.equal(csv(nothing).trimEnd().split("\n").length, 1);
  assert.match(drawing(nothing), /^<svg[^]*<\/svg>\n$/);
  assert.doesNotMatch(drawing(nothing), /NaN|undefined|Infinity/);
});

test("a native run that takes too long is ended", { skip: process.platform === "win32" }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  const program = join(folder, "slow");
  await writeFile(program, `#!/bin/sh\necho $$ > ${folder}/pid\nexec sleep 60\n`, { mode: 0o755 });
  await assert.rejects(runNative({ program }, { folder, backend: "cpu", request: {}, seconds: 1 }), /^Error: not done after 1 s$/);
  const pid = Number(await readFile(join(folder, "pid"), "utf8"));
  assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
  await rm(folder, { recursive: true });
});

test("a peer's tab is closed also where ours fails beside it", async () => {
  const pages = [];
  const browser = {
    newPage: async () => {
      const page = { on: () => {}, goto: () => {}, waitForFunction: () => {}, evaluate: async (work, options) => work(options), close: () => (page.closed = true) };
      pages.push(page);
      return page;
    },
  };
  globalThis.window = { peer: { load: () => {}, generate: ({ count }) => ({ tokens: Array(count).fill(1), milliseconds: 1 }) } };
  const ours = { bench: () => Promise.reject(new Error("the page is gone")) };
  const options = { browser, ours, base: "", peer: "ort", backend: "webgpu", pair: "a", texts: [{ asked: {}, prompt: [0], tokens: [1, 1] }], gamma: 1, pairs: 1, threads: 1, seconds: 60 };
  await assert.rejects(against(options), /the page is gone/);
  assert.deepEqual(pages.map(({ closed }) => closed), [true]);
  delete globalThis.window;
});
