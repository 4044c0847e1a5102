// The browser of tests and measurements.
import { chromium } from "playwright-core";

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

/** Starts the Chromium that the environment names. */
export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "chromium",
    args: [
      // Containers run as root, where Chromium's sandbox refuses to start.
      "--no-sandbox",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--disable-features=${WITHOUT}`,
      // SwiftShader gives WebGPU to machines without a graphics card.
      "--enable-unsafe-webgpu",
      "--enable-features=Vulkan",
      "--use-vulkan=swiftshader",
    ],
  });
