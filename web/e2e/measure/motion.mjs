// What the main thread does while the engine writes, and how soon the page obeys.
import { median } from "../../bench/statistics.mjs";
import { open, visitor } from "../support.mjs";

/** Longer than this and a person notices. */
export const LONG_MS = 50;

/**
 * Tasks of the page's main thread during `work`, in milliseconds: how long each took by the clock
 * and how much of the processor. What else the machine does is in the first only.
 */
async function tasks(page, work) {

  const browser = await page.context().browser().newBrowserCDPSession();
  const events = [];
  browser.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const done = new Promise((resolve) => browser.once("Tracing.tracingComplete", resolve));
  const includedCategories = ["toplevel", "blink.user_timing", "__metadata"];
  await browser.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories } });
  // Tells this page's thread from those of other pages.
  await page.evaluate(() => performance.mark("measure: begin"));
  await work();
  await browser.send("Tracing.end");
  await done;
  await browser.detach();
  const mark = events.find(({ name }) => name === "measure: begin");
  return events
    .filter(({ name, ph, pid, tid }) => /RunTask$/.test(name) && ph === "X" && pid === mark?.pid && tid === mark?.tid)
    .map(({ dur, tdur }) => ({ clock: dur / 1000, processor: (tdur ?? dur) / 1000 }));
}

/** Milliseconds between two frames, as long as `work` takes. */
async function frames(page, work) {
  await page.evaluate(() => {
    window.frameTimes = [];
    let last;
    const look = (now) => {
      if (last !== undefined) window.frameTimes.push(now - last);
      last = now;
      window.frameLook = requestAnimationFrame(look);
    };
    window.frameLook = requestAnimationFrame(look);
  });
  const found = await work();
  const times = await page.evaluate(() => {
    cancelAnimationFrame(window.frameLook);
    return window.frameTimes;
  });
  return { found, times };
}

/** The page while it writes and plays a text: its longest task and its frames. */
export async function writing(browser, base, backend) {
  const { page, close } = await visitor(browser, { viewport: { width: 1440, height: 900 }, serviceWorkers: "block" });
  try {
    const { device } = await open(page, base, backend === "cpu" ? "?backend=cpu" : "");
    await page.getByTestId("max_tokens").fill("300");
    // What a browser compiles and lays out for the first time is no part of writing.
    await page.waitForTimeout(500);
    const { found, times } = await frames(page, () =>
      tasks(page, async () => {
        await page.getByTestId("generate").click();
        await page.waitForTimeout(4000);
      }),
    );
    return {
      device: device.name,
      longest: Math.max(...found.map(({ processor }) => processor)),
      longestByClock: Math.max(...found.map(({ clock }) => clock)),
      long: found.filter(({ processor }) => processor > LONG_MS).length,
      tasks: found.length,
      // The mean: half of all frames could be late without the median showing it.
      frames: (1000 * times.length) / times.reduce((sum, time) => sum + time, 0),
    };
  } finally {
    await close();
  }
}

/** Milliseconds from a press to what it asks for: median of some tries, in the page's own time. */
export async function obedience(browser, base, backend) {
  const { page, close } = await visitor(browser, { viewport: { width: 1440, height: 900 }, serviceWorkers: "block" });
  try {
    await open(page, base, backend === "cpu" ? "?backend=cpu" : "");
    /** Clicks a button as soon as it is there and `first` holds, and waits for a condition, within the page. */
    const press = (id, first, condition) =>
      page.evaluate(
        ([id, first, condition]) => {
          const may = new Function(`return ${first}`);
          const met = new Function(`return ${condition}`);
          return new Promise((resolve, reject) => {
            let start;
            // A run may be over before anybody looks.
            const since = performance.now();
            const look = () => {
              const button = document.querySelector(`[data-testid=${id}]`);
              if (start === undefined && button && !button.disabled && may()) {
                start = performance.now();
                button.click();
              }
              if (start !== undefined && met()) resolve(performance.now() - start);
              else if (start === undefined && performance.now() - since > 60_000) reject(new Error(`${id} could not be pressed`));
              else setTimeout(look);
            };
            look();
          });
        },
        [id, first, condition],
      );
    const pause = [];
    const stop = [];
    for (let tries = 0; tries < 5; tries += 1) {
      await page.getByTestId("max_tokens").fill("400");
      // A run with something to play after the writing; one that has none yet leaves nothing to pause.
      const isWritten = "(({ events }) => events.length > 5 && events.at(-1).event !== 'finished')(couplet.trace() ?? { events: [] })";
      const ended = press("stop", isWritten, "!document.querySelector('[data-testid=stop]')");
      await page.getByTestId("generate").click();
      stop.push(await ended);
      // The play goes on after the writing.
      if (!/pause/i.test(await page.getByTestId("play").innerText())) {
        await page.keyboard.press("Home");
        await page.getByTestId("play").click();
      }
      const plays = "/pause/i.test(document.querySelector('[data-testid=play]').innerText)";
      pause.push(await press("play", plays, `!${plays}`));
    }
    return { pause: median(pause), stop: median(stop) };
  } finally {
    await close();
  }
}
