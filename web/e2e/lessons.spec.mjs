// The lessons, walked through as a visitor does who has only a keyboard.
import assert from "node:assert/strict";
import { findings } from "./measure/access.mjs";
import { call, delay, finished, frames, hold, noPanicText, open, patchWorker, settled, shown, traceOf, until, visitor, WEIGHTS } from "./support.mjs";
import { test } from "./test.mjs";

const STEPS = { slow: 4, draft: 4, exact: 4, chance: 5, pays: 5, wrong: 4 };

/** Opens a step by its link. */
async function step(page, base, lesson, number, search = "?backend=cpu", look = "") {
  await page.goto("about:blank");
  await page.goto(`${base}${search}#v=1&lesson=${lesson}&step=${number}${look}`);
  await page.getByTestId("lesson-panel").locator("form").waitFor();
}

/** Makes a guess with keys alone and reveals. The focus is in the question. */
async function guess(page) {
  if (await page.getByTestId("lesson-number").count()) await page.keyboard.type("40");
  else await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
}

/** The names of the answers in the panel's own words. */
const answer = (page) => page.getByTestId("lesson-answer").innerText();

test("whoever leaves a lesson's scene before its run has come stays where they went", async ({ page, base }) => {
  const arrive = await hold(page, "**/pairs/shakespeare/recording.json");
  await page.goto(`${base}?backend=cpu#v=1&lesson=draft&step=2`);
  await page.getByTestId("lesson-panel").waitFor();
  await page.getByTestId("scene-couplings").click();
  await page.getByTestId("card-gumbel").waitFor();
  arrive();
  await page.getByTestId("lesson-panel").getByRole("radio").first().waitFor({ state: "attached" });
  await page.waitForTimeout(300);
  assert.equal(await page.getByTestId("scene-couplings").getAttribute("aria-current"), "page");
});

for (const [lesson, steps] of Object.entries(STEPS)) {
  test(`lesson "${lesson}" is walked to its end by keyboard, without any engine`, async ({ page, base }) => {
    await page.route(WEIGHTS, (route) => route.abort());
    await page.goto(`${base}?backend=cpu#v=1&scene=lessons`);
    await page.getByTestId(`lesson-${lesson}`).focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.closest(".lesson-ask"));
    for (let at = 1; at <= steps; at += 1) {
      await page.waitForFunction((at) => new URLSearchParams(location.hash.slice(1)).get("step") === `${at}`, at);
      // Whoever comes to the question hears where they are and what comes before it.
      const told = await page.evaluate(() =>
        document.activeElement.getAttribute("aria-describedby").split(" ").slice(0, 2).map((id) => {
          const part = document.getElementById(id);
          return part.getAttribute("aria-label") ?? part.textContent;
        }),
      );
      assert.ok(told[0].endsWith(`, Step ${at} of ${steps}`) && told[1].length > 40, `${told}`);
      assert.equal(await page.title(), `${told[0]} · Couplet`);
      // Covered answers are not on the page at all.
      assert.equal(await page.getByTestId("lesson-answer").count(), 0);
      assert.ok(await page.getByTestId("lesson-next").isDisabled());
      await guess(page);
      const wait = lesson === "pays" && at === steps;
      await page.getByTestId(wait ? "lesson-wait" : "lesson-answer").waitFor();
      await page.waitForFunction(() => document.activeElement?.id === "lesson-next");
      if (at < steps) {
        await page.keyboard.press("Enter");
        await page.waitForFunction(() => document.activeElement?.closest(".lesson-ask"));
      }
    }
    const done = await page.evaluate(() => localStorage.getItem("couplet-lessons"));
    // What nobody has measured is not done.
    assert.match(done, new RegExp(`${lesson}:${2 ** (lesson === "pays" ? steps - 1 : steps) - 1}(,|$)`));
    await noPanicText(page);
  });
}

test("the list says when the last question of all is answered", async ({ page, base }) => {
  const all = Object.entries(STEPS).map(([lesson, steps]) => `${lesson}:${2 ** steps - 1}`);
  const remember = (done) => page.evaluate((done) => localStorage.setItem("couplet-lessons", done), done);
  await page.goto(`${base}notices.txt`);
  await remember(all.slice(1).join(","));
  await page.goto(`${base}?backend=cpu#v=1&scene=lessons`);
  await page.getByTestId("lesson-slow").waitFor();
  assert.equal(await page.getByTestId("course-done").count(), 0);
  await remember(all.join(","));
  await page.reload();
  await page.getByTestId("course-done").waitFor();
  assert.equal(await page.getByTestId("lesson-slow").innerText(), "Again");
});

test("a lesson that is opened before the recorded run is there leads to its question when it comes", async ({ page, base }) => {
  let come;
  const there = new Promise((resolve) => (come = resolve));
  await page.route("**/recording.json", async (route) => {
    await there;
    await route.continue();
  });
  await page.goto(`${base}?backend=cpu#v=1&scene=lessons`);
  await page.getByTestId("lesson-slow").press("Enter");
  await page.waitForFunction(() => document.activeElement?.id === "lesson-title");
  come();
  await page.waitForFunction(() => document.activeElement?.closest(".lesson-ask"));
});

test("a presenter's remote reveals and goes on, only where letters are for a projector", async ({ page, base }) => {
  const at = (step) => page.waitForFunction((step) => new URLSearchParams(location.hash.slice(1)).get("step") === `${step}`, step);
  const press = async (key) => {
    await page.keyboard.press(key);
    await frames(page);
  };
  const shown = () => page.evaluate(() => Number(new URL(couplet.link()).hash.match(/at=(\d+)/)?.[1] ?? 0));
  await page.goto(`${base}?backend=cpu#v=1&lesson=slow&step=1&projector=1`);
  await page.getByTestId("lesson-panel").locator("form").waitFor();
  await press("PageDown");
  // Nobody goes past a question without a guess.
  assert.equal(await page.getByTestId("lesson-answer").count(), 0);
  await at(1);
  await page.getByTestId("lesson-number").fill("40");
  // A key that is held down reveals once.
  await page.keyboard.down("PageDown");
  await page.getByTestId("lesson-answer").waitFor();
  await page.keyboard.down("PageDown");
  await page.keyboard.up("PageDown");
  await frames(page);
  assert.equal(await page.getByTestId("lesson-answer").count(), 1);
  await at(1);
  await press("PageDown");
  await at(2);
  await press("PageUp");
  await at(1);
  await page.getByTestId("lesson-close").click();
  await page.waitForFunction(() => document.querySelector("#scene").dataset.scene === "stage");
  await page.getByTestId("timeline").click();
  await page.keyboard.press("Home");
  const before = await shown();
  await press("PageDown");
  const after = await shown();
  assert.ok(after > before, `${after} steps after ${before}`);
  await press("PageUp");
  assert.equal(await shown(), before);
  await page.locator("select:visible, textarea:visible").first().focus();
  await press("PageDown");
  assert.equal(await shown(), before);
  await page.getByTestId("projector").click();
  await press("PageDown");
  assert.equal(await shown(), before);
});

test("answers about the run are counted from its events", async ({ page, base }) => {
  const { events, pair } = await (await page.request.get(`${base}pairs/shakespeare/recording.json`)).json();
  const committed = events.filter((event) => event.event === "committed");
  const written = committed.reduce((sum, event) => sum + event.tokens.length, 0);
  const expect = async (lesson, number, fill, says) => {
    await step(page, base, lesson, number);
    if (fill === null) await page.getByTestId("option-0").click();
    else await page.getByTestId("lesson-number").fill(fill);
    await page.getByTestId("reveal").click();
    assert.equal(await answer(page), says, `${lesson} ${number}`);
  };
  const alone = await (await page.request.get(`${base}pairs/shakespeare/recording-alone.json`)).json();
  assert.ok(alone.events.every(({ event }) => event !== "drafted"));
  await expect("slow", 1, "7", `${alone.events.filter(({ event }) => event === "committed").length} passes`);
  await expect("slow", 3, "7", `${committed.length} passes`);
  await expect("pays", 1, "1", `${(written / committed.length).toFixed(1)} characters`);
  const struck = events.find((event) => event.event === "verified" && !event.accepted && pair.tokens[event.token] === "e");
  await expect("draft", 2, null, pair.tokens[struck.token]);
  await expect("exact", 4, "1", "50 per cent");
});

test("a step is a state of the real page, and its link brings it back", async ({ page, base }) => {
  await step(page, base, "draft", 3);
  await shown(page, "recorded");
  await page.waitForFunction(() => /at=/.test(location.hash));
  const round = await page.getByTestId("round").innerText();
  assert.match(round, /rejected/);
  const link = await page.evaluate(() => window.couplet.link());
  assert.match(link, /lesson=draft&step=3/);
  await page.goto("about:blank");
  await page.goto(link);
  await page.getByTestId("lesson-panel").locator("form").waitFor();
  await until(async () => (await page.getByTestId("round").innerText()) === round, "the same round");
  // And it stays live: the controls work, the lesson stays.
  await page.getByTestId("next-phase").click();
  assert.notEqual(await page.getByTestId("round").innerText(), round);
  assert.ok(await page.getByTestId("lesson-panel").isVisible());
  if (!(await page.getByTestId("temperature").isVisible())) await page.getByTestId("settings").click();
  assert.ok(await page.getByTestId("temperature").isVisible());
});

test("on a projector the way on stands beside the answer", async ({ page, base }) => {
  for (const [width, height] of [[1024, 768], [1440, 900]]) {
    await page.goto("about:blank");
    await page.setViewportSize({ width, height });
    await page.goto(`${base}?backend=cpu#v=1&lesson=exact&step=1&projector=1`);
    await page.getByTestId("option-0").click();
    await page.getByTestId("reveal").click();
    await page.getByTestId("lesson-answer").waitFor();
    const [turn, answer, next] = await page.evaluate(() => [".lesson-turn", ".lesson-answer", "#lesson-next"].map((part) => document.querySelector(part).getBoundingClientRect()));
    const scale = width / 640;
    assert.ok(answer.left - turn.left < 24 * scale, `${width}: the answer begins ${answer.left - turn.left} px in`);
    assert.ok(next.left >= answer.right && next.top < answer.bottom, `${width}: ${JSON.stringify({ answer, next })}`);
  }
});

test("the steps of a lesson are wide enough to be hit, and their row is not cut", async ({ page, base }) => {
  for (const language of ["en", "de"]) {
    await page.goto(`${base}?backend=cpu&language=${language}#v=1&lesson=pays&step=2`);
    await page.getByTestId("lesson-step-1").waitFor();
    for (const width of [900, 1024, 1180, 1320, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      await frames(page);
      const row = await page.locator(".lesson footer").evaluate((footer) => ({
        dots: [...footer.querySelectorAll(".lesson-dots button")].map((dot) => dot.getBoundingClientRect().width),
        over: footer.scrollWidth - footer.clientWidth,
      }));
      assert.ok(row.dots.length === 5 && row.dots.every((dot) => dot >= 24) && row.over <= 0, `${language}, ${width}: ${JSON.stringify(row)}`);
    }
  }
});

test("what would answer the question is off the page until it is revealed", async ({ page, base }) => {
  await step(page, base, "chance", 1);
  await page.getByTestId("covered").first().waitFor();
  // One cover says it for all.
  const covers = page.locator("[data-testid=covered]:visible");
  assert.equal(await covers.count(), 1);
  assert.equal(await page.locator(".couplings-cards").count(), 0);
  assert.equal(await page.getByTestId("throw-said").count(), 0);
  // The overlap is the most that can agree; the distance is in the lesson's own text.
  assert.equal(await page.getByTestId("overlap").innerText(), "?");
  assert.match(await page.getByTestId("distance").innerText(), /^[01]\.\d{3}$/);
  await page.getByTestId("lesson-number").fill("50");
  await page.getByTestId("reveal").click();
  await page.locator(".couplings-cards").waitFor();
  assert.match(await page.locator(".couplings-cards").innerText(), /0\.266/);
  assert.equal(await answer(page), "27 per cent");
  assert.match(await page.getByTestId("overlap").innerText(), /^[01]\.\d{3}$/);
  // How those that share chance agree is the next question.
  assert.equal(await page.getByTestId("card-gumbel").count(), 0);
  assert.match(await page.getByTestId("covered").first().innerText(), /a later step asks for it/);
  assert.equal(await covers.count(), 2);
  await page.getByTestId("lesson-next").click();
  await page.getByTestId("lesson-number").fill("50");
  await page.getByTestId("reveal").click();
  await page.getByTestId("card-gumbel").waitFor();
  // What becomes of a text when another drafts is the last question.
  assert.equal(await page.locator(".swap").count(), 0);
  assert.equal(await page.getByTestId("covered").count(), 1);
  // Back there, the answer stands as it was left; once the lesson is closed, it is to be guessed again.
  await page.getByTestId("lesson-back").click();
  assert.equal(await answer(page), "27 per cent");
  // Its field is answered and takes no focus; its heading does.
  await page.waitForFunction(() => document.activeElement.id === "lesson-title");
  assert.equal(await page.getByTestId("lesson-number").inputValue(), "50");
  assert.equal(await page.getByTestId("card-gumbel").count(), 0);
  await page.getByTestId("lesson-close").click();
  await step(page, base, "chance", 1);
  assert.equal(await page.getByTestId("lesson-answer").count(), 0);
});

test("what all tokens accepted earn is not said before the guess", async ({ page, base }) => {
  const place = page.locator(".bonus-place p");
  for (const number of [1, 2, 3]) {
    await step(page, base, "draft", number);
    await place.filter({ hasText: "Covered until" }).waitFor();
    await page.getByTestId("option-0").click();
    await page.getByTestId("reveal").click();
    // Beside five columns and a residual there is no room for it.
    await place.filter({ hasText: "a later step asks for it" }).waitFor({ state: "attached" });
  }
  await step(page, base, "draft", 4);
  await place.filter({ hasText: "Covered until" }).waitFor();
  // Nothing has led whoever comes by a link to the question.
  await page.getByTestId("lesson-panel").getByRole("radio").first().focus();
  await guess(page);
  await page.waitForFunction(() => !/Covered until/.test(document.querySelector("main").innerText));
});

test("the formula's curve shows what was asked once it is guessed", async ({ page, base }) => {
  await step(page, base, "pays", 3);
  await page.getByTestId("what-if").getByTestId("covered").waitFor();
  assert.equal(await page.getByTestId("what-if-says").count(), 0);
  // The field has a name that stays, and what is wrong with it is said under it.
  await page.getByTestId("lesson-number").fill("many");
  assert.ok(await page.getByTestId("lesson-panel").getByText("Your guess", { exact: true }).isVisible());
  await page.locator("[role=status] > #lesson-number-error").getByText(/^write a number/).waitFor();
  await page.getByTestId("lesson-number").fill("2");
  await page.getByTestId("reveal").click();
  await page.getByTestId("what-if-says").getByText(/Best is γ\s=\s3, 1\.63×/).waitFor();
  assert.equal(await answer(page), "3 tokens ahead");
  // What somebody asks it themselves stays when the lesson is closed.
  await page.getByTestId("what-if-dear").click();
  const asked = await page.getByTestId("what-if-says").innerText();
  await page.getByTestId("lesson-close").click();
  assert.equal(await page.getByTestId("what-if-says").innerText(), asked);
});

test("a wrong rule is made on the page once it is guessed what comes of it", async ({ page, base }) => {
  await step(page, base, "wrong", 1);
  const exhibit = page.getByTestId("mistake-resamples_from_target");
  assert.equal(await exhibit.getByTestId("switch").getAttribute("aria-checked"), "false");
  await page.getByTestId("option-2").click();
  await page.getByTestId("reveal").click();
  await exhibit.locator("[data-testid=switch][aria-checked=true]").waitFor();
  await page.waitForFunction(() => document.querySelector(".museum").getBoundingClientRect().top < innerHeight / 2);
  // Nothing of it stands above the next question, nor stays when the lesson is closed.
  await page.getByTestId("lesson-next").click();
  await exhibit.locator("[data-testid=switch][aria-checked=false]").waitFor();
  // What that is about, which is further up, is in sight.
  await until(() => page.evaluate(() => scrollY === 0), "the page is at its top again");
  await page.getByTestId("option-1").click();
  await page.getByTestId("reveal").click();
  const greedy = page.getByTestId("mistake-greedy_draft");
  await greedy.locator("[data-testid=switch][aria-checked=true]").waitFor();
  await page.getByTestId("lesson-close").click();
  await greedy.locator("[data-testid=switch][aria-checked=false]").waitFor();
  await step(page, base, "wrong", 3);
  await page.getByTestId("lesson-number").fill("90");
  await page.getByTestId("reveal").click();
  await page.getByTestId("test").getByText(/Not exact by design.* A first drafted token stays with probability 0\.90, under Rejection 0\.70\./).waitFor();
  await page.getByTestId("test-verdict").getByText(/\d/).first().waitFor();
});

test("a measurement answers the last question of lesson five", async ({ page, base }) => {
  await open(page, base, "?backend=cpu#v=1&lesson=pays&step=5");
  await page.getByTestId("option-1").click();
  await page.getByTestId("reveal").click();
  await page.getByTestId("lesson-wait").waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem("couplet-lessons")), null);
  const report = await call(page, "bench", { gammas: [2], pairs: 6, max_tokens: 32 });
  const [low, high] = report.gammas[0].interval;
  const says = low > 1 ? "Faster with a draft" : high < 1 ? "Slower with a draft" : "Can’t tell";
  assert.equal(await answer(page), says);
  const done = () => page.evaluate(() => localStorage.getItem("couplet-lessons"));
  await until(async () => /pays:16/.test(await done()), "the step is done now");
  // What another device measured says nothing of this one.
  await page.evaluate(() => {
    sessionStorage.clear();
    localStorage.removeItem("couplet-lessons");
  });
  await page.reload();
  await page.getByTestId("option-1").click();
  await page.getByTestId("reveal").click();
  const file = { name: "friend.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(report)) };
  await page.getByTestId("report-file").setInputFiles(file);
  await page.getByTestId("from-file").waitFor({ state: "attached" });
  await page.getByTestId("lesson-wait").waitFor();
  assert.equal(await done(), null);
});

test("what was measured before is off the page until the last question of lesson five is answered", async ({ page, base }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await open(page, base, "?backend=cpu#v=1&scene=speed");
  await call(page, "bench", { gammas: [1], pairs: 6, max_tokens: 16 });
  await page.getByTestId("race").waitFor();
  await page.getByTestId("scene-lessons").click();
  await page.getByTestId("lesson-pays").click();
  const absent = async (parts) => {
    for (const part of parts) assert.equal(await page.locator(part).count(), 0, part);
  };
  const measured = ['[data-testid="race"]', ".sweep", ".facts-list"];
  await page.locator(".statistics").waitFor({ state: "detached" });
  await page.getByTestId("scene-speed").click();
  await page.getByTestId("bench").waitFor();
  await absent(measured);
  await page.getByTestId("scene-stage").click();
  await page.getByTestId("lesson-number").fill("3");
  await page.getByTestId("reveal").click();
  await page.locator(".statistics").waitFor();
  await absent([".speed-up"]);
  await page.getByTestId("lesson-step-3").click();
  await page.getByTestId("what-if").getByTestId("covered").waitFor();
  await absent(measured);
  await page.getByTestId("lesson-number").fill("3");
  await page.getByTestId("reveal").click();
  await page.getByTestId("what-if-says").waitFor();
  // The curve is there, without the one that was measured.
  await absent([...measured, '[data-testid="what-if-small"]']);
  await page.getByTestId("lesson-step-5").click();
  await page.getByTestId("what-if").getByTestId("covered").waitFor();
  await absent(measured);
  assert.ok(await page.getByTestId("bench").isVisible());
  await page.getByTestId("option-0").click();
  await page.getByTestId("reveal").click();
  await page.getByTestId("lesson-verdict").waitFor();
  for (const part of measured) await page.locator(part).first().waitFor();
  await until(() => page.getByTestId("race").evaluate((race) => Math.abs(race.getBoundingClientRect().top) < innerHeight / 2), "the race is in sight");
});

test("what a reveal uncovers below the window is brought into it", async ({ page, base }) => {
  const parts = [["pays", 1, ".statistics"], ["chance", 1, '[data-testid="card-independent"]'], ["chance", 5, ".swap h2"], ["pays", 5, '[data-testid="bench"]']];
  for (const [width, height, look] of [[1440, 900, ""], [1280, 720, ""], [1024, 768, "&projector=1"]]) {
    await page.setViewportSize({ width, height });
    for (const [lesson, number, part] of parts) {
      await step(page, base, lesson, number, "?backend=cpu", look);
      if (await page.getByTestId("lesson-number").count()) await page.getByTestId("lesson-number").fill("40");
      else await page.getByTestId("option-0").click();
      await page.getByTestId("reveal").click();
      const seen = () =>
        page.evaluate((part) => {
          const { top, bottom } = document.querySelector(part)?.getBoundingClientRect() ?? { top: -1 };
          const turn = document.querySelector(".lesson-turn");
          const end = getComputedStyle(turn).position === "fixed" ? turn.getBoundingClientRect().top : innerHeight;
          return top >= -1 && Math.min(bottom, top + 120) <= end;
        }, part);
      await until(seen, `${lesson} ${number} at ${width}`);
    }
  }
});

test("how many stay is not on the page while the next step asks how many do not", async ({ page, base }) => {
  await step(page, base, "exact", 2);
  // A probability is as right as per cent.
  await page.getByTestId("lesson-number").fill("0.4");
  await page.getByTestId("reveal").click();
  await page.getByTestId("lesson-verdict").getByText("That is right. 40 per cent").waitFor();
  const why = page.getByTestId("why");
  await why.getByText("a later step asks for it").waitFor();
  assert.equal(await page.locator(".why-say").count(), 0);
  await page.getByTestId("lesson-next").click();
  await page.getByTestId("lesson-number").fill("30");
  await page.getByTestId("reveal").click();
  await why.getByText("the total variation.").waitFor();
});

test("on a phone the way on is never under the player, and the picture is a press away", async ({ page, base }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const [lesson, number] of [["slow", 1], ["slow", 2], ["draft", 1], ["draft", 2], ["draft", 3], ["chance", 2], ["wrong", 4]]) {
    await step(page, base, lesson, number);
    if (await page.getByTestId("lesson-number").count()) await page.getByTestId("lesson-number").fill("3");
    else await page.getByTestId("option-0").click();
    await page.getByTestId("reveal").click();
    await page.waitForFunction(() => document.activeElement?.id === "lesson-next");
    const next = () => {
      const { x, y, width, height } = document.getElementById("lesson-next").getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, y + height - 2)?.closest("#lesson-next") !== null;
    };
    // The page goes there a frame after the focus.
    await until(() => page.evaluate(next), `the way on of ${lesson} ${number} is in sight`);
  }
  const top = (selector) => page.locator(selector).evaluate((part) => part.getBoundingClientRect().top);
  await page.getByTestId("lesson-picture").click();
  assert.ok((await top('[data-testid="round"]')) < 400);
  await page.getByTestId("lesson-question").click();
  assert.ok(Math.abs(await top(".lesson-side")) < 2);
  // After an answer it is what the answer speaks of.
  await step(page, base, "wrong", 1);
  await page.getByTestId("lesson-picture").click();
  const exhibit = '[data-testid="mistake-resamples_from_target"]';
  assert.ok((await top(exhibit)) > 844);
  await page.getByTestId("option-0").click();
  await page.getByTestId("reveal").click();
  await page.waitForFunction(() => document.activeElement?.id === "lesson-next");
  await page.getByTestId("lesson-picture").click();
  await until(async () => (await top(exhibit)) >= 0 && (await top(exhibit)) < 400, "the mistake is in sight");
  // What is to be compared is all there.
  await step(page, base, "draft", 2);
  const bars = page.getByTestId("round").locator("figure.column");
  assert.equal(await bars.count(), 5);
  for (const bar of await bars.all()) assert.ok(await bar.isVisible());
});

test("on a short phone an answer brings its way on into sight", async ({ page, base }) => {
  await page.setViewportSize({ width: 390, height: 664 });
  for (const number of [2, 3, 4]) {
    await step(page, base, "chance", number);
    if (await page.getByTestId("lesson-number").count()) await page.getByTestId("lesson-number").fill("0.5");
    else await page.getByTestId("option-0").click();
    await page.getByTestId("reveal").click();
    const free = () =>
      page.evaluate(() => document.querySelector(".lesson-between").getBoundingClientRect().top - document.getElementById("lesson-next").getBoundingClientRect().bottom);
    await until(async () => (await free()) >= 0, `the way on of step ${number} is above the strip`);
  }
});

test("a finger that comes to a question for a number is not given a keyboard", async ({ browser, base }) => {
  const { page, close } = await visitor(browser, { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true, serviceWorkers: "block" });
  await step(page, base, "slow", 3);
  // The first asks for a number, the second for one of several answers.
  for (const number of [1, 2]) {
    await page.getByTestId(`lesson-step-${number}`).click();
    const typed = number === 1;
    await until(async () => (await page.getByTestId("lesson-number").count()) === Number(typed), `step ${number}`);
    await until(() => page.evaluate(() => document.activeElement.matches("#lesson-title, .lesson-option input")), "what it begins with has the focus");
    assert.equal(await page.evaluate(() => document.activeElement.id === "lesson-title"), typed, `step ${number}`);
  }
  await close();
});

test("a lesson gives the form back as it was left, with what does not work", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await shown(page, "recorded");
  await page.locator("#prompt").fill("HAMLET:\n");
  await page.locator("#max_tokens").fill("");
  await page.getByTestId("scene-lessons").click();
  await page.getByTestId("lesson-slow").click();
  await page.getByTestId("lesson-close").click();
  await page.getByTestId("scene-stage").click();
  await page.waitForFunction(() => document.querySelector("#prompt")?.value === "HAMLET:\n");
  assert.equal(await page.locator("#max_tokens").inputValue(), "");
});

test("a page that is loaded again still has the guess, and its link asks everybody else first", async ({ page, browser, base }) => {
  for (const [lesson, number, guess] of [["draft", 2, "0"], ["slow", 1, "0,25"]]) {
    await step(page, base, lesson, number);
    const typed = page.getByTestId("lesson-number");
    if (lesson === "slow") await typed.fill(guess);
    else await page.getByTestId(`option-${guess}`).click();
    await page.getByTestId("reveal").click();
    const said = await page.getByTestId("lesson-verdict").innerText();
    // The address follows once nobody moves.
    await settled(page);
    // The Stage's copy, which is asked for first, comes later than the lesson's.
    const file = lesson === "slow" ? "recording-alone.json" : "recording.json";
    const arrive = await hold(page, `**/pairs/shakespeare/${file}`, { times: 1 });
    await page.reload();
    assert.equal(await page.getByTestId("lesson-verdict").innerText(), said);
    // Nor do the models write that run when they come before the Stage's copy of it.
    await page.evaluate(() => window.couplet.ready());
    await page.waitForTimeout(300);
    assert.equal(await page.getByTestId("lesson-astray").count(), 0, "what has yet to come is no other run");
    arrive();
    if (lesson === "slow") assert.equal(await typed.inputValue(), guess);
    else assert.ok(await page.getByTestId(`option-${guess}`).locator("input").isChecked());
    // The playhead is there a moment after the run is.
    await until(async () => (await page.getByTestId("lesson-astray").count()) === 0, `the answer of ${lesson} is on the page`);
    const { page: other, close } = await visitor(browser);
    await other.goto(page.url());
    await other.getByTestId("reveal").waitFor();
    await until(async () => (await other.getByTestId("lesson-astray").count()) === 0, `the question of ${lesson} is on the page`);
    await close();
  }
  // Whoever comes back by the link of a step is asked again, and loading that anew changes nothing.
  await step(page, base, "draft", 2);
  await page.getByTestId("reveal").waitFor();
  await page.reload();
  await page.getByTestId("reveal").waitFor();
});

test("what a lesson shows is told by the lesson alone", async ({ page, base }) => {
  for (const number of [1, 2, 3]) {
    await step(page, base, "draft", number);
    if (await page.getByTestId("lesson-number").count()) await page.getByTestId("lesson-number").fill("3");
    else await page.getByTestId("option-0").click();
    await page.getByTestId("reveal").click();
    await page.getByTestId("lesson-answer").waitFor();
    // A step that somebody takes would be said by then.
    await page.waitForTimeout(700);
    assert.equal((await page.getByTestId("live").allTextContents()).join(""), "", `step ${number}`);
  }
  await page.locator("#scene").focus();
  await page.keyboard.press("]");
  await page.getByTestId("live").getByText(/\w/).waitFor({ state: "attached" });
});

test("a lesson keeps the focus where it begins, ends and is closed", async ({ page, base }) => {
  const focus = (selector) => page.waitForFunction((selector) => document.activeElement?.matches(selector), selector);
  await open(page, base, "?backend=cpu");
  await page.getByTestId("first-lesson").click();
  await focus(".lesson-ask input, #lesson-title");
  await page.getByTestId("lesson-close").click();
  await focus("#scene");
  await step(page, base, "wrong", 4);
  await page.getByTestId("option-0").click();
  await page.getByTestId("reveal").click();
  await page.getByTestId("lesson-next").click();
  await page.getByTestId("lessons").waitFor();
  await focus("#scene");
  assert.equal(await page.evaluate(() => scrollY), 0);
});

test("how many rounds a run has is not drawn while it is asked", async ({ page, base }) => {
  const timeline = page.locator(".timeline");
  for (const number of [1, 3]) {
    await step(page, base, "slow", number);
    await timeline.waitFor({ state: "attached" });
    assert.equal(await timeline.isVisible(), false, `step ${number}`);
    assert.equal(await page.locator(".main-column > .table").isVisible(), false);
    await page.getByTestId("lesson-number").fill("40");
    await page.getByTestId("reveal").click();
    await timeline.waitFor();
  }
});

test("the first lesson begins with the target alone, and closing it brings back what the page began with", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.getByTestId("seed").fill("77");
  await page.getByTestId("first-lesson").click();
  const round = page.getByTestId("round");
  await round.getByText("One token from a single pass of the target.").waitFor();
  assert.equal(await page.getByTestId("gamma").inputValue(), "0");
  // Nothing speaks of drafts and their judgement.
  assert.deepEqual(await round.locator(".phases li:visible").allInnerTexts(), ["Draw", "Commit"]);
  for (const part of [".formula", ".key"]) assert.equal(await round.locator(part).first().isVisible(), false, part);
  await page.getByTestId("lesson-number").fill("120");
  await page.getByTestId("reveal").click();
  // What is said to be seen is seen: each of the dots.
  const timeline = page.getByTestId("timeline");
  const inside = async () => {
    const dots = timeline.locator(".tl-alone");
    const [first, last, frame] = await Promise.all([dots.first(), dots.last(), timeline].map((part) => part.boundingBox()));
    return first && last && first.x >= frame.x && last.x + last.width <= frame.x + frame.width;
  };
  await until(inside, "all rounds in sight");
  assert.equal(await timeline.locator(".tl-alone").count(), 120);
  const link = async (at) => {
    await page.waitForFunction((at) => new URLSearchParams(location.hash.slice(1)).get("at") === at, at);
    return page.evaluate(() => window.couplet.link());
  };
  const answered = await link("240");
  await page.getByTestId("lesson-next").click();
  await page.getByTestId("first").click();
  await round.getByText("watch the target write by itself").waitFor();
  for (let step = 0; step < 7; step += 1) await page.keyboard.press(".");
  const elsewhere = await link("7");
  await page.getByTestId("lesson-close").click();
  await page.getByTestId("manuscript").getByText("KING RICHARD").waitFor();
  await until(async () => (await page.getByTestId("gamma").inputValue()) === "5", "the page's own draft length");
  assert.equal(await page.getByTestId("seed").inputValue(), "77");
  await page.getByTestId("next-phase").click();
  assert.equal(await round.locator(".phases li:visible").count(), 5);
  // A link leads to where it was taken, unless that would give the answer away.
  for (const [to, heading] of [[answered, "Round 1"], [elsewhere, "Round 4"]]) {
    await page.goto("about:blank");
    await page.goto(to);
    await page.getByTestId("lesson-panel").locator("form").waitFor();
    await round.getByText(heading, { exact: true }).waitFor();
    await shown(page, "recorded");
  }
  // Whoever came by such a link has begun with the lesson's run, and leaves to the page's own.
  await page.getByTestId("lesson-close").click();
  await until(async () => (await page.getByTestId("gamma").inputValue()) === "5", "the page's own draft length again");
  await page.waitForFunction(() => !/gamma=0/.test(location.hash));
});

test("a link made beside an answer asks first, and what it brought along leaves with the lesson", async ({ page, base }) => {
  const states = {
    wrong: [1, () => page.getByTestId("mistake-resamples_from_target").getByRole("switch").getAttribute("aria-checked"), "false"],
    pays: [2, async () => ((await page.getByTestId("what-if-says").count()) ? page.getByTestId("what-if-says").innerText() : "covered"), "covered"],
  };
  for (const [lesson, [number, shows, asked]] of Object.entries(states)) {
    await page.goto("about:blank");
    await open(page, base, `?backend=cpu#v=1&scene=${lesson === "wrong" ? "proof" : "speed"}`);
    const usual = await shows();
    await step(page, base, lesson, number);
    await until(async () => (await shows()) === asked, `${lesson} asks first`);
    if (await page.getByTestId("lesson-number").count()) await page.getByTestId("lesson-number").fill("40");
    else await page.getByTestId("option-0").click();
    await page.getByTestId("reveal").click();
    await until(async () => (await shows()) !== asked, "the answer shows");
    await page.waitForFunction(() => /mistakes=|terms=/.test(location.hash));
    const link = await page.evaluate(() => window.couplet.link());
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByTestId("lesson-panel").locator("form").waitFor();
    await until(async () => (await shows()) === asked, `${lesson} asks`);
    await page.getByTestId("lesson-close").click();
    await until(async () => (await shows()) === usual, `${lesson} leaves`);
  }
});

test("whoever chooses another pair during the first lesson gets that pair's own settings", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.getByTestId("first-lesson").click();
  await page.getByTestId("round").getByText("One token from a single pass of the target.").waitFor();
  if (!(await page.getByTestId("pair").isVisible())) await page.getByTestId("settings").click();
  await page.getByTestId("pair").selectOption("stories");
  await page.getByTestId("manuscript").filter({ hasText: "Once upon" }).waitFor();
  await page.getByTestId("lesson-close").click();
  assert.equal(await page.getByTestId("gamma").inputValue(), "5");
});

for (const [way, hash] of [["pressed", ""], ["linked", "#v=1&seed=7&max_tokens=20"]]) {
  test(`a run that is ${way} and waits for the models does not take the page in the middle of a question`, async ({ page, base }) => {
    const arrive = await hold(page, WEIGHTS);
    await page.goto(`${base}?backend=cpu${hash}`);
    await shown(page, "recorded");
    if (way === "pressed") {
      await page.getByTestId("seed").fill("7");
      await page.getByTestId("generate").click();
    }
    await page.getByTestId("scene-lessons").click();
    await page.getByTestId("lesson-draft").click();
    await page.getByTestId("lesson-panel").locator("form").waitFor();
    arrive();
    await page.evaluate(() => window.couplet.ready());
    await page.waitForTimeout(1000);
    assert.equal(await page.getByTestId("lesson-astray").count(), 0);
    // It is still wanted once the lesson is over.
    await page.getByTestId("lesson-close").click();
    assert.equal((await finished(page)).settings.seed, 7);
  });
}

test("a run whose prompt is still being read when a lesson takes the page is written once the lesson is over", async ({ page, base }) => {
  await delay(page, '"event":"started"', 4_000);
  await open(page, base, "?backend=cpu");
  await shown(page, "recorded");
  await page.getByTestId("seed").fill("7");
  await page.getByTestId("generate").click();
  await page.getByTestId("scene-lessons").click();
  await page.getByTestId("lesson-draft").click();
  await page.getByTestId("lesson-panel").locator("form").waitFor();
  await page.getByTestId("lesson-close").click();
  const { settings, events } = await finished(page);
  assert.equal(settings.seed, 7);
  // One that had begun before the lesson would come back cut off.
  assert.equal(events.at(-1).reason, "length");
});

test("without the run of the target alone, the other questions are asked as ever", async ({ page, base }) => {
  let asked = 0;
  await page.route("**/recording-alone.json", (route) => {
    asked += 1;
    return route.fulfill({ status: 404 });
  });
  await step(page, base, "draft", 2);
  await page.getByTestId("option-0").click();
  await page.getByTestId("reveal").click();
  await page.getByTestId("lesson-answer").waitFor();
  await step(page, base, "slow", 1);
  await page.getByTestId("lesson-number").fill("120");
  await page.getByTestId("reveal").click();
  assert.equal(await answer(page), "120 passes");
  // Nobody asks for it but whoever opens a step.
  await page.waitForTimeout(500);
  assert.ok(asked <= 6, `${asked} times`);
  // Of the run that stands there instead, a later step counts the rounds.
  assert.equal(await page.getByTestId("timeline").isVisible(), false);
  // Nor does it matter which of the two is known first.
  await page.unroute("**/recording-alone.json");
  await page.route("**/recording-alone.json", async (route) => {
    await page.getByTestId("manuscript").getByText("KING RICHARD").waitFor();
    await page.waitForTimeout(300);
    await route.fulfill({ status: 404 });
  });
  await step(page, base, "slow", 3);
  await page.getByTestId("round").getByText("one after another").waitFor();
  assert.equal(await page.getByTestId("lesson-astray").count(), 0);
});

test("the first lesson leaves its draft length to nobody", async ({ page, base }) => {
  const gamma = () => page.getByTestId("gamma").inputValue();
  await open(page, base, "?backend=cpu");
  // A run that somebody did not want back.
  await call(page, "generate", { seed: 3, max_tokens: 20 });
  const begin = async () => {
    await page.getByTestId("scene-lessons").click();
    await page.getByTestId("lesson-slow").click();
    await page.getByTestId("round").getByText("One token from a single pass of the target.").waitFor();
  };
  await begin();
  await page.getByTestId("notice").getByRole("button", { name: "Close" }).click();
  await page.getByTestId("lesson-close").click();
  await page.getByTestId("scene-stage").click();
  assert.equal(await gamma(), "5");
  // A setting that cannot be used.
  await page.getByTestId("temperature").fill("9");
  await begin();
  await page.getByTestId("lesson-close").click();
  await page.getByTestId("scene-stage").click();
  assert.equal(await gamma(), "5");
  // A link to just such a run, which is nobody's lesson.
  await page.goto("about:blank");
  await page.goto(`${base}?backend=cpu#v=1&gamma=0`);
  await shown(page, "recorded");
  await begin();
  for (const number of [2, 3]) await page.getByTestId(`lesson-step-${number}`).click();
  await page.getByTestId("round").getByText("one after another").waitFor();
  await page.getByTestId("lesson-close").click();
  await page.getByTestId("scene-stage").click();
  assert.equal(await gamma(), "0");
  await page.getByTestId("next-phase").click();
  await page.getByTestId("round").getByText("the target writes").waitFor();
});

test("the browser's Back leads to where somebody looked around during a question", async ({ page, base }) => {
  await step(page, base, "slow", 1);
  await page.getByTestId("scene-couplings").click();
  await page.getByTestId("card-gumbel").waitFor();
  await page.getByTestId("lesson-step-2").click();
  await page.waitForFunction(() => document.querySelector("#scene").dataset.scene === "stage");
  await page.goBack();
  await page.waitForFunction(() => document.querySelector("#scene").dataset.scene === "couplings");
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => document.querySelector("#scene").dataset.scene), "couplings");
});

test("a step says when other distributions are on the page, and the answer comes with its own", async ({ page, base }) => {
  const astray = page.getByTestId("lesson-astray");
  await step(page, base, "exact", 2);
  assert.equal(await astray.count(), 0);
  await page.getByRole("button", { name: "Nearly equal" }).click();
  await astray.getByText("other distributions").waitFor();
  await page.getByTestId("lesson-run").click();
  await astray.waitFor({ state: "detached" });
  // Who is sent on to others is not called back.
  await step(page, base, "exact", 4);
  await page.getByTestId("lesson-number").fill("50");
  await page.getByTestId("reveal").click();
  await page.getByTestId("lesson-answer").waitFor();
  await page.getByRole("button", { name: "Vowels" }).click();
  await page.locator("[data-testid=why-3] .poured").nth(3).waitFor();
  assert.equal(await astray.count(), 0);
  await step(page, base, "chance", 1);
  await page.getByRole("button", { name: "Disjoint" }).click();
  await astray.waitFor();
  await page.getByTestId("lesson-number").fill("50");
  await page.getByTestId("reveal").click();
  await astray.waitFor({ state: "detached" });
  assert.match(await page.locator(".couplings-cards").innerText(), /0\.266/);
});

test("what a lesson asks and what it is about are on one screen", async ({ page, base }) => {
  for (const [width, height] of [[1024, 768], [1280, 720], [1440, 900]]) {
    await page.setViewportSize({ width, height });
    await step(page, base, "draft", 2);
    const box = (selector) => page.locator(selector).first().evaluate((part) => part.getBoundingClientRect().toJSON());
    const parts = await Promise.all([".manuscript .page", '[data-testid="round"]', ".transport", '[data-testid="reveal"]'].map(box));
    for (const { top, bottom } of parts) assert.ok(top >= 0 && bottom > top && bottom <= height, `${width}x${height}: ${top} to ${bottom}`);
  }
});

test("an answer scrolls its panel, not the page", async ({ page, base }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  for (const [lesson, number, option] of [["draft", 2, 3], ["draft", 3, 1], ["exact", 1, 0]]) {
    await step(page, base, lesson, number);
    await page.getByTestId(`option-${option}`).click();
    await page.getByTestId("reveal").click();
    await page.getByTestId("lesson-answer").waitFor();
    await page.waitForTimeout(300);
    const seen = async () => {
      const { y, height } = await page.getByTestId("lesson-next").boundingBox();
      return y >= 0 && y + height <= 720;
    };
    await until(seen, `the way on of ${lesson} ${number} is in sight`);
    assert.equal(await page.evaluate(() => scrollY), 0, `${lesson} ${number}`);
  }
});

test("no question is longer than a low window, in no language", async ({ page, base }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  for (const language of ["en", "de"]) {
    for (const [lesson, number] of [["slow", 1], ["slow", 2], ["chance", 2], ["pays", 5]]) {
      await step(page, base, lesson, number, `?backend=cpu&language=${language}`);
      for (const part of ["reveal", "lesson-next"]) {
        const { y, height } = await page.getByTestId(part).boundingBox();
        assert.ok(y + height <= 720, `${language} ${lesson} ${number}: ${part} ends at ${y + height}`);
      }
    }
  }
});

test("on a projector the question stands under its picture, and so does the answer", async ({ page, base }) => {
  for (const [width, height] of [[1024, 768], [1280, 720], [1600, 900]]) {
    await page.setViewportSize({ width, height });
    await page.goto("about:blank");
    await page.goto(`${base}?backend=cpu#v=1&lesson=draft&step=2&projector=1`);
    await page.getByTestId("lesson-panel").locator("form").waitFor();
    const box = (selector) => page.locator(selector).first().evaluate((part) => part.getBoundingClientRect().toJSON());
    const together = (first) =>
      until(async () => {
        const [text, figure, said] = await Promise.all([first, ".columns figure.column.focused svg.figure", ".lesson-turn"].map(box));
        return text.top >= 0 && figure.bottom <= said.top && said.bottom <= height;
      }, `${first}, the figure and what is said are in sight at ${width}x${height}`);
    assert.equal(await page.locator(".transport").isVisible(), false, "nobody plays the answer by mistake");
    // What the lesson tells, the bars and the question, without a scroll.
    await page.waitForTimeout(300);
    await together(".lesson-text");
    await page.getByTestId("option-3").click();
    await page.getByTestId("reveal").click();
    await page.getByTestId("lesson-answer").waitFor();
    await page.waitForTimeout(300);
    await together(".page");
    assert.ok(await page.getByTestId("lesson-next").isVisible());
    await page.getByRole("button", { name: "Fold" }).click();
    await page.locator(".transport").waitFor();
  }
  // Where nothing is uncovered, the text stays what one sees.
  await page.goto("about:blank");
  await page.goto(`${base}?backend=cpu#v=1&lesson=slow&step=2&projector=1`);
  await page.getByTestId("option-1").click();
  await page.getByTestId("reveal").click();
  await page.getByTestId("lesson-answer").waitFor();
  await page.waitForTimeout(300);
  const above = async () => {
    const [text, said] = await Promise.all([".page", ".lesson-turn"].map((part) => page.locator(part).boundingBox()));
    return text.y >= 0 && text.y + text.height <= said.y;
  };
  await until(above, "the text stands above the answer");
});

test("a lesson gives a run of one's own back when it is closed", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const mine = await call(page, "generate", { seed: 3, max_tokens: 30 });
  await page.getByTestId("scene-lessons").click();
  await page.getByTestId("lesson-draft").click();
  await shown(page, "recorded");
  await page.getByTestId("lesson-close").click();
  await shown(page, "live");
  assert.deepEqual(await traceOf(page), mine);
  // Of what it did not take away, nothing comes back with it.
  const lesson = async () => {
    await page.getByTestId("scene-lessons").click();
    await page.getByTestId("lesson-draft").click();
    await page.getByTestId("lesson-panel").locator("form").waitFor();
    await page.getByTestId("lesson-close").click();
  };
  const begins = (words) => page.getByTestId("manuscript").filter({ hasText: words }).waitFor();
  const { settings } = await (await page.request.get(`${base}pairs/stories/recording.json`)).json();
  const stories = settings.prompt.slice(0, 9);
  await page.getByTestId("pair").selectOption("stories");
  await begins(stories);
  await page.getByTestId("prompt").fill("The cat");
  await lesson();
  await page.getByTestId("scene-stage").click();
  await begins(stories);
  assert.equal(await page.getByTestId("pair").inputValue(), "stories");
  assert.equal(await page.getByTestId("prompt").inputValue(), "The cat");
  await page.getByTestId("pair").selectOption("shakespeare");
  await begins("KING RICHARD");
  await lesson();
  await page.getByTestId("scene-stage").click();
  await shown(page, "recorded");
  await page.getByTestId("notice").getByRole("button", { name: "Bring it back" }).waitFor();
});

test("a lesson gives no other run back than the one that it took", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const first = await call(page, "generate", { seed: 1, max_tokens: 20 });
  await page.evaluate((first) => window.couplet.replay(first), first);
  await call(page, "generate", { seed: 3, max_tokens: 20 });
  await page.getByTestId("scene-lessons").click();
  await page.getByTestId("lesson-draft").click();
  await shown(page, "recorded");
  await page.getByTestId("notice").getByRole("button", { name: "Close" }).click();
  await page.getByTestId("lesson-close").click();
  await page.waitForTimeout(300);
  await shown(page, "recorded");
});

test("a lesson leaves nothing behind: branches, distributions and terms come back", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const first = await call(page, "generate", { rule: "gumbel", seed: 3, max_tokens: 30 });
  const kept = first.events.find((event) => event.event === "committed").tokens;
  const branch = await call(page, "generate", { rule: "gumbel", seed: 4, max_tokens: 30, branch: { kept } });
  await page.getByTestId("scene-couplings").click();
  await page.getByTestId("typing").locator("summary").click();
  await page.getByTestId("typed-draft").fill("0.5 0.25 0.25");
  await page.getByTestId("typed-target").fill("0.125 0.125 0.75");
  await page.getByTestId("use-numbers").click();
  await page.getByTestId("scene-proof").click();
  await page.getByTestId("preset-three").click();
  await page.getByTestId("test-rule").selectOption("gumbel");
  await page.getByTestId("scene-speed").click();
  await page.getByTestId("what-if-dear").click();
  const state = async () => {
    const said = {};
    await page.getByTestId("scene-stage").click();
    said.versions = await page.locator("[data-testid^=version-]").allInnerTexts();
    said.trace = await traceOf(page);
    await page.getByTestId("scene-couplings").click();
    said.agreement = await page.locator("[data-testid^=exact-]").allInnerTexts();
    await page.getByTestId("scene-proof").click();
    said.preset = await page.locator("[data-testid^=preset-][aria-pressed=true]").getAttribute("data-testid");
    said.rule = await page.getByTestId("test-rule").inputValue();
    await page.getByTestId("scene-speed").click();
    said.terms = await page.getByTestId("what-if-says").innerText();
    return said;
  };
  const before = await state();
  assert.equal(before.versions.length, 2);
  assert.deepEqual(before.trace, branch);
  for (const [lesson, steps] of Object.entries(STEPS)) {
    await page.getByTestId("scene-lessons").click();
    await page.getByTestId(`lesson-${lesson}`).click();
    for (let at = 1; at < steps; at += 1) {
      await page.waitForFunction((at) => new URLSearchParams(location.hash.slice(1)).get("step") === `${at}`, at);
      await page.locator("[data-testid=lesson-panel] form").waitFor();
      if (await page.getByTestId("lesson-number").count()) await page.getByTestId("lesson-number").fill("40");
      else await page.getByTestId("option-0").click();
      await page.getByTestId("reveal").click();
      await page.getByTestId("lesson-next").click();
    }
    await page.getByTestId("lesson-close").click();
    assert.deepEqual(await state(), before, lesson);
  }
  await page.getByTestId("scene-stage").click();
  await page.getByTestId("version-0").click();
  assert.deepEqual(await traceOf(page), first);
});

test("a drawing takes the room that a closed lesson leaves", async ({ page, base }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await step(page, base, "chance", 1);
  const width = () => page.locator(".editor-bars > svg").evaluate((drawing) => Number(drawing.getAttribute("width")));
  const room = () => page.locator(".editor-bars > svg").evaluate((drawing) => drawing.parentElement.clientWidth);
  await until(async () => (await width()) === (await room()), "the drawing fills its room");
  const beside = await width();
  await page.getByTestId("lesson-close").click();
  await until(async () => (await width()) > beside + 100 && (await width()) === (await room()), "it grows with it");
});

test("the browser's Back leads out of a lesson and gives a run of one's own back", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const mine = await call(page, "generate", { seed: 3, max_tokens: 30 });
  await page.getByTestId("scene-lessons").click();
  await page.getByTestId("lesson-draft").click();
  await shown(page, "recorded");
  await page.goBack();
  await page.getByTestId("lesson-panel").waitFor({ state: "detached" });
  assert.deepEqual(await traceOf(page), mine);
});

test("the browser's Back leads out of a lesson that was begun on the Stage, too", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const mine = await call(page, "generate", { max_tokens: 20 });
  await page.getByTestId("first-lesson").click();
  await page.getByTestId("lesson-panel").locator("form").waitFor();
  await shown(page, "recorded");
  await page.goBack();
  await page.getByTestId("lesson-panel").waitFor({ state: "detached" });
  assert.deepEqual(await traceOf(page), mine);
});

test("a step that is about the recorded run says so where another one is on the page, and shows it again", async ({ page, base }) => {
  await step(page, base, "draft", 2);
  await page.evaluate(() => window.couplet.ready());
  assert.equal(await page.getByTestId("lesson-run").count(), 0);
  const mine = await call(page, "generate", { seed: 5, max_tokens: 20 });
  await page.getByTestId("lesson-run").click();
  await shown(page, "recorded");
  await page.getByTestId("lesson-run").waitFor({ state: "detached" });
  await page.getByTestId("lesson-close").click();
  assert.deepEqual(await traceOf(page), mine);
});

test("a step says so where the page has left it, for another moment or another scene, and leads back", async ({ page, base }) => {
  await step(page, base, "draft", 2);
  const round = page.getByTestId("round");
  await until(async () => /Round 17/.test(await round.innerText()));
  const before = await round.innerText();
  assert.equal(await page.getByTestId("lesson-astray").count(), 0);
  await page.getByTestId("next-phase").click();
  assert.match(await page.getByTestId("lesson-astray").innerText(), /another moment of the run/);
  await page.getByTestId("lesson-run").click();
  await page.getByTestId("lesson-astray").waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.activeElement.id), "lesson-title");
  assert.equal(await round.innerText(), before);
  await page.getByTestId("scene-proof").click();
  assert.match(await page.getByTestId("lesson-astray").innerText(), /about the scene Stage/);
  await page.getByTestId("lesson-run").click();
  await until(async () => (await round.innerText()) === before);
});

test("who is sent on to write is not told that the step is about another run", async ({ page, base }) => {
  await step(page, base, "wrong", 4);
  await page.evaluate(() => window.couplet.ready());
  await call(page, "generate", { drafter: "uniform", max_tokens: 20 });
  await page.getByTestId("lesson-astray").waitFor();
  await page.getByTestId("option-1").click();
  await page.getByTestId("reveal").click();
  await shown(page, "recorded");
  await call(page, "generate", { drafter: "uniform", max_tokens: 20 });
  await shown(page, "live");
  assert.equal(await page.getByTestId("lesson-astray").count(), 0);
});

test("on a projector the chart and what stays stand over the answer about Lenience", async ({ page, base }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await step(page, base, "wrong", 3, "?backend=cpu", "&projector=1");
  await page.getByTestId("lesson-number").fill("90");
  await page.getByTestId("reveal").click();
  const seen = () =>
    page.evaluate(() => {
      const [says, turn] = ["[data-testid=expectation]", ".lesson-turn"].map((part) => document.querySelector(part)?.getBoundingClientRect());
      const chart = document.querySelector("[data-testid=test] svg.figure").getBoundingClientRect();
      return says?.top >= -1 && chart.top < turn.top;
    });
  await until(seen, "what the answer names is in sight");
});

test("the browser's Back leads out of a page that was opened by a lesson's link", async ({ page, base }) => {
  await page.goto(`${base}notices.txt`);
  // The step belongs to another scene, which the link leaves out.
  await open(page, base, "?backend=cpu#v=1&lesson=exact&step=2");
  await page.getByTestId("why").waitFor();
  await page.goBack();
  assert.equal(page.url(), `${base}notices.txt`);
});

test("lessons work where nothing can be remembered, and without WebGPU or engine", async ({ page, base }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, "localStorage", { get: () => { throw new DOMException("denied", "SecurityError"); } });
  });
  await patchWorker(page, "WebAssembly.instantiateStreaming = WebAssembly.instantiate = () => Promise.reject(new Error('not allowed'));");
  await step(page, base, "draft", 1, "");
  await page.getByTestId("option-1").click();
  await page.getByTestId("reveal").click();
  assert.equal(await answer(page), "Each guess and all before it are there already");
  await noPanicText(page);
});

test("axe finds nothing in the lessons and in the Share panel, and a finger hits everything", async ({ page, base }) => {
  const found = [];
  await page.emulateMedia({ reducedMotion: "reduce" });
  const look = async (what) => {
    for (const [width, height] of [[1440, 900], [390, 844]]) {
      await page.setViewportSize({ width, height });
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await frames(page);
        found.push(...(await findings(page)).map((line) => `${what} ${width} ${colorScheme} ${line}`));
      }
    }
  };
  await page.goto(`${base}?backend=cpu#v=1&scene=lessons`);
  await page.locator(".plan-row").nth(5).waitFor({ state: "attached" });
  await look("contents");
  for (const [lesson, number] of [["draft", 2], ["exact", 2], ["chance", 1], ["pays", 5]]) {
    await step(page, base, lesson, number);
    await look(`${lesson}, asked`);
    if (await page.getByTestId("lesson-number").count()) await page.getByTestId("lesson-number").fill("3");
    else await page.getByTestId("option-0").click();
    await page.getByTestId("reveal").click();
    await page.waitForTimeout(200);
    await look(`${lesson}, answered`);
    // The last size that was looked at is a phone's.
    const small = await page.locator(".lesson-side :is(button, label):visible").evaluateAll((all) =>
      all
        .map((element) => ({ name: element.textContent || element.className, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.height < 43 || box.width < 27)
        .map(({ name, box }) => `${name} ${box.width}x${box.height}`),
    );
    found.push(...small);
  }
  await page.evaluate(() => scrollTo(0, 0));
  await page.getByTestId("share").click();
  await look("share");
  assert.deepEqual([...new Set(found)], []);
});

test("no lesson scrolls sideways, down to 320 pixels", async ({ page, base }) => {
  const fits = async (what) => {
    for (const width of [1024, 390, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await frames(page);
      // A drawing has the width of its room a frame after it is there.
      const isIn = async () => (await page.evaluate(() => document.documentElement.scrollWidth)) <= width;
      await until(isIn, `${what} fits ${width}`);
    }
  };
  for (const [lesson, steps] of Object.entries(STEPS)) {
    await step(page, base, lesson, steps);
    await fits(lesson);
  }
  await page.goto("about:blank");
  await page.goto(`${base}?backend=cpu#v=1&scene=lessons`);
  await page.getByTestId("lesson-slow").waitFor();
  await fits("contents");
});

test("the class plan keeps its answers folded, before printing and after, and prints on three pages at most with every question, its answer and why", async ({ page, base }) => {
  await page.goto(`${base}?backend=cpu#v=1&scene=lessons`);
  const rows = page.getByTestId("class-plan").locator(".plan-row");
  await rows.nth(5).waitFor({ state: "attached" });
  // Whoever comes to learn does not read them by accident.
  assert.equal(await rows.first().isVisible(), false);
  const questions = await page.getByTestId("class-plan").locator(".plan-row ol li").count();
  assert.equal(questions, Object.values(STEPS).reduce((sum, steps) => sum + steps, 0));
  const answers = page.getByTestId("class-plan").locator(".plan-row ol b");
  assert.equal(await answers.count(), questions);
  for (const answer of await answers.allTextContents()) assert.notEqual(answer, "");
  // With units, what a question takes for granted, and reasons.
  const says = async (lesson, step) => (await rows.nth(lesson).locator("ol > li").nth(step).textContent()).replace(/\s+/g, " ");
  assert.match(await says(5, 2), /Lenience ½ .* Answer: 90 per cent\. The a stays with 0\.2 ÷ 0\.25 = 0\.8/);
  assert.match(await says(4, 2), /v = 1.* Answer: 3 tokens ahead\. Shorter\. The worse the draft/);
  assert.match(await says(2, 2), /Draft: 0\.5, 0\.3, 0\.2\. Target: 0\.2, 0\.3, 0\.5\./);
  const fits = async () => {
    for (const format of ["A4", "Letter"]) {
      const pdf = (await page.pdf({ format })).toString("latin1");
      const pages = pdf.match(/\/Type\s*\/Page\b/g).length;
      assert.ok(pages <= 3, `${pages} pages ${format}`);
    }
  };
  await fits();
  await rows.first().waitFor({ state: "hidden" });
  // For the class the same without any answer, with an address to type.
  await page.getByTestId("plan-false").click();
  assert.equal(await answers.count(), 0);
  // Each has a line to write on, something to tick, or its place on the page.
  const asked = [".plan-line", ".plan-row li:has(.plan-choice)", ".plan-row li > p:only-child"];
  const counts = await Promise.all(asked.map((kind) => page.locator(kind).count()));
  assert.equal(counts.reduce((sum, count) => sum + count, 0), questions, `${counts}`);
  assert.ok(counts.every((count) => count > 0), `${counts}`);
  // Whatever computes here, pupils have devices of their own.
  assert.equal(await page.getByTestId("plan-for").innerText(), `${base}#v=1&scene=lessons`);
  assert.doesNotMatch(
    await page.getByTestId("class-plan").textContent(),
    /Under Rejection the text changes|The worse the draft|is struck out\. What|are poured back|the inked|Can the e be|The exact rule kept/,
  );
  await fits();
  await page.getByTestId("plan-true").click();
  // What is on paper, also after somebody unfolded and folded them by hand.
  const summary = page.getByTestId("plan-answers").locator("summary");
  await summary.click();
  assert.equal(await rows.first().isVisible(), true);
  await summary.click();
  await rows.last().waitFor({ state: "hidden" });
  // That it is folded is told a task later; nobody prints so soon.
  await page.evaluate(() => new Promise((told) => requestAnimationFrame(() => setTimeout(told))));
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await rows.last().waitFor();
  assert.equal(await page.locator(".lessons-list").isVisible(), false);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.emulateMedia({ media: "screen" });
  await rows.last().waitFor({ state: "hidden" });
});
