// What people meet who do not see, do not point, or sit far away.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds serious, as lines. */
export async function findings(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  // What axe calls moderate is advice.
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  return serious.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${impact} ${id}: ${target} ${failureSummary.split("\n").slice(1)}`),
  );
}

/** Presses Tab until the focus has gone round; what it came to, with place and looks. */
export async function walk(page) {
  const stops = [];
  await page.evaluate(() => document.activeElement?.blur());
  for (let presses = 0; presses < 150; presses += 1) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return null;
      window.walked ??= [];
      const { left, top, width, height } = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      const again = window.walked.includes(element);
      const later = window.walked.every((before) => before.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
      window.walked.push(element);
      const drawn = element.matches("g") ? [...element.querySelectorAll("*")].map((part) => getComputedStyle(part)) : [];
      // A mark in a drawing may be framed by its own line instead.
      const framed = element.matches("svg *") && style.stroke !== "none" && parseFloat(style.strokeWidth) >= 2;
      const outlined = ({ outlineStyle, outlineWidth }) => outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
      // The ring of a field may lie around its label.
      const labels = [...(element.labels ?? [])].map((label) => getComputedStyle(label));
      const ring = framed || [style, ...drawn, ...labels].some(outlined);
      const name = element.getAttribute("aria-label") ?? (element.textContent.trim() || element.id);
      return { name: `${element.localName} ${name.slice(0, 30)}`, again, later, ring, left, top, width, height };
    });
    if (!stop || stop.again) break;
    stops.push(stop);
  }
  return stops;
}

/** The smallest letters of the open scene, in pixels of the window; charts have sizes of their own. */
export const letters = (page) =>
  page.evaluate(() => {
    const sizes = [...document.querySelectorAll("main *")]
      .filter((element) => !element.closest("svg, .visually-hidden, kbd, sup") && element.checkVisibility())
      .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
      .map((element) => parseFloat(getComputedStyle(element).fontSize) * element.currentCSSZoom);
    return Math.min(...sizes);
  });
