// Every size, every hand, every eye.
import assert from "node:assert/strict";
import { compare, easel } from "./golden.mjs";
import { findings, letters, walk } from "./measure/access.mjs";
import { call, finished, open, ready, shown, until, visitor } from "./support.mjs";
import { SCENES, SIZES, THEMES, VIEWS, isSmall, settle, sideways, still, targets } from "./scenes.mjs";
import { test } from "./test.mjs";

const CPU = "?backend=cpu";

test("what was never tested shows no needle", async ({ page, base }) => {
  await still(page, base, "stage");
  const opacities = (kind) =>
    page.locator(`.column${kind} .needle`).evaluateAll((needles) => needles.map((needle) => getComputedStyle(needle).opacity));
  const [tested, discarded] = [await opacities(".judged:not(.dis)"), await opacities(".dis")];
  assert.ok(tested.length > 0 && tested.every((opacity) => opacity === "1"), `${tested}`);
  assert.ok(discarded.length > 0 && discarded.every((opacity) => opacity === "0"), `${discarded}`);
});

test("on a phone the bonus can be picked like any token of its round", async ({ page, base }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await still(page, base, "stage");
  const chip = page.getByTestId("chip-bonus");
  const panel = page.locator(".closing.bonus");
  for (let phase = 0; phase < 60 && !(await chip.count()); phase += 1) {
    await page.keyboard.press(".");
    await page.waitForTimeout(50);
  }
  assert.equal(await chip.getAttribute("aria-pressed"), "true");
  assert.ok(await panel.isVisible());
  await page.locator(".chip").first().click();
  assert.ok(await panel.isHidden());
  await chip.click();
  assert.ok(await panel.isVisible());
});

for (const scene of VIEWS) {
  test(`axe finds nothing in ${scene}, it looks as it should, at three sizes, light and dark, Tab goes through it, and it fits a wall`, async ({ page, base, browser }) => {
    await still(page, base, scene);
    const eyes = await easel(browser);
    const found = [];
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      for (const colorScheme of THEMES) {
        await page.emulateMedia({ colorScheme });
        await compare(eyes, `${scene}-${width}-${colorScheme}`, await settle(page));
        found.push(...(await findings(page)).map((line) => `${width} ${colorScheme} ${line}`));
      }
    }
    await eyes.close();
    assert.deepEqual(found, []);
    // In order, past nothing, with the focus always in sight.
    await page.setViewportSize({ width: 1440, height: 900 });
    await settle(page);
    const stops = await walk(page);
    assert.equal(stops[0].name, "button Skip to the page");
    assert.ok(stops.length > 10, `${stops.length}`);
    for (const stop of stops) {
      assert.ok(stop.later, `${stop.name} comes before what it follows`);
      assert.ok(stop.ring, `the focus on ${stop.name} cannot be seen`);
      assert.ok(stop.width > 0 && stop.height > 0, `${stop.name} has no size`);
    }
    // Lines that can be read and a place of its own on a screen of twice the usual size.
    await page.setViewportSize({ width: 3840, height: 2160 });
    await settle(page);
    assert.equal(await sideways(page), 0);
    const { letters, right } = await page.evaluate(() => {
      const main = document.querySelector("main");
      const style = getComputedStyle(document.body);
      const right = Math.max(...[...main.children].map((child) => child.getBoundingClientRect().right));
      return { letters: parseFloat(style.fontSize) * (document.body.currentCSSZoom ?? 1), right };
    });
    assert.ok(letters >= 24, `letters of ${letters} px`);
    assert.ok(right <= 3840);
  });

  test(`${scene} fits 320 pixels, and a finger hits everything, also on its side`, async ({ page, browser, base }) => {
    const { page: onItsSide, close } = await visitor(browser, { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true, serviceWorkers: "block" });
    const fits = async (page) => {
      const { width } = page.viewportSize();
      assert.equal(await sideways(page), 0, `${width}`);
      assert.deepEqual((await targets(page)).filter(isSmall), [], `${width}`);
    };
    const unfolded = async (page) => {
      await still(page, base, scene);
      const settings = page.getByTestId("settings");
      if (await settings.isVisible()) await settings.click();
      await fits(page);
    };
    await page.setViewportSize({ width: 390, height: 720 });
    await unfolded(page);
    await page.setViewportSize({ width: 320, height: 720 });
    await settle(page);
    await fits(page);
    await unfolded(onItsSide);
    await close();
  });
}

test("axe finds nothing in the help, in large letters, and in the system's own colours", async ({ page, base }) => {
  await still(page, base, "stage", "&projector=1");
  assert.deepEqual(await findings(page), []);
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme, forcedColors: "active" });
    const ink = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--ink"));
    assert.match(ink, /CanvasText/i, colorScheme);
    assert.deepEqual(await findings(page), [], colorScheme);
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    assert.deepEqual(await findings(page), [], colorScheme);
    await page.keyboard.press("Escape");
  }
  // An arrow that is drawn as a ground is not there.
  assert.equal(await page.getByTestId("pair").evaluate((select) => getComputedStyle(select).appearance), "auto");
  // A filled button's letters would have the ground's colour, with a ground of their own under them.
  for (const [scene, button] of [["stage", ".button.play"], ["couplings", ".button.primary"], ["couplings", ".presets [aria-pressed=true]"], ["proof", ".button.primary"], ["proof", ".switch i"], ["speed", ".button.primary"]]) {
    await page.getByTestId(`scene-${scene}`).click();
    const adjusts = await page.locator(button).first().evaluate((element) => getComputedStyle(element).forcedColorAdjust);
    assert.equal(adjusts, "none", `${button} of ${scene}`);
  }
});

test("letters are 20 pixels on a projector, in the link and at a press", async ({ page, base }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  for (const scene of VIEWS.toReversed()) {
    await still(page, base, scene, "&projector=1");
    assert.ok((await letters(page)) >= 20, `${scene}: ${await letters(page)}`);
    assert.equal(await sideways(page), 0);
  }
  const toggle = page.getByTestId("projector");
  assert.equal(await toggle.getAttribute("aria-pressed"), "true");
  await toggle.click();
  assert.ok((await letters(page)) < 20);
  assert.doesNotMatch(page.url(), /projector/);
  await toggle.click();
  assert.match(page.url(), /projector=1/);
  assert.ok((await letters(page)) >= 20);
  // Back to an address from before: the page stays as large, and the address says so.
  await toggle.click();
  await page.getByTestId("scene-proof").click();
  await toggle.click();
  await page.goBack();
  await page.waitForFunction(() => /scene=stage|^(?!.*scene=)/.test(location.hash) && /projector=1/.test(location.hash));
  assert.ok((await letters(page)) >= 20);
});

test("a style sheet that an extension brings along does not keep a projector's letters away", async ({ page, base }) => {
  await page.addInitScript(() => {
    const { get } = Object.getOwnPropertyDescriptor(Document.prototype, "styleSheets");
    const foreign = Object.defineProperty({}, "cssRules", {
      get() {
        throw new DOMException("from elsewhere", "SecurityError");
      },
    });
    Object.defineProperty(Document.prototype, "styleSheets", { get() { return [foreign, ...get.call(this)]; } });
  });
  const faults = [];
  page.on("pageerror", (fault) => faults.push(fault.message));
  await still(page, base, "stage", "&projector=1");
  const zoom = () => page.evaluate(() => document.documentElement.style.zoom);
  assert.ok(Number(await zoom()) >= 1.5, await zoom());
  await page.getByTestId("projector").click();
  assert.deepEqual([await zoom(), faults], ["", []]);
});

test("the text, the round and what it is decided by are on a projector's screen together", async ({ page, base }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await still(page, base, "stage", "&projector=1");
  for (const [width, height] of [[1024, 768], [1280, 720], [1280, 800], [1366, 768], [1440, 900], [1920, 1080]]) {
    await page.setViewportSize({ width, height });
    await settle(page);
    const edge = (selector, side) => page.locator(selector).first().evaluate((part, side) => part.getBoundingClientRect()[side], side);
    const decided = await edge('[data-testid="round"] .inequality', "bottom");
    const [top, bottom] = [await edge(".transport", "top"), await edge('[data-testid="play"]', "bottom")];
    assert.ok(decided <= top && bottom <= height, `${width}x${height}: ${decided}, ${top} to ${bottom}`);
    const text = await edge(".manuscript .page", "top");
    // From a laptop's width on the tokens of a round are seen beside each other.
    const columns = await page.locator('[data-testid="round"] .column').evaluateAll((all) => all.filter((column) => column.checkVisibility()).length);
    assert.equal(columns > 1, width > 1024, `${width}x${height}: ${columns} columns`);
    assert.ok(text >= 0, `${width}x${height}: the text begins at ${text}`);
  }
});

test("on a projector the end has its bonus, and a line of text is never an empty one", async ({ page, base }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await still(page, base, "stage", "&projector=1");
  const inSight = () =>
    page.locator(".page").evaluate((frame) => {
      const { top, bottom } = frame.getBoundingClientRect();
      const seen = (token) => [...token.getClientRects()].some((line) => line.top >= top - 8 && line.bottom <= bottom + 8);
      return [...frame.querySelectorAll(".tk")].filter(seen).map((token) => token.innerText).join("");
    });
  await page.keyboard.press("End");
  await settle(page);
  assert.ok(await page.locator(".closing.bonus").isVisible(), "the bonus that the sentence tells of");
  assert.match(await inSight(), /RICHARD/);
  await page.keyboard.press("Home");
  await settle(page);
  assert.match(await inSight(), /KING RICHARD/);
});

test("on a projector many columns scroll by themselves, and not the page", async ({ page, base }) => {
  await page.setViewportSize({ width: 1366, height: 768 });
  await open(page, base, "?backend=cpu#v=1&projector=1&gamma=16&max_tokens=40");
  await finished(page);
  await page.keyboard.press("Home");
  await page.keyboard.press("]");
  // From the last phase of the first round into the second.
  for (let phase = 0; phase < 6; phase += 1) {
    const [columns, whole] = await page.evaluate(() =>
      [document.querySelector(".round > .columns"), document.documentElement].map((box) => box.scrollWidth - box.clientWidth),
    );
    assert.ok(columns > 100, `the columns have to be more than there is room for: ${columns}`);
    assert.equal(whole, 0);
    await page.keyboard.press(".");
  }
});

test("the text, the round and its verdict are on a low laptop's screen together", async ({ page, base }) => {
  // 768 lines, and 1080 enlarged by half, without what the browser needs for itself.
  for (const [width, height] of [[1366, 640], [1280, 600]]) {
    await page.setViewportSize({ width, height });
    await still(page, base, "stage");
    const box = (selector) => page.locator(selector).first().evaluate((part) => part.getBoundingClientRect().toJSON());
    const [text, decided, player] = await Promise.all([".page", '[data-testid="round"] .focused .inequality', ".transport"].map(box));
    assert.ok(text.top >= 0 && text.bottom <= decided.top, `the text ends at ${text.bottom}`);
    assert.ok(decided.bottom <= player.top && player.bottom <= height, `the verdict ends at ${decided.bottom}, the player begins at ${player.top}`);
    const write = page.getByRole("button", { name: "Write", exact: true });
    assert.equal(await write.isVisible(), false);
    await page.getByTestId("settings").click();
    assert.ok(await write.isVisible());
    assert.equal(await sideways(page), 0);
    await page.getByTestId("settings").click();
  }
  // What is to be measured does not fold.
  await still(page, base, "speed");
  assert.ok(await page.getByLabel("Tokens per run").isVisible());
});

test("on a projector the rule stands with the numbers of the token in focus", async ({ page, base }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await still(page, base, "stage", "&projector=1");
  const line = page.locator(".arithmetic");
  const [, u, sign, target, draft, below] = (await line.innerText()).match(/^([\d.]+) ([<>]) min\(1,\s([\d.]+)\s\/\s([\d.]+)\) = ([\d.]+)$/);
  const decimals = below.split(".")[1]?.length ?? 0;
  assert.equal(Math.min(1, target / draft).toFixed(decimals), below, `${target} / ${draft} = ${below}`);
  assert.equal(sign, Number(u) < Number(below) ? "<" : ">");
  assert.match(await page.locator(".column.focused .inequality").innerText(), new RegExp(`${u} ${sign} ${below}$`));
  const player = await page.locator(".transport").boundingBox();
  const box = await line.boundingBox();
  assert.ok(box.y + box.height <= player.y, `it ends at ${box.y + box.height}, the player begins at ${player.y}`);
});

test("of a round's tokens in small the one in focus is in sight", async ({ page, base }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${base}${CPU}#v=1&gamma=12&max_tokens=40&seed=3`);
  await finished(page);
  await page.getByTestId("first").click();
  for (let step = 0; step < 13; step += 1) await page.getByTestId("next-phase").click();
  const frame = await page.locator(".chips").boundingBox();
  const chips = page.locator(".chip");
  assert.ok((await chips.count()) > 8, "there is something to scroll to");
  for (const chip of [chips.last(), chips.first()]) {
    // A press by a pointer would bring it into sight by itself.
    await chip.evaluate((button) => button.click());
    await page.locator('.chip[aria-pressed="true"]').waitFor();
    await settle(page);
    const { x, width } = await chip.boundingBox();
    assert.equal(await chip.getAttribute("aria-pressed"), "true");
    assert.ok(x >= frame.x - 1 && x + width <= frame.x + frame.width + 1, `${x} to ${x + width} of ${frame.x} to ${frame.x + frame.width}`);
  }
});

test("the text, the round and its verdict are on a phone's screen together", async ({ page, base }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await still(page, base, "stage");
  await page.getByTestId("introduction").getByRole("button").last().click();
  await settle(page);
  const box = (selector) => page.locator(selector).first().evaluate((part) => part.getBoundingClientRect().toJSON());
  const [text, decided, player] = [await box(".page"), await box('[data-testid="round"] .focused .inequality'), await box(".transport")];
  assert.ok(text.top >= 0 && text.bottom <= decided.top, `the text ends at ${text.bottom}`);
  assert.ok(decided.bottom <= player.top, `the verdict ends at ${decided.bottom}, the player begins at ${player.top}`);
  assert.ok(await page.getByRole("group", { name: "Notation" }).isVisible());
  assert.ok(await page.getByTestId("first").isVisible());
});

test("what explains the text and its round is on the page at every size, and the text above the player", async ({ page, base }) => {
  // Laptops that enlarge by two, a phone on its side and upright, an old tablet, a laptop that enlarges by half.
  await still(page, base, "stage");
  for (const [width, height] of [[720, 450], [683, 384], [844, 390], [390, 844], [1024, 768], [1280, 600]]) {
    await page.setViewportSize({ width, height });
    await settle(page);
    for (const part of [".legend", ".count", '[aria-label="Marks shown"]', ".caches", ".round .key", ".round .key-gauge", ".rules > .formula", '[aria-label="Notation"]'])
      assert.ok(await page.locator(part).isVisible(), `${part} at ${width}x${height}`);
    const box = (selector) => page.locator(selector).evaluate((part) => part.getBoundingClientRect().toJSON());
    const [gloss, text, player] = await Promise.all([".introduction", ".page", ".transport"].map(box));
    assert.ok(text.bottom <= player.top && gloss.bottom <= player.top, `${width}x${height}: the text ends at ${text.bottom}, the player begins at ${player.top}`);
    assert.ok(gloss.top >= text.top - 1 || gloss.height < 100, `${width}x${height}: ${gloss.height} pixels above the text`);
    // The way out stands beside the way on.
    const [on, out] = await Promise.all(["first-lesson", "introduced"].map((id) => box(`[data-testid=${id}]`)));
    assert.ok(out.left > on.right && Math.abs(out.top - on.top) < 3, `${width}x${height}: ${JSON.stringify(out)}`);
    assert.equal(await sideways(page), 0);
  }
});

test("a link for the projector is an ordinary page on a phone", async ({ page, base }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await still(page, base, "stage");
  const brand = () => page.locator(".brand").evaluate((brand) => brand.getBoundingClientRect().width);
  const ordinary = await brand();
  await still(page, base, "stage", "&projector=1");
  assert.equal(await brand(), ordinary);
  assert.equal(await sideways(page), 0);
  assert.equal(await page.getByTestId("projector").isVisible(), false);
});

test("a pointer hits what it points at in large letters", async ({ page, base }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await still(page, base, "couplings", "&projector=1");
  const handle = page.getByRole("slider", { name: "draft of a" });
  const before = Number(await handle.getAttribute("aria-valuenow"));
  const box = await handle.boundingBox();
  const at = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(...at);
  await page.mouse.down();
  await page.mouse.move(at[0], at[1] + 84);
  await page.mouse.up();
  const zoom = await page.evaluate(() => document.documentElement.currentCSSZoom);
  assert.ok(zoom > 1.2, `${zoom}`);
  // 168 pixels of the page stand for 0.4, as many of the window for less.
  const after = Number(await handle.getAttribute("aria-valuenow"));
  assert.ok(Math.abs(after - (before - (84 / zoom / 168) * 0.4)) < 0.01, `${before} became ${after}`);
});

test("a screen reader hears the text as text and a sentence for every step", async ({ page, base }) => {
  await page.addInitScript(() => {
    window.spoken = [];
    let last = "";
    addEventListener("DOMContentLoaded", () =>
      new MutationObserver(() => {
        const now = document.querySelector("[data-testid=live]")?.textContent ?? "";
        if (now && now !== last) window.spoken.push(now);
        // What is said, gone, and said again is heard twice.
        last = now;
      }).observe(document.body, { subtree: true, childList: true, characterData: true }),
    );
  });
  await open(page, base, CPU);
  await shown(page, "recorded");
  // Taken hold of, it no longer plays by itself.
  await page.keyboard.press("]");
  await page.keyboard.press("Home");
  await page.waitForTimeout(600);
  /** What was heard since it was asked for last. */
  const heard = () => page.evaluate(() => window.spoken.slice(window.asked ?? 0, (window.asked = window.spoken.length)));
  await heard();
  for (let time = 0; time < 12; time += 1) {
    const before = await page.evaluate(() => window.spoken.length);
    await page.keyboard.press("ArrowRight");
    // Slowly enough for each to be heard; a step may say what the one before it said.
    await page.waitForFunction((before) => window.spoken.length > before, before, { timeout: 2_000 }).catch(() => {});
  }
  const slow = await heard();
  assert.ok(slow.length >= 10, `12 steps:\n${slow.join("\n")}`);
  assert.match(slow[0], /^The draft pencils /);
  assert.ok(slow.some((sentence) => /^Round 1: \d accepted/.test(sentence)), slow.join("\n"));
  await page.evaluate(() => {
    const press = () => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    for (let time = 0; time < 12; time += 1) press();
  });
  await page.waitForFunction(() => window.spoken.length > window.asked);
  await page.waitForTimeout(900);
  assert.equal((await heard()).length, 1, "of quick steps only the last is said");
  // What was said is gone again: it stands on the page for all.
  await page.waitForFunction(() => document.querySelector("[data-testid=live]").textContent === "", null, { timeout: 15_000 });
  assert.equal(await page.getByTestId("live").getAttribute("role"), "status");
  // Nor is it news again when the scene comes back.
  await page.getByTestId("scene-proof").click();
  await page.getByTestId("scene-stage").click();
  await page.waitForTimeout(900);
  assert.deepEqual(await heard(), []);
  // Marks above and below the line are drawn, not read.
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  const text = await page.getByRole("region", { name: "Text", exact: true }).ariaSnapshot();
  assert.match(text, /insertion: /);
  assert.match(text, /KING RICHARD/);
  assert.doesNotMatch(text, /img/);
});

test("where movement is unwelcome, nothing moves", async ({ page, base }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, base, CPU);
  await shown(page, "recorded");
  await page.getByTestId("play").click();
  for (let look = 0; look < 8; look += 1) {
    await page.waitForTimeout(150);
    const moving = await page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === "running").length);
    assert.equal(moving, 0);
  }
});

test("nothing comes from elsewhere, and no script runs that is not the page's", async ({ page, base }) => {
  const foreign = [];
  const home = new URL(base).origin;
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== home && !["data:", "blob:"].includes(protocol)) foreign.push(request);
  });
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      window.violations.push(`${violatedDirective} ${blockedURI}`),
    );
  });
  await open(page, base, CPU);
  await call(page, "generate", { max_tokens: 24 });
  for (const scene of SCENES) {
    await page.getByTestId(`scene-${scene}`).click();
    await page.waitForTimeout(200);
  }
  await page.getByTestId("theme").click();
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  assert.deepEqual(foreign.map((request) => request.url()), []);
  // Not from here: what a test calls may do what a page must not.
  await page.route("**/probe.js", (route) =>
    route.fulfill({ contentType: "text/javascript", body: "window.probed = true; window.evalRan = eval('true');" }),
  );
  const ran = await page.evaluate(async () => {
    const element = (name, properties) => document.body.append(Object.assign(document.createElement(name), properties));
    element("script", { textContent: "window.inlineRan = true" });
    element("script", { src: "probe.js" });
    element("script", { src: "data:text/javascript,window.dataRan = true" });
    element("div", { innerHTML: "<img src=x onerror='window.handlerRan = true'>" });
    element("img", { src: "https://example.org/x.png" });
    element("iframe", { src: "https://example.org/" });
    fetch("https://example.org/").catch(() => {});
    const came = () => window.probed && window.violations.length >= 6;
    for (let wait = 0; wait < 100 && !came(); wait += 1) await new Promise((resolve) => setTimeout(resolve, 100));
    return ["inlineRan", "dataRan", "handlerRan", "evalRan"].filter((name) => window[name]);
  });
  assert.deepEqual(ran, []);
  assert.ok(await page.evaluate(() => window.probed), "the page's own files run");
  // What the policy forbids is known here by its name, but leaves for nowhere; that is told a moment later.
  await until(async () => foreign.every((request) => request.failure()), "every foreign request has failed");
  assert.deepEqual(foreign.map((request) => request.failure()?.errorText).filter((why) => why !== "csp"), []);
  assert.ok((await page.evaluate(() => window.violations)).length >= 6);
});

test("one seed writes one text, event by event", async ({ page, base }) => {
  await open(page, base, CPU);
  const settings = { prompt: "JULIET:\n", seed: 7, gamma: 4, max_tokens: 60 };
  const write = async () => {
    const { events } = await call(page, "generate", settings);
    // Milliseconds are a stopwatch's, not the seed's.
    return events.map(({ timings, milliseconds, ...event }) => event);
  };
  const first = await write();
  await page.reload();
  await ready(page);
  assert.deepEqual(await write(), first);
  assert.equal((await finished(page)).settings.seed, 7);
});
