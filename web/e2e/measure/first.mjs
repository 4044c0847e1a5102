// The first seconds of a visit.
import { line } from "./line.mjs";
import { ready, visitor } from "../support.mjs";

/** A link that asks for a run of its own, so that something live is written without a click. */
const LINK = "?backend=cpu#v=1&seed=9&max_tokens=30";
export const LINE = { megabits: 20, latency: 20 };

/**
 * Milliseconds from the page's address to the first letter of the recording, and how much moves.
 * `prepare` gets the page before it goes there.
 */
export async function recording(browser, address, prepare = async () => {}) {
  const { page, close } = await visitor(browser, { viewport: { width: 1440, height: 900 }, serviceWorkers: "block" });
  try {
    await prepare(page);
    await page.addInitScript(() => {
      window.shifts = [];
      new PerformanceObserver((list) => {
        for (const { startTime, value } of list.getEntries()) window.shifts.push([startTime, value]);
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto(address, { waitUntil: "commit" });
    const first = await page.waitForFunction(() => document.querySelector(".rd") && performance.now(), null, { polling: "raf" });
    const milliseconds = await first.jsonValue();
    await page.waitForTimeout(2500);
    const shifts = await page.evaluate(() => window.shifts);
    // Later the play itself moves things: the panel of a residual opens.
    const shift = shifts.reduce((sum, [time, value]) => (time < milliseconds + 2000 ? sum + value : sum), 0);
    return { milliseconds, shift };
  } finally {
    await close();
  }
}

/** Milliseconds until the engine has written the first token of a linked run. */
async function firstToken(page, address) {
  await page.goto("about:blank");
  await page.goto(address + LINK, { waitUntil: "commit" });
  const at = await page.waitForFunction(
    () => window.couplet?.trace()?.events.some(({ event }) => event === "committed") && performance.now(),
    null,
    { polling: "raf", timeout: 60_000 },
  );
  return at.jsonValue();
}

/**
 * A first and a second visit over a line of 20 Mbit/s: milliseconds to the first letter of the
 * recording and to the first live token, bytes of the first visit until then, and of the second.
 */
export async function visits(browser, base) {
  const server = await line(base);
  const { page, close } = await visitor(browser);
  try {
    const before = await visitor(browser, { serviceWorkers: "block" });
    await firstToken(before.page, server.address);
    await before.close();
    server.limit(LINE);
    const { milliseconds: recorded } = await recording(browser, server.address);
    server.sent = 0;
    const cold = await firstToken(page, server.address);
    const bytes = server.sent;
    await ready(page);
    await page.waitForFunction(() => document.documentElement.dataset.release === "kept", null, { timeout: 60_000 });
    server.sent = 0;
    const warm = await firstToken(page, server.address);
    return { recorded, cold, bytes, warm, warmBytes: server.sent };
  } finally {
    await close();
    server.close();
  }
}

/** Milliseconds until the recording plays and until the models are ready, with no network at all. */
export async function offline(browser, base) {
  const server = await line(base);
  const { page, close } = await visitor(browser);
  try {
    await page.goto(`${server.address}?backend=cpu`);
    await ready(page);
    await page.waitForFunction(() => document.documentElement.dataset.release === "kept", null, { timeout: 60_000 });
    server.close();
    await page.reload({ waitUntil: "commit" });
    const first = await page.waitForFunction(() => document.querySelector(".rd") && performance.now(), null, { polling: "raf" });
    const recorded = await first.jsonValue();
    await ready(page);
    return { recorded, ready: await page.evaluate(() => performance.now()) };
  } finally {
    await close();
    server.close();
  }
}
