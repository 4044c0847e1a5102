// node run.mjs <base-url> [part of a test's name]
//
// Runs the tests of every `*.spec.mjs` beside this file, each in a browser context of its own.
// A spec's default export maps names to tests: `{ "name": async ({ page, base, browser }) => { … } }`;
// `base` ends in a slash. A spec may export as `needs` the environment variable without which it is
// skipped. The last line of output is `N passed, N failed`.
import { readdir } from "node:fs/promises";
import { launch } from "./browser.mjs";

// Far above what the longest takes on a slow and busy machine.
const TIMEOUT_MS = 400_000;

const [base, part = ""] = process.argv.slice(2);
if (!base) {
  console.error("usage: node run.mjs <base-url> [part of a test's name]");
  process.exit(2);
}

const specs = [];
for (const file of (await readdir(import.meta.dirname)).filter((name) => name.endsWith(".spec.mjs")).sort()) {
  specs.push({ file, ...(await import(`./${file}`)) });
}
if (!specs.some(({ default: tests }) => Object.keys(tests).some((name) => name.includes(part)))) {
  console.error(`there is no test with “${part}” in its name: the *.spec.mjs in web/e2e have the names`);
  process.exit(1);
}

const browser = await launch();

let passed = 0;
let failed = 0;
for (const { file, default: tests, needs } of specs) {
  if (needs && !process.env[needs]) {
    console.log(`skipped ${file}: ${needs} names no browser`);
    continue;
  }
  for (const [name, test] of Object.entries(tests)) {
    if (!name.includes(part)) continue;
    // A service worker would answer before the tests can misbehave in a server's place; what is
    // about service workers opens a context of its own.
    const context = await browser.newContext({ serviceWorkers: "block" });
    const page = await context.newPage();
    // Whatever a test is about: the page's own code never panics.
    const panics = [];
    page.on("console", (message) => {
      if (/panicked/.test(message.text()) && /couplet-web/.test(message.location().url)) panics.push(message.text());
    });
    const start = performance.now();
    let timer;
    // An error that nobody waits for, in a request's handler say, belongs to the test that runs.
    let stray = () => {};
    const strayError = new Promise((_, reject) => (stray = reject));
    strayError.catch(() => {});
    process.on("unhandledRejection", stray);
    try {
      const timeout = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`not done after ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
      });
      await Promise.race([test({ page, base, browser }), timeout, strayError]);
      if (panics.length > 0) throw new Error(panics[0]);
      passed += 1;
      console.log(`ok      ${file}: ${name} (${Math.round(performance.now() - start)} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${file}: ${name}\n${error.stack ?? error}`);
    } finally {
      clearTimeout(timer);
      // A handler that is still at work when its page goes away is not an error.
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await context.close();
      process.off("unhandledRejection", stray);
    }
  }
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
