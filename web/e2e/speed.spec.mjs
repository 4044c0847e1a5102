// Speed: the bench, what the page says of it, and the files it gives away.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fastest } from "../bench/figures.mjs";
import { call, delay, frames, hold, noPanicText, open, patchWorker, ready, refusal, shown, traceOf, until, visitor } from "./support.mjs";
import { test } from "./test.mjs";

const CPU = "?backend=cpu";
const SCENE = `${CPU}#scene=speed`;
/** Few enough runs for a machine that has other things to do. */
const SHORT = { max_tokens: 16, gammas: [1, 3], pairs: 5 };

/** Opens the scene and puts the shortest bench into its fields. */
async function short(page, base, path = SCENE) {
  await open(page, base, path);
  await page.getByTestId("max_tokens").fill("16");
  await page.getByTestId("bench-longest").fill("2");
  await page.getByTestId("bench-pairs").fill("5");
}

/**
 * Lets the worker rewrite its reports before the page sees them: `change` is the body of a function of `report`, which has
 * enough pairs and, where `change` gives none, no wider interval for the choice among several.
 */
const rewrite = (page, change) =>
  patchWorker(
    page,
    `{ const post = self.postMessage.bind(self);
       self.postMessage = (text) => {
         const reply = JSON.parse(text);
         if (reply.benched) { const { report } = reply.benched;
           const rows = () => [...report.gammas, report.auto].filter(Boolean);
           for (const row of rows()) delete row.interval_among_all;
           report.request.pairs = 13;
           ${change};
           for (const row of rows()) row.interval_among_all ??= row.interval;
           text = JSON.stringify(reply); }
         post(text);
       }; }`,
  );

/** Saves what a button gives away; returns its name and text. */
async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByTestId(button).click()]);
  const bytes = await readFile(await download.path());
  return { name: download.suggestedFilename(), bytes, text: bytes.toString("utf8") };
}

/** Whether all of an element is in the window. */
const isInView = (locator) =>
  locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });

/** Waits until the page has stopped scrolling. */
async function untilStill(page) {
  const at = () => page.evaluate(() => scrollY);
  for (let before = -1, now = await at(); now !== before; now = await at()) {
    before = now;
    await page.waitForTimeout(200);
  }
}

function verdictOf([low, high]) {
  if (low > 1) return "faster";
  return high < 1 ? "slower" : "can’t tell";
}

/** Whether a text says these numbers, rounded. Of two that are as near the page may take either. */
function says(texts, values) {
  const isNear = (text, value) => Math.abs(Number(text) - value) <= 0.00500001;
  return texts.length === values.length && texts.every((text, index) => isNear(text, values[index]));
}

test("a bench by call gives a report, and the page says what its interval allows", async ({ page, base }) => {
  await open(page, base, SCENE);
  // The fewest that allow to say anything of three.
  const report = await call(page, "bench", { ...SHORT, auto: true, pairs: 7 });
  assert.equal(report.device.backend, "cpu");
  assert.deepEqual(report.gammas.map((row) => row.gamma), [1, 3]);
  assert.equal(report.request.pairs, 7);
  assert.equal(report.costs.verify.length, 2);
  assert.ok(report.costs.target_step > 0 && report.costs.draft_step > 0);
  for (const row of [...report.gammas, report.auto]) {
    assert.ok(row.interval[0] <= row.speed_up && row.speed_up <= row.interval[1], JSON.stringify(row));
    assert.ok(row.accepted <= row.judged);
  }
  assert.equal(report.race.length, 2);
  for (const lane of report.race) {
    const ends = lane.rounds.map((round) => round.end);
    assert.deepEqual(ends, [...ends].sort((a, b) => a - b));
    assert.equal(lane.rounds.flatMap((round) => round.tokens).length, report.tokens);
  }
  const rank = ({ interval }) => ["slower", "can’t tell", "faster"].indexOf(verdictOf(interval));
  const best = fastest(report);
  const shown = rank(report.auto) > rank(best) ? report.auto : best;
  const verdict = await page.getByTestId("verdict").innerText();
  const [factor, said] = verdict.match(/^([\d.]+)× (.+)$/).slice(1);
  assert.ok(says([factor], [shown.speed_up]) && said === verdictOf(shown.interval), verdict);
  const interval = await page.getByTestId("verdict-interval").innerText();
  assert.ok(says(interval.match(/([\d.]+) to ([\d.]+)/).slice(1), shown.interval), interval);
  console.log(`        CPU, γ ${shown.gamma}: ${verdict}, ${interval}`);
  await noPanicText(page);
});

test("a drafter whose table has to be fetched first is measured, and the page names it", async ({ page, base }) => {
  // A link that asked for a run with it would have fetched the table already.
  await open(page, base, SCENE);
  const report = await call(page, "bench", { ...SHORT, drafter: "bigram" });
  assert.equal(report.request.settings.drafter, "bigram");
  assert.match(await page.getByTestId("facts").innerText(), /Rejection, drafter: Letter pairs, temperature/);
  assert.match(await page.getByTestId("sweep").innerText(), /drafter: Letter pairs/);
  await page.getByTestId("scene-stage").click();
  await page.getByTestId("drafter").selectOption("bigram");
  await page.getByTestId("scene-speed").click();
  await page.getByTestId("facts").locator("summary").click();
  assert.match(await page.getByTestId("bench-beside").innerText(), /drafter: Letter pairs/);
});

test("the plan counts no tokens that do not fit", async ({ page, base }) => {
  await open(page, base, SCENE);
  await page.getByTestId("max_tokens").fill("4000");
  assert.match(await page.getByTestId("plan").first().innerText(), /runs of up to 24\d tokens/);
});

test("every wrong field says so, whatever else is wrong", async ({ page, base }) => {
  await open(page, base, SCENE);
  for (const [field, text, range] of [["bench-longest", "17", "1 to 16"], ["bench-pairs", "4", "5 to 50"], ["max_tokens", "0", "1"]]) {
    await page.getByTestId(field).fill(text);
    await page.locator(`#${field}-error`).filter({ hasText: range }).waitFor();
  }
  for (const field of ["bench-longest", "bench-pairs", "max_tokens"]) assert.equal(await page.getByTestId(field).getAttribute("aria-invalid"), "true");
  assert.ok(await page.getByTestId("bench").isDisabled());
  // The button leads to the first of them, and measures nothing.
  await page.getByTestId("bench").filter({ hasText: /^Measure$/ }).waitFor({ timeout: 60_000 });
  await page.getByTestId("bench").focus();
  await page.keyboard.press("Enter");
  assert.ok(await page.evaluate(() => document.activeElement.matches(".speed-fields [aria-invalid=true]")));
  assert.equal(await page.getByTestId("timing").count(), 0);
});

test("once something was measured, a wrong setting is led to where it is folded away or stands elsewhere", async ({ page, base }) => {
  await open(page, base, SCENE);
  await call(page, "bench", SHORT);
  const again = page.locator("details.again");
  const measure = page.getByTestId("bench").filter({ hasText: /^Measure/ });
  await again.locator("summary").click();
  await page.locator("#bench-longest").fill("99");
  await again.locator("summary").click();
  await measure.press("Enter");
  await page.waitForFunction(() => document.activeElement.id === "bench-longest");
  assert.ok(await page.locator("#bench-longest").isVisible());
  await page.locator("#bench-longest").fill("2");
  await page.getByTestId("scene-stage").click();
  await page.getByTestId("gamma").fill("999");
  await page.getByTestId("scene-speed").click();
  await measure.press("Enter");
  await page.waitForFunction(() => document.activeElement.dataset.testid === "stage-error");
  assert.equal(await page.getByTestId("timing").count(), 0);
});

test("where the interval contains 1 the page cannot tell", async ({ page, base }) => {
  await rewrite(page, "for (const row of [...report.gammas, report.auto]) { row.speed_up = 1.04; row.interval = [0.97, 1.1]; }");
  await short(page, base);
  await page.getByTestId("bench").click();
  const verdict = page.getByTestId("verdict");
  await verdict.waitFor({ timeout: 60_000 });
  assert.equal(await verdict.innerText(), "1.04× can’t tell");
  assert.match(await page.getByTestId("verdict-interval").innerText(), /0\.97 to 1\.10, which contains 1/);
  assert.match(await page.getByTestId("sweep-says").innerText(), /cannot tell whether drafting pays/);
  assert.doesNotMatch(await page.getByTestId("race").innerText(), /faster|slower/);
});

test("where the engine's own γ alone is faster beyond the noise the headline is about it", async ({ page, base }) => {
  await rewrite(page, `for (const row of report.gammas) { row.speed_up = 1.37; row.interval = [0.96, 2.13]; }
      report.auto = { ...report.auto, gamma: 2.4, speed_up: 1.86, interval: [1.4, 2.16] };`);
  await short(page, base);
  await page.getByTestId("bench").click();
  const verdict = page.getByTestId("verdict");
  await verdict.waitFor({ timeout: 60_000 });
  assert.equal(await verdict.innerText(), "1.86× faster");
  assert.match(await page.getByTestId("verdict-interval").innerText(), /1\.40 to 2\.16; γ chosen by the engine, 2\.4 on average; no fixed one is faster/);
  assert.match(await page.getByTestId("sweep-says").innerText(), /^The interval of every fixed draft length contains 1\..*1\.86× \[1\.40, 2\.16\]; its interval overlaps that of the best fixed one\.$/);
  assert.match(await page.getByTestId("facts").innerText(), /1\.86× \[1\.40, 2\.16\] with γ chosen by the engine/);
});

test("the best of several is faster only where its luck is allowed for", async ({ page, base }) => {
  await rewrite(page, `for (const row of [...report.gammas, report.auto]) {
      row.speed_up = 1.2; row.interval = [1.05, 1.3]; row.interval_among_all = [0.98, 1.4];
    }`);
  await short(page, base);
  await page.getByTestId("bench").click();
  const verdict = page.getByTestId("verdict");
  await verdict.waitFor({ timeout: 60_000 });
  assert.equal(await verdict.innerText(), "1.20× can’t tell");
  assert.match(await page.getByTestId("verdict-interval").innerText(), /0\.98 to 1\.40, which contains 1/);
  assert.match(await page.getByTestId("sweep-says").innerText(), /^Every interval contains 1/);
  const facts = await page.getByTestId("facts").innerText();
  assert.match(facts, /Best γ\s*1, but these runs cannot tell/);
  assert.match(facts, /1\.20× \[0\.98, 1\.40\] at γ = 1, median of the pairs; in brackets: 95 % interval for the best of three/);
  const csv = (await saved(page, "csv")).text;
  assert.match(csv.split("\r\n")[1], /,1\.2,1\.05,1\.3,0\.98,1\.4,/);
  // Both drawings name what goes up, and nothing lies on that name.
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const free = () =>
      page.locator(".sweep-chart").evaluateAll((charts) =>
        charts.map((chart) => {
          const boxes = [...chart.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
          const name = boxes.find(([says]) => says === "speed-up")[1];
          const others = boxes.map(([, box]) => box).filter((box) => box !== name);
          return others.every((box) => box.top >= name.bottom - 3 || box.left > name.right);
        }),
      );
    await until(async () => `${await free()}` === "true,true", `the axes are named at ${width}`);
  }
});

test("too few pairs are called so, however clear they look", async ({ page, base }) => {
  await rewrite(page, `report.request.pairs = 6;
      for (const row of [...report.gammas, report.auto]) { row.speed_up = 1.4; row.interval = [1.3, 1.5]; }`);
  await short(page, base);
  await page.getByTestId("bench").click();
  const verdict = page.getByTestId("verdict");
  await verdict.waitFor({ timeout: 60_000 });
  assert.equal(await verdict.innerText(), "1.40× can’t tell");
  assert.match(await page.getByTestId("verdict-interval").innerText(), /range of the pairs, too few for 95 %: 1\.30 to 1\.50/);
  assert.match(await page.getByTestId("sweep-says").innerText(), /^6 pairs are too few to tell anything at 95 %: here it takes 7\./);
  assert.doesNotMatch(await page.getByTestId("sweep").innerText(), /faster|slower|ahead of/);
});

test("slower is said as loudly as faster, and why", async ({ page, base }) => {
  await rewrite(page, "for (const row of [...report.gammas, report.auto]) { row.speed_up = 0.7; row.interval = [0.66, 0.74]; }");
  await short(page, base);
  const size = async () => page.getByTestId("verdict").evaluate((element) => getComputedStyle(element).fontSize);
  await page.getByTestId("bench").click();
  await page.getByTestId("verdict").waitFor({ timeout: 60_000 });
  assert.equal(await page.getByTestId("verdict").innerText(), "0.70× slower");
  assert.equal(await size(), "30px");
  assert.match(await page.getByTestId("sweep-says").innerText(), /Every draft length is slower\. Checking \w+ positions costs [\d.]+ times one/);
  assert.match(await page.getByTestId("sweep-says").innerText(), /Whether γ \d pays, these runs cannot tell\.$|Drafting does not pay\.$/);
});

test("nothing moves while it measures, and it can be stopped", async ({ page, base }) => {
  await open(page, base, CPU);
  await shown(page, "recorded");
  await page.getByTestId("play").click();
  await page.getByTestId("scene-speed").click();
  await page.getByTestId("max_tokens").fill("120");
  await page.getByTestId("bench-pairs").fill("50");
  await page.getByTestId("bench").click();
  await page.getByTestId("timing").waitFor();
  assert.ok(await page.evaluate(() => document.documentElement.hasAttribute("data-held")));
  // Neither frames nor elements change but for the sentence, the bar and what says how far it is.
  const changes = await page.evaluate(async () => {
    const seen = [];
    const observer = new MutationObserver((records) => seen.push(...records));
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    await new Promise((resolve) => setTimeout(resolve, 2000));
    observer.disconnect();
    const outside = seen.filter(({ target }) => {
      const element = target.nodeType === 1 ? target : target.parentElement;
      return !element?.closest("[data-testid=timing]");
    });
    return { outside: outside.length, all: seen.length, running: document.getAnimations().length };
  });
  assert.equal(changes.outside, 0);
  assert.equal(changes.running, 0);
  assert.ok(changes.all < 60, `${changes.all} changes in two seconds`);
  await page.getByTestId("scene-stage").click();
  assert.ok(await page.getByTestId("play").isDisabled());
  await page.keyboard.press("Space");
  assert.equal(await page.getByTestId("play").innerText(), "Timing");
  await page.getByTestId("scene-speed").click();
  await page.getByTestId("bench-stop").click();
  await page.getByTestId("timing").waitFor({ state: "detached", timeout: 30_000 });
  await page.getByTestId("bench-stopped").waitFor();
  assert.equal(await page.getByTestId("bench-failed").count(), 0);
  await page.getByTestId("invitation").waitFor();
  assert.ok(!(await page.evaluate(() => document.documentElement.hasAttribute("data-held"))));
  assert.ok(await call(page, "generate", { max_tokens: 4 }), "the engine goes on");
});

test("on a phone the progress comes into view with its Stop, and then the result", async ({ page, base }) => {
  // What it takes is looked at before it is over.
  await delay(page, '"benched"', 3_000);
  await short(page, base);
  await page.getByTestId("max_tokens").fill("60");
  await page.setViewportSize({ width: 390, height: 844 });
  for (const time of ["first", "again"]) {
    await page.getByTestId("bench").scrollIntoViewIfNeeded();
    await page.getByTestId("bench").click();
    const timing = page.getByTestId("timing");
    await timing.waitFor();
    await page.waitForFunction(() => document.activeElement?.classList.contains("timing"));
    assert.ok(await isInView(page.getByTestId("progress")), "the progress");
    assert.ok(await isInView(page.getByTestId("bench-stop")), "the way to stop");
    // However far down somebody is by the end.
    await page.evaluate(() => scrollTo(0, 100_000));
    await timing.waitFor({ state: "detached", timeout: 60_000 });
    await page.waitForFunction(() => document.activeElement?.id === "race-title");
    // It has the focus before the page has begun to scroll there.
    await until(() => isInView(page.locator("#race-title")), `the result is in view, ${time}`);
    await untilStill(page);
    assert.ok(await isInView(page.locator("#race-title")), `the result, ${time}`);
  }
});

test("whoever is busy elsewhere on the page is left there", async ({ page, base }) => {
  await delay(page, '"benched"', 3_000);
  await short(page, base);
  await page.getByTestId("max_tokens").fill("60");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByTestId("bench").click();
  await page.getByTestId("timing").waitFor();
  await page.waitForFunction(() => document.activeElement?.classList.contains("timing"));
  await page.evaluate(() => scrollTo(0, 0));
  await page.getByTestId("scene-speed").focus();
  await page.getByTestId("verdict").waitFor({ timeout: 60_000 });
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => document.activeElement?.dataset.testid), "scene-speed");
  assert.equal(await page.evaluate(() => scrollY), 0);
  // Nor does a script's measurement take anybody anywhere.
  await call(page, "bench", SHORT);
  assert.equal(await page.evaluate(() => document.activeElement?.dataset.testid), "scene-speed");
});

test("the runs told before are those that are counted and those told after", async ({ page, base }) => {
  await short(page, base);
  const told = Number((await page.getByTestId("plan").innerText()).match(/^(\d+) runs/)[1]);
  // Two draft lengths and the engine's own choice, five times beside the target alone; each warmed up, as is the target.
  assert.equal(told, 34);
  await page.getByTestId("max_tokens").fill("60");
  await page.getByTestId("bench").click();
  // Meanwhile somebody looks at another tab and comes back.
  const said = await page.waitForFunction(() => {
    const said = document.querySelector("[data-testid=progress]")?.textContent.match(/ of \d+ runs/)?.[0];
    for (const hidden of said ? [true, false] : []) {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    }
    return said;
  });
  assert.equal(await said.jsonValue(), ` of ${told} runs`);
  await page.getByTestId("verdict").waitFor({ timeout: 60_000 });
  assert.ok((await page.getByTestId("facts").innerText()).includes(`${told}: 5 pairs per γ`));
  assert.match(await page.getByTestId("race").innerText(), /out of sight for a part of the measurement/);
});

test("before measuring the page says how to lose the speed-up, and why a rule is not exact", async ({ page, base }) => {
  await open(page, base, SCENE);
  assert.match(await page.getByTestId("bench-hint").innerText(), /^To see it pay less, or not at all, let γ go up to 16/);
  const rule = page.getByTestId("rule");
  const why = page.locator(`#${await rule.getAttribute("aria-describedby")}`);
  assert.equal(await why.innerText(), "");
  await rule.click();
  await page.getByTestId("rule-greedy").click();
  assert.match(await why.innerText(), /in general its text is not the target’s/);
});

test("the formula answers before anything is measured, and takes the numbers of a measurement", async ({ page, base }) => {
  await rewrite(page, "report.costs = { target_step: 2, draft_step: 0.5, draft_first_extra: 0, verify: [2.4, 3.2] }");
  await open(page, base, SCENE);
  const says = page.getByTestId("what-if-says");
  const value = (name) => page.getByTestId(`what-if-${name}`).inputValue();
  assert.match(await says.textContent(), /By the formula, drafting pays.*Best is γ\s=\s3, 1\.69×/);
  assert.equal(await page.getByTestId("what-if-measured").count(), 0);
  await page.getByTestId("what-if-dear").click();
  assert.match(await says.textContent(), /No draft length pays: α, 0\.80, .* 1\.15 passes/);
  await page.getByTestId("what-if-free").click();
  await page.getByTestId("what-if-draft").focus();
  await page.keyboard.press("Home");
  await page.getByTestId("what-if-alpha").focus();
  await page.keyboard.press("End");
  assert.match(await says.textContent(), /The longest draft is the best: 17\.00× at γ\s=\s16/);
  // What was moved stays while another scene is open.
  await page.getByTestId("scene-proof").click();
  await page.getByTestId("scene-speed").click();
  assert.equal(await value("alpha"), "1");
  const report = await call(page, "bench", SHORT);
  // What somebody asked stays until they ask for what was measured.
  assert.equal(await value("alpha"), "1");
  await page.getByTestId("what-if-measured").click();
  const [judged, accepted] = ["judged", "accepted"].map((of) => report.gammas.reduce((sum, row) => sum + row[of], 0));
  assert.equal(await value("alpha"), String(Math.round((100 * accepted) / judged) / 100));
  // c is .5 / 2, and each further token adds .2 to a pass.
  assert.deepEqual([await value("draft"), await value("row")], ["0.25", "0.2"]);
  // What was measured speaks for itself until a slider is moved.
  assert.match(await says.textContent(), /v of each γ as measured/);
  assert.match(await page.getByTestId("what-if-small").textContent(), /beyond γ = 3 each further token adds s/);
  await page.getByTestId("what-if-dear").click();
  assert.doesNotMatch(await says.textContent(), /as measured/);
  assert.match(await page.getByTestId("what-if-small").textContent(), /with v = 1 \+ γs\. Thin line: as measured/);
});

test("a finger that scrolls the page from a slider moves nothing", async ({ browser, base }) => {
  const { page, close } = await visitor(browser, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, serviceWorkers: "block" });
  // What arrives meanwhile would move the slider from under the finger.
  await open(page, base, SCENE);
  const slider = page.getByTestId("what-if-alpha");
  await slider.scrollIntoViewIfNeeded();
  const before = await slider.inputValue();
  const { x, y, width, height } = await slider.boundingBox();
  const touch = await page.context().newCDPSession(page);
  const finger = (type, across, down) =>
    touch.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: x + across, y: y + height / 2 + down }] });
  const swipe = async (across, down) => {
    await finger("touchStart", 0.1 * width, 0);
    for (let part = 1; part <= 8; part += 1) {
      await finger("touchMove", 0.1 * width + (across * part) / 8, (down * part) / 8);
      await page.waitForTimeout(30);
    }
    await finger("touchEnd");
  };
  const place = await page.evaluate(() => scrollY);
  await swipe(0, -160);
  await until(() => page.evaluate((place) => scrollY > place + 60, place), "the page has been scrolled");
  assert.equal(await slider.inputValue(), before);
  // Nor has it chosen terms, which the address would have once nobody moves.
  await page.waitForTimeout(600);
  assert.doesNotMatch(page.url(), /terms=/);
  await untilStill(page);
  await page.evaluate((place) => scrollTo(0, place), place);
  await swipe(0.5 * width, 0);
  await until(async () => (await slider.inputValue()) !== before, "a swipe along it moves it");
  await page.waitForURL(/terms=/);
  await close();
});

test("where some draft length is faster nobody says that drafting does not pay", async ({ page, base }) => {
  await rewrite(page, `report.gammas[0].interval = [1.1, 1.3]; report.gammas[1].interval = [0.7, 0.8];
      report.auto.interval = [0.7, 0.8]; report.gammas[0].speed_up = 1.2; report.gammas[1].speed_up = 0.75;`);
  await short(page, base);
  await page.getByTestId("bench").click();
  await page.getByTestId("verdict").waitFor({ timeout: 60_000 });
  assert.doesNotMatch(await page.getByTestId("sweep-says").innerText(), /does not pay/);
  assert.match(await page.getByTestId("facts").innerText(), /Best γ\s*1\b/);
});

test("a tab that loads the page anew still has what was measured", async ({ page, base }) => {
  await open(page, base, SCENE);
  await call(page, "bench", SHORT);
  const said = await page.getByTestId("verdict").innerText();
  await page.reload();
  assert.equal(await page.getByTestId("verdict").innerText(), said);
  // What cannot be read is as if there were nothing.
  await page.evaluate(() => sessionStorage.setItem("couplet-reports-3", "[{}]"));
  await page.reload();
  await page.getByTestId("bench").waitFor();
  assert.equal(await page.getByTestId("verdict").count(), 0);
});

test("a sweep stays when less is measured after it, and can be looked at again", async ({ page, base }) => {
  await open(page, base, SCENE);
  await call(page, "bench", SHORT);
  const reports = page.getByTestId("reports");
  assert.equal(await reports.count(), 0);
  await call(page, "bench", { ...SHORT, gammas: [3] });
  const [newest, sweep, ...others] = await reports.locator("option").allTextContents();
  assert.match(newest, /^T [\d.]+, Rejection, γ 3, 5 pairs, 16 tokens, CPU, \d\d:\d\d:\d\d$/);
  assert.match(sweep, /^T [\d.]+, Rejection, γ 1, 3, 5 pairs, 16 tokens, CPU, \d\d:\d\d:\d\d$/);
  assert.deepEqual(others, []);
  assert.match(await page.getByTestId("facts").innerText(), /\b12: 5 pairs, alternating/);
  await reports.focus();
  await reports.selectOption({ index: 1 });
  await page.getByTestId("facts").getByText("23: 5 pairs per γ").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.dataset.testid), "reports");
  // The same again stands beside what it was, and what is new is shown.
  await call(page, "bench", SHORT);
  assert.equal(await reports.locator("option").count(), 3);
  assert.match(await reports.locator("option:checked").textContent(), /γ 1, 3,/);
  assert.equal(await reports.locator("option").filter({ hasText: "γ 1, 3," }).count(), 2);
  await page.reload();
  await reports.waitFor();
  assert.equal(await reports.locator("option").count(), 3);
});

test("the report of another device is shown, with the same measured here beside it", async ({ page, base }) => {
  await open(page, base, SCENE);
  const report = await call(page, "bench", SHORT);
  const elsewhere = { ...report, taken_at: "2026-03-01T12:34:56.789Z", device: { ...report.device, backend: "gpu", name: "Card of a friend" } };
  const file = (name, value) => ({ name, mimeType: "application/json", buffer: Buffer.from(JSON.stringify(value)) });
  const give = (name, value) => page.getByTestId("report-file").setInputFiles(file(name, value));
  await page.reload();
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await page.getByTestId("invitation").waitFor();
  // What is wrong is said, and takes nothing away.
  for (const [wrong, says] of [
    [{ ...elsewhere, tokens: 1e9 }, /“x\.json” cannot be shown\. This measurement is damaged: tokens cannot be so/],
    [{ ...elsewhere, version: 9 }, /its version is 9/],
    [{ ...elsewhere, gammas: elsewhere.gammas.map((row) => ({ ...row, speed_up: 3 })) }, /gammas cannot be so/],
    [{ ...elsewhere, costs: undefined }, /at line 1, column \d+ something is missing/],
    [{ ...elsewhere, request: { ...report.request, settings: { ...report.request.settings, pair: "nobody" } } }, /the pair “nobody”/],
  ]) {
    await give("x.json", wrong);
    await page.getByTestId("notice").filter({ hasText: says }).waitFor();
    assert.equal(await page.getByTestId("race").count(), 0);
  }
  await give("friend.json", elsewhere);
  const origin = page.getByTestId("from-file");
  assert.equal(await origin.innerText(), "From the file “friend.json”, measured on: Card of a friend, 2026-03-01");
  assert.match(await page.getByTestId("facts").innerText(), /Card of a friend/);
  assert.equal(await page.getByTestId("notice").isVisible(), false);
  // The same here comes beside it and takes its place only when somebody says so.
  const here = page.getByTestId("other");
  assert.match(await here.innerText(), /And on this device\?/);
  await page.getByTestId("measure-other").click();
  await page.getByTestId("winner").waitFor();
  assert.match(await page.getByTestId("winner").innerText(), /^At their best: there [\d,.]+ tokens per second .*, here [\d,.]+ tokens per second/);
  assert.equal(await page.getByTestId("switch-backend").count(), 0);
  assert.ok(await origin.isVisible());
  await page.getByTestId("swap-reports").click();
  await origin.waitFor({ state: "detached" });
  // A file says nothing of this device: what is here has no other backend yet, and the Stage has its own.
  assert.match(await here.innerText(), /And on the GPU\?|nothing to compare with/);
  const reports = page.getByTestId("reports");
  const titles = await reports.locator("option").allTextContents();
  assert.deepEqual(titles.map((title) => title.split(", ").at(-1) === "friend.json"), [false, true]);
  await reports.selectOption({ index: 1 });
  await origin.waitFor();
  // Where something else of the same task was measured here, the same can be measured still.
  assert.equal(await page.getByTestId("measure-other").count(), 0);
  await give("other.json", { ...elsewhere, request: { ...report.request, settings: { ...report.request.settings, seed: 99 } } });
  await origin.filter({ hasText: "other.json" }).waitFor();
  await page.getByTestId("measure-other").waitFor();
});

test("how long it takes is told from what was measured here, and not before", async ({ page, base }) => {
  await short(page, base);
  const plan = page.getByTestId("plan");
  assert.match(await plan.innerText(), /How long that takes here is known once it has begun\.$/);
  await page.getByTestId("bench").click();
  await page.getByTestId("verdict").waitFor({ timeout: 60_000 });
  assert.match(await plan.innerText(), /At the pace of the last measurement here that takes about .+\.$/);
});

test("a measurement on the other backend is made there, though another pair is chosen while its engine starts", async ({ page, base }) => {
  assert.equal((await open(page, base, "#v=1&scene=speed")).device.backend, "gpu");
  await call(page, "bench", { max_tokens: 4, gammas: [1], pairs: 5 });
  const start = await hold(page, "**/couplet-worker_loader.js*");
  await page.getByTestId("measure-other").click();
  await page.getByTestId("scene-stage").click();
  await page.getByTestId("pair").selectOption("stories");
  start();
  const measured = () =>
    page.evaluate(() => JSON.parse(sessionStorage.getItem("couplet-reports-3")).map(({ report }) => [report.device.backend, report.request.settings.pair]));
  await until(async () => (await measured()).length === 2, "there is a second report");
  assert.deepEqual(await measured(), [["gpu", "shakespeare"], ["cpu", "shakespeare"]]);
  assert.equal((await ready(page)).pair.name, "stories");
});

test("a failure is told and the report before it stays", async ({ page, base }) => {
  await open(page, base, SCENE);
  await call(page, "bench", SHORT);
  const before = await page.getByTestId("verdict").innerText();
  const error = await refusal(page, "bench", { ...SHORT, prompt: "naïve €" });
  assert.equal(error.field, "prompt");
  assert.match(await page.getByTestId("bench-failed").innerText(), /Nothing was measured: .+ stays below/);
  const heard = page.locator("[role=status], [role=alert]").filter({ hasText: /Nothing was measured/ });
  await heard.waitFor({ state: "attached" });
  // It stays, and is no news to whoever comes back.
  await page.getByTestId("scene-proof").click();
  await page.getByTestId("scene-speed").click();
  await page.getByTestId("bench-failed").waitFor();
  await page.waitForTimeout(300);
  assert.equal(await heard.count(), 0);
  assert.equal(await page.getByTestId("verdict").innerText(), before);
});

test("the files hold what is on the screen", async ({ page, base }) => {
  await open(page, base, SCENE);
  const report = await call(page, "bench", SHORT);
  const json = await saved(page, "json");
  assert.deepEqual(JSON.parse(json.text), report);
  assert.match(json.name, /^couplet-speed-shakespeare-rejection-t[\d.]+-cpu-\d{8}T\d{6}Z\.json$/);
  assert.ok(Math.abs(Date.parse(report.taken_at) - Date.now()) < 60_000, report.taken_at);
  assert.match(report.build, /^\d+\.\d+\.\d+ [0-9a-f]{16}$/);
  assert.equal(report.user_agent, await page.evaluate(() => navigator.userAgent));
  assert.equal(report.hidden, false);
  const csv = await saved(page, "csv");
  const [head, ...rows] = csv.text.trim().split("\r\n").map((line) => line.split(","));
  assert.equal(rows.length, 2);
  assert.equal(Number(rows[1][head.indexOf("speed_up")]), report.gammas[1].speed_up);
  // Of a range of five pairs nothing is claimed.
  const cells = ["predicted", "drafted", "confidence", "confidence_among_all", "verdict"].map((name) => rows[0][head.indexOf(name)]);
  const { predicted, drafted, confidence, confidence_among_all } = report.gammas[0];
  assert.deepEqual(cells, [`${predicted}`, `${drafted}`, "", "", "cannot_tell"]);
  assert.deepEqual([confidence, confidence_among_all], [null, null]);
  assert.equal(rows[0][head.indexOf("backend")], "cpu");
  assert.equal(Number(rows[0][head.indexOf("seed")]), report.request.settings.seed);
  assert.equal(rows[0][head.indexOf("taken_at")], report.taken_at);
  assert.equal(rows[0][head.indexOf("hidden")], "false");
  const svg = await saved(page, "svg");
  assert.match(svg.text, /^<svg[^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  assert.match(svg.text, />1×/);
  assert.doesNotMatch(svg.text, /var\(|class=|<!--/);
  // It can be cited by itself.
  const words = svg.text.replaceAll("</text>", " ").replace(/<[^>]*>/g, "");
  const origin = `5 pairs, 16 tokens a run, seed ${report.request.settings.seed}; ${report.device.variant}; ${report.taken_at}; Couplet ${report.build}`;
  assert.ok(words.includes(origin), words.slice(-600));
  const parsed = await page.evaluate((text) => {
    const file = new DOMParser().parseFromString(text, "image/svg+xml");
    return { broken: file.querySelector("parsererror") !== null, points: file.querySelectorAll("circle").length };
  }, svg.text);
  assert.deepEqual(parsed, { broken: false, points: 2 });
  const png = await saved(page, "png");
  assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
  assert.ok(png.bytes.length > 5000, `${png.bytes.length} bytes`);
});

test("a picture of the race ends where its lanes do", async ({ page, base }) => {
  await open(page, base, SCENE);
  await call(page, "bench", { ...SHORT, max_tokens: 120 });
  await page.getByTestId("race-time").focus();
  await page.keyboard.press("End");
  // Letters, of which a window holds a part.
  for (let step = 0; step < 8; step += 1) await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(() => document.querySelector(".race-scroll").scrollLeft > 50);
  await page.getByTestId("share").click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByTestId("svg-couplet-race").click()]);
  const svg = await readFile(await download.path(), "utf8");
  const reach = await page.evaluate((svg) => {
    const place = document.body.appendChild(document.createElement("div"));
    place.innerHTML = svg;
    const [names] = [...place.querySelectorAll("text")].filter((text) => /Target alone/.test(text.textContent));
    const lanes = [...place.querySelectorAll("svg svg[overflow=hidden]")];
    const { x, width } = names.getBBox();
    return { names: x + width, lanes: lanes.map((lane) => Number(lane.getAttribute("x"))) };
  }, svg);
  assert.ok(reach.lanes.length > 0, "the lanes are cut");
  for (const left of reach.lanes) assert.ok(left >= reach.names - 1, JSON.stringify(reach));
});

test("the race is moved by keys, and counts what was there", async ({ page, base }) => {
  await open(page, base, SCENE);
  const report = await call(page, "bench", SHORT);
  const ends = report.race.map((lane) => lane.rounds.at(-1).end);
  const winner = ends[0] < ends[1] ? "race-alone" : "race-speculative";
  assert.equal(await page.getByTestId(winner).innerText(), "16");
  // The slider's handle, 16 pixels wide, goes from where the drawing begins to the line that it moves.
  const box = (selector) => page.locator(selector).first().evaluate((part) => part.getBoundingClientRect().toJSON());
  const [slider, axis, line] = [await box(".race-time"), await box(".race-drawing .axis"), await box(".race-cut path")];
  assert.ok(Math.abs(slider.left + 8 - axis.left) < 2, `from ${slider.left} at ${axis.left}`);
  assert.ok(Math.abs(slider.right - 8 - line.left) < 3, `to ${slider.right} at ${line.left}`);
  await page.getByTestId("race-time").focus();
  await page.keyboard.press("Home");
  assert.equal(await page.getByTestId("race-alone").innerText(), "0");
  for (let step = 0; step < 200; step += 1) await page.keyboard.press("ArrowRight");
  const at = Number(await page.getByTestId("race-time").inputValue());
  const there = (lane) => lane.rounds.filter((round) => round.end <= at).flatMap((round) => round.tokens).length;
  assert.equal(await page.getByTestId("race-alone").innerText(), `${there(report.race[0])}`);
  assert.equal(await page.getByTestId("race-speculative").innerText(), `${there(report.race[1])}`);
  await page.getByTestId("race-play").focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("[data-testid=race-play]").textContent === "Pause");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("[data-testid=race-play]").textContent === "Play");
});

test("while something is timed the Stage says why nothing plays, and the race keeps its controls", async ({ page, base }) => {
  await short(page, base);
  await page.getByTestId("bench").click();
  await page.getByTestId("verdict").waitFor({ timeout: 60_000 });
  await page.evaluate(() => void window.couplet.bench({ max_tokens: 200, pairs: 50 }).catch(() => {}));
  await page.getByTestId("timing").waitFor();
  // A counter would be read out for minutes.
  await page.getByTestId("timing").getByRole("status").getByText(/^(0|25|50|75) % of the runs are done\.$/).waitFor();
  await page.getByTestId("scene-stage").click();
  await page.getByTestId("play").getByText("Timing").waitFor();
  assert.ok(await page.getByTestId("play").isDisabled());
  await page.getByTestId("scene-proof").click();
  await page.getByTestId("test-waits").filter({ hasText: "A measurement is under way" }).waitFor();
  await page.getByTestId("scene-speed").click();
  await page.getByTestId("bench-stop").click();
  await page.getByTestId("timing").waitFor({ state: "detached" });
  assert.ok(await page.getByTestId("race-play").isEnabled());
  await page.getByTestId("scene-stage").click();
  assert.ok(await page.getByTestId("play").isEnabled());
});

test("the Stage shows the speed-up of the pair that it writes with", async ({ page, base }) => {
  await open(page, base, CPU);
  await page.getByTestId("measure").click();
  const said = page.getByTestId("speed-up");
  await said.waitFor({ timeout: 60_000 });
  assert.match(await page.locator(".speed-up").innerText(), /Rejection/);
  await page.getByTestId("pair").selectOption("stories");
  await said.waitFor({ state: "detached" });
  await page.getByTestId("pair").selectOption("shakespeare");
  await said.waitFor();
});

test("how the race ends goes the headline's way", async ({ page, base }) => {
  // Word pieces, of which the whole race is wider than a screen many times over; speculation has its 60 first.
  await rewrite(page, `
      const token = report.race[0].rounds[0].tokens[0];
      const lane = (step, size, count) => Array.from({ length: count }, (_, index) => ({
        end: (index + 1) * step + (index % 5 === 4 ? 0 : -0.04), gamma: size - 1, accepted: size - 1, tokens: Array(size).fill(token) }));
      report.race[0].rounds = lane(0.1, 1, 600);
      report.race[1].rounds = lane(0.15, 2, 300);
      for (const row of report.gammas) { row.speed_up = 1.33; row.interval = [1.3, 1.36]; }`);
  await short(page, base);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByTestId("bench").click();
  await page.getByTestId("verdict").waitFor({ timeout: 60_000 });
  const counts = async () => [await page.getByTestId("race-alone").innerText(), await page.getByTestId("race-speculative").innerText()];
  assert.deepEqual(await counts(), ["450", "600"]);
  assert.equal(
    await page.getByTestId("race-finish").innerText(),
    "When speculation was done, after 45.0 ms, the target alone had 450 of its 600 tokens; it took 60.0 ms.",
  );
  assert.match(await page.getByTestId("race").innerText(), /of 600 tokens/);
  // At rest all of it is seen at once, as far as a round has some pixels.
  const wide = () => page.locator(".race-drawing").evaluate((drawing) => drawing.getBoundingClientRect().width);
  // A drawing follows its place's width a frame or two later.
  await frames(page);
  const whole = await wide();
  await page.getByTestId("race-time").focus();
  await page.keyboard.press("Home");
  assert.deepEqual(await counts(), ["0", "0"]);
  await page.keyboard.press("End");
  assert.deepEqual(await counts(), ["450", "600"]);
  assert.ok((await wide()) > 3 * whole, `${whole}`);
  // Nobody scrolls into emptiness: at the very end there are letters.
  const drawing = await page.locator(".race-scroll").evaluate((scroller) => {
    scroller.scrollLeft = 1e6;
    const { left, right } = scroller.getBoundingClientRect();
    const letters = [...scroller.querySelectorAll("g:not(.later) > .race-letter")].map((letter) => letter.getBoundingClientRect().right);
    return { behind: right - Math.max(...letters), width: right - left };
  });
  assert.ok(drawing.behind < 0.4 * drawing.width, JSON.stringify(drawing));
});

test("whoever wants less movement sees the end of the race", async ({ page, base }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, base, SCENE);
  await call(page, "bench", SHORT);
  assert.equal(await page.getByTestId("race-play").count(), 0);
  assert.ok(await page.getByTestId("race-time").isVisible());
});

test("the Stage times the γ of its form and leads to the scene", async ({ page, base }) => {
  await open(page, base, `${CPU}#gamma=3&max_tokens=16`);
  await page.getByTestId("measure").click();
  await page.getByTestId("speed-up").waitFor({ timeout: 60_000 });
  const says = await page.getByTestId("speed-up").innerText();
  assert.match(says, /^[\d.]+× \[[\d.]+, [\d.]+\] (faster|slower|can’t tell)$/);
  await page.getByTestId("to-speed").click();
  await page.getByTestId("sweep").waitFor();
  assert.match(page.url(), /scene=speed/);
  assert.ok((await page.getByTestId("verdict").innerText()).startsWith(says.split(" ")[0]));
});

test("γ by the engine: in the form, in the link, in the run", async ({ page, base }) => {
  await open(page, base, CPU);
  assert.equal(await page.getByTestId("auto-note").innerText(), "");
  await page.getByTestId("auto-gamma").click();
  assert.match(await page.getByTestId("auto-note").innerText(), /only under Gumbel/);
  await page.getByTestId("generate").click();
  await page.waitForFunction(() => window.couplet.trace()?.events.at(-1)?.event === "finished", null, { timeout: 60_000 });
  assert.match(page.url(), /auto=1/);
  const trace = await traceOf(page);
  assert.equal(trace.settings.auto_gamma, true);
  await page.getByTestId("end").click();
  await page.reload();
  await page.getByTestId("gamma-auto").waitFor();
  await page.getByTestId("auto-gamma").click();
  assert.ok(await page.getByTestId("gamma").isVisible());
  await noPanicText(page);
});

test("a link with nonsense for auto starts the page all the same", async ({ page, base }) => {
  await open(page, base, `${CPU}#auto=<script>&gamma=3`);
  await page.getByTestId("notice").getByText(/auto cannot be/).waitFor();
  assert.ok(await call(page, "ready"));
});
