// Links, files, frames, paper: the page's state goes out and comes back.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { LONG_PROMPT, WEIGHTS, call, finished, hold, noPanicText, notice, open, patchWorker, refusal, reload, settled, shown, tokens, traceOf, until, visitor, write } from "./support.mjs";
import { test } from "./test.mjs";

/** Opens a link in a tab that knows nothing of the page before. */
async function follow(page, base, hash, search = "?backend=cpu") {
  await page.goto("about:blank");
  await page.goto(base + search + hash);
  await page.waitForFunction(() => window.couplet);
}

/** Everything of the Stage that a person sees of a run. */
const picture = async (page) => [
  await page.getByTestId("manuscript").innerText(),
  await page.getByTestId("round").innerText(),
  await page.getByTestId("narration").first().innerText(),
];

/** What a person chose to look at: the inspected token, the letters, the marks. */
const chosen = async (page) => ({
  after: await page.getByTestId("inspector").getByRole("heading").innerText(),
  where: await page.getByTestId("inspector").locator("header p").innerText(),
  letters: await page.getByRole("group", { name: "Notation" }).locator("[aria-pressed=true]").innerText(),
  formula: await page.locator(".rules .formula").innerText(),
  marks: await page.getByRole("group", { name: "Marks shown" }).locator("[aria-pressed=true]").innerText(),
});

const hashOf = (address) => new URL(address).hash;

async function saved(page, press) {
  const [download] = await Promise.all([page.waitForEvent("download"), press()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

test("a link to a run whose draft lengths the engine chose says that it may write another text", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  for (const [options, says] of [
    [{ auto_gamma: true }, 1],
    [{ auto_gamma: true, rule: "gumbel" }, 0],
    [{ auto_gamma: true, temperature: 0 }, 0],
    [{ gamma: 2 }, 0],
  ]) {
    await call(page, "generate", { max_tokens: 20, ...options });
    await page.getByTestId("share").click();
    await page.getByTestId("share-link").waitFor();
    assert.equal(await page.getByTestId("share-auto").count(), says, JSON.stringify(options));
    await page.getByRole("button", { name: "Close" }).click();
  }
});

test("a link brings back the run, the place in it, what was chosen and what is hidden", async ({ page, base, browser }) => {
  await follow(page, base, "#v=1&prompt=JULIET%3A%0A&gamma=3&seed=9&max_tokens=40&temperature=0.7");
  await finished(page);
  await page.keyboard.press("Home");
  for (let step = 0; step < 11; step += 1) await page.keyboard.press("ArrowRight");
  const usual = await chosen(page);
  assert.doesNotMatch(await page.evaluate(() => window.couplet.link()), /pick=|letters=|marks=/);
  await page.getByTestId("manuscript").locator(".tk:not(.prompt)").first().click();
  await page.getByRole("button", { name: "Leviathan" }).click();
  await page.getByRole("button", { name: "last round" }).click();
  const choice = await chosen(page);
  for (const what of ["after", "letters", "formula", "marks"]) assert.notEqual(choice[what], usual[what], what);
  await page.getByTestId("share").click();
  await page.getByTestId("hide-seed").check();
  await page.getByTestId("hide-rule").check();
  const link = await page.getByTestId("share-link").inputValue();
  assert.ok(link.length <= 2048, `${link.length}`);
  assert.equal(await page.evaluate(() => window.couplet.link()), link);
  await page.getByRole("button", { name: "Close" }).click();
  const before = await picture(page);

  // A colleague's browser: nothing of this one is kept there.
  const context = await browser.newContext({ serviceWorkers: "block" });
  try {
    const theirs = await context.newPage();
    await follow(theirs, base, hashOf(link));
    const trace = await finished(theirs);
    assert.deepEqual([trace.settings.prompt, trace.settings.gamma, trace.settings.seed, trace.settings.temperature], ["JULIET:\n", 3, 9, 0.7]);
    await until(async () => isDeepStrictEqual(await picture(theirs), before), "it shows the same picture");
    assert.deepEqual(await chosen(theirs), choice);
    // The address line says the same after it has followed the page.
    await theirs.waitForFunction(() => /pick=1\.1&letters=leviathan&marks=last/.test(location.hash));
    // Whoever goes on leaves what was picked.
    await theirs.keyboard.press("ArrowRight");
    assert.notEqual((await chosen(theirs)).after, choice.after);
    await theirs.keyboard.press("ArrowLeft");
    assert.equal((await chosen(theirs)).after, usual.after);
    assert.equal(await theirs.getByTestId("seed").isVisible(), false);
    assert.equal(await theirs.getByTestId("rule").isVisible(), false);
    assert.equal(await theirs.getByTestId("temperature").isVisible(), true);
    await theirs.getByTestId("share").click();
    await theirs.getByTestId("hide-none").click();
    await theirs.getByRole("button", { name: "Close" }).click();
    assert.equal(await theirs.getByTestId("seed").isVisible(), true);
  } finally {
    await context.close();
  }
});

test("a link to a branch brings back the run that it left, beside it", async ({ page, base, browser }) => {
  await follow(page, base, "#v=1&prompt=JULIET%3A%0A&gamma=3&seed=9&max_tokens=40&temperature=0.7");
  await finished(page);
  await page.keyboard.press("Home");
  for (let round = 0; round < 4; round += 1) await page.keyboard.press("]");
  await page.getByTestId("gamma").fill("5");
  await page.getByTestId("temperature").fill("1.4");
  await page.getByTestId("play").click();
  await page.getByTestId("row-branch").waitFor();
  const branch = await finished(page);
  assert.ok(branch.branch.kept.length > 0);
  await page.keyboard.press("End");
  await page.getByTestId("manuscript").locator(".rd .tk").first().click();
  const versions = await page.getByTestId("versions").innerText();
  const choice = await chosen(page);
  const link = await page.evaluate(() => window.couplet.link());
  assert.match(link, /&left=gamma%3D3/);
  assert.ok(link.length <= 2048, `${link.length}`);
  await page.getByTestId("share").click();
  assert.equal(await page.getByTestId("share-alone").count(), 0);
  await page.getByRole("button", { name: "Close" }).click();
  // From the run that was left no link leads to its branches, and the panel says so.
  await page.getByTestId("version-0").click();
  await page.getByTestId("share").click();
  await page.getByTestId("share-alone").waitFor();

  const context = await browser.newContext({ serviceWorkers: "block" });
  try {
    const theirs = await context.newPage();
    await follow(theirs, base, hashOf(link));
    await theirs.getByTestId("row-branch").waitFor();
    assert.deepEqual((await finished(theirs)).branch, branch.branch);
    await until(async () => (await theirs.getByTestId("versions").innerText()) === versions, "the same runs");
    await until(async () => isDeepStrictEqual(await chosen(theirs), choice), "the same choice");
    assert.equal(await theirs.getByTestId("temperature").inputValue(), "1.4");
  } finally {
    await context.close();
  }

  // Nor is it lost to who presses Write before the models are there.
  const { page: hasty, close } = await visitor(browser, { serviceWorkers: "block" });
  try {
    const asked = hasty.waitForRequest(WEIGHTS);
    const arrive = await hold(hasty, WEIGHTS);
    await hasty.goto(`${base}?backend=cpu${hashOf(link)}`);
    await asked;
    await hasty.getByTestId("generate").click();
    arrive();
    await hasty.getByTestId("row-branch").waitFor({ timeout: 60_000 });
    assert.deepEqual((await finished(hasty)).branch, branch.branch);
    // What is told of the runs is told of them as far as they have played.
    await hasty.locator("#scene").focus();
    await hasty.keyboard.press("End");
    await until(async () => (await hasty.getByTestId("versions").innerText()) === versions, "the same runs again");
  } finally {
    await close();
  }
});

test("the address line follows a recording that someone steps through, and a reload stands there", async ({ page, base }) => {
  await page.goto(base + "?backend=cpu");
  await shown(page, "recorded");
  await page.keyboard.press("]");
  await page.keyboard.press("]");
  await page.keyboard.press("ArrowRight");
  const before = await picture(page);
  await settled(page);
  await page.reload();
  await shown(page, "recorded");
  await until(async () => isDeepStrictEqual(await picture(page), before), "it stands there");
  assert.match(await page.getByTestId("play").innerText(), /play/i);
});

test("a link names the scene, its example and how much is drawn", async ({ page, base }) => {
  await follow(page, base, "#v=1&scene=proof&example=three&part=2");
  await page.getByTestId("preset-three").waitFor();
  assert.equal(await page.getByTestId("preset-three").getAttribute("aria-pressed"), "true");
  assert.equal(await page.getByTestId("why-step-2").getAttribute("aria-pressed"), "true");
  await page.getByTestId("why-step-3").click();
  await page.waitForFunction(() => /part=3/.test(location.hash));
});

test("a link brings back distributions of one's own, the throw, what is tested and what the formula is asked", async ({ page, base }) => {
  /** The address once it says so. */
  const says = async (pattern) => {
    await page.waitForFunction((source) => new RegExp(source).test(decodeURIComponent(location.hash)), pattern);
    return page.evaluate(() => location.hash);
  };
  await follow(page, base, "#v=1&scene=couplings");
  const shownThere = async () => {
    await page.getByTestId("throw-said").getByText(/\w/).waitFor();
    const typed = ["typed-draft", "typed-target", "throw-seed"];
    const values = await Promise.all(typed.map((name) => page.getByTestId(name).inputValue()));
    return [...values, await page.getByTestId("throw-said").textContent()];
  };
  await page.getByTestId("typing").locator("summary").click();
  await page.getByTestId("typed-draft").fill("0.5 0.25 0.25");
  await page.getByTestId("typed-target").fill("0.125 0.125 0.75");
  await page.getByTestId("use-numbers").click();
  await page.getByTestId("throw-seed").fill("88");
  await page.getByTestId("throw-again").click();
  const couplings = await says("throw=88\\.2(&|$)");
  const before = await shownThere();
  await follow(page, base, couplings);
  assert.deepEqual(await shownThere(), before);

  await follow(page, base, "#v=1&scene=proof");
  await page.getByTestId("test-rule").selectOption("gumbel");
  await page.getByTestId("test-gamma-1").click();
  await page.getByTestId("mistake-greedy_draft").getByRole("switch").click();
  const proof = await says("mistakes=greedy_draft(&|$)");
  await follow(page, base, `${proof}&own=5,3,2;2,3,5;x+y+z`);
  assert.equal(await page.getByTestId("test-rule").inputValue(), "gumbel");
  assert.equal(await page.getByTestId("test-gamma-1").getAttribute("aria-pressed"), "true");
  assert.ok(await page.getByTestId("mistake-greedy_draft").getByRole("switch").isChecked());
  await says("own=500000,300000,200000;200000,300000,500000;x\\+y\\+z");

  await follow(page, base, "#v=1&scene=speed");
  await page.getByTestId("what-if-dear").click();
  const speed = await says("terms=80\\.15\\.100");
  await follow(page, base, speed);
  assert.match(await page.getByTestId("what-if-says").textContent(), /No draft length pays/);

  await follow(page, base, "#v=1&scene=speed&sweep=3.9.0");
  assert.equal(await page.locator("#bench-longest").inputValue(), "3");
  assert.equal(await page.locator("#bench-pairs").inputValue(), "9");
  assert.ok(!(await page.getByTestId("bench-auto").isChecked()));
  await page.locator("#bench-longest").fill("5");
  await says("sweep=5\\.9\\.0");
});

test("hostile links do no harm", async ({ page, base }) => {
  const dialogs = [];
  page.on("dialog", (dialog) => (dialogs.push(dialog.message()), dialog.dismiss()));
  const odd = [
    "#v=1&gamma=%00&prompt=%FF%FE",
    "#v=2&prompt=x",
    "#v=1&at=-1&lesson=<script>alert(1)</script>&hide=everything",
    "#v=1&scene=../../etc&theme=pink&embed=maybe",
    "#%%%%&&&===&v&v=1&seed=99999999999999999999",
    "#v=1&prompt=" + "%F0%9F%96%8B".repeat(1000),
    "#" + "a=b&".repeat(10_000),
    "#v=1&lesson=slow&step=99&at=999999",
    "#v=1&branch=AAAA&left=branch%3D%2500%26gamma%3D99",
    "#v=1&branch=AAAB&left=branch%3D__%26seed%3D2&at=5",
    "#v=1&at=3&pick=999999.999999&letters=%00&marks=<b>",
    "#v=1&rule=__proto__&pair=..%2F..%2Fx",
  ];
  for (const hash of odd) {
    await page.goto("about:blank");
    await page.goto(base + "?backend=cpu" + hash);
    await page.waitForFunction(() => window.couplet);
    await page.locator("main .scene h2:visible, main .scene h3:visible").first().waitFor();
    await noPanicText(page);
    // A locator takes a script's text for none.
    assert.ok(!(await page.evaluate(() => [...document.scripts].some((script) => script.textContent.includes("alert(1)")))));
  }
  assert.deepEqual(dialogs, []);
  // What could not be used is said in a sentence.
  await follow(page, base, "#v=1&gamma=99");
  assert.match(await notice(page, /link could not be used/), /gamma/);
  await follow(page, base, "#v=1&at=soon&seed=7");
  assert.match(await notice(page, /left out/), /at cannot be/);
  assert.equal(await page.getByTestId("seed").inputValue(), "7");
});

test("what a link asks for in vain is said, wherever it leads", async ({ page, base }) => {
  const links = {
    "#v=1&pair=gpt4&at=3": /an unknown pair, “gpt4”/,
    "#v=1&lesson=nosuch": /lesson cannot be “nosuch”/,
    "#v=1&lesson=draft&step=99": /step cannot be “99”/,
    "#v=1&scene=couplings&example=nosuch": /example cannot be “nosuch”/,
    "#v=1&scene=proof&example=nosuch": /example cannot be “nosuch”/,
    "#v=1&scene=proof&test=typical.99.1": /test cannot be “typical.99.1”/,
    "#v=1&max_tokens=20&branch=____": /There is no token 4095/,
    "#v=1&hide=prompt&prompt=%F0%9F%98%80&max_tokens=5": /not in the model's vocabulary/,
    "#v=1&scene=proof&prompt=%F0%9F%98%80": /not in the model's vocabulary/,
  };
  for (const [link, sentence] of Object.entries(links)) {
    await follow(page, base, link);
    await page.getByTestId("notice").getByText(sentence).waitFor();
  }
  // What is used, with a look-ahead that these letters have room for, is not said to be left out.
  await follow(page, base, "#v=1&scene=proof&test=gumbel.4.7");
  assert.equal(await page.getByTestId("test-rule").inputValue(), "gumbel");
  assert.equal(await page.getByTestId("test-gamma-3").getAttribute("aria-pressed"), "true");
  assert.equal(await page.getByTestId("notice").filter({ hasText: /left out/ }).count(), 0);
  // The pair that there is loads and writes.
  await follow(page, base, "#v=1&pair=gpt4&max_tokens=10");
  assert.equal((await finished(page)).pair.name, "shakespeare");
  assert.match(await notice(page), /“gpt4”/);
});

test("a prompt or a branch too long for a link is said, and the file is offered", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const trace = await call(page, "generate", { prompt: "&&", max_tokens: 8 });
  await page.getByTestId("share").click();
  assert.equal(await page.getByTestId("share-too-long").count(), 0);
  await page.getByRole("button", { name: "Close" }).click();
  // A pair with a token of many signs, three bytes for each.
  const many = "&".repeat(400);
  const tokens = trace.pair.tokens.map((token) => (token === "&" ? many : token));
  const settings = { ...trace.settings, prompt: many + many };
  await call(page, "replay", { ...trace, settings, pair: { ...trace.pair, tokens } });
  await page.getByTestId("share").click();
  assert.match(await page.getByTestId("share-too-long").innerText(), /too long for a link.*trace file/);
  await page.locator("[aria-labelledby=share-frame-title]").getByText("this one is too long for it").waitFor();
  assert.equal(await page.evaluate(() => window.couplet.link()), null);
  await page.getByTestId("share-panel").getByRole("button", { name: "Close" }).click();
  // A branch that keeps much, after a prompt that would fit.
  const [started] = trace.events;
  const kept = Array(1100).fill(started.prompt_tokens.at(-1));
  const events = [{ ...started, prompt_tokens: [...started.prompt_tokens, ...kept] }, { event: "finished", reason: "stopped" }];
  await call(page, "replay", { ...trace, settings: { ...trace.settings, max_tokens: 2000 }, branch: { kept }, events });
  await page.getByTestId("share").click();
  assert.match(await page.getByTestId("share-too-long").innerText(), /branch keeps is too long for a link.*trace file/);
});

test("the trace of every rule is read back as it was given out, a branch's too", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const options = { gamma: 4, seed: 5, temperature: 1, max_tokens: 60, lenience: 0.9, epsilon: 0.2, delta: 0.6 };
  const traces = [];
  const take = async (settings) => {
    traces.push(await call(page, "generate", settings));
    return traces.at(-1);
  };
  for (const rule of ["rejection", "block", "gumbel", "minhash", "sample_and_match", "greedy", "lenience", "typical"]) {
    const { events } = await take({ ...options, rule });
    const has = (kind, more = () => true) => events.some((event) => event.event === kind && more(event));
    assert.ok(has("verified", ({ accepted }) => accepted) && has("verified", ({ accepted }) => !accepted) && has("resampled"), `${rule} keeps and replaces`);
  }
  const run = await take({ ...options, rule: "block", top_k: 20 });
  const kept = tokens(run).slice(run.events[0].prompt_tokens.length).slice(0, 9);
  const branch = { kept, forced: run.pair.tokens.indexOf("Q") };
  const { branch: given } = await take({ ...options, rule: "lenience", branch });
  assert.deepEqual(given, branch);
  for (const trace of traces) {
    await call(page, "replay", trace);
    assert.deepEqual(await traceOf(page), trace);
  }
});

test("a trace goes out, comes in by hand, and goes out the same", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const trace = await call(page, "generate", { gamma: 4, seed: 5, max_tokens: 40, rule: "gumbel" });
  await page.keyboard.press("End");
  const before = await picture(page);
  await page.getByTestId("share").click();
  const json = await saved(page, () => page.getByTestId("trace-json").click());
  assert.match(json.name, /^couplet-shakespeare-gumbel-5\.json$/);
  assert.deepEqual(JSON.parse(json.text), trace);
  const csv = await saved(page, () => page.getByTestId("trace-csv").click());
  const judged = trace.events.filter((event) => event.event === "verified").length;
  assert.equal(csv.text.split("\r\n").length - 2, judged);

  // In a tab without any engine: the file is all it needs.
  await page.goto("about:blank");
  await page.route("**/couplet-worker_loader.js*", (route) => route.abort());
  await page.goto(base);
  await shown(page, "recorded");
  await page.getByTestId("share").click();
  await page.getByTestId("trace-file").setInputFiles({ name: "a run.json", mimeType: "application/json", buffer: Buffer.from(json.text) });
  await shown(page, "file");
  assert.match(await page.getByTestId("provenance").innerText(), /Replayed from a run\.json/);
  const rounds = 1 + Math.max(...trace.events.map((event) => event.round ?? 0));
  await page.getByTestId("replayed").getByText(`a run.json is replayed: ${rounds} rounds`).waitFor({ state: "attached" });
  await page.waitForFunction(() => document.activeElement.dataset.testid === "play");
  await page.keyboard.press("End");
  assert.deepEqual(await picture(page), before);
  assert.deepEqual(await traceOf(page), trace);
  await page.getByTestId("share").click();
  const again = await saved(page, () => page.getByTestId("trace-json").click());
  assert.equal(again.text, json.text);
});

test("a trace that a script passes is refused for what is wrong with it", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const { trace, said } = await page.evaluate(async () => {
    const trace = await couplet.generate({ seed: 3, max_tokens: 30 });
    const text = JSON.stringify(trace);
    const report = { version: 1, request: { settings: {} }, gammas: [] };
    const odd = { empty: "", cut: text.slice(0, 5000), csv: "round,column\r\n", list: [trace], inside: { run: trace }, report };
    const said = {};
    for (const [name, argument] of Object.entries({ ...odd, promise: Promise.resolve(trace), map: new Map() })) {
      said[name] = await couplet.replay(argument).then(() => "", ({ message }) => message);
    }
    return { trace, said };
  });
  const expected = {
    empty: /trace: This file is .* it is empty/,
    cut: /not complete JSON, at line 1, column 5000/,
    csv: /table \(CSV\).*“Trace as JSON”/,
    list: /is a list/,
    inside: /a trace is inside it, as “run”/,
    report: /report of a measurement/,
    promise: /await/,
    map: /must be a trace/,
  };
  for (const [name, says] of Object.entries(expected)) assert.match(said[name], says, name);
  const edited = (edit) => {
    const copy = structuredClone(trace);
    edit(copy, copy.events.find(({ event }) => event === "verified"));
    return refusal(page, "replay", copy);
  };
  assert.match((await edited((_, verified) => (verified.draft_prob *= 0.9))).message, /draft_prob is .* the distribution gives/);
  assert.match((await edited((_, verified) => (verified.target_prob *= 0.9))).message, /target_prob is .* the distribution gives/);
  assert.match((await edited((copy) => (copy.settings.prompt = "Hello"))).message, /settings\.prompt says “Hello”/);
  assert.match((await edited((copy) => (copy.settings.pair = "stories"))).message, /settings\.pair says “stories”/);
  assert.match((await edited((copy) => (copy.events[2].token = "a"))).message, /token cannot be “a” in events\[2\], round 0/);
  assert.deepEqual(await traceOf(page), trace);
});

test("a branch that keeps nothing is none, in the run, its trace and its link", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  for (const branch of [{}, { kept: [] }]) {
    const run = await call(page, "generate", { seed: 3, max_tokens: 10, branch });
    assert.equal(run.branch, undefined);
    assert.equal((await call(page, "replay", { ...run, branch })).branch, undefined);
    assert.doesNotMatch(await page.evaluate(() => couplet.link()), /branch|left/);
  }
  await follow(page, base, "#v=1&seed=3&max_tokens=10&branch=&left=");
  assert.equal((await finished(page)).settings.seed, 3);
  assert.ok(await page.getByTestId("notice").isHidden());
});

test("a link that is asked for before the pairs are known names no other pair's prompt", async ({ page, base }) => {
  const list = await (await page.request.get(`${base}pairs/pairs.json`)).text();
  await page.route("**/pairs/pairs.json", async (route) => {
    await page.waitForFunction(() => window.early);
    await route.fulfill({ contentType: "application/json", body: list });
  });
  await page.route("**/pairs/stories/recording.json", (route) => route.abort());
  await page.addInitScript(() => {
    const asked = setInterval(() => {
      if (!window.couplet) return;
      clearInterval(asked);
      window.early = window.couplet.link();
    });
  });
  await page.goto(`${base}?backend=cpu#v=1&pair=stories&scene=proof`);
  await page.waitForFunction(() => window.early);
  const early = await page.evaluate(() => window.early);
  assert.match(early, /pair=stories/);
  assert.doesNotMatch(early, /prompt=/);
});

test("a file takes the place of what was typed, which comes back", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await shown(page, "recorded");
  const text = await (await page.request.get(`${base}pairs/shakespeare/recording-alone.json`)).text();
  const replay = () => page.evaluate((trace) => window.couplet.replay(trace), JSON.parse(text));
  const back = page.getByRole("button", { name: "Bring it back" });
  // Nobody wants the recording back, and files can be opened again: they leave a run of one's own its place.
  await replay();
  assert.equal(await back.count(), 0);
  const mine = await call(page, "generate", { seed: 5, max_tokens: 10 });
  for (let files = 0; files < 6; files += 1) await replay();
  for (let files = 0; files < 2 && (await page.evaluate(() => window.couplet.trace()?.settings.seed)) !== 5; files += 1) await back.click();
  assert.deepEqual(await traceOf(page), mine);
  await page.goto("about:blank");
  await open(page, base, "?backend=cpu");
  await shown(page, "recorded");
  await page.locator("#prompt").fill("HAMLET:\nA long speech that nobody has");
  await page.locator("#max_tokens").fill("");
  await replay();
  assert.notEqual(await page.locator("#prompt").inputValue(), "HAMLET:\nA long speech that nobody has");
  await back.click();
  assert.equal(await page.locator("#prompt").inputValue(), "HAMLET:\nA long speech that nobody has");
  assert.equal(await page.locator("#max_tokens").inputValue(), "");
  await shown(page, "recorded");
  await reload(page);
  await page.waitForFunction(() => document.querySelector("#prompt")?.value.startsWith("HAMLET"));
});

test("a dropped file is replayed; a wrong one gets a sentence and takes nothing away", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const mine = await call(page, "generate", { seed: 3, max_tokens: 30 });
  const drop = (text, name) =>
    page.evaluate(
      ([text, name]) => {
        const data = new DataTransfer();
        data.items.add(new File([text], name, { type: "application/json" }));
        for (const type of ["dragover", "drop"]) {
          document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
        }
      },
      [text, name],
    );
  for (const [text, says] of [
    ["not json", /not a trace/],
    [JSON.stringify({ ...mine, version: 9 }), /version is 9/],
    [JSON.stringify({ ...mine, events: mine.events.slice(3) }), /damaged.*started/],
    [JSON.stringify({ ...mine, events: mine.events.toSpliced(6, 1) }), /damaged|cannot be replayed/],
  ]) {
    await drop(text, "odd.json");
    assert.match(await notice(page, /odd\.json/), says);
    assert.deepEqual(await traceOf(page), mine);
    await page.getByTestId("notice").getByRole("button", { name: "Close" }).first().click();
  }
  // What is wrong is said in the language that is chosen after it, too.
  await drop("not json", "odd.json");
  for (const [language, says] of [["Deutsch", /lässt sich nicht abspielen\. Diese Datei ist kein Trace/], ["English", /cannot be replayed\. This file is not a trace/]]) {
    await page.getByTestId("help").click();
    await page.getByTestId("languages").getByText(language).click();
    await page.waitForFunction((lang) => document.documentElement.lang === lang, language.slice(0, 2).toLowerCase());
    await page.keyboard.press("Escape");
    assert.match(await notice(page, /odd\.json/), says);
  }
  await page.getByTestId("notice").getByRole("button", { name: "Close" }).first().click();
  // A run that was still being written ends where its file does.
  await drop(JSON.stringify({ ...mine, events: mine.events.slice(0, -1) }), "cut.json");
  await shown(page, "file");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.getByTestId("play").click();
  await page.getByTestId("play").getByText("Play", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Bring it back" }).click();
  const other = await (await page.request.get(`${base}pairs/stories/recording.json`)).text();
  await drop(other, "stories.json");
  await shown(page, "file");
  const file = await traceOf(page);
  assert.equal(file.settings.pair, "stories");
  // A lesson gives the file back, and what was there before that comes back too.
  await page.getByTestId("scene-lessons").click();
  await page.getByTestId("lesson-draft").click();
  await shown(page, "recorded");
  await page.getByTestId("lesson-close").click();
  await shown(page, "file");
  assert.deepEqual(await traceOf(page), file);
  await page.getByRole("button", { name: "Bring it back" }).click();
  assert.deepEqual(await traceOf(page), mine);
  assert.equal(await page.getByTestId("seed").inputValue(), "3");
  // Two runs of one's own change places, and neither is lost.
  await drop(other, "stories.json");
  await shown(page, "file");
  // Whoever is on a button stays on it when a notice above goes by itself, and comes to no other one when its own goes.
  const again = { seed: 5, max_tokens: 30 };
  const focused = () => page.evaluate(() => document.activeElement.closest("button")?.textContent);
  let second;
  for (const [name, then] of [["Bring it back", "Bring it back"], ["Close", undefined]]) {
    await drop("not json", "odd.json");
    await notice(page, /odd\.json/);
    await page.getByTestId("notice").getByRole("button", { name }).first().focus();
    second = await call(page, "generate", again);
    await page.getByTestId("notice").getByText(/odd\.json/).waitFor({ state: "detached" });
    assert.equal(await focused(), then, name);
  }
  for (const run of [mine, second, mine]) {
    await page.getByRole("button", { name: "Bring it back" }).click();
    assert.deepEqual(await traceOf(page), run);
  }
  // Of more, each comes once before any comes again.
  await drop(other, "stories.json");
  await shown(page, "file");
  await call(page, "generate", { seed: 7, max_tokens: 12 });
  const third = await traceOf(page);
  await drop(other, "stories.json");
  await shown(page, "file");
  const seen = [];
  for (let press = 0; press < 3; press += 1) {
    await page.getByRole("button", { name: "Bring it back" }).click();
    seen.push(await page.evaluate(() => window.couplet.trace().settings.seed));
  }
  assert.deepEqual(seen.toSorted(), [mine, second, third].map(({ settings }) => settings.seed).toSorted());
  while ((await page.evaluate(() => window.couplet.trace().settings.seed)) !== mine.settings.seed) {
    await page.getByRole("button", { name: "Bring it back" }).click();
  }
  await page.getByTestId("notice").getByRole("button", { name: "Close" }).click();
  // Of several, Close is seen to close one.
  await drop(other, "stories.json");
  await notice(page, /Two runs that were here before are kept/);
  await page.getByTestId("notice").getByRole("button", { name: "Close" }).click();
  await notice(page, /The run that was here before is kept\./);
  await noPanicText(page);
});

test("a file that takes long to read gives way to what was asked for after it", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const mine = await call(page, "generate", { seed: 3, max_tokens: 30 });
  await page.evaluate((mine) => {
    const read = File.prototype.text;
    const held = new Map();
    File.prototype.text = function () {
      return new Promise((resolve) => held.set(this.name, resolve)).then(() => read.call(this));
    };
    window.isRead = (name) => held.has(name);
    window.arrive = (name) => held.get(name)();
    window.drop = (name, seed) => {
      const text = JSON.stringify({ ...mine, settings: { ...mine.settings, seed } });
      const data = new DataTransfer();
      data.items.add(new File([text], name, { type: "application/json" }));
      for (const type of ["dragover", "drop"]) {
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
      }
    };
  }, mine);
  const seed = () => page.evaluate(() => window.couplet.trace().settings.seed);
  const drop = async (name, seed) => {
    await page.evaluate(([name, seed]) => window.drop(name, seed), [name, seed]);
    await page.waitForFunction((name) => window.isRead(name), name);
  };
  await drop("first.json", 11);
  await drop("second.json", 12);
  await page.evaluate(() => window.arrive("second.json"));
  await until(async () => (await seed()) === 12, "the second file is shown");
  // Had the first one a say, it would be shown at once.
  await page.evaluate(() => window.arrive("first.json"));
  await page.waitForTimeout(500);
  assert.equal(await seed(), 12);
  await drop("third.json", 13);
  await call(page, "generate", { seed: 14, max_tokens: 30 });
  await page.evaluate(() => window.arrive("third.json"));
  await page.waitForTimeout(500);
  assert.equal(await seed(), 14);
});

test("a run that is still being written does not mix with a replayed one", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const trace = await call(page, "generate", { seed: 3, max_tokens: 30 });
  await page.getByTestId("max_tokens").fill("2000");
  await page.getByTestId("seed").fill("77");
  await page.getByTestId("generate").click();
  await call(page, "replay", trace);
  await page.waitForTimeout(1500);
  assert.deepEqual(await traceOf(page), trace);
  assert.match((await refusal(page, "replay", { version: 1 })).message, /^trace: .*damaged/);
  assert.equal((await refusal(page, "replay", null)).field, "trace");
});

test("a run that takes the page over is not played by one that was asked for before", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const mine = await call(page, "generate", { seed: 3, max_tokens: 30 });
  await page.getByTestId("prompt").fill(LONG_PROMPT);
  await page.evaluate(async (mine) => {
    document.querySelector("[data-testid=generate]").click();
    await window.couplet.replay(mine);
  }, mine);
  // What was asked for has been answered by then.
  await call(page, "distribution", { model: "target", text: "O " });
  await page.getByTestId("play").getByText("Play", { exact: true }).waitFor();
  assert.equal(await page.evaluate(() => window.couplet.trace().settings.seed), 3);
});

test("a run that was being written when another took its place comes back as one that is over", async ({ page, base }) => {
  // A machine so slow that no run ends.
  await patchWorker(page, `{ const post = self.postMessage.bind(self);
      self.postMessage = (text) => { if (!text.includes('"finished"')) post(text); }; }`);
  await open(page, base, "?backend=cpu");
  const other = await (await page.request.get(`${base}pairs/stories/recording.json`)).json();
  await page.getByTestId("seed").fill("77");
  // Its end comes in no message with its beginning.
  await page.getByTestId("max_tokens").fill("2000");
  await page.getByTestId("generate").click();
  await page.waitForFunction(() => window.couplet.trace()?.events.filter(({ event }) => event === "committed").length > 2);
  await call(page, "replay", other);
  await page.getByRole("button", { name: "Bring it back" }).click();
  const { settings, events } = await traceOf(page);
  assert.equal(settings.seed, 77);
  assert.equal(events.at(-1).event, "finished");
  await page.keyboard.press("End");
  await page.getByTestId("play").getByText("Play", { exact: true }).waitFor();
});

test("embedded, the page has no header, and the frame's markup shows the same state", async ({ page, base }) => {
  await page.goto(base + "?backend=cpu");
  await shown(page, "recorded");
  await page.keyboard.press("]");
  await page.keyboard.press("]");
  const before = await picture(page);
  await page.getByTestId("share").click();
  const markup = await page.getByTestId("share-frame").inputValue();
  assert.match(markup, /^<iframe src="[^"]+embed=1[^"]*" title=/);
  await page.route("**/frame.html", (route) => route.fulfill({ contentType: "text/html", body: `<h1>A page</h1>${markup}` }));
  await page.goto(new URL("frame.html", base).href);
  const frame = page.frameLocator("iframe");
  await frame.locator("[data-testid=provenance][data-kind=recorded]").waitFor();
  await until(async () => (await frame.getByTestId("manuscript").innerText()) === before[0], "the same state");
  assert.equal(await frame.locator("header.top").count(), 0);
  const out = await frame.getByTestId("embed-out").getAttribute("href");
  assert.ok(!out.includes("embed=1") && out.includes("at="), out);
});

test("a page of another origin calls the frame by messages where it was opened for that, and nobody else does", async ({ page, base }) => {
  // Any file of the same server under its other name is a page of another origin.
  const host = new URL("notices.txt", base);
  host.hostname = "localhost";
  const frame = async (hash) => {
    await page.goto(host.href);
    await page.evaluate((address) => {
      window.heard = [];
      addEventListener("message", ({ data }) => heard.push(data));
      for (const src of [address, "about:blank"]) document.body.appendChild(document.createElement("iframe")).src = src;
      window.ask = (name, argument, id, from = window) =>
        from.Function("to", "message", "to.postMessage(message, '*')")(frames[0], { couplet: name, argument, id });
    }, `${base}?backend=cpu#${hash}`);
  };
  const heard = (has) => page.evaluate((has) => heard.find((data) => Object.entries(has).every(([key, value]) => data[key] === value)), has);
  const asks = async (name, argument, id) => {
    await page.evaluate(([name, argument, id]) => ask(name, argument, id), [name, argument, id]);
    await until(() => heard({ id }), `an answer to ${name}`);
    return heard({ id });
  };

  await frame("v=1&embed=1");
  await until(() => heard({ couplet: "started", version: 1 }), "the frame says that it listens");
  const { couplet, result } = await asks("generate", { max_tokens: 8, seed: 5 }, 1);
  assert.equal(couplet, "generate");
  assert.equal(result.settings.seed, 5);
  const wrong = await asks("generate", { gamma: 99 }, 2);
  assert.deepEqual([wrong.error.field, wrong.error.code], ["gamma", "input"]);
  assert.match(wrong.error.message, /^gamma: /);
  assert.match((await asks("valueOf", {}, 3)).error.message, /no call/);
  // A neighbour in another frame asks first and is not answered.
  await page.evaluate(() => ask("trace", undefined, 4, frames[1]));
  await asks("trace", undefined, 5);
  assert.equal(await heard({ id: 4 }), undefined);

  await frame("v=1");
  await page.frameLocator("iframe").first().locator("[data-testid=provenance][data-kind=recorded]").waitFor();
  await page.evaluate(() => ask("trace", undefined, 1));
  await page.waitForTimeout(500);
  assert.deepEqual(await page.evaluate(() => heard), []);
});

test("a frame that gives the page no origin of its own says what it lacks", async ({ page, base }) => {
  const flags = "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-downloads";
  for (const [language, says] of [["en", "needs"], ["de", "braucht"]]) {
    const address = `${base}?language=${language}#v=1&embed=1`;
    const frame = `<iframe sandbox="allow-scripts" src="${address}" width="800" height="600"></iframe>`;
    const host = new URL(`host-${language}.html`, base).href;
    await page.route(host, (route) => route.fulfill({ contentType: "text/html", body: frame }));
    await page.goto(host);
    const sentence = page.frameLocator("iframe").locator(`[role=alert][lang=${language}]`);
    await sentence.waitFor();
    const text = await sentence.innerText();
    assert.ok(text.includes(`${says} ${flags}.`), text);
    assert.ok(text.endsWith(`: ${address}`), text);
  }
});

test("several files and a folder are no run", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const devtools = await page.context().newCDPSession(page);
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const files = ["package.json", "package-lock.json"].map((name) => folder + name);
  for (const [dropped, says] of [[[folder], /is a folder/], [files, /several files/]]) {
    const data = { items: [], files: dropped, dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"]) {
      await devtools.send("Input.dispatchDragEvent", { type, x: 600, y: 300, data });
    }
    assert.match(await notice(page, says), says);
    await page.getByTestId("notice").getByRole("button", { name: "Close" }).first().click();
  }
});

test("figures come as drawings and pictures that stand by themselves", async ({ page, base }) => {
  await page.goto(base + "?backend=cpu");
  await shown(page, "recorded");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByTestId("end").click();
  await page.keyboard.press("[");
  await page.getByTestId("share").click();
  const svg = await saved(page, () => page.getByTestId("svg-couplet-round").click());
  assert.match(svg.text, /^<svg xmlns=/);
  assert.doesNotMatch(svg.text, /var\(--|class="bar/);
  const valid = await page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    return parsed.querySelector("parsererror") === null && parsed.querySelectorAll("text").length;
  }, svg.text);
  assert.ok(valid > 10, `${valid} texts`);
  // The key has its three colours.
  const swatches = [...svg.text.matchAll(/<rect [^>]*width="14\.0" height="10\.0"[^>]*fill="([^"]+)"/g)].map(([, fill]) => fill);
  assert.equal(new Set(swatches).size, 3, swatches.join("; "));
  // The needle lies where the style sheet moved it, and what was struck has its stroke.
  const moved = svg.text.match(/transform:\s*matrix\(1, 0, 0, 1, 0, [\d.]+\)/g) ?? [];
  assert.ok(moved.length > 0, "needles");
  // What asks to be pressed on the page asks nobody on paper.
  const distributions = await saved(page, () => page.getByTestId("svg-couplet-distributions").click());
  assert.match(distributions.text, />After/);
  assert.doesNotMatch(distributions.text, />[^<]*Pick a token/);
  const text = await saved(page, () => page.getByTestId("svg-couplet-manuscript").click());
  const strokes = text.text.match(/<path d="M-[\d.]+ 0H[\d.]+" transform="translate\([^)]+\) matrix\(/g) ?? [];
  const struck = await page.locator("[data-testid=manuscript] .was").count();
  assert.ok(struck > 0 && strokes.length === struck, `${strokes.length} strokes for ${struck} struck letters`);
  const lines = text.text.match(/<path d="M[\d.-]+ [\d.-]+H[\d.-]+" stroke=/g) ?? [];
  const inked = await page.locator("[data-testid=manuscript] .tk.acc").count();
  assert.ok(lines.length >= inked, `${lines.length} lines for ${inked} accepted letters`);
  const [png] = await Promise.all([page.waitForEvent("download"), page.getByTestId("png-couplet-round").click()]);
  const bytes = await readFile(await png.path());
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  assert.ok(bytes.length > 10_000, `${bytes.length}`);
  for (const [scene, files] of [["couplings", ["agreement", "couplings"]], ["proof", ["why", "test", "museum"]]]) {
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByTestId(`scene-${scene}`).click();
    await page.getByTestId("share").click();
    for (const file of files) {
      const { text } = await saved(page, () => page.getByTestId(`svg-couplet-${file}`).click());
      assert.ok(text.length > 5_000 && !text.includes("var(--"), file);
    }
  }
});

test("a link in the address line of the open page is followed", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.evaluate(() => (location.hash = "#v=1&seed=8&max_tokens=20"));
  await page.waitForFunction(() => document.querySelector("[data-testid=seed]")?.value === "8");
  assert.equal((await finished(page)).settings.seed, 8);
  // Back leads to the link before, and Forward to this one.
  await page.evaluate(() => (location.hash = "#v=1&seed=9&max_tokens=20"));
  const shows = async (seed) => {
    await page.waitForFunction((seed) => document.querySelector("[data-testid=seed]")?.value === seed, `${seed}`);
    assert.equal((await finished(page)).settings.seed, seed);
  };
  await shows(9);
  await page.evaluate(() => history.back());
  await shows(8);
  await page.evaluate(() => history.forward());
  await shows(9);
});

test("a page that is left for a link in its address line no longer writes its own there", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await write(page);
  await page.locator("#scene").focus();
  await page.keyboard.press("Home");
  await settled(page);
  // On a slow line it stands there for a while after it was left.
  await page.route("**/?backend=cpu", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await route.continue();
  });
  await page.keyboard.press("ArrowRight");
  await page.evaluate(async () => {
    const left = new Promise((resolve) => addEventListener("popstate", resolve));
    location.hash = "#v=1&seed=8&max_tokens=20";
    for (const way of ["replaceState", "pushState"]) {
      const write = history[way];
      history[way] = function (...all) {
        sessionStorage.setItem("written", all[2]);
        return write.apply(this, all);
      };
    }
    await left;
    document.querySelector("[data-testid=scene-proof]").click();
  });
  await page.waitForFunction(() => document.querySelector("[data-testid=seed]")?.value === "8");
  assert.equal(await page.evaluate(() => sessionStorage.getItem("written")), null);
  assert.equal((await finished(page)).settings.seed, 8);
});

test("a prompt is shown as it was written, and drawn where XML has no way to write it", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await call(page, "generate", { pair: "stories", prompt: "Zoë, a 🦊\u0001 in the café. ", max_tokens: 9 });
  assert.match(await page.getByTestId("manuscript").innerText(), /Zoë, a 🦊. in the café\. /u);
  await page.keyboard.press("Home");
  await page.getByTestId("next-phase").click();
  assert.match(await page.getByTestId("inspector").getByRole("heading").innerText(), /in the café\. $|in the café\.$/);
  await page.getByTestId("share").click();
  const { text } = await saved(page, () => page.getByTestId("svg-couplet-manuscript").click());
  const isXml = (text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror") === null;
  assert.ok(await page.evaluate(isXml, text));
  await Promise.all([page.waitForEvent("download"), page.getByTestId("png-couplet-manuscript").click()]);
});

test("pictures can be read as XML whatever stands in their drawings", async ({ page, base }) => {
  await open(page, base, "?backend=cpu&language=de");
  // Numbers of darts beyond a thousand, whose groups a space that is not to be broken holds apart.
  await call(page, "generate", { pair: "stories", rule: "minhash", max_tokens: 20 });
  await page.keyboard.press("End");
  await page.waitForFunction(() => /\d\u00a0\d/.test(document.querySelector("[data-testid=round]").textContent));
  await page.getByTestId("share").click();
  const { text } = await saved(page, () => page.getByTestId("svg-couplet-round").click());
  const trouble = (text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror")?.textContent;
  assert.equal(await page.evaluate(trouble, text), undefined);
  assert.match(text, /\d\u00a0\d/);
  await Promise.all([page.waitForEvent("download"), page.getByTestId("png-couplet-round").click()]);
});

test("a link can choose the colours without changing the visitor's choice", async ({ page, base }) => {
  await follow(page, base, "#v=1&theme=dark");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await follow(page, base, "");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), undefined);
  // Whoever chooses others has those when the page is loaded again.
  await follow(page, base, "#v=1&scene=proof&theme=light");
  await page.getByTestId("theme").click();
  assert.doesNotMatch(await page.evaluate(() => location.hash), /theme/);
  await page.reload();
  await page.waitForFunction(() => window.couplet);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
});

test("every scene prints without the page's furniture, and whole", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  // To where a resampled token appears.
  while ((await page.locator(".column.rej").count()) === 0) await page.getByTestId("next-phase").click();
  for (const scene of ["stage", "couplings", "speed", "proof", "lessons"]) {
    await page.getByTestId(`scene-${scene}`).click();
    await page.emulateMedia({ media: "print" });
    for (const selector of [".scenes", ".top-right", ".transport", ".controls", ".switch", ".what-if-term input"]) {
      for (const element of await page.locator(selector).all()) assert.equal(await element.isVisible(), false, `${scene}: ${selector}`);
    }
    // What is about to appear would be missing on paper.
    const moving = () => [...document.querySelectorAll("main *")].filter((each) => getComputedStyle(each).animationName !== "none").length;
    assert.equal(await page.evaluate(moving), 0, `${scene} is printed while it moves`);
    // Ink on white, also where the page is dark.
    for (const colorScheme of ["dark", "light"]) {
      await page.emulateMedia({ media: "print", colorScheme });
      const colors = () => [getComputedStyle(document.querySelector("main")).color, getComputedStyle(document.documentElement).backgroundColor];
      assert.deepEqual(await page.evaluate(colors), ["rgb(29, 28, 26)", "rgb(255, 255, 255)"], `${scene}, ${colorScheme}`);
    }
    if (scene === "proof") assert.match(await page.getByTestId("test").innerText(), /Look-ahead γ\s+\d\s/);
    const pdf = await page.pdf({ format: "A4" });
    assert.ok(pdf.length > 5_000, scene);
    await page.emulateMedia({ media: "screen" });
  }
});

test("what says which run it is stands under the title on wide paper, too", async ({ page, base }) => {
  for (const [width, height, rule] of [[1056, 816, "rejection"], [1498, 1058, "greedy"]]) {
    await page.goto("about:blank");
    await page.setViewportSize({ width, height });
    await open(page, base, `?backend=cpu#v=1&rule=${rule}&max_tokens=20`);
    await finished(page);
    await page.emulateMedia({ media: "print" });
    const [title, which] = await page.evaluate(() => ["body header", "[data-testid=provenance]"].map((part) => document.querySelector(part).getBoundingClientRect()));
    assert.ok(which.top >= title.bottom, `${width}: ${which.top} over ${title.bottom}`);
    await page.emulateMedia({ media: "screen" });
  }
});

test("after the browser's Back the address names the run that plays", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.getByTestId("temperature").fill("0");
  await write(page);
  await page.getByTestId("scene-lessons").click();
  await page.getByTestId("scene-stage").click();
  await page.getByTestId("prompt").fill("JULIET:\n");
  await page.getByTestId("generate").click();
  await page.waitForFunction(() => /JULIET/.test(location.hash) && window.couplet.trace()?.settings.prompt.startsWith("JULIET"));
  await page.goBack();
  await page.goBack();
  await page.waitForFunction(() => /JULIET/.test(location.hash));
  // While it stands the address has its place, too.
  assert.match(await page.getByTestId("play").innerText(), /Pause/);
  assert.doesNotMatch(await page.evaluate(() => location.hash), /[#&]at=/);
});

test("after the browser's Back the address names the run on the page though the form was edited since", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.getByTestId("max_tokens").fill("12");
  await write(page);
  await page.getByTestId("scene-lessons").click();
  await page.getByTestId("scene-stage").click();
  await page.getByTestId("seed").fill("7");
  await page.getByTestId("generate").click();
  await page.waitForFunction(() => /[#&]seed=7(&|$)/.test(location.hash) && window.couplet.trace()?.settings.seed === 7);
  await page.getByTestId("seed").fill("8");
  await page.goBack();
  await page.goBack();
  await page.waitForFunction(() => /[#&]seed=7(&|$)/.test(location.hash));
  assert.equal(await page.getByTestId("seed").inputValue(), "8");
});

test("what was chosen otherwise than a link says does not come back with the browser's Back", async ({ page, base }) => {
  const root = () => page.evaluate(() => [document.documentElement.lang, document.documentElement.getAttribute("data-theme")]);
  await open(page, base, "?backend=cpu&language=de#v=1&theme=light");
  assert.deepEqual(await root(), ["de", "light"]);
  await page.getByTestId("scene-speed").click();
  await page.getByTestId("theme").click();
  await page.getByTestId("help").click();
  await page.getByTestId("languages").getByText("English").click();
  await page.waitForFunction(() => document.documentElement.lang === "en");
  await page.keyboard.press("Escape");
  await page.goBack();
  await page.getByTestId("manuscript").waitFor();
  await page.waitForFunction(() => !/theme|language/.test(location.href));
  await reload(page);
  assert.deepEqual(await root(), ["en", "dark"]);
});

test("a run with a parameter that its rule does not use is played, and the address names it", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const run = await call(page, "generate", { lenience: 0.9, max_tokens: 12 });
  assert.equal(run.settings.lenience, 0.9);
  await page.waitForFunction(() => /[#&]max_tokens=12(&|$)/.test(location.hash));
  await call(page, "replay", run);
  if (/Pause/.test(await page.getByTestId("play").innerText())) await page.getByTestId("play").click();
  assert.equal((await page.getByTestId("play").innerText()).trim(), "Play");
});

test("the browser's Back closes what stands over the part that is left", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.getByTestId("scene-couplings").click();
  await page.getByTestId("share").click();
  await page.getByTestId("share-panel").waitFor();
  await page.goBack();
  await page.getByTestId("share-panel").waitFor({ state: "hidden" });
});
