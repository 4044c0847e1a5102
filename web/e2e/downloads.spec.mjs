// The models' way here: broken connections, damaged copies, later visits.
import assert from "node:assert/strict";
import { WEIGHTS, between, call, hasten, noPanicText, notice, open, patchWorker, ready, reload, tokens, until, write } from "./support.mjs";
import { test } from "./test.mjs";

const CPU = "?backend=cpu";
const isEngine = (request) => /couplet-worker[^/]*_bg\.wasm/.test(request.url);
const isWeights = (request) => request.url.includes("/target/model.safetensors");

/** Size of the target's weights, from the model card. */
async function size(page, base) {
  const card = await (await page.request.get(`${base}pairs/shakespeare/model-card.json`)).json();
  return card.target.weights.bytes;
}

/** The pieces of the target's weights in the cache: name and bytes. */
const pieces = (page) =>
  page.evaluate(async () => {
    const found = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        if (!request.url.includes("/target/model.safetensors")) continue;
        const body = await (await cache.match(request)).arrayBuffer();
        found.push({ name: request.url, bytes: body.byteLength });
      }
    }
    return found;
  });

/** For how long the page hears nothing of an engine before it gives it up. */
const SILENCE_MS = 60_000;

test("an engine that takes longer than any silence is waited for as long as it keeps coming", async ({ page, base }) => {
  let asked = 0;
  const server = await between(base, async (request, pass, response) => {
    if (!isEngine(request)) return pass();
    asked += 1;
    const module = Buffer.from(await (await fetch(new URL(request.url, base))).arrayBuffer());
    response.writeHead(200, { "Content-Type": "application/wasm", "Content-Length": module.length });
    const part = Math.ceil(module.length / 10);
    for (let at = 0; at < module.length; at += part) {
      response.write(module.subarray(at, at + part));
      await new Promise((resolve) => setTimeout(resolve, 1_200));
    }
    response.end();
  });
  try {
    const limited = await hasten(page, SILENCE_MS, 8_000);
    await open(page, server.address, CPU);
    assert.equal(asked, 1);
    assert.ok(await limited());
    assert.ok(await page.getByTestId("notice").isHidden());
  } finally {
    server.close();
  }
});

test("a page that slept does not take the engine's silence for its end", async ({ page, base }) => {
  await page.addInitScript((limit) => {
    // The first time the page sleeps for an hour before it looks.
    window.judged = 0;
    const [wait, now] = [window.setTimeout, Date.now];
    window.setTimeout = (task, delay, ...rest) => {
      // What is waited for after that is the engine that was started again.
      if (delay !== limit || window.judged > 1) return wait(task, delay, ...rest);
      return wait(() => {
        window.judged += 1;
        Date.now = () => now() + (window.judged === 1 ? 3_600_000 : 0);
        task(...rest);
        Date.now = now;
      }, window.judged === 0 ? 3_000 : 8_000);
    };
  }, SILENCE_MS);
  await page.route("**/couplet-worker*.wasm*", () => {});
  await page.goto(base + CPU);
  await page.waitForFunction(() => window.judged === 1);
  await page.waitForTimeout(300);
  assert.ok(await page.getByTestId("notice").isHidden());
  await notice(page, /nothing came any more\. It was started again/);
  assert.ok((await page.evaluate(() => window.judged)) >= 2);
});

test("an engine that falls silent on its way is asked for again", async ({ page, base }) => {
  let asked = 0;
  const server = await between(base, (request, pass) => {
    if (!isEngine(request)) return pass();
    asked += 1;
    pass(asked === 1 ? { cutAfter: 1_000_000, hold: true } : {});
  });
  try {
    await hasten(page, SILENCE_MS, 8_000);
    await page.goto(server.address + CPU);
    await notice(page, /nothing came any more\. It was started again/);
    await ready(page);
    assert.equal(asked, 2);
  } finally {
    server.close();
  }
});

test("a file of the engine that gets lost once is asked for again, and no lesser engine runs", async ({ page, base }) => {
  const runs = async (address, file) => {
    const { device } = await open(page, address, CPU);
    assert.equal(device.variant, "fused multiply-add", file);
    assert.ok(await page.getByTestId("notice").isHidden(), file);
  };
  for (const file of ["couplet-worker_loader.js", "couplet-worker-relaxed.js", "couplet-worker-relaxed_bg.wasm"]) {
    let asked = 0;
    await page.route(`**/${file}*`, (route) => ((asked += 1) === 1 ? route.abort("connectionreset") : route.continue()));
    await runs(base, file);
    assert.equal(asked, 2, file);
    await page.unroute(`**/${file}*`);
  }
  // And where it gets lost on its way.
  let asked = 0;
  const server = await between(base, (request, pass) => {
    if (!isEngine(request)) return pass();
    asked += 1;
    pass(asked === 1 ? { cutAfter: 1_000_000 } : {});
  });
  try {
    await runs(server.address, "cut off");
    assert.equal(asked, 2);
  } finally {
    server.close();
  }
});

test("an engine that never arrives ends in a sentence", async ({ page, base }) => {
  const asked = [];
  await page.route("**/couplet-worker*_bg.wasm*", (route) => {
    asked.push(route.request().url());
    return route.abort();
  });
  await patchWorker(page, "const wait = self.setTimeout.bind(self); self.setTimeout = (task, ms) => wait(task, ms / 20);");
  await page.goto(base + CPU);
  await notice(page, /engine could not be loaded/);
  assert.equal(asked.length, 5, `${asked}`);
  assert.ok(asked.every((url) => url.includes("relaxed")), `${asked}`);
  await noPanicText(page);
});

test("a list of pairs that never comes holds no models up, and of what breaks before them the page tells", async ({ page, base }) => {
  await page.route("**/pairs/pairs.json", () => {});
  let asked = 0;
  await page.route("**/model-card.json", (route) => ((asked += 1) < 4 ? route.abort() : route.continue()));
  await page.goto(base + CPU);
  await page.getByTestId("loading").getByText("The connection broke and is tried again").waitFor();
  // Asked for before the models are there.
  assert.ok(tokens(await write(page)).length > 8);
  assert.equal(asked, 4);
});

test("a download whose connection breaks goes on where it broke", async ({ page, base }) => {
  const asked = [];
  const server = await between(base, (request, pass) => {
    if (!isWeights(request)) return pass();
    asked.push(request.headers.range);
    pass(asked.length === 1 ? { cutAfter: 1_000_000 } : {});
  });
  try {
    await open(page, server.address, CPU);
    assert.equal(asked.length, 2, `${asked}`);
    assert.equal(asked[0], undefined);
    const from = Number(/^bytes=(\d+)-$/.exec(asked[1])[1]);
    assert.ok(from > 900_000 && from <= 1_000_000, `${from}`);
    console.log(`        ${(await size(page, base)) - from} of ${await size(page, base)} bytes after the break`);
    assert.ok(tokens(await call(page, "generate", { max_tokens: 8 })).length > 8);
  } finally {
    server.close();
  }
});

test("a connection that falls silent is given up and tried again", async ({ page, base }) => {
  const asked = [];
  const server = await between(base, (request, pass) => {
    if (!isWeights(request)) return pass();
    asked.push(request.headers.range);
    pass(asked.length === 1 ? { cutAfter: 1_000_000, hold: true } : {});
  });
  try {
    await open(page, server.address, CPU);
    assert.match(asked[1], /^bytes=1000000-$/);
  } finally {
    server.close();
  }
});

test("a page that is loaded again goes on with what had arrived", async ({ page, base }) => {
  const asked = [];
  const server = await between(base, (request, pass) => {
    if (!isWeights(request)) return pass();
    asked.push(request.headers.range);
    pass(asked.length === 1 ? { cutAfter: 1_000_000, hold: true } : {});
  });
  try {
    await page.goto(server.address + CPU);
    const kept = async () => (await pieces(page)).reduce((sum, piece) => sum + piece.bytes, 0);
    await until(async () => (await kept()) > 500_000, "some pieces are kept");
    await reload(page);
    assert.equal(asked.length, 2, `${asked}`);
    const from = Number(/^bytes=(\d+)-$/.exec(asked[1])[1]);
    assert.ok(from > 500_000 && from <= 1_000_000, `${from}`);
  } finally {
    server.close();
  }
});

test("a server that knows no ranges sends everything again", async ({ page, base }) => {
  const asked = [];
  const server = await between(base, (request, pass) => {
    if (!isWeights(request)) return pass();
    asked.push(request.headers.range);
    const { range, ...headers } = request.headers;
    pass({ headers, cutAfter: asked.length === 1 ? 1_000_000 : Infinity });
  });
  try {
    await open(page, server.address, CPU);
    assert.match(asked[1], /^bytes=/);
    assert.equal(asked.length, 2);
    assert.ok(tokens(await call(page, "generate", { max_tokens: 8 })).length > 8);
  } finally {
    server.close();
  }
});

for (const [what, keepsNothing] of [
  ["keeps nothing", "Object.defineProperty(self, 'caches', { get: () => undefined });"],
  ["only says that it keeps something", "CacheStorage.prototype.open = () => Promise.reject(new DOMException('', 'SecurityError'));"],
]) test(`a connection that keeps breaking ends in a sentence, and another try goes on where a browser ${what}`, async ({ page, base }) => {
  let broken = true;
  const asked = [];
  let drafts = 0;
  const server = await between(base, (request, pass) => {
    if (/\/draft\/model\.safetensors/.test(request.url)) drafts += 1;
    if (!isWeights(request)) return pass();
    asked.push(request.headers.range);
    if (!broken) return pass();
    if (asked.length === 1) return pass({ cutAfter: 1_000_000 });
    request.socket.destroy();
  });
  try {
    await patchWorker(page, keepsNothing);
    await page.goto(server.address + CPU);
    const retry = page.getByRole("button", { name: "Try again" });
    await retry.waitFor({ timeout: 60_000 });
    assert.match(await page.getByTestId("notice").innerText(), /could not be downloaded .* what has arrived is kept/);
    await noPanicText(page);
    broken = false;
    await retry.click();
    await ready(page);
    // A browser may drop the end of what a broken connection had brought.
    const [, from] = asked.at(-1).match(/^bytes=(\d+)-$/);
    assert.ok(from > 0 && from <= 1_000_000, asked.at(-1));
    assert.equal(drafts, 1);
  } finally {
    server.close();
  }
});

test("a second visit asks for no weights", async ({ page, base }) => {
  let asked = 0;
  const server = await between(base, (request, pass) => {
    asked += /safetensors/.test(request.url) ? 1 : 0;
    pass();
  });
  try {
    await open(page, server.address, CPU);
    assert.equal(asked, 2);
    const whole = (await pieces(page)).reduce((sum, piece) => sum + piece.bytes, 0);
    assert.equal(whole, await size(page, base));
    const start = performance.now();
    await reload(page);
    console.log(`        ready ${Math.round(performance.now() - start)} ms into the second visit`);
    assert.equal(asked, 2);
  } finally {
    server.close();
  }
});

test("a kept file that has gone bad is replaced without a word", async ({ page, base }) => {
  let asked = 0;
  const server = await between(base, (request, pass) => {
    asked += isWeights(request) ? 1 : 0;
    pass();
  });
  try {
    await open(page, server.address, CPU);
    await page.evaluate(async () => {
      for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
          const bytes = new Uint8Array(await (await cache.match(request)).arrayBuffer());
          bytes[7] ^= 1;
          await cache.put(request, new Response(bytes));
        }
      }
    });
    await reload(page);
    assert.equal(asked, 2);
    assert.ok(await page.getByTestId("notice").isHidden());
    // And it is healed for the next visit.
    await reload(page);
    assert.equal(asked, 2);
  } finally {
    server.close();
  }
});

test("files of other releases are thrown away", async ({ page, base }) => {
  await open(page, base, CPU);
  const [piece] = await pieces(page);
  await page.evaluate(async (name) => {
    await (await caches.open("couplet-files-0")).put("x", new Response("old layout"));
    const old = name.replace(/sha256=[0-9a-f]+/, `sha256=${"0".repeat(64)}`);
    await (await caches.open("couplet-files-1")).put(old, new Response("old release"));
    await (await caches.open("somebody-elses")).put("x", new Response("not ours"));
  }, piece.name);
  await reload(page);
  const kept = () =>
    page.evaluate(async () => {
      const cache = await caches.open("couplet-files-1");
      return [await caches.keys(), (await cache.keys()).map((request) => request.url)].flat().join();
    });
  await until(async () => !/couplet-files-0|0{64}/.test(await kept()), "the old files are gone");
  assert.match(await kept(), /target\/model\.safetensors/);
  assert.ok(await page.evaluate(() => caches.has("somebody-elses")));
});

test("a browser that keeps nothing downloads every time", async ({ page, base }) => {
  for (const script of [
    "Object.defineProperty(self, 'caches', { get: () => undefined });",
    "CacheStorage.prototype.open = () => Promise.reject(new DOMException('private', 'SecurityError'));",
    "Cache.prototype.put = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));",
    "Cache.prototype.put = Cache.prototype.match = () => new Promise(() => {});",
  ]) {
    await page.unrouteAll();
    // A disk that hangs is waited for ten seconds; here for a moment.
    await patchWorker(page, `${script} { const wait = setTimeout; self.setTimeout = (task, ms) => wait(task, ms === 10_000 ? 50 : ms); }`);
    await open(page, base, CPU);
    assert.ok(tokens(await call(page, "generate", { max_tokens: 8 })).length > 8, script);
    assert.deepEqual(await pieces(page), [], script);
    assert.ok(await page.getByTestId("notice").isHidden());
  }
});

test("how much there is to come and has come is said in bytes", async ({ page, base }) => {
  const total = ((await size(page, base)) / 1e6).toFixed(0);
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  await page.route(WEIGHTS, async (route) => {
    await gate;
    await route.continue();
  });
  await page.goto(base + CPU);
  await page.waitForFunction(
    () => /(\d+\.\d) of (\d+\.\d) MB/.exec(document.querySelector("[data-testid=loading]")?.innerText ?? "")?.[1] > 0,
  );
  const words = await page.getByTestId("loading").innerText();
  const [, , all] = /(\d+\.\d) of (\d+\.\d) MB/.exec(words);
  assert.ok(Number(all) > Number(total), words);
  release();
  await ready(page);
});
