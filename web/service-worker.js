// Keeps the page on the device, so that it opens without a network. The models' files are not
// its business: the engine's worker keeps those (crates/worker/src/download).
//
// Files lie in one cache under their address and hash, so a release that changes three files
// fetches three. A visitor keeps the release that the page was opened with until they ask for
// the next one, or come back later.
"use strict";

importScripts("./couplet-worker_choice.js");

// `xtask finish` puts the built page's files here, { path: sha256 }, and the name of its build.
const RELEASE = { build: "", files: {} };

// The number counts layouts of the cache. Other copies of the page on this host have shelves of their own.
const FAMILY = "couplet-shell-";
const SHELF = `${FAMILY}1 ${registration.scope}`;
/** What speaks of files that may have changed on the server since: asked for first, kept second. */
const CHANGING = /(^|\/)(pairs|model-card)\.json$/;
/** The page in another language: kept by those who read it. */
const WORDS = /^words\/(.*)\.json$/;
/** A network that answers later than this is none. */
const PATIENCE_MS = 4_000;

const address = (path) => new URL(path, registration.scope).href;
/** Where the page asks for a file, so that what it has is not fetched twice: see `worker_url` in `web/src/engine_client`. */
const asked = (path) => address(path) + (path.startsWith("couplet-worker") ? `?${RELEASE.build}` : "");
/** Of the two builds of the engine, the files of the one that this browser runs, and of the other. */
const [ENGINE, OTHER_ENGINE] = [knowsRelaxedSimd, !knowsRelaxedSimd].map((relaxed) => Object.values(workerFiles(relaxed)));
const [, MODULE] = ENGINE;
const released = (path) => `${address(path)}?sha256=${RELEASE.files[path]}`;
const latest = (path) => `${address(path)}?latest`;

addEventListener("install", (event) => event.waitUntil(keepAll()));
addEventListener("activate", (event) => event.waitUntil(tidy()));
addEventListener("message", (event) => event.data === "use this release" && skipWaiting());
addEventListener("fetch", (event) => {
  const path = pathOf(event.request);
  if (path === null) return;
  event.respondWith(CHANGING.test(path) ? changing(event.request, path) : lasting(event, path));
});

/**
 * Keeps every file of the release but the engine that is not run and the languages that are not read; a
 * file that cannot be had leaves the release before in charge.
 */
async function keepAll() {
  const before = (await (await caches.open(SHELF)).keys()).map(({ url }) => url);
  for (const path of Object.keys(RELEASE.files)) {
    if (!OTHER_ENGINE.includes(path) && isRead(path, before)) await keep(path);
  }
}

/** Whether somebody here has use for a file: of a language the browser's settings tell, and what was kept before. */
function isRead(path, before) {
  const [, language] = WORDS.exec(path) ?? [];
  const prefers = navigator.languages.some((tag) => tag.split("-")[0] === language);
  return !language || prefers || before.some((url) => url.startsWith(`${address(path)}?`));
}

async function keep(path) {
  const cache = await caches.open(SHELF);
  const there = await cache.match(released(path));
  if (there && (await isSound(path, await there.arrayBuffer()))) return;
  await cache.put(released(path), await download(path));
}

/** A file of this release from the network, the second time past every cache on the way. */
async function download(path) {
  for (const cache of ["default", "reload"]) {
    const response = await fetch(asked(path), { cache });
    if (!response.ok) continue;
    const bytes = await response.arrayBuffer();
    if (await isSound(path, bytes)) return copy(bytes, response);
  }
  throw new Error(`${path} on the server is not of this release`);
}

/** The same answer without what was true of its transfer only. */
function copy(bytes, { headers }) {
  const kept = new Headers(headers);
  for (const name of ["content-encoding", "content-length", "content-range"]) kept.delete(name);
  return new Response(bytes, { headers: kept });
}

async function isSound(path, bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") === RELEASE.files[path];
}

/** Throws away what belongs to other releases and other layouts. */
async function tidy() {
  for (const name of await caches.keys()) {
    const [family, scope = registration.scope] = name.split(" ");
    if (family.startsWith(FAMILY) && scope === registration.scope && name !== SHELF) await caches.delete(name);
  }
  const paths = Object.keys(RELEASE.files);
  const wanted = new Set([...paths.map(released), ...paths.filter((path) => CHANGING.test(path)).map(latest)]);
  const cache = await caches.open(SHELF);
  for (const { url } of await cache.keys()) {
    if (!wanted.has(url)) await cache.delete(url);
  }
}

/** Which file of the release a request means; null for everything else. */
function pathOf(request) {
  const { scope } = registration;
  if (request.method !== "GET" || request.headers.has("range") || !request.url.startsWith(scope)) return null;
  const path = request.url.slice(scope.length).split(/[?#]/)[0] || "index.html";
  return Object.hasOwn(RELEASE.files, path) ? path : null;
}

/** What is kept; the network where that is missing or has gone bad. */
async function lasting(event, path) {
  const isDoubted = event.request.cache === "reload";
  const there = await kept(path, isDoubted);
  if (there) return there;
  // The browser has learnt to run the better engine since the release was kept: this time there is said to be
  // none, and it gets the one that is here, which is of this release for certain, and the next time the other.
  // Somebody who doubts the kept copy has had the choice already and waits for a sound one.
  if (!isDoubted && ENGINE.includes(path) && (await kept(OTHER_ENGINE[0]))) {
    event.waitUntil(keepAll().catch(() => {}));
    return new Response(null, { status: 404 });
  }
  const answer = await fetch(event.request);
  // For the next visit: also a language that is read from now on.
  if (!OTHER_ENGINE.includes(path)) event.waitUntil(keepAnswer(path, answer.clone()).catch(() => {}));
  return answer;
}

/** Keeps what has come, if it is of this release. */
async function keepAnswer(path, answer) {
  const bytes = await answer.arrayBuffer();
  if (await isSound(path, bytes)) await (await caches.open(SHELF)).put(released(path), copy(bytes, answer));
}

/**
 * The kept copy, if it is sound. The engine's module is so large that looking would be noticed at every
 * visit: only somebody who could not run it doubts it.
 */
async function kept(path, isDoubted = false) {
  try {
    const cache = await caches.open(SHELF);
    const response = await cache.match(released(path));
    if (!response || (path === MODULE && !isDoubted)) return response;
    const bytes = await response.arrayBuffer();
    return (await isSound(path, bytes)) ? copy(bytes, response) : undefined;
  } catch {
    // A disk that cannot be read is no reason not to open.
    return undefined;
  }
}

/** What the server has now; where it has nothing to say, what it said last. */
async function changing(request, path) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), PATIENCE_MS);
  try {
    const answer = await fetch(request, { signal: abort.signal });
    // A hotel's login page is no answer either, and one that stops in its middle is none.
    await answer.clone().json();
    if (answer.ok) {
      await keepLatest(path, answer.clone());
      return answer;
    }
  } catch {
    // Then what was kept has to do.
  } finally {
    clearTimeout(timer);
  }
  const before = await caches.match(latest(path)).catch(() => undefined);
  return before ?? (await kept(path)) ?? fetch(request);
}

async function keepLatest(path, answer) {
  try {
    await (await caches.open(SHELF)).put(latest(path), copy(await answer.arrayBuffer(), answer));
  } catch {
    // Full: then the copy that came with the release has to do.
  }
}
