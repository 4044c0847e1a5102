// Time: the playhead, and runs that branch from it.
import assert from "node:assert/strict";
import { call, finished, frames, open, refusal, shown, tokens, traceOf, until, write } from "./support.mjs";
import { test } from "./test.mjs";

const CPU = "?backend=cpu";

/** Tokens after the prompt. */
function written(trace) {
  const started = trace.events.find((event) => event.event === "started");
  const brought = (trace.branch?.kept.length ?? 0) + (trace.branch?.forced === undefined ? 0 : 1);
  return tokens(trace).slice(started.prompt_tokens.length - brought);
}

/** Events without what a clock says, and without the number of the round. */
const facts = (trace, from = 0) =>
  trace.events
    .filter(({ event, round }) => event !== "started" && event !== "round_ended" && (round ?? from) >= from)
    .map(({ round, ...event }) => event);

/** Stands at the end of a round of the run on the page, counted from 1. */
async function standBehind(page, round) {
  await page.keyboard.press("Home");
  for (let index = 0; index < round; index += 1) await page.keyboard.press("]");
  // The beginning of the next round is drafted there: one step back everything is committed.
  await page.keyboard.press("]");
  await page.keyboard.press("ArrowLeft");
}

const heading = (page) => page.getByTestId("round").locator("h2").innerText();
const version = (page) => page.locator("[data-testid^=version-][aria-pressed=true]").innerText();
const count = async (page, row, column) =>
  page.getByTestId(row).locator("td").nth(column).innerText();

test("a branch without an edit repeats the run, wherever it is cut under a rule that ignores the drafter", async ({ page, base }) => {
  await open(page, base, CPU);
  for (const rule of ["gumbel", "minhash", "sample_and_match"]) {
    const run = await call(page, "generate", { rule, max_tokens: 48 });
    const text = written(run);
    for (const at of [1, 7, 20, 47]) {
      const branch = await call(page, "generate", { rule, gamma: 1 + (at % 4), max_tokens: 48, branch: { kept: text.slice(0, at) } });
      assert.deepEqual(written(branch), text, `${rule}, cut after ${at}`);
      assert.deepEqual(branch.branch, { kept: text.slice(0, at) });
    }
  }
});

test("cut where a round begins, a branch without an edit repeats the rounds under Rejection", async ({ page, base }) => {
  await open(page, base, CPU);
  const run = await call(page, "generate", { max_tokens: 60 });
  const text = written(run);
  const lengths = run.events.filter(({ event }) => event === "committed").map(({ tokens }) => tokens.length);
  let at = 0;
  for (const [round, length] of lengths.entries()) {
    if (round > 0 && round % 4 === 1) {
      const branch = await call(page, "generate", { max_tokens: 60, branch: { kept: text.slice(0, at) } });
      assert.deepEqual(written(branch), text, `before round ${round}`);
      assert.deepEqual(facts(branch), facts(run, round), `before round ${round}`);
    }
    at += length;
  }
});

test("an edited setting branches from the playhead, the page shows what changed, and the old run comes back whole", async ({ page, base }) => {
  await open(page, base, CPU);
  const run = await call(page, "generate", { max_tokens: 80 });
  assert.equal(await page.getByTestId("versions").count(), 0);
  await standBehind(page, 5);
  assert.equal(await heading(page), "Round 5");
  const kept = run.events.filter((event) => event.event === "committed" && event.round < 5).flatMap((event) => event.tokens);
  await page.getByTestId("temperature").fill("1.6");
  assert.match(await page.getByTestId("play").innerText(), /branch/i);
  assert.match(await page.getByTestId("branch").innerText(), new RegExp(`after ${kept.length} characters`));
  await page.getByTestId("play").click();
  await page.getByTestId("versions").waitFor();
  const branch = await finished(page);
  await page.keyboard.press("End");
  assert.deepEqual(branch.branch.kept, kept);
  assert.equal(branch.settings.temperature, 1.6);
  assert.deepEqual(written(branch).slice(0, kept.length), kept);
  assert.equal(written(branch).length, 80, "as many tokens as were asked for, kept ones included");
  assert.notDeepEqual(written(branch), written(run));
  assert.match(await page.getByTestId("changes").innerText(), /temperature 0.8 → 1.6/);
  // The counts are those of the traces.
  const rounds = (trace, from) => trace.events.filter((event) => event.event === "round_ended" && event.round >= from).length;
  assert.equal(await count(page, "row-branch", 1), `${rounds(branch, 0)} rounds`);
  assert.equal(await count(page, "row-old", 1), `${rounds(run, 5)} rounds`);
  const perRound = (80 - kept.length) / rounds(branch, 0);
  assert.match(await count(page, "row-branch", 2), new RegExp(`^${perRound.toFixed(2)} \\[\\d\\.\\d\\d, \\d\\.\\d\\d\\] per round$`));
  const judged = branch.events.filter((event) => event.event === "verified");
  const rate = judged.filter((event) => event.accepted).length / judged.length;
  assert.ok((await count(page, "row-branch", 3)).startsWith(`α ${rate.toFixed(2)}`), await count(page, "row-branch", 3));
  // The first token that differs is marked, in the text and beside it.
  const first = written(run).findIndex((token, index) => token !== written(branch)[index]);
  const sign = (token) => branch.pair.tokens[token].replace("\n", "↵");
  assert.equal(await page.getByTestId("row-branch").locator("mark").evaluate((e) => e.firstChild.textContent), sign(written(branch)[first]));
  assert.equal(await page.getByTestId("row-old").locator("mark").evaluate((e) => e.firstChild.textContent), sign(written(run)[first]));
  assert.equal(await page.locator("[data-differs]").count(), 1);
  // And back: nothing is lost, on either side.
  await page.getByTestId("version-0").click();
  assert.equal(await version(page), "First run");
  assert.deepEqual(await traceOf(page), run);
  assert.equal(await heading(page), "Round 5", "it stands where it was left");
  assert.equal(await page.getByTestId("temperature").inputValue(), "0.8");
  await page.getByTestId("version-1").click();
  assert.deepEqual(await traceOf(page), branch);
});

test("a token picked in the inspector is written instead, by mouse and by keyboard", async ({ page, base }) => {
  await open(page, base, CPU);
  const run = await call(page, "generate", { max_tokens: 60 });
  const { pair } = run;
  await standBehind(page, 3);
  const inspector = page.getByTestId("inspector");
  // The token that closed the round stands there already.
  const closing = run.events.find((event) => event.round === 2 && (event.event === "resampled" || event.event === "bonus"));
  const kept = closing.position - run.events[0].prompt_tokens.length;
  await inspector.locator(`.pick[data-token="${closing.token}"]`).click({ force: true });
  assert.match(await inspector.innerText(), /stands here already/);
  assert.equal(await page.getByTestId("force").count(), 0);
  const other = pair.tokens.indexOf("z");
  assert.notEqual(other, closing.token);
  await inspector.locator(`.pick[data-token="${other}"]`).click({ force: true });
  await page.getByTestId("force").click();
  await page.getByTestId("versions").waitFor();
  const branch = await finished(page);
  assert.deepEqual(branch.branch, { kept: written(run).slice(0, kept), forced: other });
  assert.equal(written(branch)[kept], other);
  assert.match(await page.getByTestId("changes").innerText(), /“z”, by hand/);
  assert.equal(await page.locator(".tk.hand").count(), 1);

  // A branch of the branch, by keyboard only.
  await standBehind(page, 2);
  const entry = inspector.locator('.pick[tabindex="0"]');
  assert.equal(await entry.count(), 1, "one stop for the whole chart");
  await entry.focus();
  const at = await page.evaluate(() => document.activeElement.dataset.token);
  await page.keyboard.press("ArrowRight");
  const next = await page.evaluate(() => document.activeElement.dataset.token);
  assert.notEqual(next, at);
  assert.equal(await heading(page), "Round 2", "arrows in the chart leave the playhead alone");
  await page.keyboard.press("Enter");
  if ((await page.getByTestId("force").count()) === 0) {
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
  }
  await page.getByTestId("force").focus();
  await page.keyboard.press("Enter");
  await page.getByTestId("version-2").waitFor();
  assert.equal(await page.locator("[data-testid^=version-]").count(), 3);
  const third = await finished(page);
  assert.equal(third.branch.kept[kept], other, "a branch of a branch keeps its token by hand");
});

test("past the end of a run no token is written instead of another", async ({ page, base }) => {
  await open(page, base, CPU);
  // A run whose last round kept more than there was room for.
  let past;
  for (let seed = 1; past === undefined; seed += 1) {
    assert.ok(seed < 30, "no run ended in the midst of a round");
    const { events } = await call(page, "generate", { max_tokens: 20, seed });
    const { round, tokens } = events.findLast((event) => event.event === "committed");
    const kept = events.filter((event) => event.round === round && event.event === "verified" && event.accepted).length;
    if (kept > tokens.length) past = tokens.length;
  }
  await page.keyboard.press("End");
  const column = page.getByTestId("round").locator("figure.column").nth(past);
  await column.locator(".tok-button").click();
  const inspector = page.getByTestId("inspector");
  assert.match(await inspector.innerText(), /The run ended before this place/);
  assert.equal(await inspector.locator(".pick").count(), 0);
  await page.getByTestId("round").locator("figure.column").nth(past - 1).locator(".tok-button").click();
  assert.match(await inspector.innerText(), /Pick a token to write it here instead/);
});

test("branches that wait their turn leave the runs that they were asked for on, whatever is looked at meanwhile", async ({ page, base }) => {
  await open(page, base, CPU);
  const run = await call(page, "generate", { max_tokens: 60 });
  await standBehind(page, 3);
  const branch = async (temperature) => {
    await page.getByTestId("temperature").fill(temperature);
    await page.getByTestId("branch").click();
  };
  await branch("1.6");
  await page.getByTestId("version-1").waitFor();
  await finished(page);
  // The engine is busy meanwhile.
  await page.evaluate(() => void (window.measured = window.couplet.bench({ gammas: [1, 2, 4], pairs: 20, max_tokens: 160 })));
  await page.getByTestId("scene-stage").click();
  await page.keyboard.press("End");
  await page.keyboard.press("[");
  await branch("0.3");
  await page.getByTestId("version-0").click();
  await page.evaluate(() => window.measured);
  await page.getByTestId("version-2").waitFor();
  const third = await finished(page);
  assert.equal(third.settings.temperature, 0.3);
  assert.match(await page.getByTestId("changes").innerText(), /temperature 1.6 → 0.3/);
  assert.equal(await page.locator("[data-testid^=version-]").count(), 3);
  await page.getByTestId("version-0").click();
  assert.deepEqual(await traceOf(page), run);
});

test("on a phone a token is picked from the table, and both texts fit", async ({ page, base }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await open(page, base, CPU);
  const run = await call(page, "generate", { max_tokens: 60 });
  await standBehind(page, 2);
  const inspector = page.getByTestId("inspector");
  await inspector.locator("summary").click();
  const row = inspector.locator(`.pick-row[data-token="${run.pair.tokens.indexOf("Z")}"]`);
  const box = await row.boundingBox();
  assert.ok(box.width >= 44 && box.height >= 44, JSON.stringify(box));
  await row.click();
  await page.getByTestId("force").click();
  await page.getByTestId("versions").waitFor();
  await finished(page);
  await page.keyboard.press("End");
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    client: document.documentElement.clientWidth,
  }));
  assert.ok(scroll <= client, `${scroll} > ${client}`);
  for (const name of ["version-0", "version-1"]) {
    const box = await page.getByTestId(name).boundingBox();
    assert.ok(box.height >= 44, `${name}: ${box.height}`);
  }
  assert.equal(await page.getByTestId("row-old").locator("mark").count(), 1);
});

test("a step changes little of the page, and whoever stands on a letter of the chart stays there", async ({ page, base }) => {
  await open(page, base, CPU);
  await call(page, "generate", { max_tokens: 60 });
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  const letter = page.locator('.inspector .pick[data-token="40"]');
  await letter.focus();
  const said = new Set();
  const changes = await page.evaluate(() => {
    window.changes = [];
    const seen = (list) => window.changes.push(list.length);
    new MutationObserver(seen).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    document.activeElement.mark = true;
    return window.changes.length;
  });
  assert.equal(changes, 0);
  for (let step = 0; step < 24; step += 1) {
    // In the chart the arrows go from letter to letter.
    await page.getByTestId("next-phase").evaluate((button) => button.click());
    said.add(await letter.getAttribute("aria-label"));
  }
  assert.ok(await page.evaluate(() => document.activeElement.mark), "the focus stays");
  assert.ok(said.size > 3, [...said].join("; "));
  // A drawing that is made anew takes some 4,000: what a phone takes a tenth of a second for.
  const most = Math.max(...(await page.evaluate(() => window.changes)));
  assert.ok(most < 1500, `${most} changes at once`);
  console.log(`        at most ${most} changes of the page at once`);
});

test("nothing can be written after a token that was discarded", async ({ page, base }) => {
  await open(page, base, CPU);
  const run = await call(page, "generate", { max_tokens: 60, seed: 7 });
  const { round } = run.events.find((event) => event.event === "discarded");
  await page.keyboard.press("Home");
  for (let index = 0; index <= round; index += 1) await page.keyboard.press("]");
  await page.keyboard.press(".");
  await page.keyboard.press(".");
  await page.locator(".column.dis .tok-button").first().click();
  assert.match(await page.getByTestId("inspector").innerText(), /discarded/i);
  assert.equal(await page.getByTestId("inspector").locator(".pick").count(), 0);
});

test("a branch is a run like any other: its trace replays, and it can be asked for again", async ({ page, base }) => {
  await open(page, base, CPU);
  const run = await call(page, "generate", { max_tokens: 40 });
  const branch = { kept: written(run).slice(0, 11), forced: run.pair.tokens.indexOf("Q") };
  const options = { max_tokens: 40, gamma: 2, branch };
  const first = await call(page, "generate", options);
  const again = await call(page, "generate", options);
  assert.deepEqual(facts(first), facts(again));
  assert.deepEqual(first.branch, branch);
  const started = first.events[0];
  assert.deepEqual(started.prompt_tokens.slice(-12), [...branch.kept, branch.forced]);
  const positions = first.events.filter((event) => event.event === "drafted").map((event) => event.position);
  assert.equal(positions[0], started.prompt_tokens.length);
  for (const [wrong, what] of [
    [{ kept: [9999] }, /no token 9999/],
    [{ kept: [-1] }, /kept/],
    [{ keep: [1] }, /kept/],
    [{ kept: new Array(900).fill(1) }, /fit/],
  ]) {
    const error = await refusal(page, "generate", { branch: wrong });
    assert.equal(error.field, "branch");
    assert.match(error.message, what);
  }
});

test("a recording branches too, once the models are there", async ({ page, base }) => {
  await page.goto(base + CPU);
  await shown(page, "recorded");
  await page.evaluate(() => window.couplet.ready());
  await standBehind(page, 4);
  await page.getByTestId("gamma").fill("2");
  await page.getByTestId("branch").click();
  await page.getByTestId("versions").waitFor();
  await shown(page, "live");
  assert.match(await page.getByTestId("changes").innerText(), /γ 5 → 2/);
  await page.getByTestId("version-0").click();
  await shown(page, "recorded");
  assert.equal(await heading(page), "Round 4");
  // Beside the recording, the branch is kept when another pair is chosen.
  await page.getByTestId("pair").selectOption("stories");
  await page.getByTestId("notice").getByRole("button", { name: "Bring it back" }).click();
  await page.getByTestId("version-1").click();
  await shown(page, "live");
});

test("a script that branches without end leaves no more runs beside each other than a page can hold", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const brief = { max_tokens: 4 };
  const run = await call(page, "generate", brief);
  const kept = run.events.find((event) => event.event === "committed").tokens.slice(0, 1);
  for (let seed = 1; seed <= 18; seed += 1) await call(page, "generate", { ...brief, seed, branch: { kept } });
  const versions = page.getByTestId("versions").locator("button[data-testid^=version-]");
  assert.ok((await versions.count()) <= 16);
  await page.getByTestId("notice").getByRole("button", { name: "Bring it back" }).click();
  assert.equal(await versions.count(), 16);
});

test("a run that is written anew takes no branches away for good", async ({ page, base }) => {
  await open(page, base, `${CPU}#v=1&seed=5&max_tokens=24`);
  await write(page);
  await standBehind(page, 2);
  await page.getByTestId("gamma").fill("2");
  await page.getByTestId("branch").click();
  await page.getByTestId("versions").waitFor();
  const branch = await finished(page);
  await page.getByTestId("seed").fill("6");
  await write(page);
  await page.getByTestId("versions").waitFor({ state: "detached" });
  await page.getByTestId("notice").getByRole("button", { name: "Bring it back" }).click();
  await page.getByTestId("version-1").waitFor();
  assert.deepEqual(await traceOf(page), branch);
  assert.equal(await page.getByTestId("seed").inputValue(), "5");
});

test("time is walked by token, phase and round, back as easily as forward", async ({ page, base }) => {
  await open(page, base, CPU);
  await call(page, "generate", { max_tokens: 40 });
  const at = async () => [await heading(page), await page.locator(".phases .on").innerText(), await page.getByTestId("narration").first().innerText()].join("|");
  for (const [stride, forward, back] of [["token", "ArrowRight", "ArrowLeft"], ["phase", ".", ","], ["round", "]", "["]]) {
    await page.keyboard.press("Home");
    const places = [];
    for (let step = 0; step < 6; step += 1) {
      await page.keyboard.press(forward);
      places.push(await at());
    }
    assert.equal(new Set(places).size, 6, stride);
    for (let step = 4; step >= 0; step -= 1) {
      await page.keyboard.press(back);
      assert.equal(await at(), places[step], `${stride} back`);
    }
    // The buttons do the same.
    await page.getByTestId("stride").selectOption(stride);
    await page.getByTestId("first").click();
    for (let step = 0; step < 6; step += 1) {
      await page.getByTestId("next-phase").click();
      assert.equal(await at(), places[step], `${stride} by button`);
    }
    await page.getByTestId("prev-phase").click();
    assert.equal(await at(), places[4]);
  }
});

test("the scrubber is dragged, clicked and driven by keys, and keeps what was watched in sight", async ({ page, base }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, base, CPU);
  await call(page, "generate", { max_tokens: 60 });
  const timeline = page.getByTestId("timeline");
  const rounds = Number(await timeline.getAttribute("aria-valuemax"));
  const box = await timeline.boundingBox();
  const x = (round) => box.x + (round - 1) * 20 + 14;
  await page.mouse.move(x(2), box.y + 40);
  await page.mouse.down();
  assert.equal(await heading(page), "Round 2");
  await page.mouse.move(x(7), box.y + 40, { steps: 5 });
  assert.equal(await heading(page), "Round 7");
  await page.mouse.move(x(4), box.y + 40, { steps: 5 });
  await page.mouse.up();
  assert.equal(await heading(page), "Round 4");
  assert.equal(await timeline.locator(".tl-seen > g").count(), rounds - 4, "the rounds behind it were watched");
  await timeline.focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await heading(page), "Round 5");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  // Where a round ends, its value says what became of all that was drafted.
  const value = () => timeline.getAttribute("aria-valuetext");
  assert.match(await value(), /^round 3 of \d+: \d of 5 kept, and/);
  for (let round = 3; round > 0; round -= 1) await page.keyboard.press("ArrowLeft");
  assert.match(await value(), /^before the first of/);
  for (const round of [1, 2]) {
    await page.keyboard.press("ArrowRight");
    assert.match(await value(), new RegExp(`^round ${round} of \\d+: \\d of 5 kept, and`));
  }
});

test("the rounds are read in a table, as far as the playhead is, and each is a way to its end", async ({ page, base }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, base, CPU);
  const run = await call(page, "generate", { max_tokens: 60 });
  const fold = page.locator(".main-column > .table");
  const rows = fold.locator("tbody tr");
  const player = () => page.locator(".transport").boundingBox();
  const before = await player();
  assert.equal(await rows.count(), 0, "made only while it is unfolded");
  await fold.locator("summary").click();
  assert.deepEqual(await player(), before);
  await fold.getByRole("table", { name: "Rounds" }).waitFor();
  await page.getByTestId("end").click();
  const total = Number(await page.getByTestId("timeline").getAttribute("aria-valuemax"));
  await until(async () => (await rows.count()) === total, "a row for every round");
  const { round } = run.events.find(({ event, round }) => event === "resampled" && round > 0);
  const of = (name) => run.events.filter((event) => event.event === name && event.round === round);
  const committed = run.events.filter((event) => event.event === "committed" && event.round <= round);
  const cells = await rows.nth(round).locator("td").allInnerTexts();
  const accepted = of("verified").filter(({ accepted }) => accepted).length;
  assert.equal(Number(cells[1]), accepted);
  assert.match(cells[3], /, resampled$/);
  assert.equal(Number(cells[4]), of("drafted").length - accepted - 1);
  assert.equal(Number(cells[5]), committed.flatMap(({ tokens }) => tokens).length);
  // What cannot be read out loud is heard by its name.
  assert.ok((await fold.locator(".visually-hidden").allTextContents()).some((heard) => /\bspace\b/.test(heard)));
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
  const button = fold.getByRole("button", { name: `Round ${round + 1}`, exact: true });
  await button.press("Enter");
  assert.equal(await heading(page), `Round ${round + 1}`);
  assert.equal(await rows.count(), round + 1, "nothing of what is to come");
  assert.equal(await rows.last().getAttribute("aria-current"), "true");
  assert.ok(await button.evaluate((button) => button === document.activeElement), "the focus stays");
  assert.deepEqual(await rows.last().locator("td").allInnerTexts(), cells);
  // Tab stops at one of them, and keys go on from there.
  const stop = fold.locator('tbody [tabindex="0"]');
  assert.equal(await stop.count(), 1);
  assert.ok(await stop.evaluate((stop) => stop === document.activeElement));
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  for (const [key, at] of [["ArrowUp", round], ["ArrowDown", round + 1], ["ArrowDown", round + 1], ["Home", 1], ["ArrowUp", 1], ["End", round + 1]]) {
    await page.keyboard.press(key);
    assert.equal(await focused(), `Round ${at}`, key);
    assert.ok(await stop.evaluate((stop) => stop === document.activeElement), "Tab leads on from there");
    assert.equal(await rows.count(), round + 1, "the run stands still");
  }
  await page.getByTestId("next-phase").click();
  assert.equal(await rows.count(), round + 2);
  assert.equal(await fold.locator("[aria-current]").count(), 1);
  assert.equal(await rows.last().locator("td").nth(3).innerText(), "–");
});

test("the timeline has the round in sight that is shown, however many there are", async ({ page, base }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, base, CPU);
  await call(page, "generate", { gamma: 0 });
  const inside = async () => {
    const [now, frame] = await Promise.all([page.locator(".tl-now"), page.getByTestId("timeline")].map((part) => part.boundingBox()));
    return now && now.x >= frame.x && now.x + now.width <= frame.x + frame.width;
  };
  await until(inside, "the last round in sight");
  await page.getByTestId("first").click();
  await page.getByTestId("next-phase").click();
  await until(inside, "the first round in sight");
});

test("a token of the text stops the run, is framed and says why it was rejected", async ({ page, base }) => {
  await open(page, base, CPU);
  const run = await call(page, "generate", { max_tokens: 60 });
  const verified = run.events.filter(({ event }) => event === "verified");
  const lost = verified.find(({ accepted, round }) => !accepted && round > 0);
  const said = () => page.getByTestId("fate").innerText();
  const framed = page.locator(".tk[aria-current=true]");
  const struck = page.locator(".rd").nth(lost.round).locator(".tk.res");
  await page.keyboard.press("End");
  await frames(page);
  await struck.click({ force: true });
  const [, draft, target, below, u] = (await said()).match(/rejected: draft ([\d.]+), target ([\d.]+), kept if u\s<\s([\d.]+); u\s=\s([\d.]+)\./);
  for (const [shown, known] of [[draft, lost.draft_prob], [target, lost.target_prob], [below, lost.target_prob / lost.draft_prob], [u, lost.draw]]) {
    assert.ok(Math.abs(Number(shown) - known) <= 0.051 * known, `${shown} for ${known}`);
    assert.ok(shown.replace(/^[0.]+/, "").length >= 2, `${shown} has two significant digits`);
  }
  assert.match(await said(), new RegExp(`^Round ${lost.round + 1}: .*In its place: ., from the residual\\.$`));
  assert.equal(await framed.count(), 1);
  assert.notEqual(await framed.evaluate((token) => getComputedStyle(token).outlineStyle), "none");
  await page.getByTestId("go-to-verdict").click();
  assert.equal(await heading(page), `Round ${lost.round + 1}`);
  assert.equal(await page.locator(".phases .on").innerText(), "Judge");
  assert.match(await said(), /rejected: /);
  assert.equal(await framed.count(), 1, "still picked where it was judged");
  assert.equal(await page.getByTestId("go-to-verdict").count(), 0);
  // A token picked while the run plays, with the mouse and with the keyboard, stays picked.
  const stays = async () => {
    const before = [await heading(page), await said()];
    await page.waitForTimeout(1600);
    assert.deepEqual([await heading(page), await said()], before);
    assert.equal(await framed.count(), 1);
    assert.equal(await page.getByTestId("play").innerText(), "Play");
  };
  await page.getByTestId("play").click();
  await page.locator(".tk.acc").first().click({ force: true });
  await stays();
  await page.getByTestId("play").click();
  await page.locator(".page").focus();
  await page.keyboard.press("Enter");
  await stays();
  const last = await said();
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await said(), last);
  assert.equal(await framed.count(), 1);
});

test("what the round says of its token the inspector repeats only where that is not beside it, and of a token that is picked", async ({ page, base }) => {
  await open(page, base, CPU);
  await call(page, "generate", { max_tokens: 20 });
  await page.keyboard.press("End");
  const fate = page.getByTestId("fate");
  const height = () => page.getByTestId("inspector").evaluate((inspector) => inspector.offsetHeight);
  await fate.waitFor({ state: "hidden" });
  const low = await height();
  await frames(page);
  await page.locator(".tk.acc").first().click({ force: true });
  await fate.waitFor();
  assert.ok((await height()) > low + 60);
  await page.keyboard.press("[");
  await fate.waitFor({ state: "hidden" });
  await page.setViewportSize({ width: 390, height: 844 });
  await fate.waitFor();
});

test("every rule says what became of a token", async ({ page, base }) => {
  await open(page, base, CPU);
  const words = {
    block: /the text up to here passes if u\s</,
    gumbel: /the target’s own token is/,
    greedy: /the target’s favourite/,
    typical: /target [\d.]+, kept above [\d.]+/,
    lenience: /kept if u\s<\s[\d.]+; u\s=\s[\d.]+/,
  };
  for (const [rule, pattern] of Object.entries(words)) {
    await call(page, "generate", { rule, max_tokens: 40 });
    await page.keyboard.press("End");
    await frames(page);
    await page.locator(".tk.acc").first().click({ force: true });
    const said = await page.getByTestId("fate").innerText();
    assert.match(said, /^Round \d+: .*accepted: /, rule);
    assert.match(said, pattern, rule);
  }
});

test("the words of the phases lead to them", async ({ page, base }) => {
  await open(page, base, CPU);
  await call(page, "generate", { max_tokens: 60 });
  await standBehind(page, 3);
  const on = page.locator(".phases .on");
  const third = page.locator(".phases button").nth(2);
  for (const [index, name] of [[0, "Draft"], [2, "Judge"], [1, "Verify"], [4, "Commit"]]) {
    await page.locator(".phases button").nth(index).click();
    assert.equal(await on.innerText(), name);
    assert.equal(await heading(page), "Round 3");
  }
  await page.getByTestId("play").click();
  await third.focus();
  await page.keyboard.press("Enter");
  assert.equal(await on.innerText(), "Judge");
  assert.ok(await third.evaluate((button) => button === document.activeElement), "keeps the focus");
  assert.equal(await page.getByTestId("play").innerText(), "Play");
  await page.setViewportSize({ width: 390, height: 844 });
  const { height } = await page.locator(".phases button:visible").boundingBox();
  assert.ok(height >= 44, `${height}`);
});

test("both caches grow with a round and lose what was rejected", async ({ page, base }) => {
  await open(page, base, CPU);
  const run = await call(page, "generate", { max_tokens: 60 });
  const label = (which) => page.getByTestId(`cache-${which}`).locator("svg").getAttribute("aria-label");
  const prompt = run.events[0].prompt_tokens.length;
  await page.keyboard.press("Home");
  assert.equal(await label("draft"), `draft cache: ${prompt - 1} entries`);
  assert.equal(await label("target"), `target cache: ${prompt - 1} entries`);
  await page.keyboard.press("ArrowRight");
  assert.equal(await label("draft"), `draft cache: ${prompt + 4} entries, 5 added by this round`);
  assert.equal(await label("target"), `target cache: ${prompt - 1} entries`);
  await page.keyboard.press("ArrowRight");
  assert.equal(await label("target"), `target cache: ${prompt + 5} entries, 6 added by this round`);
  // At the end of every round the target holds all but the last token, and what was cut is told.
  let length = prompt;
  for (let round = 0; round < 8; round += 1) {
    const { tokens: committed } = run.events.find((event) => event.event === "committed" && event.round === round);
    length += committed.length;
    await page.keyboard.press("Home");
    await standBehind(page, round + 1);
    const cut = 5 - (committed.length - 1);
    const overwritten = cut > 0 ? `, ${cut} to be overwritten` : "";
    assert.equal(await label("target"), `target cache: ${length - 1} entries, ${committed.length} added by this round${overwritten}`);
  }
  await page.getByTestId("drafter").selectOption("uniform");
  await page.getByTestId("generate").click();
  // Until it begins, the run before it stands there.
  await page.waitForFunction(() => window.couplet.trace().settings.drafter === "uniform");
  await finished(page);
  await page.keyboard.press("End");
  assert.match(await page.getByTestId("caches").innerText(), /no model drafts/);
});
