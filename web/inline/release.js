// The page's side of being kept on the device. Inline in index.html, so that whoever has the page
// has this too: it also puts a kept copy right that does not start. What it finds out stands in
// `data-release` of the root element; `web/src/release.rs` tells the person.
(() => {
  "use strict";
  /** Opened from a disk: browsers let such a page have hardly any of its own files. */
  const isOnDisk = location.protocol === "file:";
  /**
   * A frame without an origin of its own: nothing can be kept there, and no worker started. `web/src/main.rs`
   * does not start the page then. (On a disk there is none either.)
   */
  const isSandboxed = self.origin === "null" && !isOnDisk;
  const container = isSandboxed ? undefined : navigator.serviceWorker;
  const FAMILY = "couplet-shell-";
  /** Where this copy of the page is, and its service worker; folders above may be of others. */
  const [SCOPE, WORKER] = ["./", "service-worker.js"].map((path) => new URL(path, location).href);
  const isKept = () => container?.controller?.scriptURL === WORKER;
  /** A page whose files are there starts in a fraction of this. */
  const START_LIMIT_MS = 20_000;
  /** A page that has not started says nothing: the network is its own after this. */
  const SETTLE_LIMIT_MS = 30_000;
  const HOUR_MS = 3_600_000;

  const tell = (state) => {
    document.documentElement.dataset.release = state;
    dispatchEvent(new Event("couplet-release"));
  };

  // Keeping, once nothing else waits for the network.
  let keeping = false;
  async function keep() {
    if (keeping || !container) return;
    keeping = true;
    try {
      const registration = await container.register(WORKER, { updateViaCache: "none" });
      watch(registration);
    } catch {
      // Private windows and odd hosts: every visit then needs the network.
    }
  }
  function watch(registration) {
    const replacing = isKept();
    let isAccepted = false;
    const look = () => {
      if (registration.waiting && registration.active) return tell("ready");
      const coming = registration.installing;
      coming?.addEventListener("statechange", () => {
        if (coming.state === "installed" && registration.active) tell("ready");
        if (coming.state === "activated" && !replacing) tell("kept");
      });
    };
    if (registration.active) tell("kept");
    look();
    registration.addEventListener("updatefound", look);
    addEventListener("couplet-update", () => {
      isAccepted = true;
      const { waiting } = registration;
      if (!waiting) return location.reload();
      // A tab that no worker controls hears of no new one.
      waiting.addEventListener("statechange", () => waiting.state !== "activating" && location.reload());
      waiting.postMessage("use this release");
    });
    container.addEventListener("controllerchange", () => {
      if (replacing && !isAccepted) tell("elsewhere");
    });
    let asked = Date.now();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden || Date.now() - asked < HOUR_MS) return;
      asked = Date.now();
      registration.update().catch(() => {});
    });
  }
  addEventListener("couplet-settled", keep, { once: true });
  addEventListener("load", () => setTimeout(() => started || keep(), SETTLE_LIMIT_MS));

  // Rescue, until the page has started.
  let started = false;
  const loaded = new Promise((resolve) => addEventListener("load", resolve));
  function begun() {
    started = true;
    // What was put right once can be again.
    forget();
    removeEventListener("error", broken, true);
    removeEventListener("unhandledrejection", limit);
  }
  /** Something does not run or does not come; what an extension brings along is not the page's. */
  function broken({ target, filename = "" }) {
    const isFile = target instanceof Element;
    // The page starts without a preloaded file; not without scripts.
    if (isFile && !target.matches("script, [rel=stylesheet]")) return;
    // A script between tags stands for what it asks for.
    const address = isFile ? target.src || target.href || SCOPE : filename;
    if (address.startsWith(SCOPE)) failed();
  }
  /** Of a promise nobody tells whose it was, so the page has its time all the same. */
  const limit = () => loaded.then(() => setTimeout(judge, START_LIMIT_MS, Date.now()));
  /** A timer that comes much too late was held back with the page, which then has its time once more. */
  const judge = (from) => (Date.now() - from < 1.1 * START_LIMIT_MS ? failed() : limit());
  let failing = false;
  async function failed() {
    if (started || failing) return;
    failing = true;
    const isCurable = isKept() && (await online());
    // It may have started while the network was asked.
    if (started) return;
    if (isCurable && firstTry()) {
      const own = (await container.getRegistrations()).filter(({ scope }) => scope === SCOPE);
      await Promise.all(own.map((registration) => registration.unregister()));
      const names = (await caches.keys()).filter((name) => name.startsWith(FAMILY) && name.endsWith(` ${SCOPE}`));
      await Promise.all(names.map((name) => caches.delete(name)));
      return location.reload();
    }
    say();
  }
  /** Asks for what is never kept. */
  const online = () =>
    fetch("service-worker.js", { cache: "no-store" }).then(
      ({ ok }) => ok,
      () => false,
    );
  /** One try until the page starts: what a fresh copy does not cure, a second one does not either. */
  function firstTry() {
    try {
      if (sessionStorage.getItem("couplet-rescued")) return false;
      sessionStorage.setItem("couplet-rescued", "1");
      return true;
    } catch {
      return false;
    }
  }
  function forget() {
    try {
      sessionStorage.removeItem("couplet-rescued");
    } catch {
      // Nothing is kept here, then.
    }
  }
  function say() {
    // A style sheet can fail before what is said of that has been read.
    if (document.readyState === "loading") return addEventListener("DOMContentLoaded", say);
    const shell = document.getElementById("shell");
    if (!shell) return;
    for (const promise of shell.querySelectorAll("[data-coming]")) promise.remove();
    const what = document.getElementById(isSandboxed ? "sandboxed" : isOnDisk ? "on-disk" : "not-started");
    shell.append(what.content.cloneNode(true));
    for (const button of shell.querySelectorAll("button")) button.addEventListener("click", () => location.reload());
    for (const address of shell.querySelectorAll("[data-address]")) address.append(location.href);
  }
  if (isSandboxed) return say();
  addEventListener("TrunkApplicationStarted", begun, { once: true });
  // Files that do not come tell it on their way down only.
  addEventListener("error", broken, true);
  addEventListener("unhandledrejection", limit);
  if (isKept()) limit();
})();
