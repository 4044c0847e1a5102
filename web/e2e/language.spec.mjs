// The page in its other language.
import assert from "node:assert/strict";
import { settle, sideways } from "./scenes.mjs";
import { call, hold, notice, ready, refusal, until, visitor } from "./support.mjs";
import { test } from "./test.mjs";

/** What makes each scene say more than at first. */
const SCENES = {
  stage: async (page, read) => {
    await page.keyboard.press("Home");
    for (let phase = 0; phase < 24; phase += 1) {
      await page.keyboard.press(".");
      await read();
    }
    await page.getByTestId("share").click();
    await page.getByTestId("share-panel").waitFor();
    await read();
    await page.keyboard.press("Escape");
  },
  couplings: async (page) => page.getByTestId("throw-again").click(),
  speed: async (page) => call(page, "bench", { gammas: [1, 2], pairs: 5, max_tokens: 24 }),
  proof: async (page) => {
    // Pressed while the first lot is counted, the button would end that.
    const counted = () => page.locator("[data-testid=add][aria-busy=false]").waitFor({ timeout: 60_000 });
    await counted();
    await page.getByTestId("all-mistakes").click();
    await page.getByTestId("add").click();
    await counted();
    await page.getByTestId("stamp").first().waitFor({ timeout: 60_000 });
  },
  lessons: async (page, read) => {
    await page.getByTestId("lesson-slow").click();
    await read();
  },
};

/** A number as German does not write it: "0.54" and "1,234.5". */
const DECIMAL_POINT = /\d\.\d/;

/** A comma between what may have commas itself: "min(1, 0,28 / 0,47)". */
const FORMULA = /m(in|ax)\([^;)]*,(?!\d)/;

/** Words that German does not have. */
const ENGLISH = /\b(the|is|are|of|and|with|your|from|to|not|for|which|this)\b/i;

/** Where models and people write, and where names stand. */
const NOT_OURS = ".manuscript, .help-sources, [data-testid=manuscript], [data-testid=provenance], .race, .swap, option, kbd, code, pre, textarea, script, style";

/** Where there are no numbers of ours, or such as programs read. */
const NO_NUMBERS = "[data-testid=manuscript], cite, kbd, code, pre, textarea, script, style";

/** What a person reads and hears of the page outside of some places: each as `{ where, text }`. */
const said = (page, without) =>
  page.evaluate((without) => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      const text = walker.currentNode.textContent.trim();
      if (text && !element.closest(without)) found.push({ where: element.localName, text });
    }
    for (const name of ["aria-label", "title", "placeholder", "alt"]) {
      for (const element of document.querySelectorAll(`[${name}]`)) {
        if (!element.closest(without)) found.push({ where: `${element.localName} ${name}`, text: element.getAttribute(name) });
      }
    }
    return found;
  }, without);

/** What the page says of things in a place that is marked as English. */
const misread = (page) =>
  page.evaluate(() => {
    const named = [...document.querySelectorAll("[title], [aria-label]")];
    return named.filter((element) => element.closest("[lang]").lang === "en").map((element) => element.outerHTML.slice(0, 80));
  });

async function open(page, base, link) {
  // Another text after `#` alone would not load the page.
  await page.goto("about:blank");
  await page.goto(`${base}${link}`);
  await ready(page);
}

test("in German nothing is said in English, numbers have commas, and nothing scrolls sideways", async ({ page, base }) => {
  const english = new Set();
  const words = await (await fetch(`${base}words/de.json`)).json();
  const translated = Object.entries(words.page).filter(([key, saying]) => saying !== key.replace(/^.*\|/, ""));
  const sayings = new Set(translated.map(([key]) => key.replace(/^.*\|/, "")));
  for (const saying of Object.values(words.page).flat()) sayings.delete(saying);
  for (const saying of sayings) if (!/\p{L}{2}/u.test(saying)) sayings.delete(saying);
  for (const [scene, more] of Object.entries(SCENES)) {
    await open(page, base, `?backend=cpu&language=de#v=1&scene=${scene}`);
    assert.equal(await page.evaluate(() => document.documentElement.lang), "de");
    for (const summary of await page.locator("main summary:visible").all()) await summary.click();
    const read = async () => {
      for (const element of await misread(page)) english.add(`${scene}, read as English: ${element}`);
      for (const { where, text } of await said(page, NOT_OURS)) {
        if (sayings.has(text) || ENGLISH.test(text.replaceAll("Sample and match", ""))) english.add(`${scene}, ${where}: ${text.slice(0, 80)}`);
      }
      for (const { where, text } of await said(page, NO_NUMBERS)) {
        if (DECIMAL_POINT.test(text.replace(/Theorem \d\.\d/, "")) || FORMULA.test(text)) english.add(`${scene}, ${where}: ${text.slice(0, 80)}`);
      }
    };
    await read();
    await more(page, read);
    await read();
    for (const [width, height] of [[1440, 900], [1024, 768], [390, 844], [320, 640]]) {
      await page.setViewportSize({ width, height });
      // Drawings follow the window a frame later.
      await settle(page);
      assert.equal(await sideways(page), 0, `${scene} at ${width}`);
    }
    await page.setViewportSize({ width: 1280, height: 720 });
  }
  assert.deepEqual([...english], []);
});

test("what is said to a script is English, and the page goes on in German", async ({ page, base }) => {
  await open(page, base, "?backend=cpu&language=de");
  const draft = { target: [0.2, 0.8], rule: "gumbel" };
  for (const [name, options, said] of [
    ["couple", { ...draft, draft: 1 }, "draft: must be a list of probabilities"],
    ["couple", { ...draft, draft: [1] }, "draft: has only 1; at least 2 probabilities are needed"],
    ["generate", { gamma: 99 }, "gamma: 99 is out of range; choose 0 to 16"],
    ["replay", { version: 9 }, "trace: This file is not a trace that can be replayed: its version is 9, not the number 1. Choose the file that “Trace as JSON” gave."],
  ]) {
    assert.equal((await refusal(page, name, options)).message, said);
  }
  await page.getByTestId("share").click();
  await page.getByTestId("share-panel").waitFor();
  assert.match(await page.getByTestId("share-panel").innerText(), /\b(der|die|das|und)\b/);
});

test("a browser that prefers German gets German, and what is chosen in the help is remembered", async ({ browser, base }) => {
  const { page, close } = await visitor(browser, { locale: "de-AT", serviceWorkers: "block" });
  try {
    await open(page, base, "?backend=cpu");
    const lang = () => page.evaluate(() => document.documentElement.lang);
    assert.equal(await lang(), "de");
    await page.getByTestId("prompt").fill("ROMEO:\n");
    await page.getByTestId("help").click();
    await page.getByTestId("languages").getByText("English").click();
    await page.getByTestId("scene-stage").getByText("Stage").waitFor({ state: "attached" });
    assert.equal(await lang(), "en");
    // Nothing that somebody had typed is lost with the words.
    assert.equal(await page.getByTestId("prompt").inputValue(), "ROMEO:\n");
    await page.reload();
    await ready(page);
    assert.equal(await lang(), "en");
    // Also where a link had asked for another.
    await page.goto(`${base}?backend=cpu&language=de#v=1&seed=7`);
    await ready(page);
    assert.equal(await lang(), "de");
    await page.getByTestId("help").click();
    await page.getByTestId("languages").getByText("English").click();
    await page.waitForFunction(() => location.search === "?backend=cpu" && location.hash.includes("seed=7"));
    await page.reload();
    await ready(page);
    assert.equal(await lang(), "en");
  } finally {
    await close();
  }
});

test("what stands above the page is said in the language that is chosen", async ({ page, base }) => {
  await open(page, base, "?backend=cpu#v=1&gamma=99");
  const before = await notice(page, /99/);
  assert.match(before, /could not be used \(gamma: 99 is out of range; choose 0 to 16\)\./);
  // A newer release that was put off stays so.
  await page.evaluate(() => {
    document.documentElement.dataset.release = "ready";
    window.dispatchEvent(new Event("couplet-release"));
  });
  await notice(page, /newer version of this page is ready/);
  await page.getByTestId("notice").getByRole("button", { name: "Later" }).click();
  for (const [language, says] of [["Deutsch", /^Der Link[^.]*99[^.]*wähle 0 bis 16\)\. Dies sind die üblichen/], ["English", /^The link could not/]]) {
    await page.getByTestId("help").click();
    await page.getByTestId("languages").getByText(language).click();
    await page.waitForFunction((lang) => document.documentElement.lang === lang, language.slice(0, 2).toLowerCase());
    await page.keyboard.press("Escape");
    const said = await notice(page, /99/);
    assert.match(said, says);
    assert.doesNotMatch(said, /[Vv]ersion/);
  }
});

test("the first words are in the visitor’s language, and so is why the page does not start", async ({ page, base }) => {
  let arrives;
  await page.route("**/couplet-web-*_bg.wasm", async (route) => {
    await new Promise((resolve) => (arrives = resolve));
    await route.fulfill({ status: 404 });
  });
  await page.goto(`${base}?language=de`, { waitUntil: "commit" });
  await page.getByText("Die Seite ist gleich da.").waitFor();
  assert.ok(await page.getByText("The page is on its way.").isHidden());
  await until(() => arrives !== undefined);
  arrives();
  await page.getByText(/^Die Seite ist nicht gestartet/).waitFor();
  assert.ok(await page.getByRole("button", { name: "Neu laden" }).isVisible());
  assert.ok(await page.getByText("did not start").isHidden());
});

test("without the words of its language the page opens in English and says so", async ({ page, base }) => {
  await page.route("**/words/de.json", (route) => route.fulfill({ status: 404 }));
  await open(page, base, "?backend=cpu&language=de");
  assert.equal(await page.evaluate(() => document.documentElement.lang), "en");
  await page.getByTestId("notice").getByText("could not be loaded in this language").waitFor();
  // Until the words are there.
  await page.unroute("**/words/de.json");
  await page.getByTestId("help").click();
  await page.getByTestId("languages").getByText("Deutsch").click();
  await page.waitForFunction(() => document.documentElement.lang === "de");
  await page.getByTestId("notice").waitFor({ state: "hidden" });
});

test("a language that cannot be had is told of beside the help as well, once that is closed", async ({ page, base }) => {
  let refuse;
  const held = new Promise((resolve) => (refuse = resolve));
  const asked = page.waitForRequest("**/words/de.json");
  await page.route("**/words/de.json", async (route) => {
    await held;
    await route.fulfill({ status: 404 });
  });
  await open(page, base, "?backend=cpu");
  await page.getByTestId("help").click();
  await page.getByTestId("languages").getByText("Deutsch").click();
  await asked;
  await page.keyboard.press("Escape");
  await page.getByTestId("languages").waitFor({ state: "hidden" });
  refuse();
  await notice(page, /could not be loaded in this language/);
});

test("words that get lost are asked for again", async ({ page, base }) => {
  let asked = 0;
  await page.route("**/words/de.json", (route) => ((asked += 1) < 3 ? route.abort() : route.continue()));
  await open(page, base, "?backend=cpu&language=de");
  await page.getByTestId("narration").getByText(/Bleistift|Entwurf/).first().waitFor();
  assert.equal(asked, 3);
  assert.ok(await page.getByTestId("notice").isHidden());
});

test("words that never come are not waited for without end", async ({ page, base }) => {
  // A minute or more, in short.
  await page.addInitScript(() => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (milliseconds) => timeout(milliseconds / 120);
    const later = window.setTimeout.bind(window);
    const between = [300, 1_000, 3_000, 6_000];
    window.setTimeout = (call, milliseconds, ...rest) => later(call, between.includes(milliseconds) ? 10 : milliseconds, ...rest);
  });
  await page.route("**/words/de.json", () => {});
  await open(page, base, "?backend=cpu&language=de");
  await page.getByTestId("notice").getByText("could not be loaded in this language").waitFor();
});

test("who writes while the words of a language are on their way goes on writing", async ({ page, base }) => {
  const arrive = await hold(page, "**/words/de.json");
  await open(page, base, "?backend=cpu");
  await page.getByTestId("help").click();
  await page.getByTestId("languages").getByText("Deutsch").click();
  await page.keyboard.press("Escape");
  const prompt = page.locator("#prompt");
  await prompt.fill("");
  await prompt.pressSequentially("ROMEO");
  arrive();
  await page.waitForFunction(() => document.documentElement.lang === "de" && document.activeElement.id === "prompt");
  await page.keyboard.type(": I am");
  assert.equal(await prompt.inputValue(), "ROMEO: I am");
});

test("nobody is told of a language that did not come and is not wanted any more", async ({ page, base }) => {
  let fail;
  const failed = new Promise((resolve) => (fail = resolve));
  await page.route("**/words/de.json", (route) => failed.then(() => route.fulfill({ status: 404 })));
  await open(page, base, "?backend=cpu");
  await page.getByTestId("help").click();
  const missed = page.waitForResponse("**/words/de.json");
  await page.getByTestId("languages").getByText("Deutsch").click();
  await page.getByTestId("languages").getByText("English").click();
  await page.keyboard.press("Escape");
  fail();
  await missed;
  await page.waitForTimeout(300);
  assert.equal(await page.getByTestId("notice").filter({ hasText: /language/ }).count(), 0);
});

test("a language whose words come late does not take the place of a newer choice", async ({ page, base }) => {
  const arrive = await hold(page, "**/words/de.json");
  await open(page, base, "?backend=cpu");
  await page.getByTestId("help").click();
  const choose = (name) => page.getByTestId("languages").getByText(name).click();
  const late = page.waitForResponse("**/words/de.json");
  await choose("Deutsch");
  await choose("English");
  arrive();
  await late;
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => document.documentElement.lang), "en");
  assert.equal(await page.evaluate(() => localStorage.getItem("couplet-language")), "en");
  assert.equal(await page.title(), "Couplet: speculative decoding, live in your browser");
});
