// How drafted tokens are judged: the choice of a rule, its parameters, and what a round shows of
// each rule.
import assert from "node:assert/strict";
import { call, open, ready, shown, traceOf, until, write } from "./support.mjs";
import { test } from "./test.mjs";

const RUN = { prompt: "ROMEO:\n", temperature: 1, gamma: 4, max_tokens: 60, lenience: 0.9 };

/** What judging, a column and the closing panel say under each rule. */
const SHOWN = {
  rejection: { say: /(The needle fell in the|All of the bar is green)/, caption: /^u 0\.\d+ [<>] (0\.\d{2,}|1\.0|[01])$/, panel: /from the residual.*max\(0, target − draft\)/s },
  block: { say: /^The block is judged as one: the longest prefix that passes is kept\./, caption: /^u \d\.\d+ [<>] (0\.\d{2,}|1\.0|[01])\s+(fails|passes|fails by itself|the longest to pass)$/, panel: /max\(0, \d\.\d\d·target − draft\)/ },
  gumbel: { say: /^Both models run the same clocks/, caption: /^(first in both|target’s first is .+)$/s, drawing: /^Race, .*clock \d/, panel: /the target’s own.*by the same clocks/s },
  minhash: { say: /^Both models look at the same darts/, caption: /^(dart [\d,]+ for both|both hit it|target hits earlier|too high for target)$/, drawing: /^Board: dart \d+ is the draft’s first/, panel: /the target’s own.*named by its first dart/s },
  sample_and_match: { say: /(draws a token of its own|the target’s own draw is)/, caption: /^its own draw (too|is .+)$/s, panel: /the target’s own.*whatever was drafted/s },
  greedy: { say: /the target’s most probable token/, caption: /^(the target’s favourite|favourite is .+)$/s, drawing: /the target’s favourite is ./s, panel: /the target’s favourite/ },
  lenience: { say: /of which 0\.\d{2,} counts/, caption: /^u 0\.\d+ [<>] (0\.\d{2,}|1\.0|[01])$/, panel: /max\(0, target − 0\.9·draft\)/ },
  typical: { say: /^The target gives .*(more than|no more than) the 0\.\d+/s, caption: /^target \d\.\d+ [>≤] \d\.\d+$/, drawing: /least 0\.\d+/, panel: /from the target/ },
};

/** Rules under which a rejected token is replaced by another draw, not by what the target had anyway. */
const REDRAW = ["rejection", "block", "lenience", "typical"];

/** Steps on until a phase of the current run has this name; at most so many steps. */
async function stepTo(page, phase, most = 120) {
  for (let step = 0; step < most; step += 1) {
    await page.getByTestId("next-phase").click();
    const now = await page.locator(".phases .on").innerText();
    if (now === phase) return;
  }
  assert.fail(`no ${phase} in ${most} steps`);
}

/** Opens the list and picks a rule. */
async function choose(page, rule) {
  await page.getByTestId("rule").click();
  await page.getByTestId(`rule-${rule}`).click();
}

test("the list of rules stays within the window, however narrow", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  for (const width of [700, 720, 740, 761, 900]) {
    await page.setViewportSize({ width, height: 900 });
    await page.locator(".choice").first().click();
    await page.locator(".choices").first().waitFor();
    assert.ok((await page.evaluate(() => document.scrollingElement.scrollWidth)) <= width, `${width}`);
    await page.keyboard.press("Escape");
  }
});

test("a list of rules that opens low on a page is brought whole into the window", async ({ page, base }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await open(page, base, "?backend=cpu#v=1&scene=speed");
  await page.getByTestId("rule").click();
  const isWhole = () =>
    page.locator("#rule-list").evaluate((list) => {
      const { top, bottom, height } = list.getBoundingClientRect();
      return height > 300 && top >= 0 && bottom <= innerHeight;
    });
  await until(isWhole, "the whole list is in the window");
});

test("every rule that is offered is among those whose rounds are looked at", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await page.getByTestId("rule").click();
  const offered = page.locator("[data-testid^=rule-][role=option]");
  const rules = await offered.evaluateAll((options) => options.map((option) => option.dataset.testid.slice("rule-".length)));
  assert.deepEqual(rules.sort(), Object.keys(SHOWN).sort());
});

for (const [rule, { say, caption, drawing, panel }] of Object.entries(SHOWN)) {
  test(`a round under ${rule} shows that rule's own test`, async ({ page, base }) => {
    await open(page, base, "?backend=cpu");
    const trace = await call(page, "generate", { ...RUN, rule });
    assert.equal(trace.settings.rule, rule);
    await page.keyboard.press("Home");
    await stepTo(page, "Judge");
    assert.match(await page.getByTestId("narration").first().innerText(), say);
    const first = page.locator("figure.column").first();
    assert.match((await first.locator(".inequality").innerText()).trim(), caption);
    if (drawing) assert.match(await first.locator("svg.figure").getAttribute("aria-label"), drawing);
    await stepTo(page, REDRAW.includes(rule) ? "Resample" : "Replace");
    const closing = await page.locator(".closing").innerText();
    assert.match(closing, panel);
    // Noise that both models share is no number that lands somewhere.
    if (rule === "gumbel" || rule === "minhash") assert.doesNotMatch(closing, /lands in/);
    await page.keyboard.press("End");
    await page.getByTestId("live").filter({ hasText: /^Round \d+: \d accepted/ }).waitFor({ state: "attached" });
    const theory = await page.getByTestId("theory").count();
    assert.equal(theory, rule === "block" ? 0 : 1, "theory where a token has one");
    const intervals = await page.getByTestId("acceptance-rate").locator("small").allInnerTexts();
    assert.equal(intervals.length, rule === "block" ? 0 : 1, "an interval where tokens are tested by themselves");
    assert.ok(intervals.every((interval) => interval.startsWith("95 %: [")), `${intervals} is named`);
  });
}

test("the places that a run visited are compared under every rule, and drafts under Block", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await call(page, "generate", { ...RUN, rule: "gumbel" });
  await page.keyboard.press("End");
  const panel = page.getByTestId("every-rule");
  assert.equal(await panel.locator("table").count(), 0, "made only while it is unfolded");
  await panel.locator("summary").click();
  const chance = (rule) => page.getByTestId(`expected-${rule}`).innerText();
  assert.equal(await chance("gumbel"), await page.getByTestId("theory").innerText());
  const [best, shared, apart] = await Promise.all(["rejection", "gumbel", "sample_and_match"].map(chance));
  assert.ok(Number(best) >= Number(shared) && Number(shared) > Number(apart), `${best} ${shared} ${apart}`);
  assert.match(await panel.locator(".here").innerText(), /^Gumbel in use\s+0\.\d\d$/);
  assert.equal(await page.getByTestId("expected-block").count(), 0);
  assert.match(await panel.innerText(), /it would keep \d\.\d\d tokens a round on average, Rejection \d\.\d\d\./);
});

test("acceptance by place in the draft adds up to all tests, one place is no list, and bars have their counts", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await call(page, "generate", RUN);
  await page.keyboard.press("End");
  const counts = (text) => Number(/ of (\d+)/.exec(text)[1]);
  const places = await page.locator(".by-place li").allInnerTexts();
  assert.equal(places.length, RUN.gamma);
  const all = await page.locator(".statistic").first().locator(".muted").first().innerText();
  assert.equal(places.map(counts).reduce((sum, tests) => sum + tests), counts(all));
  // What is heard of the bars of accepted lengths stands on them.
  const bars = page.locator(".histogram");
  const heard = [...(await bars.getAttribute("aria-label")).matchAll(/\d+: (\d+)/g)].map(([, rounds]) => rounds);
  assert.deepEqual(await bars.locator(".small").allTextContents(), heard.filter((rounds) => rounds !== "0"));
  await call(page, "generate", { ...RUN, gamma: 1 });
  await page.keyboard.press("End");
  assert.equal(await page.locator(".by-place").count(), 0);
});

test("a number reads the same in the sentence, under its column and in the inspector", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await call(page, "generate", { ...RUN, temperature: 1.4, seed: 9 });
  await page.keyboard.press("Home");
  let [judged, close] = [0, 0];
  for (let step = 0; step < 120 && judged < 20; step += 1) {
    await page.keyboard.press("ArrowRight");
    if ((await page.locator(".phases .on").innerText()) !== "Judge") continue;
    const fate = await page.getByTestId("fate").innerText();
    const told = /draft (\S+), target (\S+), kept if u\s<\s(\S+); u\s=\s(\S+)\./.exec(fate);
    assert.ok(told, fate);
    const [, draft, target, below, u] = told;
    const sentence = await page.getByTestId("narration").first().innerText();
    assert.ok(sentence.includes(` ${draft}; the target `) && sentence.includes(` ${target}. `), `${sentence} ${fate}`);
    const captions = await page.locator("figure.column .inequality").allInnerTexts();
    assert.ok(captions.some((caption) => [`u ${u} < ${below}`, `u ${u} > ${below}`].includes(caption.trim())), `${captions} ${fate}`);
    judged += 1;
    // Two digits would not tell which one is larger.
    if (draft.length > 4 && Math.abs(draft - target) < 0.01) close += 1;
  }
  assert.equal(judged, 20);
  assert.ok(close > 0, "a pair that takes more than two digits");
});

/** What listeners are told of a character that is often not read. */
const SPOKEN = {
  "\n": "line break",
  " ": "space",
  ",": "comma",
  ".": "full stop",
  ":": "colon",
  ";": "semicolon",
  "!": "exclamation mark",
  "?": "question mark",
  "-": "hyphen",
  "'": "apostrophe",
};

test("what the page computes again is what the engine drew", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  for (const rule of ["gumbel", "minhash", "sample_and_match"]) {
    const trace = await call(page, "generate", { ...RUN, rule });
    const verified = trace.events.filter((event) => event.event === "verified");
    for (const event of verified) assert.equal(event.accepted, event.own_token === event.token);
    await page.keyboard.press("Home");
    // The drawings of the whole first rounds say who won: the drafted token, the target's own.
    for (let seen = 0; seen < 6; seen += 1) {
      await stepTo(page, "Commit");
      const round = Number((await page.getByTestId("round").locator("h2").innerText()).replace(/\D+/, "")) - 1;
      const judged = verified.filter((event) => event.round === round);
      const columns = page.locator("figure.column");
      for (const [index, { token, own_token: own }] of judged.entries()) {
        const text = (id) => SPOKEN[trace.pair.tokens[id]] ?? trace.pair.tokens[id];
        const figure = columns.nth(index).locator("svg.figure");
        const label = await figure.getAttribute("aria-label");
        if (rule === "gumbel") {
          const runners = label.replace("Race, ", "").split("; ");
          const times = (who) =>
            runners
              .map((runner) => [runner.split(": clock")[0], Number(runner.match(`clock / ${who} ([\\d.]+)`)?.[1] ?? Infinity)])
              .sort((a, b) => a[1] - b[1]);
          assert.equal(times("draft")[0][0], text(token), label);
          assert.equal(times("target")[0][0], text(own), label);
        } else if (rule === "minhash") {
          assert.ok(label.includes(`draft’s first, on ${text(token)} at`), label);
          assert.ok(label.includes(`target’s first, on ${text(own)} at`), label);
        } else {
          // The needle is only drawn where it lands on what the engine drew.
          assert.equal(await figure.locator(".needle").count(), 1);
        }
      }
    }
  }
});

test("a block is judged in one step, and only its cut counts as a rejection", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  const trace = await call(page, "generate", { ...RUN, rule: "block" });
  const drafted = trace.events.filter((event) => event.event === "drafted");
  const verified = trace.events.filter((event) => event.event === "verified");
  assert.equal(verified.length, drafted.length, "every drafted token is judged");
  const kept = verified.filter((event) => event.accepted).length;
  const cuts = trace.events.filter((event) => event.event === "resampled").length;
  await page.keyboard.press("End");
  await page.getByText(`${kept} of ${kept + cuts} kept`).waitFor();
});

test("the list of rules works by keyboard", async ({ page, base }) => {
  await page.goto(base + "?backend=cpu");
  const rule = page.getByTestId("rule");
  await page.getByRole("combobox", { name: "Rule", exact: true }).focus();
  await page.keyboard.press("ArrowDown");
  const list = page.getByRole("listbox", { name: "Rule" });
  await list.waitFor();
  assert.equal(await list.getByRole("option").count(), 8);
  const active = () => rule.getAttribute("aria-activedescendant");
  assert.equal(await active(), "rule-rejection");
  await page.keyboard.press("ArrowDown");
  assert.equal(await active(), "rule-block");
  await page.keyboard.press("End");
  assert.equal(await active(), "rule-typical");
  await page.keyboard.press("m");
  assert.equal(await active(), "rule-minhash");
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "hidden" });
  assert.equal(await rule.innerText(), "Rejection", "Escape changes nothing");
  assert.equal(await page.evaluate(() => document.activeElement.id), "rule");
  await page.keyboard.press("Enter");
  await list.waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("Enter");
  await list.waitFor({ state: "hidden" });
  assert.equal(await rule.innerText(), "Gumbel");
  await rule.click();
  await page.getByTestId("seed").click();
  await list.waitFor({ state: "hidden" });
});

test("a rule that is not exact says so, as its parameters have it", async ({ page, base }) => {
  await page.goto(base + "?backend=cpu");
  const badge = page.getByTestId("not-exact");
  const exact = async (expected, why) => assert.equal(await badge.count(), expected ? 0 : 1, why);
  await choose(page, "block");
  await exact(true, "Block");
  await choose(page, "lenience");
  await exact(false, "Lenience ½");
  await page.getByTestId("lenience").fill("1");
  await exact(true, "Lenience 1 is Rejection");
  await choose(page, "typical");
  await exact(false, "Typical");
  await choose(page, "greedy");
  await exact(false, "Greedy above temperature 0");
  await page.getByTestId("temperature").fill("0");
  await exact(true, "Greedy at temperature 0");
  await choose(page, "typical");
  await exact(true, "Typical at temperature 0");
  await page.getByTestId("temperature").fill("0.7");
  await page.getByTestId("gamma").fill("0");
  await exact(true, "the target alone");
});

test("parameters stand beside their rule only, and what is wrong stands beside them", async ({ page, base }) => {
  await page.goto(base + "?backend=cpu");
  const fields = async () =>
    Promise.all(["lenience", "epsilon", "delta"].map((name) => page.getByTestId(name).count()));
  await choose(page, "rejection");
  assert.deepEqual(await fields(), [0, 0, 0]);
  await choose(page, "lenience");
  assert.deepEqual(await fields(), [1, 0, 0]);
  for (const bad of ["0", "1.5", "-1", ""]) {
    await page.getByTestId("lenience").fill(bad);
    await page.locator("#lenience-error").waitFor();
    assert.ok(await page.getByTestId("generate").isDisabled(), `lenience ${bad}`);
  }
  await page.getByTestId("lenience").fill("0.3");
  await page.locator("#lenience-error").waitFor({ state: "detached" });
  await choose(page, "typical");
  assert.deepEqual(await fields(), [0, 1, 1]);
  await page.getByTestId("delta").fill("2");
  assert.match(await page.locator("#delta-error").innerText(), /out of range/);
  await page.getByTestId("delta").fill("0.2");
  await page.locator("#delta-error").waitFor({ state: "detached" });
  assert.ok(await page.getByTestId("generate").isEnabled());
});

test("a parameter in error does not keep another rule from writing", async ({ page, base }) => {
  await page.goto(base + "?backend=cpu");
  await choose(page, "lenience");
  await page.getByTestId("lenience").fill("7");
  await page.locator("#lenience-error").waitFor();
  await choose(page, "gumbel");
  assert.ok(await page.getByTestId("generate").isEnabled());
});

test("a form in error writes nothing, and Enter and Write lead to what is wrong", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await shown(page, "recorded");
  await page.getByTestId("gamma").fill("999");
  for (const from of ["generate", "seed", "gamma"]) {
    await page.getByTestId(from).focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement.id === "gamma");
  }
  await page.getByTestId("prompt").press("Control+Enter");
  await page.waitForFunction(() => document.activeElement.id === "gamma");
  assert.match(await page.getByTestId("gamma").getAttribute("aria-describedby"), /\bgamma-error\b/);
  // Politely, and not at every letter.
  assert.equal(await page.locator("#gamma-error").getAttribute("role"), null);
  assert.equal(await page.locator("[role=status] > #gamma-error").count(), 1);
  assert.equal(await page.getByTestId("stop").count(), 0);
  assert.equal(await page.getByTestId("provenance").getAttribute("data-kind"), "recorded");
});

test("look-ahead takes what the engine takes", async ({ page, base }) => {
  await page.goto(base + "?backend=cpu");
  await page.getByTestId("gamma").fill("16");
  assert.equal(await page.locator("#gamma-error").count(), 0);
  await page.getByTestId("gamma").fill("17");
  assert.match(await page.locator("#gamma-error").innerText(), /choose 0 to 16/);
  await page.getByTestId("gamma").fill("");
  assert.match(await page.locator("#gamma-error").innerText(), /write a whole number, 0 to 16/);
});

test("every field that is wrong says so, whatever the others say", async ({ page, base }) => {
  await page.goto(base + "?backend=cpu");
  await page.getByTestId("temperature").fill("9");
  await page.getByTestId("seed").fill("x");
  await page.getByTestId("max_tokens").fill("0");
  for (const [field, says] of [["temperature", /choose 0, or 0\.001 to 4/], ["seed", /write a whole number/], ["max_tokens", /choose 1 to/]]) {
    assert.match(await page.locator(`#${field}-error`).innerText(), says);
    assert.equal(await page.getByTestId(field).getAttribute("aria-invalid"), "true", field);
  }
  await page.getByTestId("seed").fill("3");
  await page.locator("#seed-error").waitFor({ state: "detached" });
  assert.equal(await page.locator("#controls .field-error").count(), 2);
  assert.ok(await page.getByTestId("generate").isDisabled());
});

test("a link brings rule, parameters and drafter along", async ({ page, base }) => {
  await open(page, base, "?backend=cpu");
  await choose(page, "typical");
  await page.getByTestId("epsilon").fill("0.25");
  await page.getByTestId("delta").fill("0.5");
  await page.getByTestId("drafter").selectOption("bigram");
  await page.getByTestId("max_tokens").fill("12");
  const first = await write(page);
  assert.equal(first.settings.drafter, "bigram");
  const link = page.url();
  assert.match(link, /rule=typical&epsilon=0\.25&delta=0\.5&drafter=bigram/);
  const other = await page.context().newPage();
  await other.goto(link);
  await ready(other);
  assert.equal(await other.getByTestId("rule").innerText(), "Typical");
  assert.equal(await other.getByTestId("epsilon").inputValue(), "0.25");
  assert.equal(await other.getByTestId("delta").inputValue(), "0.5");
  assert.equal(await other.getByTestId("drafter").inputValue(), "bigram");
  await other.waitForFunction(() => window.couplet.trace()?.events.at(-1)?.event === "finished");
  const again = await traceOf(other);
  assert.deepEqual(again.settings, first.settings);
  const committed = (trace) => trace.events.filter((event) => event.event === "committed").flatMap((event) => event.tokens);
  assert.deepEqual(committed(again), committed(first));
});
