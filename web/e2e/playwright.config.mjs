// `BASE_URL=… npx playwright test --project=page` runs the tests of every `*.spec.mjs` on the page that is served there,
// but those that measure something, which are `--project=measured`.
import { availableParallelism } from "node:os";
import { defineConfig } from "@playwright/test";
import { chromium } from "./browser.mjs";

if (!process.env.BASE_URL?.endsWith("/")) throw new Error("BASE_URL names the page that is tested; it ends in a slash");

/** Tests with a limit in milliseconds that a machine keeps which has little else to do. */
const MEASURED = /@measured/;

export default defineConfig({
  testMatch: "*.spec.mjs",
  // How the scenes should look; one that is missing is a failure and not a first picture.
  snapshotPathTemplate: "goldens/{arg}{ext}",
  updateSnapshots: "none",
  // A test keeps somewhat more than one processor busy. What measures would measure what others leave it:
  // `--project=measured` is for when nothing else runs.
  workers: Math.min(4, availableParallelism()),
  // By test and not by file: the longest file would be the last to end, and the others' workers idle.
  fullyParallel: true,
  projects: [
    { name: "page", grepInvert: MEASURED, outputDir: "../../target/e2e/failed" },
    { name: "measured", grep: MEASURED, outputDir: "../../target/e2e/failed-measured", workers: 1 },
  ],
  // One that was left over would be the only one that runs.
  forbidOnly: true,
  // Far above what the longest takes on a slow and busy machine.
  timeout: 400_000,
  reporter: "list",
  use: {
    baseURL: process.env.BASE_URL,
    launchOptions: chromium(),
    // A service worker would answer before the tests can misbehave in a server's place; what is
    // about service workers opens a context of its own.
    serviceWorkers: "block",
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
    screenshot: "only-on-failure",
  },
});
