// What the specs share.
import assert from "node:assert/strict";
import http from "node:http";

/** Opens the page and waits until a pair is loaded; returns the pair and the device. */
export async function open(page, base, path = "") {
  await page.goto(base + path);
  return ready(page);
}

/** Loads the page again and waits until a pair is loaded; returns the pair and the device. */
export async function reload(page) {
  await page.reload();
  return ready(page);
}

/** Waits until a pair is loaded; returns the pair and the device. */
export async function ready(page) {
  await page.waitForFunction(() => window.couplet);
  return page.evaluate(() => window.couplet.ready());
}

/**
 * What a function of the page returns, as JSON: the driver's own way to hand over an object takes both sides
 * half a second for a run.
 */
async function json(page, get, argument) {
  const text = await page.evaluate(get, argument);
  return text === undefined ? undefined : JSON.parse(text);
}

/** Calls `window.couplet[name](options)`. */
export function call(page, name, options) {
  return json(page, async ([name, options]) => JSON.stringify(await window.couplet[name](options)), [name, options]);
}

/** The run on the page; `null` where there is none. */
export function traceOf(page) {
  return json(page, () => JSON.stringify(window.couplet.trace()));
}

/** The message, field and code of the error that a call is rejected with. */
export function refusal(page, name, options) {
  return page.evaluate(
    ([name, options]) =>
      window.couplet[name](options).then(
        () => null,
        ({ message, field, code }) => ({ message, field, code }),
      ),
    [name, options],
  );
}

/** Puts a line of script before the worker's own. */
export async function patchWorker(page, script) {
  await page.route("**/couplet-worker_loader.js*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${script}\n${await response.text()}` });
  });
}

/** Has what the engine says come so many milliseconds late, from the first message on that holds these words. */
export function delay(page, words, milliseconds) {
  return patchWorker(
    page,
    `{ const post = self.postMessage.bind(self);
       let isLate = false;
       self.postMessage = (text) => {
         isLate ||= String(text).includes(${JSON.stringify(words)});
         isLate ? setTimeout(() => post(text), ${milliseconds}) : post(text);
       }; }`,
  );
}

/**
 * Presses Stop as soon as it is there, after a press on another button. Both within the page: a run may be
 * over before another call of a test comes.
 */
export function pressStop(page, first) {
  return page.evaluate(async (first) => {
    const button = (name) => document.querySelector(`[data-testid=${name}]`);
    button(first).click();
    while (!button("stop")) await new Promise(requestAnimationFrame);
    button("stop").focus();
    button("stop").click();
  }, first);
}

/** A prompt that the engine reads for a while. */
export const LONG_PROMPT = "KING RICHARD:\nA ".repeat(12);

/**
 * Has a limit of the page's pass sooner: what it would wait for so many milliseconds, it waits for fewer.
 * Returns whether the page has waited for that limit, without which a test says nothing of it.
 */
export async function hasten(page, milliseconds, fewer) {
  await page.addInitScript(
    ([milliseconds, fewer]) => {
      const wait = window.setTimeout;
      window.setTimeout = (task, delay, ...rest) => {
        if (delay === milliseconds) window.hastened = [...(window.hastened ?? []), milliseconds];
        return wait(task, delay === milliseconds ? fewer : delay, ...rest);
      };
    },
    [milliseconds, fewer],
  );
  return () => page.evaluate((milliseconds) => (window.hastened ?? []).includes(milliseconds), milliseconds);
}

/** Has requests wait; returns a function that lets them go on. `options` are those of `page.route`. */
export async function hold(page, pattern, options) {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const wait = async (route) => {
    await held;
    await route.continue();
  };
  await page.route(pattern, wait, options);
  return release;
}

/** All committed tokens of a trace, prompt included. */
export function tokens(trace) {
  const started = trace.events.find((event) => event.event === "started");
  const committed = trace.events.filter((event) => event.event === "committed");
  return [...started.prompt_tokens, ...committed.flatMap((event) => event.tokens)];
}

/** The weights of the larger model, whatever the pair. */
export const WEIGHTS = "**/target/model.safetensors";

/** Waits until the run on the page, which is no recording, has ended; returns its trace. */
export async function finished(page) {
  // Not at every frame: what it asks for is a whole run.
  await page.waitForFunction(() => window.couplet?.trace()?.events.at(-1)?.event === "finished", null, {
    timeout: 90_000,
    polling: 50,
  });
  return traceOf(page);
}

/** Presses Write and waits for the run; unfolds the settings where they are folded. */
export async function write(page) {
  if (!(await page.getByTestId("generate").isVisible())) await page.getByTestId("settings").click();
  await page.getByTestId("generate").click();
  return finished(page);
}

/** Waits until a run stands on the page, of one of the kinds "recorded" and "live". */
export async function shown(page, kind) {
  await page.locator(`[data-testid=provenance][data-kind=${kind}]`).waitFor({ timeout: 60_000 });
}

/**
 * A server between the page and its files that can misbehave: `handle(request, pass, response)` sees every
 * request and may answer it itself. `pass({ headers, cutAfter, hold })` answers it from `base`, with other request headers,
 * cutting the connection after so many bytes, or falling silent there. Returns the address and
 * a function that ends the server.
 */
export async function between(base, handle) {
  const upstream = new URL(base);
  const server = http.createServer((request, response) => {
    const pass = ({ headers = request.headers, cutAfter = Infinity, hold = false } = {}) => {
      const options = { host: upstream.hostname, port: upstream.port, path: request.url, headers };
      const onward = http.get(options, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        let sent = 0;
        answer.on("data", (bytes) => {
          const rest = bytes.subarray(0, Math.max(0, cutAfter - sent));
          sent += bytes.length;
          if (sent < cutAfter) return response.write(rest);
          onward.destroy();
          // What was written must arrive before the connection ends, also where the browser is busy.
          response.write(rest, () => hold || setTimeout(() => response.destroy(), 2_000));
        });
        answer.on("end", () => response.end());
      });
      onward.on("error", () => {});
    };
    handle(request, pass, response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address: `http://127.0.0.1:${server.address().port}${upstream.pathname}`, close };
}

/** Types by which browsers know a file's use. */
const TYPES = {
  html: "text/html",
  css: "text/css",
  js: "text/javascript",
  json: "application/json",
  wasm: "application/wasm",
  woff2: "font/woff2",
};

/** Stands for a file whose answer begins and never ends. */
export const STALLED = Symbol("stalled");

/**
 * A server of the built page that can go over to another release. `serve({ path: text })` puts
 * other files in the place of some; `asked` lists the paths that were asked for.
 */
export async function release(base) {
  let files = {};
  const asked = [];
  const { address, close } = await between(base, (request, pass, response) => {
    const path = new URL(request.url, base).pathname.slice(new URL(base).pathname.length) || "index.html";
    asked.push(path);
    if (!Object.hasOwn(files, path)) return pass();
    response.writeHead(200, { "Content-Type": TYPES[path.split(".").at(-1)], "Cache-Control": "no-store" });
    if (files[path] === STALLED) response.write("[");
    else response.end(files[path]);
  });
  return { address, close, asked, serve: (others) => (files = others) };
}

/** Somebody whose browser has service workers: a page of a context of its own. */
export async function visitor(browser, options = {}) {
  const context = await browser.newContext({ serviceWorkers: "allow", ...options });
  const page = await context.newPage();
  return { context, page, close: () => context.close() };
}

/** Waits until a condition holds that takes a promise to find out. */
export async function until(condition, what) {
  for (const start = performance.now(); !(await condition()); ) {
    assert.ok(performance.now() - start < 30_000, `waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Waits until the live test of Proof has counted so many lots of texts; the first is counted by itself. */
export async function counted(page, lots = 1) {
  await page.waitForFunction(
    (count) => document.querySelector("[data-testid=test-about]")?.textContent.startsWith(count),
    (20_000 * lots).toLocaleString("en"),
    { timeout: 180_000 },
  );
}

/** Waits until the address names the place of the playhead. */
export async function settled(page) {
  await page.waitForFunction(() => {
    const at = (address) => new URLSearchParams(new URL(address).hash.slice(1)).get("at");
    const link = window.couplet.link();
    return link !== null && at(location.href) !== null && at(location.href) === at(link);
  });
}

/** Waits for the frame after the next: what the next one measures and moves is done by then. */
export async function frames(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
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
