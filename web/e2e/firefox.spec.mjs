// The page in Firefox, whose WebGPU is another implementation and hands results back in its own time.
import assert from "node:assert/strict";
import { median } from "../bench/statistics.mjs";
import { launchFirefox } from "./browser.mjs";
import { SCENES, SIZES } from "./scenes.mjs";
import { call, open, tokens } from "./support.mjs";
import { test } from "./test.mjs";

test.skip(!process.env.FIREFOX, "FIREFOX names no browser");

/** Does `work` with a page of Firefox. */
async function inFirefox(work) {
  const browser = await launchFirefox();
  try {
    const page = await browser.newPage();
    await page.setViewport({ width: 1440, height: 900 });
    const errors = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await work(page);
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
  }
}

const greedy = async (page, gamma) => tokens(await call(page, "generate", { temperature: 0, gamma, max_tokens: 24 }));

test("in Firefox two models write on its GPU, and speculation does not change the greedy text", async ({ base }) => {
  await inFirefox(async (page) => {
    const { device } = await open(page, base);
    // Where Firefox has no WebGPU, the page says so and goes on.
    if (device.backend !== "gpu") console.log(`        on the CPU: ${device.reason}`);
    assert.ok(device.backend === "gpu" || device.reason);
    assert.deepEqual(await greedy(page, 4), await greedy(page, 0));
  });
});

test("in Firefox nobody waits a tenth of a second for each readback", { tag: "@measured" }, async ({ base }) => {
  await inFirefox(async (page) => {
    const { pair, device } = await open(page, base);
    test.skip(device.backend !== "gpu", device.reason);
    const times = await page.evaluate(async (pair) => {
      const times = [];
      for (let turn = 0; turn < 9; turn += 1) {
        const start = performance.now();
        await window.couplet.distribution({ pair, model: "draft", text: "" });
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b);
    }, pair.name);
    const middle = median(times);
    console.log(`        a distribution comes after ${middle.toFixed(0)} ms`);
    assert.ok(middle < 80, `${times}`);
  });
});

test("in Firefox the CPU path writes, and nothing scrolls sideways", async ({ base }) => {
  await inFirefox(async (page) => {
    const { device } = await open(page, base, "?backend=cpu");
    assert.equal(device.backend, "cpu");
    assert.deepEqual(await greedy(page, 4), await greedy(page, 0));
    for (const [width, height] of SIZES) {
      await page.setViewport({ width, height });
      for (const scene of SCENES) {
        await page.click(`[data-testid=scene-${scene}]`);
        // Drawings follow a frame or two later.
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(beyond <= 0, `${scene} at ${width}: ${beyond} px`);
      }
    }
  });
});
