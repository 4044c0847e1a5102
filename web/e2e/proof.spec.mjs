// The scene Proof: the argument in three steps, the live test, the museum of mistakes.
import assert from "node:assert/strict";
import { sideways } from "./scenes.mjs";
import { counted, frames, noPanicText, patchWorker, ready, shown, until } from "./support.mjs";
import { test } from "./test.mjs";

const SCENE = "?backend=cpu#scene=proof";
const INEXACT = ["greedy", "lenience", "typical"];
const MISTAKES = [
  "resamples_from_target",
  "greedy_draft",
  "match_then_residual",
  "drops_improbable_drafts",
  "match_or_ratio",
  "ratio_upside_down",
  "one_coin_for_all_positions",
  "replacement_with_the_same_coin",
];

/** Opens the scene; the engine may still be on its way. */
async function openProof(page, base) {
  await page.goto(base + SCENE);
  await page.getByTestId("why").waitFor();
}

/** Rows of the table after the three steps, as [token, draft, target, accepted, rejected, poured, out]. */
async function steps(page) {
  const why = page.getByTestId("why");
  if (!(await why.locator("table").count())) await why.locator("summary").click();
  // The table is drawn once the browser says that its fold is open.
  await why.locator("tbody tr").first().waitFor();
  assert.equal(await why.getByRole("table", { name: "The three steps in numbers" }).count(), 1);
  const rows = await why.locator("tbody tr").evaluateAll((rows) =>
    rows.map((row) => [...row.cells].map((cell) => cell.textContent)),
  );
  return rows.map(([token, ...numbers]) => [token, ...numbers.map(Number)]);
}

const near = (a, b) => assert.ok(Math.abs(a - b) < 3e-4, `${a} is not ${b}`);

/** Replaces the worker by one that has loaded a pair and answers `count_rounds` with `answer`. */
function fakeEngine(page, answer) {
  const pair = {
    name: "shakespeare", title: "Fake", token_kind: "character", tokens: ["a"], prefix_tokens: 0, context: 8,
    acceptance_rate: 0.5,
    target: { parameters: 1, layers: 1, hidden_size: 1, validation_loss: 1 },
    draft: { parameters: 1, layers: 1, hidden_size: 1, validation_loss: 1 },
  };
  const body = `
    const send = (reply) => self.postMessage(JSON.stringify(reply));
    self.onmessage = ({ data }) => {
      const [[command, { id, request }]] = Object.entries(JSON.parse(data));
      if (command === "pairs") send({ pairs: { id, pairs: [] } });
      if (command === "load") send({ loaded: { id, pair: ${JSON.stringify(pair)}, device: { backend: "cpu", name: "Fake" } } });
      if (command === "stop") send("alive");
      if (command === "count_rounds") {
        const [[reply, fields]] = Object.entries((${answer})(request));
        send({ [reply]: { id, ...fields } });
      }
    };
    send("started");`;
  return page.route("**/couplet-worker_loader.js*", (route) => route.fulfill({ contentType: "text/javascript", body }));
}

/** Waits for so many lots of texts in the live test, of which the first comes by itself; its p-value. */
async function pValue(page, lots = 1) {
  await counted(page);
  for (let lot = 2; lot <= lots; lot += 1) {
    await page.getByTestId("add").click();
    await counted(page, lot);
  }
  return Number(await page.getByTestId("p-value").getAttribute("data-p"));
}

test("the three steps of the proof end at the target, whatever the preset", async ({ page, base }) => {
  await openProof(page, base);
  const variation = { vowels: 0.3, three: 0.3, near: 0.02, disjoint: 1, equal: 0 };
  for (const [name, expected] of Object.entries(variation)) {
    await page.getByTestId(`preset-${name}`).click();
    const rows = await steps(page);
    for (const [, draft, target, accepted, rejected, poured, out] of rows) {
      near(accepted + rejected, draft);
      near(accepted + poured, target);
      near(out, target);
    }
    const [, , , accepted, rejected, poured] = rows.at(-1);
    near(rejected, expected);
    near(poured, expected);
    near(accepted, 1 - expected);
    assert.equal(rows.at(-1)[0], "sum");
  }
});

test("each step says its numbers, and the edge cases say what happens there", async ({ page, base }) => {
  await openProof(page, base);
  const says = async (step) => (await page.getByTestId(`why-${step}`).innerText()).replace(/\s+/g, " ");
  assert.match(await says(1), /Four letters get too little −, two hatched ones too much \+\. Each side adds up to 0\.30/);
  assert.match(await says(2), /0\.70 is accepted, 0\.30 is rejected/);
  assert.match(await says(3), /0\.70 \+ 0\.30 = 1/);
  assert.match(await says("onward"), /takes 2\.20 guesses/);
  await page.getByTestId("preset-equal").click();
  assert.match(await says(1), /the total variation is 0/);
  assert.match(await says(3), /Nothing was stolen, so there is nothing to hand back/);
  assert.doesNotMatch(await says("onward"), /To ask/);
  await page.getByTestId("preset-disjoint").click();
  assert.match(await says(2), /nothing is accepted/);
  assert.match(await says(3), /the residual is the target itself/);
  assert.match(await says("onward"), /would never write what only the target writes/);
});

test("the steps of the proof are drawn one after another", async ({ page, base }) => {
  await openProof(page, base);
  await page.getByTestId("why-step-1").click();
  assert.equal(await page.locator("[data-testid=why-1] .bar-draft").count(), 6);
  assert.equal(await page.locator("[data-testid=why-2] .bar-overlap").count(), 0);
  await page.getByTestId("why-step-2").click();
  assert.equal(await page.locator("[data-testid=why-2] .bar-overlap").count(), 6);
  assert.equal(await page.locator("[data-testid=why-3] .poured").count(), 0);
  await page.getByTestId("why-step-3").click();
  assert.equal(await page.locator("[data-testid=why-3] .poured").count(), 4);
});

test("a picture's name tells the bars that it draws, and a lesson's covered numbers stay away", async ({ page, base }) => {
  await openProof(page, base);
  const name = (step) => page.getByTestId(`why-${step}`).locator("svg.figure").getAttribute("aria-label");
  await page.getByTestId("preset-three").click();
  await page.getByTestId("why-step-1").click();
  assert.match(await name(1), /: a: draft 0\.50, target 0\.20; b: /);
  assert.match(await name(2), /^Only the target’s level of every token: a: 0\.20; b: /);
  await page.getByTestId("why-step-3").click();
  assert.match(await name(2), /: a: accepted 0\.20, rejected 0\.30; b: /);
  assert.match(await name(3), /: a: accepted 0\.20, poured back 0; b: /);
  await pValue(page);
  const [output, difference] = await page.getByTestId("test").locator("svg[role=img]").evaluateAll((all) => all.map((each) => each.getAttribute("aria-label")));
  assert.match(output, /: a: 0\.\d{3}, target 0\.200; b: /);
  assert.match(difference, /: a: [+−]\d\.\d\d/);
  await page.goto("about:blank");
  await page.goto(`${base}?backend=cpu#v=1&lesson=exact&step=3`);
  await page.getByTestId("why").getByTestId("covered").waitFor();
  await page.locator("[data-testid=why-step-1][aria-pressed=true]").waitFor();
  assert.match(await name(1), /: a: draft 0\.50, target 0\.20; /);
  await page.getByTestId("why-step-3").click();
  for (const step of [2, 3]) assert.doesNotMatch(await name(step), /\d/);
});

test("one's own distributions are used, and wrong ones refused at their field", async ({ page, base }) => {
  await openProof(page, base);
  await page.getByTestId("own-pair").click();
  const attempt = async (draft, target) => {
    await page.getByTestId("own-draft").fill(draft);
    await page.getByTestId("own-target").fill(target);
    await page.getByTestId("own-use").click();
    const said = async (field) => (await page.locator(`#${field}-error`).allInnerTexts()).join();
    return [await said("own-draft"), await said("own-target")];
  };
  assert.match((await attempt("0.5 x", "0.5 0.5"))[0], /“x” is not a number/);
  assert.match((await attempt("1 1", "1 -1"))[1], /negative/);
  assert.match((await attempt("1 1", "0 0"))[1], /zero/);
  assert.match((await attempt("1", "1"))[0], /takes 2 to 8/);
  assert.match((await attempt("1 1 1", "1 1"))[1], /need equally many/);
  assert.match((await attempt("", "1 1"))[0], /0 numbers/);
  assert.deepEqual(await attempt("3, 1", "1; 3"), ["", ""]);
  const rows = await steps(page);
  assert.deepEqual(rows[0].slice(0, 3), ["a", 0.75, 0.25]);
  assert.match(await page.getByTestId("pair-note").innerText(), /the draft by 4, the target by 4/);
});

test("numbers that are being typed are there again after another scene, and a preset takes their place", async ({ page, base }) => {
  await openProof(page, base);
  await page.getByTestId("own-pair").click();
  await page.getByTestId("own-draft").fill("1 2 3");
  await page.getByTestId("scene-speed").click();
  await page.getByTestId("scene-proof").click();
  assert.equal(await page.getByTestId("own-draft").inputValue(), "1 2 3");
  assert.equal(await page.getByTestId("own-pair").getAttribute("aria-pressed"), "true");
  await page.getByTestId("preset-three").click();
  assert.equal(await page.getByTestId("own-draft").count(), 0);
  assert.equal(await page.getByTestId("own-pair").getAttribute("aria-pressed"), "false");
});

test("the position under consideration on the Stage is taken into the proof", async ({ page, base }) => {
  await page.goto(`${base}?backend=cpu`);
  await shown(page, "recorded");
  await page.getByTestId("next-phase").waitFor();
  await page.keyboard.press("Home");
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
  await page.getByTestId("scene-proof").click();
  await page.getByTestId("from-stage").click();
  assert.match(await page.getByTestId("pair-note").innerText(), /Taken from the Stage after “.+”/);
  const rows = await steps(page);
  assert.ok(rows.length >= 3 && rows.length <= 8);
  near(rows.at(-1)[1], 1);
  near(rows.at(-1)[6], 1);
  // As numbers of one's own they are the same, with their names and all their digits.
  await page.getByTestId("own-pair").click();
  await page.getByTestId("own-use").click();
  assert.deepEqual(await steps(page), rows);
  // So is a token that was discarded, and Couplings takes the same one.
  await page.getByTestId("scene-stage").click();
  const discarded = page.locator("figure.column.dis .tok-button").last();
  while ((await discarded.count()) === 0) await page.getByTestId("next-phase").click();
  await discarded.click();
  const [, place] = /^position (\d+) of/.exec(await discarded.getAttribute("aria-label"));
  await page.getByTestId("scene-proof").click();
  await page.getByTestId("from-stage").click();
  const [, before] = /Taken from the Stage after “(.+?)”/.exec(await page.getByTestId("pair-note").innerText());
  await page.getByTestId("scene-couplings").click();
  await page.getByTestId("take-from-stage").click();
  const hint = await page.getByTestId("editor-hint").innerText();
  assert.ok(hint.startsWith(`After “${before}”: `) && hint.includes(`, drafted token ${place};`), `${hint}, not ${place} after ${before}`);
});

test("the scene remembers what was chosen while another one is open", async ({ page, base }) => {
  await openProof(page, base);
  await page.getByTestId("preset-three").click();
  await page.getByTestId("test-gamma-3").click();
  await page.getByTestId("test-rule").selectOption("block");
  await page.getByTestId("scene-stage").click();
  await page.getByTestId("scene-proof").click();
  assert.equal(await page.getByTestId("preset-three").getAttribute("aria-pressed"), "true");
  assert.equal(await page.getByTestId("test-gamma-3").getAttribute("aria-pressed"), "true");
  assert.equal(await page.getByTestId("test-rule").inputValue(), "block");
  // Exact theory of block verification on example A.
  assert.equal(await page.getByTestId("kept-theory").innerText(), "1.695");
});

test("gamma is limited where texts would be too many to test", async ({ page, base }) => {
  await openProof(page, base);
  assert.ok(await page.getByTestId("test-gamma-4").isDisabled());
  assert.match(await page.getByTestId("gamma-limit").innerText(), /7,776 different texts/);
  await page.getByTestId("preset-three").click();
  await page.getByTestId("test-gamma-4").click();
  // Back to six letters, four is too many.
  await page.getByTestId("preset-vowels").click();
  assert.equal(await page.getByTestId("test-gamma-3").getAttribute("aria-pressed"), "true");
});

test("the second press of a double one does not stop what the first began", async ({ page, base }) => {
  await page.goto(`${base}?backend=cpu#v=1&scene=proof`);
  await counted(page);
  await page.evaluate(() => {
    const button = document.querySelector("[data-testid=add]");
    for (const detail of [1, 2]) button.dispatchEvent(new MouseEvent("click", { bubbles: true, detail }));
  });
  await counted(page, 2);
});

test("a mistake that ruins nearly certain texts is seen", async ({ page, base }) => {
  await page.goto(`${base}?backend=cpu#v=1&scene=proof&own=1,1,1;1000000,3,3;a%20b%20c&mistakes=ratio_upside_down`);
  const exhibit = page.getByTestId("mistake-ratio_upside_down");
  await exhibit.getByText("Not the target").waitFor({ timeout: 60_000 });
});

test("counting that fails says why and can be tried again", async ({ page, base }) => {
  await fakeEngine(page, `() => ({ failed: { failure: { kind: "input", sentence: "The weather is bad." } } })`);
  await page.addInitScript(() => {
    window.asked = 0;
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...rest) {
      if (`${message}`.includes("count_rounds")) window.asked += 1;
      return post.call(this, message, ...rest);
    };
  });
  await openProof(page, base);
  const says = page.getByTestId("test-failed").filter({ hasText: "Nothing was counted: The weather is bad." });
  await says.waitFor();
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => window.asked), 1, "nobody asked again");
  await page.getByTestId("add").click();
  await until(() => page.evaluate(() => window.asked === 2), "it is asked again");
  await says.waitFor();
  const card = page.getByTestId("mistake-greedy_draft");
  await card.getByTestId("switch").click();
  await card.getByTestId("exhibit-failed").waitFor();
  await card.getByTestId("switch").click();
  assert.match(await card.innerText(), /Off: the rule is followed/);
  await noPanicText(page);
});

test("an answer that does not fit the question is not counted", async ({ page, base }) => {
  await fakeEngine(
    page,
    `() => ({ rounds_counted: { counted: { counts: [1], accepted: [1], trials: 1, backend: "cpu", milliseconds: 1 } } })`,
  );
  await openProof(page, base);
  await page.getByTestId("test-failed").waitFor();
  assert.match(await page.getByTestId("test-failed").innerText(), /does not fit the question/);
  // It is said in the language that is chosen after it, too.
  await page.getByTestId("help").click();
  await page.getByTestId("languages").getByText("Deutsch").click();
  await page.getByTestId("test-failed").filter({ hasText: /passt nicht zur Frage/ }).waitFor();
  await noPanicText(page);
});

test("without an engine the argument stands and the test says what it lacks", async ({ page, base }) => {
  await page.route("**/couplet-worker_loader.js*", (route) => route.fulfill({ contentType: "text/javascript", body: "throw new Error('gone')" }));
  await openProof(page, base);
  await page.getByTestId("test-waits").filter({ hasText: "has stopped" }).waitFor();
  await page.getByTestId("add").click();
  await page.getByTestId("test-failed").waitFor();
  assert.match(await page.getByTestId("test-failed").innerText(), /Nothing was counted: .*stopped/);
  assert.equal((await steps(page)).length, 7);
  await noPanicText(page);
});

test("the first texts are counted by themselves, of whatever is tested, and no more", async ({ page, base }) => {
  await openProof(page, base);
  const first = await pValue(page);
  await page.getByTestId("test-heard").getByText(/^p [=<] \S+.*: no sign of a difference$/).waitFor({ state: "attached" });
  await page.getByTestId("test-gamma-1").click();
  await page.getByTestId("test-about").filter({ hasText: "20,000 texts of two tokens" }).waitFor();
  await page.getByTestId("preset-three").click();
  await page.getByTestId("test-verdict").filter({ hasText: /\b9 texts of two tokens/ }).waitFor();
  await page.getByTestId("scene-stage").click();
  await page.getByTestId("scene-proof").click();
  await page.waitForTimeout(300);
  assert.match(await page.getByTestId("test-about").innerText(), /^20,000 texts/);
  // The same question has the same answer.
  await page.getByTestId("preset-vowels").click();
  await page.getByTestId("test-gamma-2").click();
  await page.getByTestId("test-about").filter({ hasText: "20,000 texts of three tokens" }).waitFor();
  assert.equal(await pValue(page), first);
});

test("exact rules pass the live test, and add up", async ({ page, base }) => {
  await openProof(page, base);
  await ready(page);
  const offered = page.getByTestId("test-rule").locator("option");
  const rules = await offered.evaluateAll((options) => options.map((option) => option.value));
  for (const rule of rules.filter((rule) => !INEXACT.includes(rule))) {
    await page.getByTestId("test-rule").selectOption(rule);
    const p = await pValue(page, 2);
    assert.ok(p > 0.001 && p < 1, `${rule}: p = ${p}`);
    assert.match(await page.getByTestId("test-verdict").innerText(), /no sign of a difference[^]*can never prove equality/i);
    const [mean, theory] = [await page.getByTestId("kept-mean").innerText(), await page.getByTestId("kept-theory").innerText()];
    assert.ok(Math.abs(mean - theory) < 0.03, `${rule}: kept ${mean}, theory ${theory}`);
  }
});

test("the GPU's kernels pass the live test as well", async ({ page, base }) => {
  await page.goto(`${base}#scene=proof`);
  const { device } = await ready(page);
  assert.equal(device.backend, "gpu");
  const p = await pValue(page);
  assert.ok(p > 0.001 && p < 1, `p = ${p}`);
  assert.match(await page.getByTestId("test-about").innerText(), /written by the GPU kernels/);
  const card = page.getByTestId("mistake-resamples_from_target");
  await card.getByTestId("switch").click();
  await card.getByTestId("stamp").filter({ hasText: "Not the target" }).waitFor({ timeout: 60_000 });
});

test("a count can be stopped, and one that was left keeps nobody waiting", { tag: "@measured" }, async ({ page, base }) => {
  await page.goto(`${base}#scene=proof`);
  await ready(page);
  // On a software adapter the whole of it takes most of a minute.
  await page.getByTestId("test-rule").selectOption("minhash");
  const about = page.getByTestId("test-about");
  await page.waitForFunction(() => /^[1-9]/.test(document.querySelector("[data-testid=test-about]").textContent));
  assert.equal(await page.getByTestId("add").innerText(), "Stop counting");
  await page.getByTestId("add").click();
  assert.match(await page.getByTestId("add").innerText(), /^Add/);
  await page.waitForTimeout(300);
  assert.match(await page.getByTestId("add").innerText(), /^Add/, "it does not begin again by itself");
  assert.ok(!(await about.innerText()).startsWith("20,000"), "what was counted stays, and no more comes");
  await page.getByTestId("add").click();
  await page.getByTestId("test-rule").selectOption("rejection");
  const start = performance.now();
  await pValue(page);
  assert.ok(performance.now() - start < 20_000, `${performance.now() - start} ms`);
});

test("every pair to choose from can be seen, however narrow the window", async ({ page, base }) => {
  for (const language of ["en", "de"]) {
    for (const [where, widths] of [["scene=proof", [705, 760]], ["lesson=wrong&step=1", [900, 1024, 1090]]]) {
      await page.goto("about:blank");
      await page.goto(`${base}?backend=cpu&language=${language}#v=1&${where}`);
      const chooser = page.locator(".chooser > .segments");
      await chooser.waitFor();
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        await frames(page);
        const over = await chooser.evaluate((row) => row.scrollWidth - row.clientWidth);
        assert.ok(over <= 1, `${language}, ${width}: ${over} px are cut`);
      }
    }
  }
});

test("the engine is told to stop every count that nobody wants any more", async ({ page, base }) => {
  // An engine that never comes to an end of its counts.
  await patchWorker(page, `{ const post = self.postMessage.bind(self);
      self.postMessage = (text) => { if (!text.includes('"rounds_counted"')) post(text); }; }`);
  await page.addInitScript(() => {
    window.counts = [];
    window.stops = [];
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...rest) {
      const { count_rounds: count, stop } = JSON.parse(message);
      if (count) window.counts.push(count);
      if (stop) window.stops.push(stop.id);
      return post.call(this, message, ...rest);
    };
  });
  await openProof(page, base);
  await ready(page);
  /** Waits for so many counts; what they ask for, their numbers, and which were stopped. */
  const asked = async (count) => {
    await until(() => page.evaluate((count) => window.counts.length === count, count), `${count} counts are asked for`);
    const { counts, stops } = await page.evaluate(() => ({ counts: window.counts, stops: window.stops }));
    const requests = counts.map(({ request }) => request);
    return { requests, last: requests.at(-1), ids: counts.map(({ id }) => id), stops };
  };
  await asked(1);
  await page.getByTestId("test-rule").selectOption("block");
  const block = await asked(2);
  assert.equal(block.last.rule, "block");
  assert.deepEqual(block.stops, block.ids.slice(0, 1));
  await page.getByTestId("add").filter({ hasText: "Stop counting" }).click();
  assert.deepEqual((await asked(2)).stops, block.ids);
  // The museum counts one after another, slice by slice as the test does.
  const [first, second] = MISTAKES.map((mistake) => page.getByTestId(`mistake-${mistake}`).getByTestId("switch"));
  await first.click();
  await second.click();
  const mistake = await asked(3);
  assert.equal(mistake.last.mistake, MISTAKES[0]);
  assert.ok(mistake.last.trials < 20_000, `${mistake.last.trials} at once`);
  await first.click();
  const next = await asked(4);
  assert.equal(next.last.mistake, MISTAKES[1]);
  assert.deepEqual(next.stops, mistake.ids);
  // With another pair of distributions test and museum count anew.
  await page.getByTestId("preset-three").click();
  const other = await asked(6);
  assert.deepEqual(other.stops, next.ids);
  assert.ok(other.requests.slice(4).every(({ target }) => target.length === 3));
  const again = other.requests.findLastIndex(({ mistake }) => mistake === MISTAKES[1]);
  assert.ok(again > 3);
  await page.getByTestId("all-mistakes").click();
  await page.getByTestId("all-mistakes").click();
  assert.deepEqual((await asked(6)).stops, [...next.ids, other.ids[again]]);
  await noPanicText(page);
});

test("whoever starts over gets other texts", async ({ page, base }) => {
  await openProof(page, base);
  await ready(page);
  const before = await pValue(page);
  const seed = await page.getByTestId("test-seed").innerText();
  await page.getByTestId("start-over").click();
  assert.notEqual(await page.getByTestId("test-seed").innerText(), seed);
  assert.notEqual(await pValue(page), before);
});

test("inexact rules are marked and fail the live test as theory says", async ({ page, base }) => {
  await openProof(page, base);
  await ready(page);
  for (const rule of INEXACT) {
    await page.getByTestId("test-rule").selectOption(rule);
    assert.match(await page.getByTestId("expectation").innerText(), /Not exact by design.*expected to fail/);
    const p = await pValue(page);
    assert.ok(p < 1e-6, `${rule}: p = ${p}`);
    assert.match(await page.getByTestId("test-verdict").innerText(), /This is not the target/);
    const [mean, theory] = [await page.getByTestId("kept-mean").innerText(), await page.getByTestId("kept-theory").innerText()];
    assert.ok(Math.abs(mean - theory) < 0.03, `${rule}: kept ${mean}, theory ${theory}`);
  }
});

test("every mistake is off at first, and caught when it is made", async ({ page, base }) => {
  await openProof(page, base);
  await ready(page);
  for (const mistake of MISTAKES) {
    const card = page.getByTestId(`mistake-${mistake}`);
    assert.equal(await card.getByRole("switch").getAttribute("aria-checked"), "false");
    assert.equal(await card.locator(".bar-out").count(), 0);
  }
  await page.getByTestId("all-mistakes").click();
  for (const mistake of MISTAKES) {
    const card = page.getByTestId(`mistake-${mistake}`);
    await card.getByTestId("stamp").waitFor({ timeout: 60_000 });
    assert.equal(await card.getByRole("switch").getAttribute("aria-checked"), "true");
    assert.match(await card.getByTestId("stamp").innerText(), /Not the target/, mistake);
    const p = Number(await card.getByTestId("figures").getAttribute("data-p"));
    assert.ok(p < 1e-6, `${mistake}: p = ${p}`);
  }
  assert.match(await page.getByTestId("mistake-one_coin_for_all_positions").innerText(), /The first token looks right, the text does not/);
  // Between equal models only some mistakes change anything, and the others say so.
  await page.getByTestId("preset-equal").click();
  const idle = page.getByTestId("mistake-resamples_from_target");
  await idle.getByText("the mistake changes nothing").waitFor({ timeout: 60_000 });
  const p = Number(await idle.getByTestId("figures").getAttribute("data-p"));
  assert.ok(p > 1e-4, `p = ${p}`);
  await noPanicText(page);
});

test("the proof fits every width, and a finger hits everything on a narrow one", async ({ page, base }) => {
  await openProof(page, base);
  for (const width of [1440, 1024, 390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    for (const preset of ["vowels", "three", "disjoint"]) {
      await page.getByTestId(`preset-${preset}`).click();
      await frames(page);
      assert.equal(await sideways(page), 0, `${width}, ${preset}`);
    }
    if (width < 700) {
      const small = await page.evaluate(() =>
        [...document.querySelectorAll(".proof button, .proof select, .proof summary")]
          .filter((node) => node.getClientRects().length > 0 && !node.matches("[role=switch]"))
          .filter((node) => node.getBoundingClientRect().height < 43.5)
          .map((node) => node.textContent),
      );
      assert.deepEqual(small, [], `${width}`);
    }
  }
});

test("what stands beside each other is level, and every switch is right of its heading", async ({ page, base }) => {
  // Beside a lesson the cards are narrow, and their sentences are not equally long.
  await page.setViewportSize({ width: 1440, height: 900 });
  for (const [link, cards, parts] of [
    ["lesson=wrong&step=1", ".exhibit", [".exhibit-what", "svg", ".exhibit-says"]],
    ["scene=couplings", ".coupling-card", [".what", ".mechanism", ".joint"]],
    ["lesson=chance&step=4", ".coupling-card", [".what", ".mechanism", ".joint"]],
  ]) {
    await page.goto("about:blank");
    await page.goto(`${base}?backend=cpu#v=1&${link}`);
    if (link.includes("chance")) {
      await page.getByTestId("option-0").click();
      await page.getByTestId("reveal").click();
    }
    await page.locator(cards).nth(3).waitFor();
    const rows = await page.locator(cards).evaluateAll(
      (all, parts) => all.map((card) => [card, ...parts.map((part) => card.querySelector(part))].map((node) => node.getBoundingClientRect().top.toFixed(1))),
      parts,
    );
    const tops = new Map();
    for (const [top, ...row] of rows) assert.deepEqual(row, tops.get(top) ?? tops.set(top, row).get(top), link);
    assert.ok(tops.size < rows.length, link);
  }
  await page.goto("about:blank");
  await page.goto(`${base}?backend=cpu#v=1&lesson=wrong&step=1`);
  await page.locator(".exhibit").nth(7).waitFor();
  await page.evaluate(() => document.fonts.ready);
  const fallen = await page.locator(".exhibit > header").evaluateAll((all) =>
    all.filter(({ children: [title, toggle] }) => toggle.getBoundingClientRect().left < title.getBoundingClientRect().right).length,
  );
  assert.equal(fallen, 0);
});
