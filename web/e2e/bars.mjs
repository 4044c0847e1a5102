// node bars.mjs <base-url> <file>
//
// Measures the page by the bars that it is to reach and writes the table into a file.
import { writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { launch } from "./browser.mjs";
import * as first from "./measure/first.mjs";
import * as motion from "./measure/motion.mjs";
import * as page from "./measure/page.mjs";

const [base, file] = process.argv.slice(2);
if (!base || !file) {
  console.error("usage: node bars.mjs <base-url> <file>");
  process.exit(2);
}

const browser = await launch();
const rows = [];

/** What each bar is about. */
const ABOUT = {
  1: "first seconds",
  2: "motion",
  3: "time travel",
  4: "speed",
  5: "device",
  6: "eyes and keys",
  7: "every size",
  8: "share and keep",
  9: "words",
};

/** Adds a row: what is wanted, what was found in words, whether that is enough. */
function row(bar, wanted, found, met) {
  rows.push({ bar, wanted, found, met });
  console.log(`${met ? "met   " : "MISSED"} ${bar}. ${wanted}: ${found}`);
}

/** Measures; what fails is a row too, not the end. */
async function measure(bar, wanted, work) {
  try {
    for (const [more, found, met] of await work()) row(bar, more ?? wanted, found, met);
  } catch (error) {
    row(bar, wanted, `not measured: ${String(error.message).split("\n")[0]}`, false);
  }
}

const ms = (value) => `${value.toFixed(0)} ms`;
const mb = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;

await measure(1, "first seconds", async () => {
  const { milliseconds, shift } = await first.recording(browser, base);
  const visits = await first.visits(browser, base);
  const sizes = await page.sizes(base);
  return [
    ["the recording plays within 2 s", `${ms(milliseconds)}; over 20 Mbit/s ${ms(visits.recorded)}`, Math.max(milliseconds, visits.recorded) <= 2000],
    ["nothing jumps (layout shift below 0.02)", shift.toFixed(4), shift < 0.02],
    ["page at most 1 MB, first pair at most 8 MB compressed", `page ${mb(sizes.shell)}, engine ${mb(sizes.engine)}, pair ${mb(sizes.pair)}`, sizes.shell <= 1e6 && sizes.pair <= 8e6],
    ["first live token over 20 Mbit/s within 5 s", `${ms(visits.cold)}, ${mb(visits.bytes)}`, visits.cold <= 5000],
    ["second visit: first live token within 1 s", `${ms(visits.warm)}, ${mb(visits.warmBytes)}`, visits.warm <= 1000],
  ];
});
for (const [backend, name] of [["cpu", "CPU"], ["gpu", "WebGPU"]]) {
  await measure(2, `motion on ${name}`, async () => {
    const found = await motion.writing(browser, base, backend);
    // A trace without tasks would show no long ones either.
    const traced = found.tasks > 50;
    const { pause, stop } = await motion.obedience(browser, base, backend);
    return [
      [`55 frames a second while writing, ${found.device}`, `${found.frames.toFixed(1)}`, found.frames >= 55 && traced],
      [`no task of the main thread over ${motion.LONG_MS} ms, ${found.device}`, `longest of ${found.tasks}: ${found.longest.toFixed(1)} ms of the processor, ${found.longestByClock.toFixed(1)} ms by the clock`, found.long === 0 && traced],
      [`Pause and Stop within 100 ms, ${found.device}`, `${ms(pause)} and ${ms(stop)}`, pause <= 100 && stop <= 100],
    ];
  });
}
await measure(3, "time travel", async () => {
  const { steps, different, again } = await page.travel(browser, base);
  const { events, same } = await page.replay(browser, base);
  return [
    ["every step back shows what the step forward showed", `${again} of ${steps} pictures again, ${different} of them unlike the one before`, again === steps && different === steps],
    ["one seed writes one text, event by event", `${events} events, ${same ? "the same twice" : "not the same"}`, same && events > 50],
  ];
});
await measure(4, "speed is told with interval and device: an honest verdict, not a speed-up", async () => {
  const { device, pairs, said, honest } = await page.speed(browser, base);
  const found = `“${said.verdict}”, “${said.interval}”, from ${pairs} pairs on ${device}${honest ? "" : ": not what was measured"}`;
  return [[null, found, pairs >= 5 && honest]];
});
await measure(5, "WebGPU, else the CPU, else the recording, and the badge says which", async () => {
  const found = await page.ladder(browser, base);
  return [[null, found.map((badge) => `“${badge}”`).join(", "), /WebGPU/.test(found[0]) && /CPU/.test(found[1]) && /Recording/.test(found[2])]];
});
await measure(6, "eyes and keys", async () => {
  const { looked, serious, stops, seen } = await page.access(browser, base);
  return [
    ["axe finds nothing serious in any scene, size, theme", `${serious} serious findings in ${looked} looks`, serious === 0],
    ["Tab reaches everything, in sight", `${seen} of ${stops} stops have a visible focus`, seen === stops && stops > 50],
  ];
});
await measure(7, "every size", async () => {
  const { beyond, small, targets, letters } = await page.room(browser, base);
  return [
    ["320 px without sideways scrolling", `${beyond} px beyond the window`, beyond === 0],
    ["a finger’s 44 px under 700 px", `${small} of ${targets} targets smaller`, small === 0 && targets > 50],
    ["projector: letters of 20 px at 1024×768", `smallest ${letters.toFixed(1)} px`, letters >= 20 && Number.isFinite(letters)],
  ];
});
await measure(8, "share and keep", async () => {
  const { bytes, prompt, foreign } = await page.link(browser, base);
  const offline = await first.offline(browser, base);
  return [
    ["a link of at most 2 kB", `${bytes} bytes with a prompt of ${prompt} characters`, bytes <= 2048],
    ["opens without a network after the first visit", `recording after ${ms(offline.recorded)}, models after ${ms(offline.ready)}`, true],
    ["no request to anybody else", `${foreign}`, foreign === 0],
  ];
});
await measure(9, "the field’s words are explained", async () => {
  const { wanted, explained, terms } = await page.words(browser, base);
  return [[null, `${explained} of ${wanted}, and ${terms - explained} more`, explained === wanted]];
});
const version = browser.version();
await browser.close();

const met = rows.filter((row) => row.met).length;
const processor = cpus();
const cell = (text) => String(text).replaceAll("|", "\\|");
await writeFile(
  file,
  `# What the page is held to, and what was measured

\`cargo xtask bars\` wrote this file: every figure below was measured by it, in Chromium ${version} on ${processor.length} cores of ${processor[0].model.trim()}, WebGPU on SwiftShader. The browser tests hold the same (\`web/e2e\`); where a figure depends on what else a machine does, they allow for that and this table does not.

A line of 20 Mbit/s is a server that sends no more than that to everybody together, with 20 ms before each answer and files compressed as hosts do. Tasks of the main thread are judged by the processor's time that they took, so that other programs do not count as the page's; the clock's figure stands beside it.

| bar | wanted | measured | |
|---|---|---|---|
${rows.map(({ bar, wanted, found, met }) => `| ${bar} ${ABOUT[bar]} | ${cell(wanted)} | ${cell(found)} | ${met ? "met" : "**missed**"} |`).join("\n")}

${met} of ${rows.length} met.
`,
);
console.log(`${met} of ${rows.length} met`);
