// The page without a network, and what becomes of kept copies.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { STALLED, WEIGHTS, between, call, finished, hasten, noPanicText, notice, ready, release, shown, tokens, until, visitor } from "./support.mjs";
import { test } from "./test.mjs";

const CPU = "?backend=cpu";

/** Waits until the page stands as it does: "kept", "ready" or "elsewhere". */
const stands = (page, state) => page.waitForFunction((state) => document.documentElement.dataset.release === state, state);

/** Opens the page for the first time and waits until everything is kept. */
async function firstVisit(page, server) {
  await page.goto(server.address + CPU);
  await ready(page);
  await stands(page, "kept");
}

/** The release of the built page with another title, as its files and its service worker say it. */
async function retitled(base, title) {
  const html = (await (await fetch(`${base}index.html`)).text()).replace(/<title>.*<\/title>/, `<title>${title}</title>`);
  const script = await (await fetch(`${base}service-worker.js`)).text();
  const hash = createHash("sha256").update(html).digest("hex");
  return {
    "index.html": html,
    "service-worker.js": script.replace(/("index.html":)"[0-9a-f]{64}"/, `$1"${hash}"`),
  };
}

/** For how long a page may start, and then be silent, until something is done about it. */
const [START_LIMIT_MS, SETTLE_LIMIT_MS] = [20_000, 30_000];

/** What another copy of the page on the same host keeps. */
const OTHER = "couplet-shell-1 https://elsewhere.test/couplet/";

/** Files of a release in the cache of the page's own files. */
const kept = (page) =>
  page.evaluate(async () => {
    const requests = await (await caches.open((await caches.keys()).find((name) => name.startsWith(`couplet-shell-1 ${location.origin}`)))).keys();
    return requests.map(({ url }) => url).filter((url) => url.includes("sha256="));
  });

test("a browser can install the page, icon and all", async ({ browser, base }) => {
  const server = await release(base);
  const { page, close } = await visitor(browser);
  try {
    await firstVisit(page, server);
    const browserSays = await page.context().newCDPSession(page);
    const { url, errors, data } = await browserSays.send("Page.getAppManifest");
    assert.deepEqual([url, errors], [`${server.address}manifest.webmanifest`, []]);
    const { installabilityErrors } = await browserSays.send("Page.getInstallabilityErrors");
    // Nothing is installed from a window that forgets, which a test's is.
    const others = installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito");
    assert.deepEqual(others, []);
    const needed = ["manifest.webmanifest", ...JSON.parse(data).icons.map(({ src }) => src)];
    const there = await kept(page);
    for (const path of needed) assert.ok(there.some((url) => url.startsWith(`${server.address}${path}?`)), path);
  } finally {
    await close();
    server.close();
  }
});

test("a language is kept by those who read it, by their browser's choice or by their own", async ({ browser, base }) => {
  for (const [locale, isRead] of [["de-AT", true], ["en-GB", false]]) {
    const server = await release(base);
    const { page, close } = await visitor(browser, { locale });
    try {
      await firstVisit(page, server);
      assert.equal((await kept(page)).some((url) => url.includes("words/de.json")), isRead, locale);
      await page.reload();
      await ready(page);
      if (!isRead) {
        await page.getByTestId("help").click();
        await page.getByTestId("languages").getByText("Deutsch").click();
        await until(async () => (await kept(page)).some((url) => url.includes("words/de.json")), "German is kept");
      }
      server.close();
      await page.reload();
      await ready(page);
      assert.equal(await page.evaluate(() => document.documentElement.lang), "de");
      assert.doesNotMatch((await page.getByTestId("notice").allInnerTexts()).join(), /language|Sprache/);
    } finally {
      server.close();
      await close();
    }
  }
});

test("after one visit the page opens, plays and writes without a network", async ({ browser, base }) => {
  const server = await release(base);
  const { page, close } = await visitor(browser);
  try {
    await firstVisit(page, server);
    const { settings } = await (await fetch(`${base}pairs/shakespeare/recording.json`)).json();
    const before = await call(page, "generate", settings);
    server.close();
    await page.reload();
    await shown(page, "recorded");
    await ready(page);
    assert.deepEqual(tokens(await call(page, "generate", settings)), tokens(before));
    // The recording of a pair whose models never came is there too.
    await page.getByTestId("pair").selectOption("stories");
    await page.getByText(/Recorded run/).first().waitFor();
    assert.ok((await page.getByTestId("manuscript").innerText()).length > 10);
    await notice(page, /could not be downloaded/);
    await noPanicText(page);
    // And so is everything at another address of the page.
    await page.goto("about:blank");
    await page.goto(`${server.address}${CPU}#v=1&seed=5&max_tokens=20`);
    assert.equal((await finished(page)).settings.seed, 5);
  } finally {
    server.close();
    await close();
  }
});

test("the engine's files are asked for by their build, by the page and by what keeps them", async ({ browser, base }) => {
  const asked = new Set();
  const server = await between(base, (request, pass) => {
    const [, file] = /(couplet-worker.*)/.exec(request.url) ?? [];
    if (file) asked.add(file);
    pass();
  });
  const { page, close } = await visitor(browser);
  try {
    await firstVisit(page, server);
    const build = await page.locator("meta[name=build]").getAttribute("content");
    assert.match(build, /^[0-9a-f]{16}$/);
    const files = ["couplet-worker-relaxed.js", "couplet-worker-relaxed_bg.wasm", "couplet-worker_loader.js"];
    assert.deepEqual([...asked].sort(), files.map((file) => `${file}?${build}`));
  } finally {
    server.close();
    await close();
  }
});

test("the first visit keeps the files after the models have come, and asks for no weights twice", async ({ browser, base }) => {
  const server = await release(base);
  const { page, close } = await visitor(browser);
  try {
    await page.addInitScript((other) => void caches.open(other), OTHER);
    await page.goto(server.address + CPU);
    await ready(page);
    await stands(page, "kept");
    assert.ok(await page.evaluate((other) => caches.has(other), OTHER), "what others keep stays");
    const asked = server.asked.filter((path) => path.endsWith(".safetensors"));
    assert.equal(new Set(asked).size, asked.length, `${asked}`);
    const worker = server.asked.indexOf("service-worker.js");
    assert.ok(worker > server.asked.lastIndexOf(asked.at(-1)), "not before the models");
    const files = await kept(page);
    assert.ok(files.every((url) => !url.includes("safetensors")));
    // One of the two builds of the engine, which is the one that runs.
    const engine = files.map((url) => /couplet-worker[^/]*_bg\.wasm/.exec(url)?.[0]).filter(Boolean);
    assert.deepEqual(engine, ["couplet-worker-relaxed_bg.wasm"]);
    assert.ok(!server.asked.includes("couplet-worker_bg.wasm"));
  } finally {
    server.close();
    await close();
  }
});

test("the first visit keeps nothing while the models are on their way, however long they take", async ({ browser, base }) => {
  const server = await release(base);
  const { page, close } = await visitor(browser);
  let open;
  const gate = new Promise((resolve) => (open = resolve));
  try {
    // Longer than any page takes to start: one that has not by then keeps what it can.
    const limited = await hasten(page, SETTLE_LIMIT_MS, 6_000);
    await page.route(WEIGHTS, async (route) => {
      await gate;
      await route.continue();
    });
    await page.goto(server.address + CPU);
    await page.waitForFunction(() => window.couplet);
    await until(limited, "the limit has begun");
    await page.waitForTimeout(7_000);
    assert.ok(!server.asked.includes("service-worker.js"));
    open();
    await stands(page, "kept");
  } finally {
    server.close();
    await close();
  }
});

test("a page that does not start says so, and what of it can be had is kept", async ({ browser, base }) => {
  const [script, module] = ["**/couplet-web-*.js", "**/couplet-web-*.wasm"];
  const server = await release(base);
  try {
    for (const spoil of [
      (page) => page.route(script, (route) => route.fulfill({ status: 404 })),
      // What fails first fails while the page is still read: after a release, its old HTML may be all there is.
      async (page) => {
        for (const files of [script, "**/styles-*.css"]) await page.route(files, (route) => route.fulfill({ status: 404 }));
      },
      (page) => page.route(script, (route) => route.fulfill({ contentType: "text/javascript", body: "\0" })),
      (page) => page.route(module, (route) => route.fulfill({ contentType: "application/wasm", body: "\0" })),
      (page) =>
        page.addInitScript(() => {
          WebAssembly.instantiateStreaming = () => new Promise(() => {});
          addEventListener("DOMContentLoaded", () => void Promise.reject(new Error("nobody knows whose")));
        }),
    ]) {
      const { page, close } = await visitor(browser);
      await hasten(page, START_LIMIT_MS, 1000);
      await hasten(page, SETTLE_LIMIT_MS, 2000);
      await spoil(page);
      const before = server.asked.length;
      await page.goto(server.address + CPU);
      await page.getByText(/did not start: some of its files are missing, damaged or blocked/).waitFor({ timeout: 18_000 });
      await until(async () => server.asked.slice(before).includes("service-worker.js"), "it is kept");
      await close();
    }
  } finally {
    server.close();
  }
});

test("a page that is opened from a disk says how to serve it", async ({ page, base }, info) => {
  const file = info.outputPath("index.html");
  await mkdir(info.outputPath(), { recursive: true });
  await writeFile(file, await (await fetch(base)).text());
  await page.goto(pathToFileURL(file).href);
  await page.getByText(/do not run this page from a folder: serve the folder/).waitFor();
  assert.ok(await page.getByText("The page is on its way.").isHidden());
});

test("what goes wrong in an extension is not taken for the page's", async ({ browser, base }) => {
  const server = await release(base);
  const { page, close } = await visitor(browser);
  try {
    await firstVisit(page, server);
    const asked = server.asked.length;
    await page.addInitScript(() =>
      document.addEventListener("readystatechange", () => {
        Promise.reject(new Error("an extension's"));
        dispatchEvent(new ErrorEvent("error", { message: "an extension's", filename: "chrome-extension://abc/content.js" }));
      }, { once: true }),
    );
    await page.reload();
    await ready(page);
    assert.deepEqual(server.asked.slice(asked).filter((path) => /index|couplet-web/.test(path)), []);
  } finally {
    server.close();
    await close();
  }
});

test("what another application of the host has registered above the page stays", async ({ browser, base }) => {
  assert.notEqual(new URL(base).pathname, "/", "there has to be a folder above the page");
  const opened = [];
  const server = await between(base, (request, pass, response) => {
    const { pathname } = new URL(request.url, base);
    if (pathname === new URL(base).pathname) opened.push(pathname);
    if (!pathname.endsWith("/others.js")) return pass();
    response.writeHead(200, { "Content-Type": "text/javascript" });
    response.end("addEventListener('fetch', () => {});");
  });
  const registered = (page) =>
    page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope).sort());
  const { page, close } = await visitor(browser);
  try {
    await firstVisit(page, server);
    const [above, own] = [new URL("../", server.address).href, server.address];
    await page.evaluate(() => navigator.serviceWorker.register("../others.js"));
    await until(() => page.evaluate(async () => Boolean((await navigator.serviceWorker.getRegistrations())[0].active)), "it is there");
    assert.deepEqual(await registered(page), [above, own]);
    // Once, something of the page itself goes wrong.
    await page.addInitScript(() => {
      window.goesWrong = !sessionStorage.getItem("went wrong");
      if (!window.goesWrong) return;
      sessionStorage.setItem("went wrong", "1");
      const goWrong = () => dispatchEvent(new ErrorEvent("error", { filename: location.href }));
      document.addEventListener("readystatechange", goWrong, { once: true });
      // However long the network is asked, a page that went wrong does not start meanwhile.
      addEventListener("TrunkApplicationStarted", (event) => event.stopImmediatePropagation(), true);
    });
    await page.reload();
    await until(async () => opened.length === 2, "the page was put right");
    // Until it is there, the one that went wrong is still to be seen.
    await page.waitForFunction(() => window.goesWrong === false);
    await ready(page);
    await stands(page, "kept");
    assert.deepEqual(await registered(page), [above, own]);
    // And where the other one answers for the page, whose own files are not kept, nothing of it is the reason.
    await page.evaluate(async () => {
      for (const registration of await navigator.serviceWorker.getRegistrations()) {
        if (registration.scope === new URL("./", location).href) await registration.unregister();
      }
      sessionStorage.clear();
    });
    await page.reload();
    await ready(page);
    await page.waitForTimeout(500);
    assert.equal(opened.length, 3);
    assert.ok((await registered(page)).includes(above));
  } finally {
    server.close();
    await close();
  }
});

test("a browser that has learnt to run the better engine gets the kept one first, and then the better", async ({ browser, base }) => {
  const server = await release(base);
  const { page, close } = await visitor(browser);
  const names = { before: "couplet-worker", now: "couplet-worker-relaxed" };
  try {
    await firstVisit(page, server);
    const { device: first } = await ready(page);
    // As it was kept by a browser that could not.
    await page.evaluate(async ({ before, now }) => {
      const cache = await caches.open((await caches.keys()).find((name) => name.startsWith(`couplet-shell-1 ${location.origin}`)));
      const script = await (await fetch("service-worker.js")).text();
      for (const end of [".js", "_bg.wasm"]) {
        const [relaxed] = (await cache.keys()).filter(({ url }) => new URL(url).pathname.endsWith(now + end));
        await cache.delete(relaxed);
        const hash = new RegExp(`"${before}${end}":"([0-9a-f]+)"`).exec(script)[1];
        await cache.put(new URL(`${before}${end}?sha256=${hash}`, location.href), await fetch(before + end));
      }
    }, names);
    await page.reload();
    assert.equal((await ready(page)).device.variant, "multiplications and additions apart");
    await until(async () => (await kept(page)).some((url) => url.includes(`${names.now}_bg`)), "the better one is kept");
    await page.reload();
    assert.equal((await ready(page)).device.variant, first.variant);
    // Both are there now. If the better one goes bad, it is fetched anew all the same.
    await page.evaluate(async (name) => {
      const cache = await caches.open((await caches.keys()).find((name) => name.startsWith(`couplet-shell-1 ${location.origin}`)));
      const [module] = (await cache.keys()).filter(({ url }) => url.includes(name));
      await cache.put(module, new Response("\0 gone bad", { headers: { "content-type": "application/wasm" } }));
    }, `${names.now}_bg`);
    await page.reload();
    assert.equal((await ready(page)).device.variant, first.variant);
    await noPanicText(page);
  } finally {
    server.close();
    await close();
  }
});

test("a newer release is offered and comes when it is asked for", async ({ browser, base }) => {
  const server = await release(base);
  const { page, close } = await visitor(browser);
  try {
    await firstVisit(page, server);
    const old = await page.title();
    const before = await kept(page);
    const asked = server.asked.length;
    server.serve(await retitled(base, "Newer"));
    await page.reload();
    assert.match(await notice(page, /newer version of this page is ready/), /settings stay/);
    assert.equal(await page.title(), old);
    // Only what changed was fetched.
    const engine = server.asked.slice(asked).filter((path) => /couplet-(web|worker)/.test(path));
    assert.deepEqual(engine, []);
    await page.getByRole("button", { name: "Load it" }).click();
    await page.waitForFunction(() => document.title === "Newer");
    await ready(page);
    await page.getByTestId("notice").waitFor({ state: "hidden" });
    await until(async () => (await kept(page)).length === before.length, "the old page is thrown away");
  } finally {
    server.close();
    await close();
  }
});

test("a tab that did not ask for the newer release keeps its own and says so", async ({ browser, base }) => {
  const server = await release(base);
  const { page, context, close } = await visitor(browser);
  try {
    await firstVisit(page, server);
    const old = await page.title();
    const other = await context.newPage();
    await other.goto(server.address + CPU);
    await ready(other);
    server.serve(await retitled(base, "Newer"));
    await page.reload();
    await notice(page, /newer version/);
    await page.getByRole("button", { name: "Load it" }).click();
    await page.waitForFunction(() => document.title === "Newer");
    await notice(other, /Another tab went over to a newer version/);
    assert.equal(await other.title(), old);
    assert.ok(tokens(await call(other, "generate", { max_tokens: 8 })).length > 8);
    await other.getByRole("button", { name: "Later" }).click();
    await other.getByTestId("notice").waitFor({ state: "hidden" });
    await other.reload();
    assert.equal(await other.title(), "Newer");
  } finally {
    server.close();
    await close();
  }
});

test("the tab of the first visit, which nothing controls, goes over to a newer release at once", async ({ browser, base }) => {
  const server = await release(base);
  const { page, context, close } = await visitor(browser);
  try {
    await firstVisit(page, server);
    assert.equal(await page.evaluate(() => navigator.serviceWorker.controller), null);
    const other = await context.newPage();
    await other.goto(server.address + CPU);
    await ready(other);
    server.serve(await retitled(base, "Newer"));
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
    await stands(other, "ready");
    await other.getByRole("button", { name: "Later" }).click();
    await other.getByTestId("notice").waitFor({ state: "hidden" });
    await notice(page, /newer version/);
    await page.getByRole("button", { name: "Load it" }).click();
    await page.waitForFunction(() => document.title === "Newer");
    // Whoever put it off hears that their remaining files are gone.
    await notice(other, /Another tab went over/);
  } finally {
    server.close();
    await close();
  }
});

test("a page that starts while its network is asked keeps its copy", async ({ browser, base }) => {
  const server = await release(base);
  const { page, context, close } = await visitor(browser);
  try {
    await firstVisit(page, server);
    await page.reload();
    await ready(page);
    const before = await kept(page);
    let release;
    const held = new Promise((resolve) => (release = resolve));
    let asked = 0;
    let loads = 0;
    page.on("load", () => (loads += 1));
    await context.route("**/service-worker.js", async (route) => {
      asked += 1;
      await held;
      await route.continue();
    });
    await page.addInitScript(() =>
      document.addEventListener("readystatechange", () => {
        dispatchEvent(new ErrorEvent("error", { message: "the page's", filename: `${location.href.split("?")[0]}odd.js` }));
      }, { once: true }),
    );
    await page.reload();
    await ready(page);
    assert.ok(asked > 0);
    release();
    await page.waitForTimeout(500);
    assert.deepEqual([await kept(page), loads], [before, 1]);
  } finally {
    server.close();
    await close();
  }
});

test("kept files that have gone bad are fetched again by themselves", async ({ browser, base }) => {
  const server = await release(base);
  const { page, close } = await visitor(browser);
  const spoil = (name) =>
    page.evaluate(async (name) => {
      const cache = await caches.open((await caches.keys()).find((name) => name.startsWith(`couplet-shell-1 ${location.origin}`)));
      for (const request of await cache.keys()) {
        if (!request.url.includes(name)) continue;
        const { headers } = await cache.match(request);
        await cache.put(request, new Response("\0 gone bad", { headers }));
      }
    }, name);
  const spoilt = (name) =>
    page.evaluate(async (name) => {
      const cache = await caches.open((await caches.keys()).find((name) => name.startsWith(`couplet-shell-1 ${location.origin}`)));
      const requests = (await cache.keys()).filter(({ url }) => url.includes(name));
      const texts = await Promise.all(requests.map(async (request) => (await cache.match(request)).text()));
      return texts.filter((text) => text.startsWith("\0 gone")).length;
    }, name);
  try {
    await firstVisit(page, server);
    await page.evaluate((other) => caches.open(other), OTHER);
    for (const name of ["index.html", "couplet-web", "couplet-worker", "recording.json", "_bg.wasm", ""]) {
      await spoil(name);
      await page.reload();
      // The page may load once more meanwhile.
      await until(() => page.evaluate(() => Boolean(window.couplet)).catch(() => false), "the page starts");
      await ready(page);
      await noPanicText(page);
      await stands(page, "kept");
      assert.ok(await page.getByTestId("notice").isHidden(), name);
      // For certain what a worker asks for: a page that is loaded again has its own scripts in memory.
      if (name === "couplet-worker") await until(async () => (await spoilt(name)) === 0, "the engine is kept anew");
    }
    assert.ok(await page.evaluate((other) => caches.has(other), OTHER), "what others keep stays");
  } finally {
    server.close();
    await close();
  }
});

test("a kept page that is damaged says so where there is no network", async ({ browser, base }) => {
  const server = await release(base);
  const { page, close } = await visitor(browser);
  try {
    await firstVisit(page, server);
    await page.evaluate(async () => {
      const cache = await caches.open((await caches.keys()).find((name) => name.startsWith(`couplet-shell-1 ${location.origin}`)));
      for (const { url } of await cache.keys()) {
        if (url.includes("couplet-web")) await cache.put(url, new Response("\0"));
      }
    });
    server.close();
    await page.reload();
    await page.getByText(/did not start: some of its files are missing, damaged or blocked/).waitFor();
    assert.ok(await page.getByRole("button", { name: "Load it again" }).isVisible());
    assert.ok((await kept(page)).length > 10, "what is sound is not thrown away");
  } finally {
    server.close();
    await close();
  }
});

test("a release whose files do not fit together never takes over", async ({ browser, base }) => {
  const server = await release(base);
  const { page, close } = await visitor(browser);
  try {
    await firstVisit(page, server);
    const old = await page.title();
    const { "service-worker.js": script } = await retitled(base, "Newer");
    server.serve({ "service-worker.js": script });
    await page.reload();
    await ready(page);
    await until(() => server.asked.filter((path) => path === "index.html").length >= 4, "the file was asked for twice more");
    await page.waitForTimeout(300);
    assert.ok(await page.getByTestId("notice").isHidden());
    server.close();
    await page.reload();
    await ready(page);
    assert.equal(await page.title(), old);
  } finally {
    server.close();
    await close();
  }
});

test("model cards come from the server where there is one", async ({ browser, base }) => {
  const server = await release(base);
  const { page, close } = await visitor(browser);
  try {
    await firstVisit(page, server);
    const pairs = JSON.parse(await (await fetch(`${base}pairs/pairs.json`)).text());
    pairs[0].title = "Renamed since";
    server.serve({ "pairs/pairs.json": JSON.stringify(pairs) });
    await page.reload();
    await page.getByTestId("pair").getByText("Renamed since").waitFor({ state: "attached" });
    server.close();
    await page.reload();
    await ready(page);
    assert.match(await page.getByTestId("pair").innerText(), /Renamed since/);
  } finally {
    server.close();
    await close();
  }
});

test("a server that falls silent in the middle of an answer is no reason to wait for it", { tag: "@measured" }, async ({ browser, base }) => {
  const server = await release(base);
  const { page, close } = await visitor(browser);
  try {
    await firstVisit(page, server);
    server.serve({ "pairs/pairs.json": STALLED });
    await page.reload();
    await page.waitForFunction(() => window.couplet);
    // Sooner than the engine or the browser would give up waiting.
    await page.waitForFunction(() => window.couplet.pairs().then(() => true), null, { timeout: 15_000 });
  } finally {
    server.close();
    await close();
  }
});

test("where a browser has no service workers, nothing is missed but the visit without a network", async ({ page, base }) => {
  for (const script of [
    "delete Navigator.prototype.serviceWorker;",
    "ServiceWorkerContainer.prototype.register = () => Promise.reject(new DOMException('not here', 'SecurityError'));",
  ]) {
    const errors = [];
    page.on("pageerror", (error) => errors.push(error));
    await page.addInitScript(script);
    await page.goto(base + CPU);
    await ready(page);
    assert.ok(tokens(await call(page, "generate", { max_tokens: 8 })).length > 8);
    assert.ok(await page.getByTestId("notice").isHidden());
    assert.deepEqual(errors, []);
  }
});
