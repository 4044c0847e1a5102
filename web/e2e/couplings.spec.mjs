// The scene Couplings, and `window.couplet.couple`.
import assert from "node:assert/strict";
import { call, finished, noPanicText, open, refusal, shown, traceOf, WEIGHTS } from "./support.mjs";
import { test } from "./test.mjs";

const SCENE = "?backend=cpu#scene=couplings";
const NAMES = ["independent", "minhash", "gumbel", "optimal"];

/** The exact rates of agreement on the four cards. */
async function exact(page) {
  const rates = {};
  for (const name of NAMES) rates[name] = Number(await page.getByTestId(`exact-${name}`).innerText());
  return rates;
}

async function preset(page, name) {
  await page.getByRole("button", { name, exact: true }).click();
}

/** Waits until every card shows a measurement of at least so many pairs. */
async function measured(page, pairs = 20_000) {
  await page.waitForFunction(
    ([names, pairs]) =>
      names.every((name) => {
        const card = document.querySelector(`[data-testid=card-${name}]`);
        const text = card.innerText.match(/measured, ([\d,]+) pairs/);
        return text && Number(text[1].replaceAll(",", "")) >= pairs;
      }),
    [NAMES, pairs],
    { timeout: 60_000 },
  );
}

/** Waits until a drawing has the width of its room, which it has a frame after it is there. */
async function fitted(page, drawing) {
  await page.waitForFunction((drawing) => {
    const found = document.querySelector(drawing);
    return found && Number(found.getAttribute("width")) === found.parentElement.clientWidth;
  }, drawing);
}

test("a handle moves by keyboard and the others rescale", async ({ page, base }) => {
  await page.goto(base + SCENE);
  const handle = page.getByTestId("handle-draft-0");
  assert.equal(await handle.getAttribute("aria-valuenow"), "0.340");
  const before = await exact(page);
  await handle.focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("PageUp");
  assert.equal(await handle.getAttribute("aria-valuenow"), "0.450");
  const all = page.locator("[data-testid^=handle-draft-]");
  const sum = async () => {
    let sum = 0;
    for (const each of await all.all()) sum += Number(await each.getAttribute("aria-valuenow"));
    return sum;
  };
  assert.ok(Math.abs((await sum()) - 1) < 0.004);
  assert.notDeepEqual(await exact(page), before);
  // To the end and back: the others keep their proportions.
  await page.keyboard.press("End");
  assert.equal(await handle.getAttribute("aria-valuenow"), "1.000");
  await page.keyboard.press("Home");
  assert.equal(await handle.getAttribute("aria-valuenow"), "0.000");
  const second = await page.getByTestId("handle-draft-1").getAttribute("aria-valuenow");
  assert.equal(second, (0.1 / 0.66).toFixed(3));
  // What that comes to is heard once, and what it makes of the throw on the page is not.
  const rates = await exact(page);
  const heard = page.getByTestId("rates-heard");
  const rates_said = `Gumbel ${rates.gumbel.toFixed(3)}, optimal ${rates.optimal.toFixed(3)}`;
  await heard.getByText(new RegExp(`^Rates of agreement: .*${rates_said}`)).waitFor({ state: "attached" });
  const said = page.getByTestId("throw-said");
  assert.equal(await said.getAttribute("aria-live"), "off");
  await page.getByTestId("throw-again").click();
  assert.equal(await said.getAttribute("aria-live"), "polite");
});

test("a handle moves by pointer", async ({ page, base }) => {
  await page.goto(base + SCENE);
  const handle = page.getByTestId("handle-target-2");
  await fitted(page, ".editor-bars > svg");
  const box = await handle.locator("rect.handle").boundingBox();
  const hint = page.getByTestId("editor-hint");
  const invitation = await hint.innerText();
  // Held below its middle it keeps its value, and follows from there.
  await page.mouse.move(box.x + 5, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 5, box.y + 23);
  assert.equal(await handle.getAttribute("aria-valuenow"), "0.300");
  await page.mouse.move(box.x + 5, box.y + 80, { steps: 6 });
  assert.match(await hint.innerText(), new RegExp(`^target of . ${await handle.getAttribute("aria-valuenow")}$`));
  await page.mouse.up();
  assert.equal(await hint.innerText(), invitation);
  // 168 pixels stand for 0.4.
  const value = Number(await handle.getAttribute("aria-valuenow"));
  assert.ok(Math.abs(value - (0.3 - (60 / 168) * 0.4)) < 0.01, `${value}`);
});

test("on a phone the next throw is a press away beside every drawing", async ({ page, base }) => {
  await page.setViewportSize({ width: 390, height: 664 });
  await open(page, base, SCENE);
  // What is measured by itself takes some room on the cards.
  await measured(page);
  const again = page.getByTestId("throw-again");
  const drawings = page.locator(".mechanism");
  assert.equal(await drawings.count(), 4);
  for (const [index, drawing] of (await drawings.all()).entries()) {
    await drawing.evaluate((drawing) => drawing.scrollIntoView({ block: "center", behavior: "instant" }));
    const before = await page.evaluate(() => scrollY);
    const { x, y, height } = await again.boundingBox();
    assert.ok(y > 560 && y + height <= 664, `beside drawing ${index} it is at ${y}`);
    // By the pointer, as Playwright's click scrolls to where what sticks would be without that.
    await page.mouse.click(x + 20, y + height / 2);
    assert.equal(await page.locator(".throw-number").innerText(), `throw ${index + 2}`);
    assert.equal(await page.evaluate(() => scrollY), before);
  }
});

test("a finger moves a handle and not the page", async ({ page, base }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, base, SCENE);
  const handle = page.getByTestId("handle-draft-2");
  await handle.scrollIntoViewIfNeeded();
  const box = await handle.locator("circle").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const before = await page.evaluate(() => scrollY);
  const devtools = await page.context().newCDPSession(page);
  const touch = (type, up) =>
    devtools.send("Input.dispatchTouchEvent", { type, touchPoints: up === undefined ? [] : [{ x, y: y - up }] });
  await touch("touchStart", 0);
  for (let up = 8; up <= 40; up += 8) await touch("touchMove", up);
  await touch("touchEnd");
  const value = Number(await handle.getAttribute("aria-valuenow"));
  assert.ok(Math.abs(value - (0.22 + (40 / 168) * 0.4)) < 0.01, `${value}`);
  assert.equal(await page.evaluate(() => scrollY), before);
});

test("a pasted list with a wrong sum offers to be normalised", async ({ page, base }) => {
  await page.goto(base + SCENE);
  await page.getByText("Type the numbers").click();
  await page.getByTestId("typed-draft").fill("[0.5, 0.5, 0.25]");
  await page.getByTestId("typed-target").fill("0.2 0.3\n0.5");
  // Heard once whoever types has a moment for it, as under the settings of the Stage.
  await page.locator("[role=status] > #typed-draft-error").getByText(/sum to 1\.25, 0\.25 too much/).waitFor();
  assert.ok(await page.getByTestId("use-numbers").isDisabled());
  const normalise = page.getByTestId("normalise-draft");
  assert.equal(await normalise.innerText(), "Normalise (sum is 1.25)");
  await normalise.click();
  assert.equal(await page.evaluate(() => document.activeElement.id), "typed-draft", "its button is gone");
  await page.getByTestId("use-numbers").click();
  assert.equal(await page.locator("[data-testid^=handle-draft-]").count(), 3);
  assert.equal(await page.getByTestId("handle-draft-0").getAttribute("aria-valuenow"), "0.400");
  for (const [text, sentence] of [
    ["0.5, -0.5, 1", /number 2 of the list is negative/],
    ["0, 0, 0", /every probability is zero/],
    ["0.5, x", /“x” is not a number/],
    ["NaN, 1, 0", /number 1 of the list is not a number/],
    ["1", /at least 2/],
  ]) {
    await page.getByTestId("typed-draft").fill(text);
    await page.locator("#typed-draft-error").getByText(sentence).waitFor();
  }
  await page.getByTestId("typed-draft").fill("0.5, 0.5");
  await page.locator("#typing-error").getByText(/need equally many/).waitFor();
  await page.getByTestId("scene-proof").click();
  await page.getByTestId("scene-couplings").click();
  assert.equal(await page.getByTestId("typed-draft").inputValue(), "0.5, 0.5", "it is not used yet");
  await page.getByTestId("typing").getByRole("button", { name: "Undo" }).click();
  assert.match(await page.getByTestId("typed-draft").inputValue(), /^0\.4, 0\.4, 0\.2/);
});

test("several drafts for one place are kept as often as theory says", async ({ page, base }) => {
  await page.goto(base + SCENE);
  await page.getByText("Type the numbers").click();
  await page.getByTestId("typed-draft").fill("0.5 0.3 0.2");
  await page.getByTestId("typed-target").fill("0.2 0.3 0.5");
  await page.getByTestId("use-numbers").click();
  const kept = async (rule) => {
    const shares = [];
    for (const drafts of [1, 2, 3]) shares.push((await page.getByTestId(`drafts-${rule}-${drafts}`).innerText()).trim());
    return shares;
  };
  assert.deepEqual(await kept("recursive"), ["0.700", "0.760", "0.808"]);
  // Of three tokens three different drafts leave none out.
  assert.deepEqual(await kept("once"), ["0.700", "0.820", "1.000"]);
  assert.deepEqual(await kept("most"), ["0.700", "0.860", "0.988"]);
});

test("presets make the differences stark", async ({ page, base }) => {
  await page.goto(base + SCENE);
  await preset(page, "Two letters");
  const two = await exact(page);
  assert.equal(two.minhash, two.optimal);
  assert.equal(two.gumbel, two.optimal);
  assert.ok(two.independent < two.optimal);
  await preset(page, "Disjoint");
  assert.deepEqual(Object.values(await exact(page)), [0, 0, 0, 0]);
  await preset(page, "Equal");
  const equal = await exact(page);
  assert.deepEqual([equal.minhash, equal.gumbel, equal.optimal], [1, 1, 1]);
  await preset(page, "At the bound");
  const near = await exact(page);
  assert.deepEqual([near.minhash, near.gumbel], [0.75, 0.75]);
  assert.ok(near.optimal > 0.85);
});

test("labels of the number line never touch", async ({ page, base }) => {
  for (const width of [1440, 390, 320]) {
    await page.setViewportSize({ width, height: 900 });
    // Another text after `#` alone would not load the page at once.
    await page.goto("about:blank");
    await page.goto(base + SCENE);
    await fitted(page, ".number-line");
    for (const name of ["Vowels", "Two letters", "Equal", "Disjoint", "At the bound", "Peaked and flat"]) {
      await preset(page, name);
      const boxes = await page.locator(".number-line .name").evaluateAll((texts) =>
        texts.map((text) => text.getBoundingClientRect().toJSON()),
      );
      for (const [index, a] of boxes.entries())
        for (const b of boxes.slice(index + 1)) {
          const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
          assert.ok(apart, `${name} at ${width}`);
        }
    }
    const scroll = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(scroll <= width, `${scroll} at ${width}`);
  }
});

test("nobody is told how a throw ends before it has", async ({ page, base }) => {
  await page.goto(base + SCENE);
  const outcome = page.getByTestId("outcome-optimal");
  await outcome.waitFor();
  // Within the page: the throw may be over before another call comes.
  const during = await page.evaluate(async () => {
    document.querySelector("[data-testid=throw-again]").click();
    await new Promise(requestAnimationFrame);
    return getComputedStyle(document.querySelector("[data-testid=outcome-optimal]")).visibility;
  });
  assert.equal(during, "hidden");
  await outcome.waitFor();
});

test("a throw is drawn step by step and said in words", async ({ page, base }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(base + SCENE);
  const outcomes = async () => {
    const texts = [];
    for (const name of NAMES) texts.push(await page.getByTestId(`outcome-${name}`).innerText());
    return texts;
  };
  const first = await outcomes();
  assert.ok(first.every((text) => text.length > 5));
  // Those above the board do not lie over each other, three of one column neither.
  const above = await page.locator("[data-testid=card-minhash] .dart.high").evaluateAll((all) =>
    all.filter((dart) => dart.querySelector("text")).map((dart) => Number(dart.querySelector("circle").getAttribute("cx"))),
  );
  const apart = above.toSorted((a, b) => a - b).map((x, index, all) => x - (all[index - 1] ?? -100));
  assert.ok(above.length > 4, `${above.length} in this throw`);
  assert.ok(apart.every((gap) => gap >= 12), `${apart}`);
  await page.getByTestId("throw-again").click();
  assert.notDeepEqual(await outcomes(), first);
  await page.getByTestId("throw-step").click();
  // The numbers of the darts are letters, without a dart's own rim.
  const rims = await page.locator("[data-testid=card-minhash] .dart-number").evaluateAll((all) => all.map((each) => getComputedStyle(each).stroke));
  assert.ok(rims.length > 0 && rims.every((rim) => rim === "none"), `${rims}`);
  const landed = () => page.locator("[data-testid=card-minhash] .dart:not(.away)").count();
  assert.equal(await landed(), 0);
  // Of quick steps the last is heard, with the tokens that it decides and no others.
  const heard = (words) => page.getByTestId("throw-heard").getByText(words).waitFor({ state: "attached" });
  await heard(/^Throw 3, step 0 of 6\.$/);
  for (let step = 0; step < 3; step += 1) await page.getByTestId("throw-step").click();
  await heard(/^Throw 3, step 3 of 6\.( [^.:]+: (draft|target) \w(, target \w)?\.)*$/);
  for (let step = 3; step < 6; step += 1) await page.getByTestId("throw-step").click();
  assert.ok((await landed()) >= 1);
  assert.ok((await page.getByTestId("throw-said").innerText()).length > 10);
  assert.equal(await page.getByTestId("throw-heard").textContent(), "");
});

test("distributions come from the Stage, position by position", async ({ page, base }) => {
  await page.goto(base + "?backend=cpu");
  await shown(page, "recorded");
  await page.keyboard.press("End");
  await page.getByRole("button", { name: "Couplings" }).click();
  await page.getByTestId("take-from-stage").click();
  const hint = page.getByTestId("editor-hint");
  assert.match(await hint.innerText(), /round \d+, drafted token \d+; the 6 most probable tokens, renormalised/);
  assert.equal(await page.locator("[data-testid^=handle-draft-]").count(), 6);
  const before = await hint.innerText();
  await page.getByTestId("previous-position").click();
  assert.notEqual(await hint.innerText(), before);
  // At the end the button stays where it is, and the focus on it.
  const next = page.getByTestId("next-position");
  for (let steps = 0; steps < 20 && (await next.getAttribute("aria-disabled")) === "false"; steps += 1) await next.click();
  assert.equal(await next.getAttribute("aria-disabled"), "true");
  const last = await hint.innerText();
  await page.keyboard.press("Enter");
  assert.equal(await hint.innerText(), last);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "next-position");
  await page.getByTestId("previous-position").click();
  await page.getByTestId("alphabet").selectOption("all");
  assert.match(await hint.innerText(), /all 65 tokens/);
  // So many fit into a link. The few before them may have come into the address meanwhile.
  await page.waitForFunction(() => {
    const own = new URLSearchParams(location.hash.slice(1)).get("own");
    return own?.split(";")[0].split(",").length === 65;
  });
  const link = await page.evaluate(() => location.hash);
  const before65 = await exact(page);
  const other = await page.context().newPage();
  await other.goto(`${base}?backend=cpu${link}`);
  await other.getByTestId("exact-optimal").waitFor();
  assert.deepEqual(await exact(other), before65);
  await other.close();
  // Of many letters one has the handles.
  assert.equal(await page.locator("[data-testid^=handle-draft-]").count(), 1);
  const rates = await exact(page);
  assert.ok(rates.independent <= rates.optimal && rates.minhash <= rates.optimal);
  // What was taken is still there after a look at the Stage.
  await page.getByRole("button", { name: "Stage", exact: true }).click();
  await page.getByRole("button", { name: "Couplings" }).click();
  assert.match(await hint.innerText(), /all 65 tokens/);
  await noPanicText(page);
});

test("measured agreement stands beside the exact one", async ({ page, base }) => {
  await open(page, base, SCENE);
  await measured(page);
  const check = async (pairs) => {
    const rates = await exact(page);
    for (const name of NAMES) {
      const rate = Number(await page.getByTestId(`measured-${name}`).innerText());
      const error = Math.sqrt((rates[name] * (1 - rates[name])) / pairs) + 0.001;
      assert.ok(Math.abs(rate - rates[name]) < 4.5 * error, `${name}: ${rate}, exactly ${rates[name]}`);
    }
  };
  await check(20_000);
  await page.getByTestId("throw-many").click();
  await measured(page, 120_000);
  await check(120_000);
  // Other distributions: what was measured is gone until it is measured anew.
  await preset(page, "Equal");
  assert.equal(await page.getByTestId("measured-gumbel").innerText(), "–");
  await measured(page);
  assert.equal(await page.getByTestId("measured-gumbel").innerText(), "1.000");
});

test("pairs are thrown where the models cannot be had", async ({ page, base }) => {
  await page.route(WEIGHTS, (route) => route.fulfill({ status: 404 }));
  await page.goto(`${base}#scene=couplings`);
  await page.getByTestId("notice").getByText(/could not be downloaded/).waitFor({ timeout: 60_000 });
  await measured(page);
  await page.getByTestId("throw-many").click();
  await measured(page, 120_000);
  // There is a GPU, but nothing that it computes was compared with the CPU.
  for (const name of NAMES) assert.match(await page.getByTestId(`state-${name}`).innerText(), /on the CPU/);
});

test("couple() refuses what it cannot use by the name of the argument", async ({ page, base }) => {
  await page.goto(base + "?backend=cpu");
  await page.waitForFunction(() => window.couplet);
  const good = { draft: [0.5, 0.5], target: [0.2, 0.8], rule: "gumbel", trials: 10, seed: 1 };
  for (const [field, value, pattern] of [
    ["draft", [1.5, -0.5], /negative/],
    ["draft", [Number.NaN, 1], /not a number/],
    ["draft", [0.5, 0.75], /1\.25.*normalise/],
    ["draft", [0, 0], /zero/],
    ["draft", [1], /has only 1; at least 2 probabilities/],
    ["draft", "0.5, 0.5", /list/],
    ["draft", Array(2049).fill(1 / 2049), /2048/],
    ["target", [0.2, 0.3, 0.5], /equally many/],
    ["target", undefined, /list/],
    ["rule", "coin", /independent/],
    ["trials", 0, /1 to/],
    ["trials", 1e12, /1 to/],
    ["trials", 1.5, /whole/],
    ["seed", -1, /whole/],
    ["sed", 1, /no such option/],
  ]) {
    const error = await refusal(page, "couple", { ...good, [field]: value });
    assert.deepEqual([error?.field, error?.code], [field, "input"], `${field}: ${JSON.stringify(error)}`);
    assert.match(error.message, pattern);
    assert.ok(error.message.startsWith(`${field}: `), error.message);
  }
});

test("couple() takes typed arrays, and refuses options that would say nothing", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const made = await page.evaluate(async () => {
    const options = { rule: "gumbel", trials: 100, seed: 1 };
    const [draft, target] = [new Float32Array([0.5, 0.5]), new Float64Array([0.25, 0.75])];
    const { trials } = await window.couplet.couple({ ...options, draft, target });
    const refused = async (name, options) => window.couplet[name](options).then(() => null, ({ field }) => field);
    return [trials, await refused("couple", new Map(Object.entries(options))), await refused("generate", [1]), await refused("generate", { prompt: "\ud800" })];
  });
  assert.deepEqual(made, [100, "options", "options", "prompt"]);
});

test("couple() returns counts with the marginals that it was given", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const draft = [0.34, 0.1, 0.22, 0.08, 0.2, 0.06];
  const target = [0.16, 0.22, 0.3, 0.14, 0.08, 0.1];
  const trials = 50_000;
  const agreement = { independent: 0.1756, minhash: 0.5963, gumbel: 0.674, optimal: 0.7 };
  for (const rule of NAMES) {
    const found = await call(page, "couple", { draft, target, rule, trials, seed: 3 });
    assert.equal(found.trials, trials);
    assert.equal(found.backend, "cpu");
    assert.ok(found.milliseconds >= 0);
    const rows = found.counts.map((row) => row.reduce((a, b) => a + b, 0));
    const columns = target.map((_, j) => found.counts.reduce((sum, row) => sum + row[j], 0));
    const fits = (count, prob, what) => {
      const error = Math.sqrt(prob * (1 - prob) * trials);
      assert.ok(Math.abs(count - prob * trials) < 4 * error, `${rule}, ${what}: ${count}`);
    };
    rows.forEach((count, token) => fits(count, draft[token], `draft ${token}`));
    columns.forEach((count, token) => fits(count, target[token], `target ${token}`));
    const agreed = found.counts.reduce((sum, row, token) => sum + row[token], 0);
    fits(agreed, agreement[rule], "agreement");
    const close = (a, b) => assert.ok(Math.abs(a - b) < 5e-4, `${rule}: ${a} and ${b}`);
    close(found.exact.agreement, agreement[rule]);
    close(found.exact.total_variation, 0.3);
  }
  const again = { draft, target, rule: "gumbel", trials: 1000, seed: 9 };
  const [one, other] = [await call(page, "couple", again), await call(page, "couple", again)];
  assert.deepEqual(one.counts, other.counts);
});

test("another drafter keeps the text under Gumbel and not under Rejection", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.getByTestId("generate").click();
  const trace = await finished(page);
  await page.getByRole("button", { name: "Couplings" }).click();
  await page.getByTestId("swap-run").click();
  await page.getByTestId("swap-run").getByText("Write anew").waitFor({ timeout: 90_000 });
  const heard = page.getByTestId("swap-heard").getByText("Done. Under Gumbel the text is the same. Under rejection it is another sample.");
  await heard.waitFor({ state: "attached" });
  await page.getByRole("table", { name: "Swap the drafter, keep the seed" }).waitFor();
  const text = (drafter, rule) =>
    page.getByTestId(`swap-${drafter}-${rule}`).locator(".swap-text").innerText();
  const gumbel = await text("model", "gumbel");
  assert.ok(gumbel.length > 20, gumbel);
  assert.equal(await text("bigram", "gumbel"), gumbel);
  assert.equal(await text("uniform", "gumbel"), gumbel);
  const rejection = await text("model", "rejection");
  const others = [await text("bigram", "rejection"), await text("uniform", "rejection")];
  assert.ok(others.some((other) => other !== rejection));
  await page.getByTestId("swap").getByText(/changed at \d+/).first().waitFor();
  assert.match(await page.getByTestId("swap-uniform-gumbel").innerText(), /α 0\.\d\d, 95 %: \[/);
  // The run on the Stage is the one that was there.
  const after = await traceOf(page);
  assert.deepEqual(after.events, trace.events);
});
