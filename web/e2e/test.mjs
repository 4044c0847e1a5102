// What every test is given: a page of its own, which is watched for panics, and the address that it opens.
import { test as plain } from "@playwright/test";

export const test = plain.extend({
  /** Where the page is served; ends in a slash. */
  base: ({ baseURL }, use) => use(baseURL),

  page: async ({ page }, use) => {
    // Whatever a test is about: the page's own code never panics.
    const panics = [];
    page.on("console", (message) => {
      if (/panicked/.test(message.text()) && /couplet-web/.test(message.location().url)) panics.push(message.text());
    });
    await use(page);
    // A handler that is still at work when its page goes away is not an error.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    if (panics.length > 0) throw new Error(panics[0]);
  },
});
