// The browsers of tests and measurements. Firefox through puppeteer, which speaks to the one that people have.
// Their drivers are asked for when one is started: what only looks on need not have them installed.

/**
 * What Chromium is to do without. Of several such lists only the last counts: the lower names are those
 * of playwright's own that matter to a page like this.
 */
const WITHOUT = [
  // Each window would load two pages for its address bar, which nobody sees: half the work of a test.
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "MediaRouter",
  "OptimizationHints",
  "PaintHolding",
];

/** SwiftShader gives WebGPU to machines without a graphics card. */
const SWIFTSHADER = ["--enable-features=Vulkan", "--use-vulkan=swiftshader"];

/**
 * How Chromium is started, by default the one that the environment names.
 * @param {{executablePath?: string, gpu?: string[], more?: string[]}} options `gpu` are the arguments by
 * which it finds one, `more` are further ones
 */
export function chromium({ executablePath = process.env.CHROMIUM ?? "chromium", gpu = SWIFTSHADER, more = [] } = {}) {
  return {
    executablePath,
    args: [
      // Containers run as root, where Chromium's sandbox refuses to start.
      "--no-sandbox",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--disable-features=${WITHOUT}`,
      "--enable-unsafe-webgpu",
      ...gpu,
      ...more,
    ],
  };
}

/** Starts Chromium with the options of `chromium`. */
export async function launch(options) {
  const { chromium: browser } = await import("@playwright/test");
  return browser.launch(chromium(options));
}

/**
 * Starts Firefox, by default the one that the environment names.
 * @param {{executablePath?: string, protocolTimeout?: number, preferences?: object}} options
 * `preferences` are further ones
 */
export async function launchFirefox({ executablePath = process.env.FIREFOX, protocolTimeout, preferences = {} } = {}) {
  const { default: puppeteer } = await import("puppeteer-core");
  return puppeteer.launch({
    browser: "firefox",
    executablePath,
    protocolTimeout,
    extraPrefsFirefox: {
      // Not everywhere on without asking, and a GPU made of software is refused.
      "dom.webgpu.enabled": true,
      "gfx.webgpu.ignore-blocklist": true,
      ...preferences,
    },
  });
}
