// The browser, a tab with our page, and tabs with peers.
import * as browsers from "../e2e/browser.mjs";

/** Seconds that a sweep may take. */
const LONGEST_S = 600;

/**
 * What has Chromium without a window find a Linux machine's graphics card: otherwise WebGPU is SwiftShader
 * there even if there is a card, as it is with these if there is none. Elsewhere they are not known to be needed.
 */
const OWN_GPU =
  process.platform === "linux"
    ? ["--enable-features=Vulkan,VulkanFromANGLE,DefaultANGLEVulkan", "--use-gl=angle", "--use-angle=vulkan", "--disable-vulkan-surface", "--ignore-gpu-blocklist"]
    : ["--enable-features=Vulkan"];

/** Timers and frames of tabs in the background run as in the foreground. */
const AWAKE = ["--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows"];
/** The same for Firefox. */
const AWAKE_FIREFOX = { "dom.min_background_timeout_value": 4, "dom.timeout.enable_budget_timer_throttling": false };

/**
 * Starts the browser. Both have what is called here of a page, in the same words.
 * @param {{browser: string, firefox: boolean, gpu: boolean}} config without `gpu`, Chromium's GPU is
 * SwiftShader
 */
export function launch({ browser: executablePath, firefox, gpu }) {
  if (firefox) return browsers.launchFirefox({ executablePath, protocolTimeout: 1000 * LONGEST_S, preferences: AWAKE_FIREFOX });
  return browsers.launch({ executablePath, gpu: gpu ? OWN_GPU : undefined, more: AWAKE });
}

/** `promise`, or an error after `seconds`. */
async function within(seconds, promise) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`not done after ${seconds} s`)), 1000 * seconds)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Our page, with the models loaded and nothing moving. */
export async function openOurs(browser, base, backend) {
  const page = await browser.newPage();
  await page.goto(`${base}page/${backend === "cpu" ? "?backend=cpu" : ""}`);
  await page.waitForFunction(() => window.couplet);
  const call = (name, options, seconds = LONGEST_S) => within(seconds, page.evaluate(([name, options]) => window.couplet[name](options), [name, options]));
  const { device } = await call("ready");
  return {
    device,
    threads: () => page.evaluate(() => navigator.hardwareConcurrency),
    /** Greedy tokens of the target alone after `prompt`: `{ prompt, tokens }`, both as ids. */
    async greedy(pair, prompt, count) {
      const { events } = await call("generate", { pair, ...(prompt === undefined ? {} : { prompt }), temperature: 0, gamma: 0, max_tokens: count });
      return {
        prompt: events.find(({ event }) => event === "started").prompt_tokens,
        tokens: events.filter(({ event }) => event === "committed").flatMap(({ tokens }) => tokens),
      };
    },
    bench: (options) => call("bench", options),
    close: () => page.close(),
  };
}

/** A tab in which `peer` is loaded with `settings`. */
export async function openPeer(browser, base, peer, settings, seconds) {
  const page = await browser.newPage();
  let last = "";
  page.on("console", (message) => (last = message.text()));
  try {
    await page.goto(`${base}bench/peer.html?peer=${peer}`);
    await within(seconds, page.waitForFunction(() => window.peerReady || window.peerError));
    const error = await page.evaluate(() => window.peerError);
    if (error) throw new Error(error);
    await within(seconds, page.evaluate((settings) => window.peer.load(settings), settings));
  } catch (error) {
    await page.close();
    throw new Error(`${shortened(error)}${last ? ` (${last.slice(0, 200)})` : ""}`);
  }
  return {
    /** Decodes `count` tokens after the ids in `prompt`: `{ tokens, milliseconds }` per token. */
    generate: (prompt, count) => within(seconds, page.evaluate((options) => window.peer.generate(options), { prompt, count })),
    /** Times passes of several rows, see the peers' files; `null` where a peer has no such call. */
    passes: (options) => within(seconds, page.evaluate((options) => window.peer.passes?.(options) ?? null, options)),
    close: () => page.close(),
  };
}

/** The first line of an error, without what the browser's driver puts before it. */
export function shortened(error) {
  return String(error?.message ?? error).split("\n")[0].replace(/^page\.\w+: (Error: )?/, "").slice(0, 300);
}
