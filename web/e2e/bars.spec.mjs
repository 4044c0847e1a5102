// The bars whose figures depend on the machine: limits here are for a machine that has other
// things to do; `cargo xtask bars` prints what was measured.
import assert from "node:assert/strict";
import * as first from "./measure/first.mjs";
import * as motion from "./measure/motion.mjs";
import { sizes } from "./measure/page.mjs";
import { test } from "./test.mjs";

const figures = (found) =>
  console.log(`        ${Object.entries(found).map(([name, value]) => `${name} ${typeof value === "number" ? +value.toFixed(1) : value}`).join(", ")}`);

function busy(backend, name) {
  test(`the main thread is free while ${name} writes`, { tag: "@measured" }, async ({ browser, base }) => {
    const found = await motion.writing(browser, base, backend);
    figures(found);
    // By the processor's time: by the clock, whatever else runs would count as the page's. Twice
    // the bar, since a processor that does other things too is slower even so.
    assert.ok(found.longest < 2 * motion.LONG_MS, `${found.long} tasks over ${motion.LONG_MS} ms, the longest ${found.longest} ms`);
    assert.ok(found.tasks > 50, "the page was at work");
    assert.ok(found.frames > 30, `${found.frames} frames a second`);
    assert.equal(found.device.startsWith("CPU"), backend === "cpu", found.device);
  });
}

function obeys(backend, name, limit) {
  test(`Pause and Stop are obeyed at once while ${name} writes`, { tag: "@measured" }, async ({ browser, base }) => {
    const found = await motion.obedience(browser, base, backend);
    figures(found);
    assert.ok(found.pause < 100, `${found.pause} ms`);
    assert.ok(found.stop < limit, `${found.stop} ms`);
  });
}

busy("cpu", "the CPU");
busy("gpu", "WebGPU");
// Twice the bar, as above.
obeys("cpu", "the CPU", 200);
// A GPU made of software shares the processor with everything else, and a round is not cut short.
obeys("gpu", "WebGPU", 500);

test("compressed, the page is at most 1 MB and the first pair at most 8", async ({ base }) => {
  const found = await sizes(base);
  figures(found);
  assert.ok(found.shell <= 1e6 && found.pair <= 8e6);
});

test("the first visit over 20 Mbit/s brings ten megabytes at most, the second next to none", { tag: "@measured" }, async ({ browser, base }) => {
  const found = await first.visits(browser, base);
  figures(found);
  assert.ok(found.bytes <= 10e6, `${found.bytes} bytes`);
  assert.ok(found.warmBytes < 30e3, `${found.warmBytes} bytes`);
  // Four seconds of these are the line's.
  assert.ok(found.cold < 30_000 && found.warm < 10_000 && found.warm < found.cold / 2);
});
