// Every scene in a state that never changes: what looks at all of them begins here.
import { counted, ready } from "./support.mjs";

/** Scenes by their names in the address. */
export const SCENES = ["stage", "couplings", "speed", "proof", "lessons"];
/** The scenes, and beside one of them a lesson. */
export const VIEWS = [...SCENES, "lesson"];
/** The step that stands for all lessons: the round that explains itself, and a question. */
const LESSON = "stage&lesson=draft&step=2";
/** A laptop, an old projector or tablet, a phone. */
export const SIZES = [
  [1440, 900],
  [1024, 768],
  [390, 844],
];
export const THEMES = ["light", "dark"];

/** Opens a scene on the CPU, with the recording paused where a round was just resampled. */
export async function still(page, base, scene, link = "") {
  await page.emulateMedia({ reducedMotion: "reduce" });
  // Another text after `#` alone would not load the page.
  await page.goto("about:blank");
  await page.goto(`${base}?backend=cpu#v=1&scene=${scene === "lesson" ? LESSON : scene}${link}`);
  await ready(page);
  // Its first texts are counted by themselves.
  if (scene === "proof") await counted(page);
  // So are its first pairs thrown, under each of the four couplings.
  if (scene === "couplings") await page.locator("[data-testid^=measured-]").filter({ hasNotText: "–" }).nth(3).waitFor({ state: "attached" });
  if (scene === "lesson") await page.getByTestId("lesson-panel").locator("form input").first().waitFor();
  await page.evaluate(() => document.fonts.ready);
  if (scene === "stage") {
    await page.locator("[data-testid=provenance][data-kind=recorded]").waitFor({ state: "attached" });
    await page.keyboard.press("Home");
    for (let round = 0; round < 20; round += 1) await page.keyboard.press("]");
    const resampled = page.getByTestId("round").locator(".closing:not(.bonus)");
    for (let phase = 0; phase < 40 && !(await resampled.count()); phase += 1) {
      await page.keyboard.press(".");
      await page.waitForTimeout(50);
    }
    if (!(await resampled.count())) throw new Error("the recording has no round that was resampled");
  }
  await settle(page);
}

/** Waits until two pictures of the page in a row are the same. */
export async function settle(page) {
  let before;
  for (let tries = 0; tries < 20; tries += 1) {
    const now = await page.screenshot({ scale: "css" });
    if (before?.equals(now)) return now;
    before = now;
    await page.waitForTimeout(100);
  }
  return before;
}

/** A finger's width and height in pixels. */
const FINGER = 44;

/**
 * Everything on the page that can be pressed, with how wide and high it is to a finger, up to
 * what one needs: an element is as large as what answers for it, its label or its surroundings.
 */
export const targets = (page) =>
  page.evaluate((finger) => {
    const selector =
      "a[href], button, input, select, textarea, summary, [role=slider], [role=option], [tabindex='0']:not([role=region])";
    const answers = (element, x, y) => {
      const hit = document.elementFromPoint(x, y);
      return Boolean(hit) && (element.contains(hit) || [...(element.labels ?? [])].some((label) => label.contains(hit)));
    };
    return [...document.querySelectorAll(selector)]
      .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !element.matches(".skip"))
      .map((element) => {
        element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
        const { left, top, width, height } = element.getBoundingClientRect();
        const [x, y] = [left + width / 2, top + height / 2];
        // How far one can miss the middle, in steps of a pixel.
        const reach = (dx, dy) => {
          let steps = 0;
          while (steps < finger && answers(element, x + dx * steps, y + dy * steps)) steps += 1;
          return steps;
        };
        const name = element.getAttribute("aria-label") ?? (element.textContent.trim() || element.id || element.dataset.testid);
        return {
          name: `${element.localName}: ${name?.slice(0, 40)}`,
          width: Math.max(width, reach(-1, 0) + reach(1, 0)),
          height: Math.max(height, reach(0, -1) + reach(0, 1)),
        };
      });
  }, FINGER);

/**
 * Whether a finger is too wide or high for a target. Marks of a drawing that stand side by side,
 * twelve handles or all letters, are as wide as there is room for; there each has another way in:
 * numbers that can be typed, arrow keys, the table.
 */
export const isSmall = ({ name, width, height }) => height < FINGER - 1 || (width < FINGER - 1 && !/^(g|rect):/.test(name));

/** How far the page reaches beyond the window, in pixels. */
export const sideways = (page) =>
  page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth));
