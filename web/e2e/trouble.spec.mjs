// Bad luck: each case gives a sentence and a way out, and nothing that the person had is lost.
import assert from "node:assert/strict";
import { WEIGHTS, call, finished, hasten, noPanicText, notice, open, patchWorker, ready, refusal, shown, tokens, until, write } from "./support.mjs";
import { test } from "./test.mjs";

const NO_GPU = "Object.defineProperty(WorkerNavigator.prototype, 'gpu', { get: () => undefined });";
/**
 * A worker whose GPU is lost at the fourth thing, or another, that a request about “LOSE IT” asks of it, and so is each
 * that takes its place, as often as `times` says.
 */
const LOSES = (times, at = 4) => `
  const request = GPUAdapter.prototype.requestDevice;
  let device, lost = 0, counts = false, submitted = 0;
  GPUAdapter.prototype.requestDevice = async function (...options) {
    const newest = (device = await request.apply(this, options));
    const submit = newest.queue.submit.bind(newest.queue);
    newest.queue.submit = (...lists) => {
      submit(...lists);
      if (!counts || newest !== device || (submitted += 1) < ${at}) return;
      counts = false;
      lost += 1;
      newest.destroy();
    };
    return newest;
  };
  const begin = () => ((submitted = 0), (counts = lost < ${times}));
  self.addEventListener('message', ({ data }) => String(data).includes('LOSE IT') && begin());
  // A GPU that takes the place of another is checked first, and then told of.
  const post = self.postMessage.bind(self);
  self.postMessage = (text) => (post(text), lost > 0 && String(text).includes('"loaded"') && begin());`;

/** A worker whose GPU \`lose()\` takes away. */
const LOSABLE = `
  const request = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...options) {
    const device = await request.apply(this, options);
    self.lose ??= () => (device.destroy(), device.lost);
    return device;
  };`;
const lose = (page) => page.workers()[0].evaluate(() => self.lose().then(() => {}));

/** A WebAssembly module whose memory cannot grow by more than `pages` pages of 64 KiB. */
function limitMemory(module, pages) {
  const readNumber = (at) => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = module[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return [value, at];
    }
  };
  const number = (value) => {
    const bytes = [];
    do {
      bytes.push((value & 127) | (value > 127 ? 128 : 0));
      value >>>= 7;
    } while (value > 0);
    return bytes;
  };
  for (let at = 8; at < module.length; ) {
    const [size, start] = readNumber(at + 1);
    if (module[at] === 5) {
      const [initial] = readNumber(start + 2);
      const content = [1, 1, ...number(initial), ...number(initial + pages)];
      const section = Buffer.from([5, ...number(content.length), ...content]);
      return Buffer.concat([module.subarray(0, at), section, module.subarray(start + size)]);
    }
    at = start + size;
  }
  throw new Error("the module has no memory");
}

test("on a phone, what the engine refuses is told where it can be seen", async ({ page, base }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${base}?backend=cpu`);
  await ready(page);
  await page.getByTestId("settings").click();
  await page.getByTestId("prompt").fill("你");
  await page.getByTestId("generate").click();
  await page.waitForFunction(() => {
    const top = document.querySelector("#prompt-error")?.getBoundingClientRect().top;
    return top >= 0 && top < innerHeight;
  });
});

test("without WebGPU the CPU writes, and the badge says why", async ({ page, base }) => {
  await patchWorker(page, NO_GPU);
  const { device } = await open(page, base);
  assert.equal(device.backend, "cpu");
  assert.ok(device.reason, "a reason is given");
  assert.match(await page.getByTestId("badge").innerText(), /CPU/);
  // Once it is hidden, the badge has it told again.
  await notice(page, /Both models run on the CPU/);
  await page.getByTestId("notice").getByRole("button", { name: "Hide this" }).click();
  await until(() => page.getByTestId("notice").isHidden(), "the reason is hidden");
  await page.getByTestId("badge").click();
  await notice(page, /Both models run on the CPU/);
  const trace = await call(page, "generate", { max_tokens: 12 });
  assert.ok(tokens(trace).length > 12);
});

test("on a phone the reason for the CPU waits behind the badge, and pushes nothing down", async ({ page, base }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await patchWorker(page, NO_GPU);
  await page.goto(base);
  await shown(page, "recorded");
  await page.evaluate(() => document.fonts.ready);
  const top = () => page.getByTestId("manuscript").evaluate((text) => text.getBoundingClientRect().top);
  const before = await top();
  await ready(page);
  assert.equal(await top(), before);
  await page.getByTestId("badge").click();
  await notice(page, /Both models run on the CPU/);
});

test("over plain HTTP the CPU writes, and what WebGPU would take is said", async ({ page, base }) => {
  const plain = "http://couplet.test/";
  await page.route(`${plain}**`, async (route) => route.fulfill({ response: await route.fetch({ url: route.request().url().replace(plain, base) }) }));
  const { device } = await open(page, plain);
  assert.equal(await page.evaluate(() => isSecureContext), false);
  assert.equal(device.backend, "cpu");
  await notice(page, /only to pages over HTTPS and on localhost/);
  assert.equal((await call(page, "generate", { max_tokens: 12 })).events.at(-1).event, "finished");
});

test("an adapter without a needed limit is passed over", async ({ page, base }) => {
  await patchWorker(
    page,
    `const limits = Object.getOwnPropertyDescriptor(GPUAdapter.prototype, 'limits').get;
       Object.defineProperty(GPUAdapter.prototype, 'limits', { get() {
         const real = limits.call(this);
         return new Proxy(real, { get: (_, name) =>
           name === 'maxStorageBuffersPerShaderStage' ? 4 : real[name] });
       } });`,
  );
  const { device } = await open(page, base);
  assert.equal(device.backend, "cpu");
  assert.match(device.reason, /storage buffers/);
});

test("a GPU that never answers is passed over", async ({ page, base }) => {
  await patchWorker(
    page,
    `GPU.prototype.requestAdapter = () => new Promise(() => {});
     const wait = self.setTimeout;
     self.setTimeout = (task, delay, ...rest) => wait(task, delay === 20_000 ? 500 : delay, ...rest);`,
  );
  const { device } = await open(page, base);
  assert.equal(device.backend, "cpu");
  assert.match(device.reason, /the GPU did not answer/);
});

test("what the engine refuses and no field shows does not keep Write from writing", async ({ page, base }) => {
  await open(page, base, "?backend=cpu#v=1&seed=5&max_tokens=20&branch=__");
  await notice(page, /There is no token/);
  const trace = await write(page);
  assert.deepEqual([trace.settings.seed, trace.events.at(-1).reason], [5, "length"]);
  await page.getByTestId("notice").waitFor({ state: "hidden" });
});

test("where the models cannot be had, nobody waits for them, and what was asked for comes if they do", async ({ page, base }) => {
  await page.route(WEIGHTS, (route) => route.fulfill({ status: 404 }));
  await page.goto(base + "?backend=cpu#v=1&seed=5&max_tokens=20");
  await notice(page, /could not be downloaded/);
  await shown(page, "recorded");
  await page.keyboard.press("Home");
  const play = page.getByTestId("play");
  if (/Pause/.test(await play.innerText())) await play.click();
  assert.doesNotMatch(await page.locator("#scene").innerText(), /Waiting|as soon as the models are here/);
  await page.unroute(WEIGHTS);
  await page.getByRole("button", { name: "Try again" }).click();
  assert.equal((await finished(page)).settings.seed, 5);
});

test("weights that cannot be fetched: a sentence, and another try works", async ({ page, base }) => {
  await page.route(WEIGHTS, (route) => route.fulfill({ status: 404 }));
  await page.goto(base + "?backend=cpu");
  assert.match(await notice(page, /could not be downloaded/), /404/);
  await noPanicText(page);
  await page.unroute(WEIGHTS);
  await page.getByRole("button", { name: /try again|retry/i }).first().click();
  await ready(page);
});

test("a login page in the place of a small file is told as what it is, and another try works", async ({ page, base }) => {
  for (const file of ["pairs/shakespeare/model-card.json", "pairs/pairs.json"]) {
    await page.route(`**/${file}`, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><p>Log in" }));
    await page.goto(base + "?backend=cpu");
    await page.waitForFunction(() => window.couplet);
    const { message, code } = await refusal(page, file.includes("card") ? "ready" : "pairs");
    assert.equal(code, "download");
    assert.ok(message.startsWith(`${file} could not be downloaded (something else came in its place). Check the connection and try again`), message);
    await page.unroute(`**/${file}`);
    if (file.includes("card")) await page.getByRole("button", { name: "Try again" }).click();
    await ready(page);
    assert.ok((await call(page, "pairs")).length > 1);
  }
});

test("weights that are cut off are refused by their hash", async ({ page, base }) => {
  await page.route(WEIGHTS, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ status: 200, body: (await response.body()).subarray(0, 5000) });
  });
  await page.goto(base + "?backend=cpu");
  await notice(page, /SHA-256/);
  await noPanicText(page);
});

test("a damaged copy in a cache is replaced by a fresh one", async ({ page, base }) => {
  let requests = 0;
  await page.route(WEIGHTS, async (route) => {
    requests += 1;
    if (requests > 1) return route.continue();
    const response = await route.fetch();
    const body = await response.body();
    body[5000] ^= 1;
    await route.fulfill({ status: 200, body });
  });
  await open(page, base, "?backend=cpu");
  assert.equal(requests, 2);
});

test("a worker that dies is started again with text and settings kept", async ({ page, base }) => {
  await patchWorker(
    page,
    `self.addEventListener('message', (event) => {
         if (String(event.data).includes('DIE NOW')) setTimeout(() => { throw new Error('killed'); }, 30);
       });`,
  );
  await open(page, base, "?backend=cpu");
  await page.getByTestId("prompt").fill("JULIET:\nDIE NOW");
  await page.getByTestId("play").click();
  await notice(page, /engine/i);
  await noPanicText(page);
  assert.equal(await page.getByTestId("prompt").inputValue(), "JULIET:\nDIE NOW");
  await ready(page);
  const trace = await call(page, "generate", { max_tokens: 8 });
  assert.ok(tokens(trace).length > 8);
});

test("a run that a dying worker cuts off is over, with what was written", async ({ page, base }) => {
  await patchWorker(
    page,
    `{ const post = self.postMessage.bind(self);
         let told = 0;
         self.postMessage = (text) => {
           if (told < 2) post(text);
           if (JSON.parse(text).events && (told += 1) === 2) setTimeout(() => { throw new Error('killed'); });
         }; }`,
  );
  await open(page, base, "?backend=cpu");
  await page.getByTestId("max_tokens").fill("200");
  await page.getByTestId("play").click();
  const { events } = await finished(page);
  assert.equal(events.at(-1).reason, "stopped");
  assert.ok(events.some((event) => event.event === "committed"));
  await page.keyboard.press("End");
  await page.getByTestId("play").getByText("Play", { exact: true }).waitFor();
});

test("a GPU that is lost in the middle of a run is replaced, and the text goes on", async ({ page, base }) => {
  await patchWorker(page, LOSES(1));
  const { device } = await open(page, base);
  assert.equal(device.backend, "gpu", device.reason);
  const trace = await call(page, "generate", { prompt: "LOSE IT", max_tokens: 100 });
  assert.equal(trace.events.at(-1).reason, "length");
  assert.equal(tokens(trace).length, 1 + "LOSE IT".length + 100);
  const { device: after } = await call(page, "ready");
  assert.match(after.reason ?? "", /lost/i);
  assert.equal(after.backend, "gpu");
  assert.doesNotMatch(await notice(page, /lost/i), /CPU/);
});

test("a text whose GPU is lost again and again is written to its end by the CPU", async ({ page, base }) => {
  await patchWorker(page, LOSES(9));
  await open(page, base);
  const trace = await call(page, "generate", { prompt: "LOSE IT", max_tokens: 100 });
  assert.equal(tokens(trace).length, 1 + "LOSE IT".length + 100);
  const { device } = await call(page, "ready");
  assert.equal(device.backend, "cpu");
  await notice(page, /lost; the CPU computes instead/);
});

test("a GPU that is lost while nothing is asked of it is missed by nobody", async ({ page, base }) => {
  await patchWorker(page, LOSABLE);
  assert.equal((await open(page, base)).device.backend, "gpu");
  await lose(page);
  const report = await call(page, "bench", { gammas: [1], pairs: 5, max_tokens: 16 });
  assert.equal(report.device.backend, "gpu");
  assert.match(report.device.reason, /lost; there is a new connection/);
});

test("couplings are counted to the end where the GPU is lost", async ({ page, base }) => {
  await patchWorker(page, LOSABLE);
  await open(page, base);
  await lose(page);
  const { trials, backend } = await call(page, "couple", { draft: [0.5, 0.5], target: [0.25, 0.75], rule: "optimal", trials: 10_000 });
  assert.deepEqual([trials, backend], [10_000, "cpu"]);
});

test("a distribution that a lost GPU was asked for comes from the next one", async ({ page, base }) => {
  await patchWorker(page, LOSES(1, 1));
  await open(page, base);
  const { probs, rest = 0 } = await call(page, "distribution", { model: "target", text: "LOSE IT" });
  const sum = probs.reduce((sum, prob) => sum + prob, rest);
  assert.ok(Math.abs(sum - 1) < 1e-3, `${sum}`);
  assert.match((await call(page, "ready")).device.reason ?? "", /lost/);
});

test("a GPU that is lost by a measurement takes nothing else with it", async ({ page, base }) => {
  await patchWorker(page, LOSES(1));
  await open(page, base);
  const [bench, trace] = await Promise.all([
    refusal(page, "bench", { prompt: "LOSE IT", gammas: [1], pairs: 5, max_tokens: 16 }),
    call(page, "generate", { max_tokens: 12 }),
  ]);
  assert.match(bench.message, /GPU was lost/);
  assert.equal(trace.events.at(-1).reason, "length");
  assert.equal((await call(page, "ready")).device.backend, "gpu");
});

/** Has the GPU run other code than the engine's. */
const MISREADS = (here, there) => `const create = GPUDevice.prototype.createShaderModule;
     GPUDevice.prototype.createShaderModule = function (descriptor) {
       const code = descriptor.code.replaceAll('${here}', '${there}');
       return create.call(this, { ...descriptor, code });
     };`;

test("a GPU that computes other numbers than the processor is passed over", async ({ page, base }) => {
  await patchWorker(page, MISREADS("inverseSqrt(", "1.002 * inverseSqrt("));
  const { device } = await open(page, base);
  assert.equal(device.backend, "cpu");
  await notice(page, /something else than the processor/);
  assert.ok(tokens(await call(page, "generate", { max_tokens: 12 })).length > 12);
});

test("a GPU that judges by one rule otherwise than the processor does not write by that one", async ({ page, base }) => {
  await patchWorker(page, MISREADS("let refused = mass +", "let refused = 2.0 * mass +"));
  const { device } = await open(page, base);
  assert.equal(device.backend, "gpu", device.reason);
  const options = { max_tokens: 24, seed: 3 };
  assert.ok(tokens(await call(page, "generate", options)).length > 24);
  assert.equal((await call(page, "ready")).device.backend, "gpu");
  const found = tokens(await call(page, "generate", { ...options, rule: "block" }));
  assert.equal((await call(page, "ready")).device.backend, "cpu");
  await notice(page, /something else than the processor/);
  assert.deepEqual(found, tokens(await call(page, "generate", { ...options, rule: "block" })));
});

test("what a GPU throws otherwise than the processor does not count", async ({ page, base }) => {
  await patchWorker(page, MISREADS("target_], 1u);", "target_], 2u);"));
  assert.equal((await open(page, base)).device.backend, "gpu");
  const { backend, counts, trials } = await call(page, "couple", { draft: [0.5, 0.5], target: [0.2, 0.8], rule: "optimal", trials: 1000 });
  assert.equal(backend, "cpu");
  assert.equal(counts.flat().reduce((sum, count) => sum + count, 0), trials);
});

test("a GPU that refuses a command in the middle of a run is given back before another is asked for", async ({ page, base }) => {
  await patchWorker(
    page,
    `const request = GPUAdapter.prototype.requestDevice;
       const devices = [];
       const ends = [];
       GPUAdapter.prototype.requestDevice = async function (...options) {
         if (devices.length > 0 && ends.length < devices.length) self.kept = true;
         const device = await request.apply(this, options);
         devices.push(device);
         const destroy = device.destroy.bind(device);
         device.destroy = () => (ends.push(device), destroy());
         return device;
       };
       self.addEventListener('message', (event) => {
         if (String(event.data).includes('REFUSE IT')) {
           const device = devices.at(-1);
           const submit = device.queue.submit.bind(device.queue);
           let submitted = 0;
           device.queue.submit = (...lists) => {
             submit(...lists);
             if ((submitted += 1) === 4) device.createBuffer({ size: 2 ** 40, usage: GPUBufferUsage.STORAGE });
           };
         }
       });
       const post = self.postMessage.bind(self);
       self.postMessage = (text) => post(self.kept ? text.replaceAll('new connection', 'second connection') : text);`,
  );
  const { device } = await open(page, base);
  assert.equal(device.backend, "gpu", device.reason);
  const trace = await call(page, "generate", { prompt: "REFUSE IT", max_tokens: 60 });
  assert.equal(trace.events.at(-1).reason, "length");
  assert.equal(tokens(trace).length, 1 + "REFUSE IT".length + 60);
  const { device: after } = await call(page, "ready");
  assert.equal(after.backend, "gpu");
  assert.match(after.reason, /new connection/);
});

/** How an engine that writes can fail to end: what it does with a message then, and what the page waits, in milliseconds, and here. */
const ENDLESS = {
  "does not obey Stop": { act: `post(text); while (text.includes('"committed"'));`, waits: 10_500, here: 500 },
  "answers Stop and goes on": { act: `if (!/"finished"|"failed"/.test(text)) post(text);`, waits: 60_000, here: 5_000 },
};
for (const [does, { act, waits, here }] of Object.entries(ENDLESS)) {
  test(`an engine that ${does} is ended and started again, with text and settings kept`, async ({ page, base }) => {
    await patchWorker(
      page,
      `const post = self.postMessage.bind(self);
       let hangs = false;
       self.addEventListener('message', ({ data }) => (hangs ||= String(data).includes('HANG')));
       self.postMessage = (text) => { if (hangs) { ${act} } else post(text); };`,
    );
    await open(page, base, "?backend=cpu");
    // Only what Stop waits for: for an engine to start, which may take longer here, the page waits as long.
    await page.evaluate(
      ([waits, here]) => {
        const wait = window.setTimeout;
        window.setTimeout = (task, delay, ...rest) => {
          if (delay !== waits) return wait(task, delay, ...rest);
          window.setTimeout = wait;
          window.isWaitedFor = true;
          return wait(task, here, ...rest);
        };
      },
      [waits, here],
    );
    await page.getByTestId("prompt").fill("HANG");
    await page.getByTestId("max_tokens").fill("4000");
    await page.getByTestId("generate").click();
    await page.waitForFunction(() => window.couplet.trace()?.events.some(({ event }) => event === "committed"));
    assert.equal(await page.evaluate(() => window.isWaitedFor), undefined);
    await page.getByTestId("stop").click();
    await notice(page, /did not answer/);
    assert.ok(await page.evaluate(() => window.isWaitedFor));
    assert.equal((await finished(page)).events.at(-1).reason, "stopped");
    assert.equal(await page.getByTestId("prompt").inputValue(), "HANG");
    await ready(page);
  });
}

test("an engine that does not end a load is given up once another pair is chosen", async ({ page, base }) => {
  // The next one answers.
  const mute = async (route) => {
    const response = await route.fetch();
    const script = `const post = self.postMessage.bind(self); self.postMessage = (text) => /"loaded"|"failed"/.test(text) || post(text);`;
    await route.fulfill({ response, body: `${script}\n${await response.text()}` });
  };
  await page.route("**/couplet-worker_loader.js*", mute, { times: 1 });
  await page.goto(base + "?backend=cpu");
  await page.getByTestId("pair").getByRole("option").nth(1).waitFor({ state: "attached" });
  await page.getByText("Live models get ready").waitFor();
  // Only what a choice waits for: for an engine to start the page waits as long.
  await page.evaluate(() => {
    const wait = window.setTimeout;
    window.setTimeout = (task, delay, ...rest) => {
      if (delay !== 60_000) return wait(task, delay, ...rest);
      window.setTimeout = wait;
      return wait(task, 2_000, ...rest);
    };
  });
  await page.getByTestId("pair").selectOption("stories");
  await notice(page, /did not answer/);
  assert.equal((await ready(page)).pair.name, "stories");
});

test("an engine that dies without a word is missed by Stop: what waits is refused, and another one starts", async ({ page, base }) => {
  const isWaitedFor = await hasten(page, 10_500, 500);
  await open(page, base, "?backend=cpu#v=1&scene=speed");
  const die = () => page.workers()[0].evaluate(() => self.close()).catch(() => {});
  const ends = () => page.evaluate(() => window.ends);
  await page.evaluate(() => {
    const told = (promise) => promise.then(() => null, ({ code, message }) => `${code}: ${message}`);
    window.ask = () => told(couplet.distribution({ model: "target", text: "O" }));
    window.ends = Promise.all([told(couplet.bench({ gammas: [2], pairs: 50, max_tokens: 200 })), ask()]);
  });
  await page.waitForTimeout(300);
  await die();
  await page.getByTestId("bench-stop").click();
  await notice(page, /did not answer\. It was started again/);
  assert.ok(await isWaitedFor());
  const why = "internal: The engine did not answer.";
  assert.deepEqual(await ends(), [why, why]);
  await ready(page);
  // The second time that is left to the person. No run and no measurement waits: a script can ask all the same.
  await die();
  await page.evaluate(() => {
    window.ends = ask();
    couplet.stop();
  });
  assert.equal(await ends(), why);
  await page.getByRole("button", { name: /restart the engine/i }).first().click();
  await ready(page);
  assert.ok(tokens(await call(page, "generate", { max_tokens: 8 })).length > 8);
});

test("a stopped engine that answers is waited for, however long its pass takes", async ({ page, base }) => {
  const isWaitedFor = await hasten(page, 10_500, 2_000);
  await patchWorker(
    page,
    `const post = self.postMessage.bind(self);
       const late = (text) => String(text).includes('"coupled"');
       self.postMessage = (text) => (late(text) ? setTimeout(() => post(text), 5_000) : post(text));`,
  );
  await open(page, base, "?backend=cpu");
  const end = call(page, "couple", { draft: [0.5, 0.5], target: [0.2, 0.8], rule: "optimal", trials: 1e9 });
  await page.waitForTimeout(200);
  await call(page, "stop");
  assert.ok((await end).trials < 1e9);
  assert.ok(await isWaitedFor());
  assert.ok(await page.getByTestId("notice").isHidden());
});

test("an engine whose script does not come could not be loaded, and can be later", async ({ page, base }) => {
  await hasten(page, 3_000, 100);
  await hasten(page, 6_000, 100);
  let asked = 0;
  await page.route("**/couplet-worker_loader.js*", (route) => {
    asked += 1;
    return route.abort();
  });
  await page.goto(base + "?backend=cpu");
  await notice(page, /engine could not be loaded \(couplet-worker_loader\.js\)/);
  assert.equal(asked, 5);
  await noPanicText(page);
  await page.unroute("**/couplet-worker_loader.js*");
  await page.getByRole("button", { name: "Try again" }).click();
  await ready(page);
});

test("an engine whose memory has run out says so and can be started again", async ({ page, base }) => {
  // Gives the module's memory a maximum just above its initial size. A flag ends that and not
  // `unroute`, which fails the requests whose handlers are still at work.
  let limited = true;
  await page.route("**/couplet-worker*_bg.wasm*", async (route) => {
    if (!limited) return route.continue();
    const response = await route.fetch();
    await route.fulfill({ response, body: limitMemory(await response.body(), 40) });
  });
  await page.goto(base + "?backend=cpu");
  await notice(page, /engine stopped/i);
  await noPanicText(page);
  // The first time, the page starts another engine by itself.
  const restart = page.getByRole("button", { name: /restart the engine/i }).first();
  await restart.waitFor();
  limited = false;
  await restart.click();
  await ready(page);
});

test("a device that there is not is told, and stands in no link", async ({ page, base }) => {
  await open(page, base, "?backend=CPU&language=en");
  await notice(page, /backend cannot be “CPU”/);
  const link = await page.evaluate(() => couplet.link());
  assert.ok(link.startsWith(`${base}?language=en#`), link);
});

test("a hostile link gives a sentence and the usual settings", async ({ page, base }) => {
  await open(page, base, "?backend=cpu#v=1&gamma=-9e99&temperature=NaN&prompt=%FF%00<script>alert(1)</script>");
  await notice(page, /link/i);
  await noPanicText(page);
  assert.equal(await page.getByTestId("gamma").inputValue(), "5");
});
