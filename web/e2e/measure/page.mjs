// What can be counted on the page itself.
import { verdict } from "../../bench/statistics.mjs";
import { call, open, patchWorker, ready, visitor } from "../support.mjs";
import { SCENES, SIZES, THEMES, VIEWS, isSmall, settle, sideways, still, targets } from "../scenes.mjs";
import { findings, letters, walk } from "./access.mjs";
import { packed } from "./line.mjs";

const CPU = "?backend=cpu";
/** Words of the field that the page must explain. */
const WORDS = ["draft", "target", "acceptance rate", "residual", "bonus token", "coupling", "total variation"];

/** Runs `work` in a page of its own. */
async function apart(browser, work, options = {}) {
  const { page, close } = await visitor(browser, { serviceWorkers: "block", ...options });
  try {
    return await work(page);
  } finally {
    await close();
  }
}

/** Bytes that a visitor's line carries, compressed: the page, the engine, the first pair. */
export async function sizes(base) {
  const bytes = async (path) => {
    const answer = await fetch(base + path);
    if (!answer.ok) throw new Error(`there is no ${path}`);
    return (await packed(path, Buffer.from(await answer.arrayBuffer()))).length;
  };
  const script = await (await fetch(`${base}service-worker.js`)).text();
  const listed = [...script.matchAll(/"([^"]+)":"[0-9a-f]{64}"/g)].map(([, path]) => path);
  if (listed.length === 0) throw new Error("the service worker lists no files");
  // What lists the others is a part of the page too.
  const paths = ["service-worker.js", ...listed];
  const found = { shell: 0, engine: 0, pair: 0 };
  // The build of the engine for browsers that know less than Chromium, and other languages.
  const notHers = /^(pairs\/|words\/|couplet-worker(_bg\.wasm|\.js)$)/;
  for (const path of paths.filter((path) => !notHers.test(path))) {
    found[path.startsWith("couplet-worker") ? "engine" : "shell"] += await bytes(path);
  }
  const pair = "pairs/shakespeare/";
  const card = await (await fetch(`${base}${pair}model-card.json`)).json();
  found.pair = card.target.weights.bytes + card.draft.weights.bytes;
  for (const file of ["recording.json", "model-card.json", "tokenizer.json"]) found.pair += await bytes(pair + file);
  return found;
}

/** Steps through the recording and back; how many pictures were taken, are unlike the one before, and came again. */
export const travel = (browser, base) =>
  apart(browser, async (page) => {
    await still(page, base, "stage");
    const picture = () => page.locator("main").innerText();
    await page.keyboard.press("Home");
    const pictures = [];
    for (let step = 0; step < 40; step += 1) {
      pictures.push(await picture());
      await page.keyboard.press("ArrowRight");
    }
    let again = 0;
    for (const before of pictures.toReversed()) {
      await page.keyboard.press("ArrowLeft");
      again += before === (await picture()) ? 1 : 0;
    }
    const different = pictures.filter((now, step) => now !== pictures[step - 1]).length;
    return { steps: pictures.length, different, again };
  });

/** How many events two runs of one seed have, and whether they are the same. */
export const replay = (browser, base) =>
  apart(browser, async (page) => {
    await open(page, base, CPU);
    const write = async () => {
      const { events } = await call(page, "generate", { seed: 7, max_tokens: 60 });
      return JSON.stringify(events.map(({ timings, milliseconds, ...event }) => event));
    };
    const [first, second] = [await write(), await write()];
    return { events: JSON.parse(first).length, same: first === second };
  });

/** A short measurement of speed, what the page says about it, and whether it may. */
export const speed = (browser, base) =>
  apart(browser, async (page) => {
    await open(page, base, `${CPU}#scene=speed`);
    const { device, gammas, request } = await call(page, "bench", { max_tokens: 48, gammas: [4], pairs: 6 });
    const [{ speed_up, interval }] = gammas;
    const text = (id) => page.getByTestId(id).innerText();
    const said = { verdict: await text("verdict"), interval: await text("verdict-interval"), facts: await text("facts") };
    const ends = (/([\d.]+) to ([\d.]+)/.exec(said.interval) ?? []).slice(1).map(Number);
    const honest =
      said.verdict === `${speed_up.toFixed(2)}× ${verdict(interval).replace("cannot", "can’t")}` &&
      interval.every((end, at) => Math.abs(end - ends[at]) < 0.006) &&
      said.facts.includes(device.name);
    return { device: device.name, pairs: request.pairs, said, honest };
  });

/** What the badge says with a GPU, without one, and without any engine. */
export async function ladder(browser, base) {
  const badge = (script, wait) =>
    apart(browser, async (page) => {
      if (script) await patchWorker(page, script);
      await page.goto(base);
      await wait(page);
      return page.getByTestId("badge").innerText();
    });
  const noGpu = "Object.defineProperty(WorkerNavigator.prototype, 'gpu', { get: () => undefined });";
  const noEngine = `${noGpu} WebAssembly.instantiateStreaming = WebAssembly.instantiate = () => Promise.reject(new Error('not allowed'));`;
  return [
    await badge("", ready),
    await badge(noGpu, ready),
    await badge(noEngine, (page) => page.locator("[data-testid=badge][data-kind=none]").waitFor({ timeout: 60_000 })),
  ];
}

/** What axe finds in all scenes, sizes and themes; how many places Tab stops at. */
export const access = (browser, base) =>
  apart(browser, async (page) => {
    const found = [];
    let stops = 0;
    let seen = 0;
    let looked = 0;
    for (const scene of VIEWS) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await still(page, base, scene);
      const walked = await walk(page);
      stops += walked.length;
      seen += walked.filter(({ ring }) => ring).length;
      for (const [width, height] of SIZES) {
        await page.setViewportSize({ width, height });
        for (const colorScheme of THEMES) {
          await page.emulateMedia({ colorScheme });
          await settle(page);
          found.push(...(await findings(page)));
          looked += 1;
        }
      }
    }
    return { looked, serious: found.length, stops, seen };
  });

/** The narrowest and the farthest seats. */
export const room = (browser, base) =>
  apart(browser, async (page) => {
    const found = { beyond: 0, small: 0, targets: 0, letters: Infinity };
    for (const scene of VIEWS) {
      await page.setViewportSize({ width: 320, height: 720 });
      await still(page, base, scene);
      found.beyond = Math.max(found.beyond, await sideways(page));
      const all = await targets(page);
      found.targets += all.length;
      found.small += all.filter(isSmall).length;
      await page.setViewportSize({ width: 1024, height: 768 });
      await still(page, base, scene, "&projector=1");
      found.letters = Math.min(found.letters, await letters(page));
    }
    return found;
  });

/** Bytes of the page's address after a run with a long prompt, and requests to other hosts. */
export const link = (browser, base) =>
  apart(browser, async (page) => {
    let foreign = 0;
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      foreign += origin !== new URL(base).origin && /^http/.test(protocol) ? 1 : 0;
    });
    await open(page, base, CPU);
    await page.getByTestId("prompt").fill("To be, or not to be: that is the question. ".repeat(4));
    await page.getByTestId("generate").click();
    await page.waitForFunction(() => window.couplet.trace()?.events.at(-1).event === "finished");
    for (const scene of SCENES) await page.getByTestId(`scene-${scene}`).click();
    return { bytes: Buffer.byteLength(new URL(page.url()).hash), prompt: 43 * 4, foreign };
  });

/** Which of the field's words the help explains. */
export const words = (browser, base) =>
  apart(browser, async (page) => {
    await page.goto(base);
    await page.getByTestId("help").click();
    const terms = await page.locator(".help-terms dt").allInnerTexts();
    const explained = WORDS.filter((word) => terms.some((term) => term.toLowerCase().startsWith(word)));
    return { wanted: WORDS.length, explained: explained.length, terms: terms.length };
  });
