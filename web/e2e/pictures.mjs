// node pictures.mjs <base-url> <folder>
//
// Takes the README's pictures of the page.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { launch } from "./browser.mjs";
import { easel } from "./golden.mjs";
import { SCENES, settle, still } from "./scenes.mjs";
import { call, visitor } from "./support.mjs";

const [base, folder] = process.argv.slice(2);
if (!base || !folder) {
  console.error("usage: node pictures.mjs <base-url> <folder>");
  process.exit(2);
}
await mkdir(folder, { recursive: true });
const browser = await launch();
const frame = await easel(browser);

/** Takes one picture. */
async function take(name, scene, { width = 1440, height = 900, link = "", colorScheme = "light", before } = {}) {
  const { page, close } = await visitor(browser, { viewport: { width, height }, colorScheme, serviceWorkers: "block" });
  await still(page, base, scene, link);
  await before?.(page);
  const picture = await frame.webp(await settle(page));
  await writeFile(join(folder, `${name}.webp`), picture);
  console.log(`${name}: ${picture.length} bytes`);
  await close();
}

const measured = (page) => call(page, "bench", { gammas: [1, 2, 3, 4, 6, 8], pairs: 13, auto: true });
for (const scene of SCENES) await take(scene, scene, { before: scene === "speed" ? measured : undefined });
await take("stage-dark", "stage", { colorScheme: "dark" });
await take("lesson", "lesson");
await take("projector", "stage", { width: 1024, height: 768, link: "&projector=1" });
await frame.close();
await browser.close();
