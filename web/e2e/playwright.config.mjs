// `BASE_URL=… npx playwright test` runs the tests of every `*.spec.mjs` on the page that is served there.
import { defineConfig } from "@playwright/test";
import { chromium } from "./browser.mjs";

if (!process.env.BASE_URL?.endsWith("/")) throw new Error("BASE_URL names the page that is tested; it ends in a slash");

export default defineConfig({
  testMatch: "*.spec.mjs",
  outputDir: "../../target/e2e/failed",
  // How the scenes should look; one that is missing is a failure and not a first picture.
  snapshotPathTemplate: "goldens/{arg}{ext}",
  updateSnapshots: "none",
  // Two models at once would be timed by what the other leaves of the processor.
  workers: 1,
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
