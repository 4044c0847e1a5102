// The page as a person uses it, at three sizes, light and dark.
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { SIZES, THEMES, settle, sideways } from "./scenes.mjs";
import { WEIGHTS, finished, hold, noPanicText, notice, open, pressStop, reload, shown, until, visitor, write } from "./support.mjs";
import { test } from "./test.mjs";

const ROOT = new URL("../../", import.meta.url);
const SHOTS = new URL("target/screenshots/", ROOT);

/**
 * The rules of style sheets as the browser reads them, one after the other, whatever their space; but that
 * before a colon, and beside a bracket, means something.
 */
function rules(page, sheets) {
  return page.evaluate((sheets) => {
    const words = (text = "") => text.replaceAll(/\s*([{};,/])\s*|(:)\s+/g, "$1$2");
    const around = (rule) => `${rule.constructor.name} ${words(rule.conditionText ?? rule.selectorText ?? rule.name)}`;
    const all = (rules) =>
      [...rules].flatMap((rule) => (rule.cssRules?.length ? [around(rule), ...all(rule.cssRules)] : [words(rule.cssText)]));
    return sheets.flatMap((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      return all(sheet.cssRules);
    });
  }, sheets);
}

/** Stands before the first round of the recording; what is said there. */
async function atTheStart(page) {
  await shown(page, "recorded");
  // Nobody's button has the focus.
  await page.locator("#scene").focus();
  // Taken hold of, it no longer plays by itself.
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Home");
  return said(page);
}

const said = (page) => page.getByTestId("narration").first().innerText();

test("a run is drawn at every size, light and dark, without sideways scrolling", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await write(page);
  await page.keyboard.press("End");
  await mkdir(SHOTS, { recursive: true });
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      await settle(page);
      assert.ok((await page.getByTestId("manuscript").innerText()).length > 20);
      assert.equal(await sideways(page), 0, `${width}x${height}, ${theme}`);
      await page.screenshot({ path: fileURLToPath(new URL(`stage-${width}-${theme}.png`, SHOTS)) });
    }
  }
  await noPanicText(page);
});

test("styles are sent as the files say, without their space", async ({ page, base }) => {
  const html = await readFile(new URL("index.html", ROOT), "utf8");
  const files = [...html.matchAll(/rel="css" href="([^"]+)"/g)].map(([, path]) => path);
  assert.ok(files.length > 10, `${files}`);
  const said = await Promise.all(files.map((path) => readFile(new URL(path, ROOT), "utf8")));
  await page.goto(base);
  const sent = await page.locator('link[rel="stylesheet"]').evaluate(async (link) => (await fetch(link.href)).text());
  assert.ok(sent.length < 0.95 * said.join("").length);
  assert.deepEqual(await rules(page, [sent]), await rules(page, said));
});

test("a finger on a setting is told what the setting does", async ({ browser, base }) => {
  const { page, close } = await visitor(browser, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, serviceWorkers: "block" });
  await open(page, base, "?backend=cpu");
  await page.getByTestId("settings").tap();
  for (const id of ["gamma", "top_p", "seed"]) {
    const field = page.locator(`#${id}`);
    await field.tap();
    const [above, hint] = await Promise.all([field.boundingBox(), page.locator(`#${id}-hint`).boundingBox()]);
    assert.ok(hint.width > 300 && hint.x >= 0 && hint.x + hint.width <= 390, `${id}: ${JSON.stringify(hint)}`);
    assert.ok(Math.abs(hint.y - above.y - above.height) < 12, `${id}: ${hint.y} below ${above.y + above.height}`);
  }
  await close();
});

test("what is pressed while the prompt is written stays where it is", async ({ page, browser, base }) => {
  const phone = await visitor(browser, { viewport: { width: 390, height: 664 }, hasTouch: true, isMobile: true, serviceWorkers: "block" });
  for (const [hand, width, height] of [[phone.page, 390, 844], [phone.page, 844, 390], [page, 1024, 768], [page, 1440, 900]]) {
    await hand.setViewportSize({ width, height });
    await hand.goto("about:blank");
    await open(hand, base, "?backend=cpu");
    const [write, prompt] = ["generate", "prompt"].map((part) => hand.getByTestId(part));
    if (!(await write.isVisible())) await hand.getByTestId("settings").click();
    const lines = () => prompt.evaluate((field) => field.offsetHeight);
    const folded = await lines();
    await prompt.fill("A\nB\nC\n");
    assert.ok((await lines()) > folded, `${width}: all of it is shown while it is written`);
    await write.scrollIntoViewIfNeeded();
    const { x, y, width: across, height: down } = await write.boundingBox();
    const at = [x + across / 2, y + down - 4];
    if (hand === phone.page) await hand.touchscreen.tap(...at);
    else await hand.mouse.click(...at, { delay: 400 });
    const { settings } = await finished(hand);
    assert.equal(settings.prompt, "A\nB\nC\n", `${width}`);
    await until(async () => (await lines()) <= folded, "it is one line again");
  }
  await phone.close();
});

test("a letter that is picked leads to what the models said of it, and back", async ({ page, base }) => {
  const inSight = (part) =>
    page.locator(part).first().evaluate((part) => {
      const { top, bottom } = part.getBoundingClientRect();
      return top > -1 && top < 0.8 * innerHeight && bottom > 0;
    });
  for (const [width, height] of [[390, 844], [844, 390]]) {
    await page.setViewportSize({ width, height });
    await page.goto("about:blank");
    await open(page, base, "?backend=cpu");
    await atTheStart(page);
    await page.keyboard.press("]");
    await page.keyboard.press("]");
    await page.getByTestId("manuscript").locator(".tk:not(.prompt)").first().click();
    await until(() => inSight(".inspector"), `the inspector is in sight at ${width}`);
    if (width < 700) {
      const picks = await page.locator(".inspector .pick").evaluateAll((all) => all.map((pick) => pick.getBoundingClientRect().toJSON()));
      assert.ok(picks.length > 60 && picks.every(({ width, height }) => width > 24 && height > 43), JSON.stringify(picks[0]));
    }
    const back = page.getByTestId("to-text");
    await back.click();
    await until(() => inSight(".tk[aria-current]"), `the letter is in sight at ${width}`);
    // With the keyboard one goes on in the text.
    const before = await page.evaluate(() => scrollY);
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(200);
    assert.ok(await inSight(".tk[aria-current]"));
    assert.ok(Math.abs((await page.evaluate(() => scrollY)) - before) < 60);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  assert.equal(await page.getByTestId("to-text").isVisible(), false, "beside the text nobody has to go back");
});

test("on a phone a measurement can be asked for without a scroll", async ({ page, base }) => {
  await page.setViewportSize({ width: 390, height: 664 });
  await open(page, base, "?backend=cpu#v=1&scene=speed");
  const { y, height } = await page.getByTestId("bench").boundingBox();
  assert.ok(y + height <= 664, `it ends at ${y + height}`);
  assert.ok((await page.getByTestId("plan").boundingBox()).y > y, "what it does stands below it");
});

test("on a phone on its side what replaces a token comes into sight", async ({ page, base }) => {
  await page.setViewportSize({ width: 844, height: 390 });
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, base, "?backend=cpu");
  await atTheStart(page);
  const round = page.getByTestId("round");
  const closing = round.locator(".closing:not(.bonus)");
  for (let rounds = 0; rounds < 4; rounds += 1) {
    for (let phase = 0; phase < 60 && !(await closing.count()); phase += 1) {
      await page.keyboard.press("ArrowRight");
      await page.waitForTimeout(40);
    }
    const inSight = () =>
      round.evaluate((round) => {
        const [row, part] = [".columns", ".closing"].map((part) => round.querySelector(part).getBoundingClientRect());
        return part.left >= row.left && part.right <= row.right + 1;
      });
    await until(inSight, "the replacement is in sight");
    await page.keyboard.press("]");
  }
});

test("320 pixels are wide enough", async ({ page, base }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await open(page, base, "?backend=cpu");
  await write(page);
  const fits = async (what) => {
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 320, `${what}: ${width}`);
  };
  await fits("a run");
  // The longest name of a rule, and what belongs into no field.
  await page.getByTestId("settings").click();
  await page.getByTestId("rule").click();
  await page.getByTestId("rule-sample_and_match").click();
  await page.getByTestId("temperature").fill("0.12345678901234567890123456789012345");
  await page.getByTestId("settings").click();
  // Where a window is high, they are told whole.
  await page.setViewportSize({ width: 320, height: 740 });
  await fits("folded settings");
});

test("a phone shows one column in every phase of a round", async ({ page, base }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, base, "?backend=cpu");
  await write(page);
  await page.keyboard.press("Home");
  for (let step = 0; step < 6; step += 1) {
    await page.getByTestId("next-phase").click();
    const columns = page.getByTestId("round").locator("figure.column:visible");
    assert.ok((await columns.count()) <= 1, `step ${step}`);
    const bars = page.getByTestId("round").locator("figure svg:visible, .closing:visible");
    assert.ok((await bars.count()) >= 1, `step ${step} shows a column or what closes the round`);
  }
});

test("phases step forward and back to the same picture", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await write(page);
  await page.keyboard.press("Home");
  const picture = async () => [
    await page.getByTestId("manuscript").innerText(),
    await page.getByTestId("round").innerText(),
    await page.getByTestId("narration").first().innerText(),
  ];
  const pictures = [];
  for (let step = 0; step < 12; step += 1) {
    pictures.push(await picture());
    await page.getByTestId("next-phase").click();
  }
  assert.ok(new Set(pictures.map((p) => p.join("|"))).size >= 8, "phases look different");
  for (let step = 11; step >= 0; step -= 1) {
    await page.getByTestId("prev-phase").click();
    assert.deepEqual(await picture(), pictures[step], `step ${step}`);
  }
});

test("a text that ends by itself does not take the focus with Stop", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.getByTestId("max_tokens").fill("150");
  // Within the page: the text may be over before another call comes.
  await page.evaluate(async () => {
    const button = (name) => document.querySelector(`[data-testid=${name}]`);
    button("generate").click();
    while (!button("stop")) await new Promise(requestAnimationFrame);
    button("stop").focus();
  });
  assert.equal((await finished(page)).events.at(-1).reason, "length");
  await page.getByTestId("stop").waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement.dataset.testid === "play");
});

test("what was asked for before the models are there is written though the form is being corrected", async ({ page, base }) => {
  const release = await hold(page, WEIGHTS);
  await page.goto(`${base}?backend=cpu`);
  await page.getByTestId("max_tokens").fill("12");
  await page.getByTestId("generate").click();
  await page.getByTestId("max_tokens").fill("");
  release();
  assert.equal((await finished(page)).settings.max_tokens, 12);
});

test("Stop ends a run between two rounds", async ({ page, base }) => {
  await open(page, base);
  await page.getByTestId("max_tokens").fill("4096");
  // Stopped before it has begun, it would leave the page as it is; and it may be over before another call comes.
  await page.evaluate(async () => {
    document.querySelector("[data-testid=generate]").click();
    while (!couplet.trace()?.events.some(({ event }) => event === "committed")) await new Promise(requestAnimationFrame);
    document.querySelector("[data-testid=stop]").click();
  });
  const trace = await finished(page);
  assert.equal(trace.events.at(-1).reason, "stopped");
});

test("a setting out of range is said beside its field and nothing is lost", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.getByTestId("temperature").fill("9");
  await page.getByText(/out of range; choose 0, or 0\.001 to 4/).first().waitFor();
  assert.ok(await page.getByTestId("play").isDisabled());
  await page.getByTestId("temperature").fill("0.8");
  await page.getByTestId("prompt").fill("ça va €");
  await page.getByTestId("play").click();
  await page.getByText(/not in the model's vocabulary/).first().waitFor();
  assert.equal(await page.getByTestId("prompt").inputValue(), "ça va €");
});

test("a prompt that is refused leaves the run and its address, and what cannot be seen is told", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.getByTestId("prompt").fill("O Romeo");
  await write(page);
  await page.keyboard.press("End");
  await page.waitForFunction(() => /[#&]at=\d/.test(location.hash));
  const hash = await page.evaluate(() => location.hash);
  await page.getByTestId("prompt").fill("O\u00a0Romeo");
  await page.getByTestId("generate").click();
  await page.getByText(/not in the model's vocabulary: U\+00A0/).first().waitFor();
  await page.waitForTimeout(600);
  assert.equal(await page.evaluate(() => location.hash), hash);
});

test("Control and Enter write from any of the settings", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  for (const [field, value, key] of [["prompt", "O Romeo,\n", "Control+Enter"], ["seed", "77", "Meta+Enter"]]) {
    await page.getByTestId(field).fill(value);
    await page.getByTestId(field).press(key);
    await page.waitForFunction(([field, value]) => `${window.couplet.trace()?.settings[field]}` === value, [field, value]);
    await finished(page);
  }
});

test("a number is typed key by key, and is no error before it is one", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const field = page.getByTestId("temperature");
  for (const number of ["0.5", "1.25", ".75", "0,2"]) {
    await field.selectText();
    await field.pressSequentially(number);
    assert.equal(await field.inputValue(), number.replace(",", "."));
    assert.equal(await page.locator("#temperature-error").count(), 0, number);
  }
  for (const key of ["ArrowUp", "ArrowUp", "ArrowDown"]) await field.press(key);
  assert.equal(await field.inputValue(), "0.25");
  assert.equal(await field.getAttribute("aria-valuenow"), "0.25");
  // Left as it is, it is asked for.
  await field.selectText();
  await field.pressSequentially("1e");
  await field.press("Tab");
  await page.locator("#temperature-error").waitFor();
  // Where decimals have a comma, either is one.
  await open(page, base, "?backend=cpu&language=de");
  for (const number of ["0,2", "0.2"]) {
    await field.selectText();
    await field.pressSequentially(number);
    assert.equal(await field.inputValue(), "0,2");
  }
  await page.getByTestId("generate").click();
  await finished(page);
  assert.equal(await page.evaluate(() => window.couplet.trace().settings.temperature), 0.2);
});

test("any token shows its whole distribution", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await write(page);
  await page.keyboard.press("End");
  const before = await page.getByTestId("inspector").innerText();
  await page.getByTestId("manuscript").locator(".tk:not(.prompt)").nth(3).click();
  await until(async () => (await page.getByTestId("inspector").innerText()) !== before, "the token's own is shown");
  const all = await page.evaluate(() => window.couplet.trace().pair.tokens.length);
  assert.equal(await page.getByTestId("inspector").locator(".pick").count(), all);
});

test("playback goes on when a hidden tab is shown again", async ({ page, base }) => {
  // A hidden tab gets no frames; a browser without a window hides no tab.
  await page.addInitScript(() => {
    const request = window.requestAnimationFrame.bind(window);
    const waiting = [];
    let hidden = false;
    // One that was asked for before waits too.
    window.requestAnimationFrame = (callback) =>
      hidden ? waiting.push(callback) : request((time) => (hidden ? waiting.push(callback) : callback(time)));
    window.hide = () => (hidden = true);
    window.show = () => {
      hidden = false;
      waiting.splice(0).forEach(request);
    };
  });
  await open(page, base, "?backend=cpu");
  await write(page);
  await page.locator("#scene").focus();
  await page.keyboard.press("Home");
  const written = () => page.getByTestId("manuscript").innerText();
  await page.getByTestId("play").click();
  await until(async () => (await written()).length > 20, "it plays");
  await page.evaluate(() => window.hide());
  await page.waitForTimeout(200);
  const before = await written();
  await page.waitForTimeout(3000);
  assert.equal(await written(), before, "nothing moves in a hidden tab");
  await page.evaluate(() => window.show());
  await until(async () => (await written()) !== before, "it goes on");
  const gone = (await written()).length - before.length;
  assert.ok(gone < 12, `${gone} letters at once`);
  await noPanicText(page);
});

test("the margin says what the page is until somebody closes it, and leads to the first lesson", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const introduction = page.getByTestId("introduction");
  assert.match(await introduction.innerText(), /small model .* large one/s);
  await page.getByTestId("first-lesson").click();
  await page.getByTestId("lesson-panel").waitFor();
  // Beside a lesson nobody needs another beginning.
  assert.equal(await introduction.count(), 0);
  await open(page, base, "?backend=cpu");
  await page.getByTestId("introduced").click();
  assert.equal(await introduction.count(), 0);
  await reload(page);
  assert.equal(await introduction.count(), 0);
});

test("keys of a single character can be switched off, and stay so until they are switched on", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.getByTestId("help").click();
  await page.getByTestId("single-keys").uncheck();
  await page.keyboard.press("Escape");
  const start = await atTheStart(page);
  for (const key of [".", "]", "Alt+]", "Space", "?"]) await page.keyboard.press(key);
  assert.equal(await page.getByTestId("help-panel").isVisible(), false);
  assert.equal(await said(page), start);
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await said(page), start, "keys that write nothing are no accident");
  await reload(page);
  await page.getByTestId("help").click();
  assert.equal(await page.getByTestId("single-keys").isChecked(), false);
  await page.getByTestId("single-keys").check();
  await page.keyboard.press("Escape");
  for (const key of [".", "]", "Alt+]"]) {
    assert.equal(await atTheStart(page), start);
    await page.keyboard.press(key);
    assert.notEqual(await said(page), start, key);
  }
  await page.keyboard.press("?");
  await page.getByTestId("help-panel").waitFor();
});

test("a key right behind the Escape that closes the help is heard", async ({ page, base }) => {
  await page.goto(`${base}?backend=cpu`);
  const start = await atTheStart(page);
  await page.getByTestId("help").click();
  await page.evaluate(() => {
    // The page hears of that a moment later.
    document.querySelector("dialog[open]").close();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  });
  assert.notEqual(await said(page), start);
});

test("numbers between the steps of a field's arrows are written with", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.getByTestId("temperature").fill("0.72");
  await page.getByTestId("max_tokens").fill("8");
  const run = await write(page);
  assert.equal(run.settings.temperature, 0.72);
});

test("a table that is unfolded stays so from one step to the next", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await atTheStart(page);
  await page.keyboard.press("ArrowRight");
  await page.getByTestId("inspector").locator("summary").click();
  const rows = page.getByTestId("inspector").locator("tbody tr");
  await rows.first().waitFor();
  const before = await rows.allInnerTexts();
  for (let step = 0; step < 6; step += 1) await page.keyboard.press("ArrowRight");
  // Beside the run Home and End scroll, and leave it where it is.
  const told = await said(page);
  await page.keyboard.press("End");
  assert.equal(await said(page), told);
  await rows.first().waitFor();
  assert.notDeepEqual(await rows.allInnerTexts(), before);
});

test("a table that scrolls keeps the keys that scroll it", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const start = await atTheStart(page);
  await page.keyboard.press("ArrowRight");
  const before = await said(page);
  assert.notEqual(before, start);
  await page.getByTestId("inspector").locator("summary").click();
  await page.getByRole("region", { name: "Probabilities" }).focus();
  for (const key of ["Space", "End", "Home", "ArrowRight"]) await page.keyboard.press(key);
  assert.equal(await said(page), before);
  // Of its tokens Tab stops at one, the most probable; up and down lead to the others.
  const tokens = page.getByTestId("inspector").locator("tbody .pick-row");
  const tokenAt = async (place) => tokens.nth(place).getAttribute("data-token");
  const focused = () => page.evaluate(() => document.activeElement.dataset.token);
  const last = (await tokens.count()) - 1;
  assert.ok(last > 3);
  await page.keyboard.press("Tab");
  assert.equal(await focused(), await tokenAt(0));
  for (const [key, place] of [["ArrowDown", 1], ["ArrowDown", 2], ["ArrowUp", 1], ["End", last], ["ArrowDown", last], ["Home", 0]]) {
    await page.keyboard.press(key);
    assert.equal(await focused(), await tokenAt(place), key);
  }
  assert.equal(await said(page), before);
  // Whoever leaves them from the one that is picked comes to nothing of them any more.
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), undefined);
  await page.keyboard.press("Shift+Tab");
  assert.equal(await focused(), await tokenAt(1));
  // To the left and right the run is moved, as from every button.
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await said(page), before);
});

test("a button that is gone once it is pressed leaves the focus where somebody goes on", async ({ page, base }) => {
  const focused = (selector) => page.waitForFunction((selector) => document.activeElement?.matches(selector), selector);
  await open(page, base, "?backend=cpu#v=1&at=soon");
  await notice(page, /left out/);
  await page.getByTestId("notice").getByRole("button", { name: "Close" }).click();
  await focused("#scene");
  // Whether the run has begun by then or not.
  await pressStop(page, "generate");
  await page.getByTestId("stop").waitFor({ state: "detached" });
  await focused("[data-testid=play]");
  await open(page, base, "?backend=cpu");
  await atTheStart(page);
  await page.keyboard.press("End");
  await page.getByTestId("manuscript").locator(".rd .tk").first().click();
  await page.getByTestId("go-to-verdict").click();
  await focused(".column.focused .tok-button");
  await page.getByTestId("share").click();
  await page.getByTestId("hide-seed").check();
  await page.getByTestId("hide-none").click();
  await focused(".share-hide input");
});

test("the newest notice is heard by itself, and nothing of it once it is closed", async ({ page, base }) => {
  // What is heard stays for a while only, in which the models need not have come.
  await page.goto(`${base}?backend=cpu#v=1&at=soon`);
  const heard = page.locator("main > [role=status]");
  await heard.filter({ hasText: /^A part of the link was left out: [^.]+\.$/ }).waitFor({ state: "attached" });
  await page.getByTestId("notice").getByRole("button", { name: "Close" }).click();
  await page.getByTestId("notice").waitFor({ state: "hidden" });
  assert.equal(await heard.textContent(), "");
});

test("of a token that is picked with keys it is heard what became of it", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await atTheStart(page);
  const heard = page.getByTestId("fate-heard");
  assert.equal(await heard.textContent(), "");
  await page.keyboard.press("End");
  await page.locator("#manuscript").focus();
  await page.keyboard.press("Enter");
  await heard.filter({ hasText: /^Round \d+: / }).waitFor({ state: "attached" });
  const last = await heard.textContent();
  // It is a button with a name, which its title describes; the rest of the text stays text.
  const focused = () => page.evaluate(() => ["role", "aria-label", "title"].map((name) => document.activeElement.getAttribute(name)));
  const [role, name, title] = await focused();
  assert.equal(role, "button");
  assert.match(`${name}, ${title}`, /^[^↵␣,.]+, \w/);
  await page.keyboard.press("ArrowLeft");
  assert.equal((await focused())[0], "button");
  assert.equal(await page.locator("#manuscript [role=button]").count(), 1);
  await page.waitForFunction((last) => ![last, ""].includes(document.querySelector("[data-testid=fate-heard]").textContent), last);
});

test("whoever listens hears that a text is written and what came of it, and nothing of a run that plays by itself", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await shown(page, "recorded");
  const live = page.getByTestId("live");
  await until(async () => /Round ([2-9]|\d\d)/.test(await page.getByTestId("round").innerText()), "a round was played");
  assert.equal(await live.textContent(), "");
  await page.getByTestId("max_tokens").fill("40");
  await page.getByTestId("generate").click();
  const heard = page.getByTestId("written-heard");
  await heard.getByText(/^Live run: 4\d characters, \d+ rounds$/).waitFor({ state: "attached", timeout: 60_000 });
  await live.filter({ hasText: /^Round \d+: / }).waitFor({ state: "attached" });
});

test("the names of signs are heard where they are picked", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await atTheStart(page);
  await page.keyboard.press("End");
  const names = await page.locator(".pick").evaluateAll((all) => all.map((pick) => pick.getAttribute("aria-label")));
  assert.ok(names.some((name) => name.startsWith("comma: draft ")) && names.some((name) => name.startsWith("space: draft ")), `${names}`);
});

test("a listener is told no more than is seen, and the run moves without losing the focus", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await atTheStart(page);
  const name = () => page.locator(".column svg.figure").first().getAttribute("aria-label");
  const names = {};
  for (let step = 0; step < 3; step += 1) {
    await page.keyboard.press("ArrowRight");
    names[await page.locator(".phases .on").innerText()] = await name();
  }
  assert.match(names.Draft, /^draft [<\d.]+$/);
  assert.match(names.Verify, /^draft .*, target .*, threshold [\d.]+$/);
  assert.match(names.Judge, /, threshold [\d.]+, u [\d.]+$/);
  // The digits are those of the line below it, and what is heard of the step says them too.
  const [, u, below] = (await page.locator(".inequality").first().innerText()).match(/u\s([\d.]+)\s[<>]\s([\d.]+)/);
  assert.ok(names.Judge.endsWith(`, threshold ${below}, u ${u}`), names.Judge);
  const live = page.getByTestId("live").filter({ hasText: /^Round 1: .+, (accepted|rejected): / });
  await live.waitFor({ state: "attached" });
  assert.match(await live.textContent(), new RegExp(`kept if u\\s<\\s${below}; u\\s=\\s${u}\\.$`));
  assert.match(await page.locator(".tok-button").nth(1).getAttribute("aria-label"), /^position 2 of 5: .+, drafted$/);
  await page.locator(".tok-button").nth(2).focus();
  await page.keyboard.press("]");
  // What had it is gone with its round; a token of the next one has it by the next frame.
  await page.waitForFunction(() => document.activeElement.className === "tok-button");
  await page.locator(".pick[tabindex='0']").focus();
  await page.keyboard.press("Home");
  assert.equal(await page.evaluate(() => document.activeElement.matches(".pick:first-of-type")), true);
  assert.notEqual(await page.locator(".phases .on").count(), 0, "the run stays where it is");
});

test("the focus stays in the round where narrow windows show one column and one phase of it", async ({ page, base }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, base, "?backend=cpu");
  await shown(page, "recorded");
  await page.keyboard.press("Home");
  await page.keyboard.press("]");
  await page.keyboard.press("]");
  const held = (selector) => page.waitForFunction((selector) => document.activeElement.matches(selector), selector);
  await page.locator(".column.focused .tok-button").focus();
  for (const key of [",", "]"]) {
    await page.keyboard.press(key);
    await held(".column.focused .tok-button");
  }
  await page.locator(".phases .on button").focus();
  await page.keyboard.press(".");
  await held(".phases .on button");
});

test("the window is called after the open scene, and the Stage after the page", async ({ page, base }) => {
  const called = (title) => page.waitForFunction((title) => document.title === title, title);
  const usual = "Couplet: speculative decoding, live in your browser";
  await open(page, base, "?backend=cpu");
  assert.equal(await page.title(), usual);
  await page.getByTestId("scene-speed").click();
  await called("Speed · Couplet");
  await page.goBack();
  await called(usual);
  await open(page, base, "?backend=cpu&language=de#v=1&scene=proof");
  await called("Beweis · Couplet");
  await page.getByTestId("scene-stage").click();
  await called("Couplet: spekulatives Decodieren, live in deinem Browser");
});

test("the help leads to what scripts can call", async ({ page, base }) => {
  await page.goto(base);
  await page.getByTestId("help").click();
  const answer = await page.request.get(await page.getByTestId("api").evaluate((link) => link.href));
  assert.equal(answer.status(), 200);
  assert.match(await answer.text(), /window\.couplet/);
});

test("a click beside the help closes it", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.getByTestId("help").click();
  await page.getByTestId("help-panel").waitFor();
  await page.mouse.click(8, 8);
  await page.getByTestId("help-panel").waitFor({ state: "hidden" });
});
