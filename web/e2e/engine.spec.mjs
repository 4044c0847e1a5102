// The engine in a real worker, on real WebGPU and on the CPU.
import assert from "node:assert/strict";
import { LONG_PROMPT, call, counted, delay, open, patchWorker, pressStop, refusal, reload, tokens, traceOf, until } from "./support.mjs";
import { test } from "./test.mjs";

const GREEDY = { temperature: 0, max_tokens: 24, prompt: "ROMEO:\n" };

// The sets of kernels, as a device's `variant` and the browser's cache name them.
const SHARED = "workgroups share each sum";
const AT_ONCE = "workgroups share each sum, one drafts a whole block";
const ALONE = "one invocation for each sum";
/** What a choice is kept as. */
const KEYS = { [SHARED]: "together", [AT_ONCE]: "block_at_once", [ALONE]: "alone" };

/** The kernels that the browser keeps as the quickest, and where. */
function keptChoice(page) {
  return page.evaluate(async () => {
    const cache = await caches.open("couplet-choices-1");
    const [request] = await cache.keys();
    return { url: request.url, name: await (await cache.match(request)).text() };
  });
}

/** Puts another choice there. */
function keepChoice(page, url, name) {
  return page.evaluate(
    async ({ url, name }) => (await caches.open("couplet-choices-1")).put(url, new Response(name)),
    { url, name },
  );
}

function check(trace, backend) {
  assert.equal(trace.device.backend, backend);
  const vocabulary = trace.pair.tokens.length;
  let rejected = 0;
  let readbacks = 0;
  for (const event of trace.events) {
    if (event.event === "verified") {
      const kept = Math.fround(Math.fround(event.draw) * Math.fround(event.draft_prob)) < Math.fround(event.target_prob);
      assert.equal(event.accepted, kept, JSON.stringify(event));
      assert.ok(Math.abs(event.target_distribution.probs[event.token] - event.target_prob) < 1e-6);
      rejected += event.accepted ? 0 : 1;
    }
    if (event.event === "drafted") {
      assert.equal(event.draft_distribution.probs.length, vocabulary);
      const sum = event.draft_distribution.probs.reduce((sum, prob) => sum + prob, 0);
      assert.ok(Math.abs(sum - 1) < 1e-4, `${sum}`);
    }
    if (event.event === "resampled") {
      assert.ok(event.residual.probs[event.token] > 0);
    }
    if (event.event === "round_ended") {
      // Of rounds that were read back together, the last one says so.
      assert.ok(event.timings.readbacks <= 1);
      readbacks += event.timings.readbacks;
    }
  }
  assert.equal(readbacks > 0, backend === "gpu");
  assert.ok(rejected > 0, "a run at temperature 1 rejects now and then");
}

test("two models write on WebGPU, and every verdict follows from its numbers", async ({ page, base }) => {
  const { device } = await open(page, base);
  assert.equal(device.backend, "gpu", device.reason);
  const trace = await call(page, "generate", { temperature: 1, max_tokens: 40 });
  check(trace, "gpu");
  const rounds = trace.events.filter((event) => event.event === "round_ended");
  const { dispatches, readbacks } = rounds[0].timings;
  console.log(`        one round at gamma 5: ${dispatches} dispatches, ${readbacks} readback`);
  // Before anything is known of a round's time it is read back by itself.
  assert.equal(readbacks, 1);
});

test("the choice of kernels is kept between visits, and all write the same greedy text", async ({ page, base }) => {
  const first = await open(page, base);
  // A software adapter takes a second for a step where workgroups share sums.
  const brief = { ...GREEDY, max_tokens: 6 };
  const text = tokens(await call(page, "generate", brief));
  const kept = await keptChoice(page);
  assert.equal(kept.name, KEYS[first.device.variant]);
  for (const other of [SHARED, AT_ONCE, ALONE].filter((name) => KEYS[name] !== kept.name)) {
    await keepChoice(page, kept.url, KEYS[other]);
    const { device } = await reload(page);
    assert.equal(device.variant, other, "what was chosen is not timed again");
    const trace = await call(page, "generate", brief);
    assert.deepEqual(tokens(trace), text, other);
    // A round's block in one dispatch, or six for each of its tokens and one lookup.
    const { dispatches } = trace.events.find((event) => event.event === "round_ended").timings;
    if (other !== ALONE) assert.equal(dispatches, 36 + (other === AT_ONCE ? 1 : 6 * 5 + 1));
  }
});

test("kernels that an earlier visit chose and that end the GPU now give way to the usual ones", async ({ page, base }) => {
  await open(page, base);
  const { url } = await keptChoice(page);
  await keepChoice(page, url, KEYS[SHARED]);
  await patchWorker(
    page,
    `const create = GPUDevice.prototype.createComputePipeline;
       GPUDevice.prototype.createComputePipeline = function (descriptor) {
         if (descriptor.label.endsWith("_together")) this.destroy();
         return create.call(this, descriptor);
       };`,
  );
  const { device } = await reload(page);
  assert.equal(device.backend, "gpu", device.reason);
  assert.equal(device.variant, ALONE);
  assert.equal((await keptChoice(page)).name, "failed", "once may be an accident: the next visit chooses anew");
  assert.equal((await reload(page)).device.variant, ALONE);
  assert.equal((await keptChoice(page)).name, KEYS[ALONE], "the visits after it take those at once");
  assert.ok(tokens(await call(page, "generate", { ...GREEDY, max_tokens: 6 })).length > 6);
});

test("a GPU that never finishes anything is not waited for without end", async ({ page, base }) => {
  // Two minutes, in short.
  await patchWorker(
    page,
    `GPUBuffer.prototype.mapAsync = () => new Promise(() => {});
       { const wait = setTimeout; self.setTimeout = (task, ms) => wait(task, ms === 120_000 ? 500 : ms); }`,
  );
  const { device } = await open(page, base);
  assert.equal(device.backend, "cpu");
  assert.equal(device.reason, "WebGPU is not used because the GPU did not answer.");
  assert.ok(tokens(await call(page, "generate", { max_tokens: 8 })).length > 8);
});

test("two models write on the CPU, and every verdict follows from its numbers", async ({ page, base }) => {
  const { device } = await open(page, base, "?backend=cpu");
  assert.equal(device.backend, "cpu");
  check(await call(page, "generate", { temperature: 1, max_tokens: 80 }), "cpu");
});

test("greedy speculation writes the target's own text on WebGPU", async ({ page, base }) => {
  await open(page, base);
  const alone = tokens(await call(page, "generate", { ...GREEDY, gamma: 0 }));
  for (const gamma of [1, 4, 8]) {
    assert.deepEqual(tokens(await call(page, "generate", { ...GREEDY, gamma })), alone, `gamma ${gamma}`);
  }
});

test("greedy speculation writes the target's own text on the CPU", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const alone = tokens(await call(page, "generate", { ...GREEDY, gamma: 0 }));
  for (const gamma of [1, 4, 8]) {
    assert.deepEqual(tokens(await call(page, "generate", { ...GREEDY, gamma })), alone, `gamma ${gamma}`);
  }
});

test("a browser without relaxed SIMD gets the engine that does without, and the same greedy text", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const relaxed = await call(page, "generate", GREEDY);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await patchWorker(page, "WebAssembly.validate = () => false;");
  await reload(page);
  const plain = await call(page, "generate", GREEDY);
  assert.equal(plain.device.variant, "multiplications and additions apart");
  assert.deepEqual(tokens(plain), tokens(relaxed));
  assert.ok(asked.some((url) => url.includes("/couplet-worker_bg.wasm?")));
  assert.ok(!asked.some((url) => url.includes("relaxed")), `${asked}`);
});

test("where no worker can be made every call is refused, and the page stays", async ({ page, base }) => {
  await page.addInitScript(() => {
    window.Worker = class {
      constructor() {
        throw new DOMException("not here", "SecurityError");
      }
    };
  });
  await page.goto(`${base}?backend=cpu`);
  await page.waitForFunction(() => window.couplet);
  const why = { message: "This browser did not let the engine start.", field: undefined, code: "internal" };
  assert.deepEqual(await refusal(page, "pairs"), why);
  assert.deepEqual(await refusal(page, "generate", {}), why);
  assert.deepEqual(await refusal(page, "bench", {}), why);
  assert.deepEqual(await refusal(page, "distribution", { model: "draft", text: "O" }), why);
  const couple = { rule: "gumbel", draft: [0.5, 0.5], target: [0.2, 0.8], trials: 5 };
  assert.deepEqual(await refusal(page, "couple", couple), why);
  assert.equal((await refusal(page, "generate", { gama: 3 })).field, "gama");
  assert.ok(await refusal(page, "ready"));
  // The recording plays all the same, and nobody waits for a text or a measurement.
  await page.getByTestId("scene-stage").click();
  await page.locator("[data-testid=provenance][data-kind=recorded]").waitFor();
  await page.getByTestId("first").click();
  const shown = () => document.querySelector("[data-testid=manuscript]").innerText.length;
  const before = await page.evaluate(shown);
  await page.getByTestId("play").click();
  await page.waitForFunction(
    (before) => document.querySelector("[data-testid=manuscript]").innerText.length > before + 3,
    before,
  );
  assert.equal(await page.getByTestId("generate").isVisible(), true);
});

test("where a server has one build of the engine only, that one writes", async ({ page, base }) => {
  await page.route("**/couplet-worker-relaxed_bg.wasm*", (route) => route.fulfill({ status: 404 }));
  const { device } = await open(page, base, "?backend=cpu");
  assert.equal(device.variant, "multiplications and additions apart");
});

test("a story in word pieces ends with its end-of-text token, on WebGPU and on the CPU", async ({ page, base }) => {
  for (const [path, backend] of [["", "gpu"], ["?backend=cpu", "cpu"]]) {
    const { device } = await open(page, base, path);
    assert.equal(device.backend, backend, device.reason);
    const story = { pair: "stories", prompt: "Once upon a time, there was a little", seed: 7, temperature: 0.7 };
    const trace = await call(page, "generate", { ...story, max_tokens: 240 });
    assert.deepEqual(trace.events.at(-1), { event: "finished", reason: "end_of_text" });
    const ids = tokens(trace);
    assert.equal(ids.filter((id) => id === ids.at(-1)).length, 2, "before the prompt and at the end");
    const filtered = await call(page, "generate", { ...story, top_k: 10, top_p: 0.95, max_tokens: 20 });
    const drafted = filtered.events.find((event) => event.event === "drafted").draft_distribution;
    const possible = drafted.probs.filter((prob) => prob > 0).length;
    assert.ok(possible >= 1 && possible <= 10 && drafted.rest < 1e-6, `${possible} tokens stay possible`);
    assert.equal(drafted.tokens.length, 20, "the most probable ones of 2,048");
  }
});

test("distributions of both models can be asked for", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  for (const model of ["draft", "target"]) {
    const { probs } = await call(page, "distribution", { pair: "shakespeare", model, text: "KING RICHAR" });
    const best = probs.indexOf(Math.max(...probs));
    const { pair } = await call(page, "ready");
    assert.equal(pair.tokens[best], "D", model);
    const two = await call(page, "distribution", { model, text: "KING RICHAR", temperature: 4, top_k: 2 });
    const kept = two.probs.flatMap((prob, id) => (prob > 0 ? [id] : []));
    assert.ok(kept.length === 2 && kept.includes(best), `${model} keeps ${kept}`);
    // A quarter of the logarithms' difference is left.
    const other = kept.find((id) => id !== best);
    const difference = Math.log(probs[best] / probs[other]);
    assert.ok(Math.abs(4 * Math.log(two.probs[best] / two.probs[other]) - difference) < 1e-3 * difference);
  }
});

test("a run that is stopped while it waits leaves the one on the page", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const mine = await call(page, "generate", { seed: 3, max_tokens: 20 });
  await page.evaluate(() => {
    window.measured = couplet.bench({ gammas: [2], pairs: 20, max_tokens: 96 });
    window.refused = couplet.generate({ seed: 4, max_tokens: 20 }).then(() => null, (error) => error.message);
  });
  await pressStop(page, "scene-stage");
  assert.equal(await page.evaluate(() => window.refused), "The run was stopped before it began.");
  assert.deepEqual(await traceOf(page), mine);
  await page.evaluate(() => window.measured);
  assert.deepEqual(await traceOf(page), mine);
});

test("a run that is stopped while its prompt is read leaves the one on the page", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const mine = await call(page, "generate", { seed: 3, max_tokens: 20 });
  // A prompt that takes the engine a while, however late the page is with what follows.
  const refused = await page.evaluate((prompt) => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...rest) {
      post.call(this, message, ...rest);
      if (`${message}`.includes('"generate"')) queueMicrotask(() => couplet.stop());
    };
    return couplet.generate({ seed: 4, max_tokens: 400, prompt }).then(() => null, (error) => error.message);
  }, LONG_PROMPT);
  assert.equal(refused, "The run was stopped before it began.");
  assert.deepEqual(await traceOf(page), mine);
});

test("a run that is stopped while its drafter is on its way is stopped, and no download has failed", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.route("**/bigram.json", () => {});
  const asked = page.waitForRequest("**/bigram.json");
  const run = refusal(page, "generate", { drafter: "bigram", max_tokens: 20 });
  await asked;
  await page.getByTestId("stop").click();
  assert.match((await run).message, /stopped before it began/);
  assert.ok(await page.getByTestId("notice").isHidden());
});

test("couplings that are asked for in the middle of a measurement wait for its end", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const order = await page.evaluate(async () => {
    const ends = [];
    const measured = couplet.bench({ gammas: [1, 2, 4], pairs: 9, max_tokens: 160 }).then(() => ends.push("bench"));
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (ends.length > 0) return "the measurement was over too soon";
    const coupled = couplet.couple({ draft: [0.5, 0.5], target: [0.2, 0.8], rule: "optimal", trials: 1000 }).then(() => ends.push("couple"));
    await Promise.all([measured, coupled]);
    return ends;
  });
  assert.deepEqual(order, ["bench", "couple"]);
});

test("couplings that wait for a measurement's end are given up where others are wanted, and the measurement goes on", async ({ page, base }) => {
  await open(page, base, "?backend=cpu#v=1&scene=couplings");
  // What does not end after a Stop is waited for less long than else, before the engine counts as dead.
  await page.evaluate(() => {
    const wait = window.setTimeout;
    window.limits = 0;
    window.setTimeout = (task, delay, ...rest) => {
      if (delay !== 60_000) return wait(task, delay, ...rest);
      window.limits += 1;
      return wait(task, 1_500, ...rest);
    };
    window.thrown = 0;
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...rest) {
      if (`${message}`.includes('"couple"')) window.thrown += 1;
      return post.call(this, message, ...rest);
    };
    const measured = couplet.bench({ gammas: [1, 2, 4], pairs: 25, max_tokens: 200 });
    window.measured = measured.then((report) => (window.end = report.gammas.length), (error) => (window.end = error.message));
  });
  await page.waitForTimeout(300);
  await page.getByTestId("handle-draft-0").focus();
  for (let change = 0; change < 3; change += 1) {
    const before = await page.evaluate(() => window.thrown);
    await page.keyboard.press("ArrowUp");
    // Once nobody has moved a handle for a moment.
    await until(() => page.evaluate((before) => window.thrown > before, before), "couplings are asked for");
  }
  assert.equal(await page.evaluate(() => window.end ?? null), null, "the measurement was over too soon");
  assert.ok((await page.evaluate(() => window.limits)) > 0, "nothing was stopped that the engine had");
  assert.equal(await page.evaluate(() => window.measured), 3);
  await page.getByText(/measured, [\d,]+ pairs/).first().waitFor();
});

test("a script gets the run that it asked for, whatever takes its place on the page", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const other = await call(page, "generate", { seed: 3, max_tokens: 20 });
  await page.evaluate(() => {
    window.own = couplet.generate({ seed: 4, max_tokens: 240 });
  });
  await page.waitForFunction(() => couplet.trace()?.settings.seed === 4);
  await call(page, "replay", other);
  const own = await page.evaluate(() => window.own);
  assert.equal(own.settings.seed, 4);
  assert.equal(own.events[0].event, "started");
  assert.equal(own.events.at(-1).event, "finished");
  assert.equal(await page.evaluate(() => couplet.trace().settings.seed), 3);
  // Nor does the end of a branch move the version that somebody went back to.
  const kept = other.events.find(({ event }) => event === "committed").tokens;
  await page.evaluate(async (kept) => {
    window.branch = couplet.generate({ seed: 3, max_tokens: 240, temperature: 0.9, branch: { kept } });
    const before = () => document.querySelector("[data-testid=version-0]");
    while (!before()) await new Promise(requestAnimationFrame);
    before().click();
  }, kept);
  await page.locator("#scene").focus();
  await page.keyboard.press("Home");
  const narration = () => page.getByTestId("narration").first().innerText();
  const before = await narration();
  await page.evaluate(() => window.branch);
  assert.equal(await narration(), before);
});

test("Stop ends the run that is written and those that wait", async ({ page, base }) => {
  // On the CPU a run may be over before anybody can press Stop.
  await open(page, base);
  const [written, waited] = await page.evaluate(async () => {
    const settled = (promise) => promise.then((trace) => trace.events.at(-1).reason, (error) => error.message);
    const ends = Promise.all([4, 5].map((seed) => settled(couplet.generate({ seed, gamma: 0, max_tokens: 4096 }))));
    while (couplet.trace()?.settings.seed !== 4) await new Promise(requestAnimationFrame);
    document.querySelector("[data-testid=stop]").click();
    return ends;
  });
  assert.equal(written, "stopped");
  assert.match(waited, /stopped before it began/);
  await page.getByTestId("stop").waitFor({ state: "detached" });
});

test("a branch that is stopped before it begins leaves the page where it stands", async ({ page, base }) => {
  // A run that takes as long as is needed here.
  await delay(page, '"finished"', 5_000);
  await open(page, base, "?backend=cpu");
  await page.getByTestId("max_tokens").fill("4096");
  await page.getByTestId("generate").click();
  await page.waitForFunction(() => window.couplet.trace()?.events.filter(({ event }) => event === "committed").length > 4);
  await page.locator("#scene").focus();
  await page.keyboard.press("Home");
  for (let round = 0; round < 3; round += 1) await page.keyboard.press("]");
  const narration = () => page.getByTestId("narration").first().innerText();
  const before = await narration();
  await page.getByTestId("temperature").fill("0.5");
  await page.evaluate(() => {
    for (const name of ["branch", "stop"]) document.querySelector(`[data-testid=${name}]`).click();
  });
  await page.getByTestId("stop").waitFor({ state: "detached" });
  await page.waitForTimeout(1500);
  assert.equal(await narration(), before);
});

test("a run that is refused once the form says something else is told all the same", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.getByTestId("prompt").fill("ß");
  await page.evaluate(() => {
    document.querySelector("[data-testid=generate]").click();
    const prompt = document.querySelector("#prompt");
    prompt.value = "ROMEO:";
    prompt.dispatchEvent(new InputEvent("input", { bubbles: true }));
  });
  await page.getByTestId("notice").getByText(/not in the model's vocabulary/).waitFor();
  assert.notEqual(await page.getByTestId("prompt").getAttribute("aria-invalid"), "true");
});

test("what a script asks for in vain leaves the form, and what works clears the complaint", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.getByTestId("seed").fill("12");
  assert.equal((await refusal(page, "generate", { prompt: "ß", seed: 999 })).field, "prompt");
  assert.equal(await page.getByTestId("seed").inputValue(), "12");
  assert.notEqual(await page.getByTestId("prompt").getAttribute("aria-invalid"), "true", "the form says something else");
  await page.route("**/bigram.json", (route) => route.abort());
  assert.match((await refusal(page, "generate", { drafter: "bigram" })).message, /bigram/);
  await page.getByTestId("notice").getByText(/bigram/).waitFor();
  await call(page, "generate", { seed: 7, max_tokens: 10 });
  await page.getByTestId("notice").getByText(/bigram/).waitFor({ state: "detached" });
  assert.equal(await page.getByTestId("seed").inputValue(), "7");
  assert.equal((await refusal(page, "distribution", { pair: "shakespeare", model: "draft", text: "ß" })).field, "text");
});

test("an argument that would say nothing is refused, of whatever window it is", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const said = await page.evaluate(async () => {
    const { contentWindow } = document.body.appendChild(document.createElement("iframe"));
    const own = {
      plain: Object.assign(new contentWindow.Object(), { gamma: 2, max_tokens: 3 }),
      map: new contentWindow.Map([["gamma", 2]]),
      promise: contentWindow.Promise.resolve({ gamma: 2 }),
    };
    const nothing = [
      Promise.resolve({ gamma: 2 }),
      own.promise,
      own.map,
      new Map([["gamma", 2]]),
      new Set(),
      new URLSearchParams("gamma=2"),
      new FormData(),
      new Date(),
      new (class { gamma = 2; })(),
      Object.create({ gamma: 2 }),
      new String("gamma"),
      () => ({}),
      [],
      "gamma",
    ];
    const settled = (promise) => promise.then((run) => run, ({ field, message }) => ({ field, message }));
    const refused = await Promise.all(nothing.map((options) => settled(couplet.generate(options))));
    const values = [
      { gamma: () => 3 },
      { foo() {} },
      { seed: 7n },
      { rule: Symbol("rejection") },
      { prompt: Promise.resolve("O") },
      { seed: new Number(3) },
      { get gamma() { throw new Error("boom"); } },
      { branch: { kept: [1], forced: () => 2 } },
      { "": 1 },
      { ["x".repeat(300)]: 1 },
    ];
    const named = await Promise.all(values.map((options) => settled(couplet.generate(options))));
    const bigints = await settled(couplet.couple({ draft: new BigInt64Array(2), target: [0.5, 0.5], rule: "gumbel" }));
    const plain = await Promise.all([own.plain, Object.assign(Object.create(null), own.plain), new Proxy(own.plain, {})].map((options) => couplet.generate(options)));
    const kept = await couplet.generate({ max_tokens: 4, branch: { kept: new Uint8Array([1, 2]) } });
    return { refused, named, bigints, plain: plain.map((run) => run.settings.gamma), kept: kept.branch.kept };
  });
  for (const { field, message } of said.refused) assert.equal(field, "options", message);
  for (const { message } of said.refused.slice(0, 2)) assert.match(message, /promise.*await/);
  const names = ["gamma", "foo", "seed", "rule", "prompt", "seed", "gamma", "branch", "", "x".repeat(300)];
  assert.deepEqual(said.named.map(({ field }) => field), names);
  assert.match(said.named[2].message, /^seed: a BigInt/);
  assert.match(said.named[8].message, /^"": there is no such option/);
  assert.ok(said.named[9].message.length < 80, said.named[9].message);
  assert.equal(said.bigints.field, "draft", said.bigints.message);
  assert.deepEqual([said.plain, said.kept], [[2, 2, 2], [1, 2]]);
});

test("a script stops what is written, what waits and what is measured", async ({ page, base }) => {
  // On the CPU a run may be over before anybody stops it.
  await open(page, base);
  await page.evaluate(() => {
    const told = (promise) => promise.then((it) => it.events.at(-1).reason, ({ name, message }) => `${name}: ${message}`);
    const { generate, bench } = window.couplet;
    window.ends = Promise.all([told(generate({ max_tokens: 240, prompt: "O " })), told(generate({ max_tokens: 9 })), told(bench({ pairs: 50 }))]);
    window.coupled = couplet.couple({ draft: [0.5, 0.5], target: [0.2, 0.8], rule: "optimal", trials: 1e9 });
    // The first run is under way; it may be over before another call comes.
    return (async () => {
      while (!couplet.trace()) await new Promise(requestAnimationFrame);
      couplet.stop();
    })();
  });
  const stopped = "AbortError: The run was stopped before it began.";
  assert.deepEqual(await page.evaluate(() => window.ends), ["stopped", stopped, "AbortError: The measurement was stopped."]);
  const { counts, trials } = await page.evaluate(() => window.coupled);
  assert.equal(counts.flat().reduce((sum, count) => sum + count, 0), trials);
  assert.ok(trials < 1e9, `${trials} pairs were thrown`);
  assert.equal((await call(page, "generate", { max_tokens: 9 })).events.at(-1).reason, "length");
});

test("a script stops the six texts of Couplings and the count of Proof", async ({ page, base }) => {
  await open(page, base, "?backend=cpu#v=1&scene=couplings&max_tokens=240");
  await page.evaluate(async () => {
    const button = document.querySelector("[data-testid=swap-run]");
    const before = button.innerText;
    button.click();
    while (button.innerText === before) await new Promise(requestAnimationFrame);
    couplet.stop();
  });
  await page.getByTestId("swap-run").getByText("Write all six").waitFor();
  await page.getByTestId("scene-proof").click();
  await counted(page);
  await page.evaluate(() => {
    document.querySelector("[data-testid=add]").click();
    couplet.stop();
  });
  await page.getByTestId("add").getByText("Add").waitFor();
  await page.waitForTimeout(1_000);
  assert.match(await page.getByTestId("test-about").innerText(), /^20,000/);
});

test("a script stops what it has just asked for, before the page knows what there is", async ({ page, base }) => {
  await page.goto(`${base}?backend=cpu`);
  await page.waitForFunction(() => window.couplet);
  const ends = await page.evaluate(() => {
    const told = (promise) => promise.then(() => "done", ({ name, message, code }) => `${name}, ${code}: ${message}`);
    const asked = [couplet.generate({ max_tokens: 240 }), couplet.bench({ pairs: 50 }), couplet.distribution({ model: "draft", text: "O" })];
    couplet.stop();
    return Promise.all([...asked, couplet.generate({ max_tokens: 8 })].map(told));
  });
  const why = ["The run was stopped before it began.", "The measurement was stopped."].map((sentence) => `AbortError, stopped: ${sentence}`);
  assert.deepEqual(ends, [...why, "done", "done"]);
});

test("a clock that is too coarse for what it is to time is said so, and nothing is told", async ({ page, base }) => {
  await patchWorker(page, "const now = performance.now.bind(performance); performance.now = () => Math.floor(now() / 100) * 100;");
  await open(page, base, "?backend=cpu");
  const bench = { gammas: [2], pairs: 5, auto: false };
  const { field, message } = await refusal(page, "bench", { ...bench, max_tokens: 8 });
  assert.equal(field, "max_tokens");
  assert.match(message, /^max_tokens: A run takes [\d.]+ ms, and the clock here moves by 100 ms at a time; ask for more tokens/);
});

test("a measurement that is stopped is told like a run, and asks nothing of γ", async ({ page, base }) => {
  await open(page, base, "?backend=cpu#v=1&scene=speed");
  await page.evaluate(() => {
    const options = { gamma: 99, auto_gamma: "x", gammas: [2], pairs: 50 };
    window.end = couplet.bench(options).then(() => null, ({ field, message, name, code }) => [field, message, name, code]);
  });
  await page.getByTestId("bench-stop").click();
  assert.deepEqual(await page.evaluate(() => window.end), [undefined, "The measurement was stopped.", "AbortError", "stopped"]);
});

test("an argument that is out of range is named", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  assert.match((await refusal(page, "generate", { temperature: NaN })).message, /temperature: must be a finite number/);
  const cases = [
    ["generate", { gamma: 99 }, "gamma"],
    ["generate", { temperature: -1 }, "temperature"],
    // In 32 bits these are 0, and a share of it is no number.
    ["generate", { temperature: 1e-39 }, "temperature"],
    ["generate", { top_p: 1e-50 }, "top_p"],
    ["generate", { top_p: 0 }, "top_p"],
    ["generate", { top_k: -3 }, "top_k"],
    ["generate", { seed: 2 ** 60 }, "seed"],
    ["generate", { max_tokens: 0 }, "max_tokens"],
    ["generate", { rule: "hope" }, "rule"],
    ["generate", { gama: 3 }, "gama"],
    ["generate", { prompt: "naïve €" }, "prompt"],
    ["generate", { prompt: "a".repeat(300) }, "prompt"],
    ["bench", { pairs: 4 }, "pairs"],
    ["bench", { pairs: 51 }, "pairs"],
    ["bench", { gammas: [2, 1] }, "gammas"],
    ["bench", { gammas: [17] }, "gammas"],
    ["bench", { gammas: [] }, "gammas"],
    ["bench", { gammas: "all" }, "gammas"],
    ["bench", { auto: "yes" }, "auto"],
    ["bench", { temperature: 9 }, "temperature"],
    ["bench", { gama: 3 }, "gama"],
    ["distribution", { pair: "shakespeare", model: "teacher", text: "" }, "model"],
  ];
  for (const [name, options, field] of cases) {
    const error = await refusal(page, name, options);
    assert.ok(error, `${name} ${JSON.stringify(options)} was not refused`);
    assert.deepEqual([error.field, error.code], [field, "input"], error.message);
    assert.ok(error.message.includes(field), error.message);
  }
  // And an empty prompt is none of them, nor is a γ that the engine chooses itself.
  assert.ok(await call(page, "generate", { auto_gamma: true, gamma: 99, max_tokens: 4 }));
  assert.ok(await call(page, "generate", { prompt: "", max_tokens: 4 }));
});
