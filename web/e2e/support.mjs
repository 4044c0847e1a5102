// What the specs share.
import assert from "node:assert/strict";

/** Opens the page and waits until a pair is loaded; returns the pair and the device. */
export async function open(page, base, path = "") {
  await page.goto(base + path);
  await page.waitForFunction(() => window.couplet);
  return page.evaluate(() => window.couplet.ready());
}

/** Calls `window.couplet[name](options)`. */
export function call(page, name, options) {
  return page.evaluate(([name, options]) => window.couplet[name](options), [name, options]);
}

/** The message and field of the error that a call is rejected with. */
export function refusal(page, name, options) {
  return page.evaluate(
    ([name, options]) =>
      window.couplet[name](options).then(
        () => null,
        (error) => ({ message: error.message, field: error.field }),
      ),
    [name, options],
  );
}

/** Puts a line of script before the worker's own. */
export async function patchWorker(page, script) {
  await page.route("**/couplet-worker_loader.js", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${script}\n${await response.text()}` });
  });
}

/** All committed tokens of a trace, prompt included. */
export function tokens(trace) {
  const started = trace.events.find((event) => event.event === "started");
  const committed = trace.events.filter((event) => event.event === "committed");
  return [...started.prompt_tokens, ...committed.flatMap((event) => event.tokens)];
}

/** Waits for a sentence in a notice. */
export async function notice(page, pattern) {
  const locator = page.getByTestId("notice").filter({ hasText: pattern });
  await locator.first().waitFor({ timeout: 60_000 });
  return locator.first().innerText();
}

/** No text that only a programmer understands. */
export async function noPanicText(page) {
  const text = await page.locator("body").innerText();
  assert.doesNotMatch(text, /panicked|RuntimeError|unreachable executed|unwrap/i);
}
