// Pictures of the page, made smaller: those that the README shows, and small grey ones that say how
// it should look, which is what a person sees at a glance and not what a letter's edge is made of.
import { expect } from "@playwright/test";

/** Pixels of the page in one of a golden. */
const SCALE = 3;
/** What may differ between a golden and the page: browsers draw letters a little differently. */
const ALLOWED = { threshold: 0.1, maxDiffPixelRatio: 0.002 };

/** A page without a policy of its own, for work on images. */
export async function easel(browser) {
  const page = await browser.newPage();
  return {
    /** A screenshot as WebP, smaller and perhaps without colours. */
    async webp(png, { scale = 1, filter = "none", quality = 0.85 } = {}) {
      const code = await page.evaluate(
        async ([data, scale, filter, quality]) => {
          const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
          const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
          const canvas = new OffscreenCanvas(Math.round(image.width / scale), Math.round(image.height / scale));
          const context = canvas.getContext("2d");
          context.imageSmoothingQuality = "high";
          context.filter = filter;
          context.drawImage(image, 0, 0, canvas.width, canvas.height);
          const blob = await canvas.convertToBlob({ type: "image/webp", quality });
          return btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(""));
        },
        [png.toString("base64"), scale, filter, quality],
      );
      return Buffer.from(code, "base64");
    },
    close: () => page.close(),
  };
}

/** Fails the test if a screenshot is not as its golden, which `cargo xtask pictures` renews. */
export async function compare(easel, name, png) {
  const picture = await easel.webp(png, { scale: SCALE, filter: "grayscale(1)", quality: 0.8 });
  expect.soft(picture).toMatchSnapshot(`${name}.webp`, ALLOWED);
}
