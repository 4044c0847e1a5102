// node run.mjs CONFIG_JSON
//
// Measures and writes the report; `cargo xtask bench` prepares everything and calls this. The
// configuration names what is to be measured and where things lie:
//   { base, browser, firefox, gpu, modules, assets, out, pairs: [names], backends: ["cpu", "webgpu"],
//     peers: ["ort", "wllama"], quick, native: { program, icd } | null }
import { mkdir, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import { join } from "node:path";
import { csv } from "./csv.mjs";
import { drawing } from "./drawing.mjs";
import { fastest, figures, judged, kindOf, table } from "./figures.mjs";
import { againstNative } from "./native.mjs";
import { against } from "./peers.mjs";
import { sentence } from "./statistics.mjs";
import { launch, openOurs, shortened } from "./tabs.mjs";

/** Beginnings beside a pair's own, so that not a single text decides whether outputs agree. */
const PROMPTS = {
  shakespeare: ["ROMEO:\nBut, soft! what light", "What say you to "],
  stories: ["The girl and the fox ", "One day, "],
};

const config = JSON.parse(await readFile(process.argv[2], "utf8"));
const { quick } = config;
const effort = {
  pairs: quick ? 2 : 5,
  /** Of a sweep: the fewest by which anything may be said of the best of eight and of the engine's own choice. */
  sweepPairs: quick ? 5 : 9,
  gammas: quick ? [2, 4] : [1, 2, 3, 4, 5, 6, 7, 8],
  /** Tokens of a run, by what computes: a GPU made of software takes thirty times as long as the CPU. */
  tokens: quick ? { cpu: 32, software: 8, card: 32 } : { cpu: 192, software: 96, card: 192 },
  /** Tokens of a run beside a peer, which may take as much longer again. */
  peerTokens: quick ? { cpu: 32, software: 8, card: 32 } : { cpu: 128, software: 32, card: 96 },
  plainTokens: quick ? { cpu: 32, software: 2, card: 8 } : { cpu: 32, software: 8, card: 32 },
  /** Seconds that a peer may take for a run. */
  seconds: quick ? 120 : 300,
};

const machine = { processor: os.cpus()[0]?.model, processors: os.availableParallelism(), system: `${os.type()} ${os.release()} ${os.arch()}` };
const report = { version: 1, quick, began: new Date().toISOString(), machine, effort, sweeps: [], peers: [], native: [] };
const browser = await launch(config);
report.browser = `${config.firefox ? "Firefox" : "Chromium"} ${/\d[\d.]*/.exec(await browser.version())}`;
report.versions = Object.fromEntries(await Promise.all(["onnxruntime-web", "@wllama/wllama"].map(async (name) => [name, JSON.parse(await readFile(join(config.modules, "node_modules", name, "package.json"), "utf8")).version])));
console.log(`${report.browser}, ${Object.entries(report.versions).map((each) => each.join(" ")).join(", ")}`);

/** Does `work`; an error becomes `entry.error` instead of ending everything. */
async function attempt(list, entry, work) {
  try {
    list.push({ ...entry, ...(await work()) });
  } catch (error) {
    console.log(`    failed: ${shortened(error)}`);
    list.push({ tried: [], ...entry, error: shortened(error) });
  }
}

/** Everything on one backend. */
async function measure(backend) {
  const ours = await openOurs(browser, config.base, backend);
  report.threads ??= await ours.threads();
  if ((ours.device.backend === "cpu") !== (backend === "cpu")) {
    console.log(`${backend}: not measured, the page runs on ${ours.device.name} (${ours.device.reason ?? "no reason given"})`);
    await ours.close();
    return;
  }
  const kind = kindOf({ backend, device: ours.device });
  const count = effort.peerTokens[kind];
  for (const pair of config.pairs) {
    console.log(`\n${pair}, ${ours.device.name}`);
    const texts = [];
    for (const prompt of [undefined, ...(PROMPTS[pair] ?? [])]) texts.push({ asked: prompt === undefined ? {} : { prompt }, ...(await ours.greedy(pair, prompt, count)) });
    // The longest is timed; all are compared.
    texts.sort((a, b) => b.tokens.length - a.tokens.length);
    let gamma = 1;
    for (const temperature of [1, 0]) {
      const settings = { pair, temperature, max_tokens: effort.tokens[kind] };
      const sweep = await ours.bench({ ...settings, gammas: effort.gammas, pairs: effort.sweepPairs, auto: temperature > 0 });
      const best = fastest(sweep);
      const verdict = sentence(`Speculation at γ ${best.gamma}, best of ${sweep.gammas.length},`, "the target alone", judged(best));
      console.log(`  temperature ${temperature}: target alone ${(1000 / sweep.target_alone.median).toFixed(2)} ms per token. ${verdict}`);
      report.sweeps.push({ pair, backend, device: ours.device, verdict, report: sweep });
      if (temperature === 0) gamma = best.gamma;
    }
    const common = { browser, ours, base: config.base, pair, backend, texts, gamma, pairs: effort.pairs, seconds: effort.seconds, threads: report.threads };
    for (const peer of config.peers) {
      console.log(`  ${peer}`);
      await attempt(report.peers, { pair, backend, peer }, async () => {
        const found = await against({ ...common, peer });
        if (found.theirs) console.log(`    ${found.target_alone.verdict}\n    ${found.best_mode.verdict}`);
        return found;
      });
    }
    if (config.native) {
      console.log("  native");
      await attempt(report.native, { pair, backend }, async () => {
        const found = await againstNative({ ...common, native: config.native, folder: join(config.assets, pair), plainTokens: effort.plainTokens[kind] });
        console.log(`    ${found.device}: ${found.verdict}`);
        console.log(`    ${found.plain_burn.verdict ?? `plain burn does not run: ${found.plain_burn.error}`}`);
        return found;
      });
    }
  }
  await ours.close();
}

try {
  for (const backend of config.backends) await measure(backend);
} catch (error) {
  report.error = shortened(error);
  console.error(error);
  process.exitCode = 1;
}
// A browser that has crashed cannot be closed.
await browser.close().catch(() => {});

report.figures = figures(report);
await mkdir(config.out, { recursive: true });
await writeFile(join(config.out, "report.json"), `${JSON.stringify(report, null, 1)}\n`);
await writeFile(join(config.out, "report.csv"), csv(report));
await writeFile(join(config.out, "report.svg"), drawing(report));
console.log(`\n${table(report.figures)}`);
if (report.error) console.error(`\nThe rest was not measured: ${report.error}. What was is in ${config.out}.`);
