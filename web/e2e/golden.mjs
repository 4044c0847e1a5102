// Pictures of the page as it should look, small and grey: what a person sees at a glance, not
// what a letter's edge is made of. `cargo xtask pictures` renews them.
import { mkdir, readFile, writeFile } from "node:fs/promises";

const FOLDER = new URL("goldens/", import.meta.url);
/** Pixels of the page in one of the picture. */
const SCALE = 3;
/** Sides of the squares that are compared, in pixels of the picture. */
const SQUARE = 8;
/** A square whose grey differs by more than this, of 255, has changed. */
const TOLERANCE = 12;
/** So many squares of a thousand may: browsers draw letters a little differently. */
const CHANGED = 6;

/** Whether pictures are made and not compared. */
const renewing = process.env.COUPLET_PICTURES === "renew";

/** Runs in a page: an image as a canvas, smaller and perhaps without colours. */
const DRAW = `async (data, type, scale, filter) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type }));
  const canvas = new OffscreenCanvas(Math.round(image.width / scale), Math.round(image.height / scale));
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.filter = filter;
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}`;

/** A page without a policy of its own, for work on images. */
export async function easel(browser) {
  const page = await browser.newPage();
  return {
    /** A screenshot as WebP. */
    async webp(png, { scale = 1, filter = "none", quality = 0.85 } = {}) {
      const code = await page.evaluate(
        async ([draw, data, scale, filter, quality]) => {
          const canvas = await eval(draw)(data, "image/png", scale, filter);
          const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/webp", quality })).arrayBuffer());
          return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
        },
        [DRAW, png.toString("base64"), scale, filter, quality],
      );
      return Buffer.from(code, "base64");
    },
    /** Squares of a thousand that differ between a screenshot and a small grey picture of another. */
    difference: (png, picture) =>
      page.evaluate(
        async ([draw, png, picture, scale, square, tolerance]) => {
          const pixels = async (...from) => {
            const canvas = await eval(draw)(...from);
            return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          };
          const now = await pixels(png, "image/png", scale, "grayscale(1)");
          const then = await pixels(picture, "image/webp", 1, "none");
          if (now.width !== then.width || now.height !== then.height) return 1000;
          const mean = ({ data, width, height }, left, top) => {
            let sum = 0;
            let count = 0;
            for (let y = top; y < Math.min(top + square, height); y += 1) {
              for (let x = left; x < Math.min(left + square, width); x += 1) {
                sum += data[4 * (y * width + x)];
                count += 1;
              }
            }
            return sum / count;
          };
          let changed = 0;
          let all = 0;
          for (let top = 0; top < now.height; top += square) {
            for (let left = 0; left < now.width; left += square) {
              all += 1;
              changed += Math.abs(mean(now, left, top) - mean(then, left, top)) > tolerance ? 1 : 0;
            }
          }
          return (1000 * changed) / all;
        },
        [DRAW, png.toString("base64"), picture.toString("base64"), SCALE, SQUARE, TOLERANCE],
      ),
    close: () => page.close(),
  };
}

/** A sentence if a screenshot is not as its golden; renews the golden where that is asked for. */
export async function compare(easel, name, png) {
  const file = new URL(`${name}.webp`, FOLDER);
  if (renewing) {
    await mkdir(FOLDER, { recursive: true });
    await writeFile(file, await easel.webp(png, { scale: SCALE, filter: "grayscale(1)", quality: 0.8 }));
    return null;
  }
  const golden = await readFile(file).catch(() => null);
  if (!golden) return `there is no picture ${name}: make it with \`cargo xtask pictures\``;
  const changed = await easel.difference(png, golden);
  if (changed <= CHANGED) return null;
  const shots = new URL("../../target/screenshots/", import.meta.url);
  await mkdir(shots, { recursive: true });
  // Other tests leave pictures there too.
  const shot = `golden-${name}.png`;
  await writeFile(new URL(shot, shots), png);
  return `${name} looks different, ${changed.toFixed(0)} of 1000 squares: see target/screenshots/${shot}, and if it is meant, renew with \`cargo xtask pictures\``;
}
