// Source, not build output: starts the engine in its worker; index.html copies this file beside
// the page. What fails before the engine runs would reach nobody: it is told from here.
importScripts("./couplet-worker_choice.js");

/** What the page has put after this file's name, which tells builds apart, belongs after the others' too. */
const beside = (file) => `./${file}${location.search}`;

const TELL_EVERY_MS = 1_000;
/** Before each further attempt to have a file, as for the models' (crates/model/src/arrival.rs). */
const WAITS_MS = [300, 1_000, 3_000, 6_000];

const fail = (error) =>
  postMessage(
    JSON.stringify({
      failed: {
        failure: {
          kind: "download",
          sentence: `The engine could not be loaded (${error?.message ?? error}). Check the connection and try again.`,
        },
      },
    }),
  );

/** What did not get through; another attempt may fare better. */
class Broken extends Error {}
/** What the server says it does not have. */
class NotThere extends Error {}

const broken = (error) => {
  throw new Broken(error.message);
};

/** Tells the page that the engine is on its way; it gives one up of which it hears nothing for long. */
const tell = () => postMessage(JSON.stringify("alive"));

async function persistently(attempt) {
  for (const wait of WAITS_MS) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
    tell();
  }
  return attempt();
}

async function ask(module, cache) {
  const response = await fetch(beside(module), { cache }).catch(broken);
  const { ok, status } = response;
  if (ok) return response;
  const mayPass = status >= 500 || [408, 425, 429].includes(status);
  throw new (mayPass ? Broken : NotThere)(`${module}: ${status}`);
}

/** Waits for a copy, while the module itself goes to the compiler as it comes. */
async function follow(copy) {
  const reader = copy.body.getReader();
  let told = 0;
  for (let done = false; !done; ) {
    ({ done } = await reader.read());
    if (!done && performance.now() - told < TELL_EVERY_MS) continue;
    told = performance.now();
    tell();
  }
}

async function run(response) {
  const arrival = follow(response.clone()).catch((error) => error);
  await wasm_bindgen({ module_or_path: response }).catch(async (error) => {
    // What breaks the copy has broken the module.
    const why = await arrival;
    throw why ? new Broken(why.message) : error;
  });
}

/** Has the script that knows how to start a module run. */
function load(script) {
  try {
    importScripts(beside(script));
  } catch (error) {
    throw error.name === "NetworkError" ? new Broken(error.message) : error;
  }
}

/** Whether a build's script has run, beside which no other can. */
let ran = false;

/** Runs a build. */
async function start(relaxed) {
  const { script, module } = workerFiles(relaxed);
  let response = await persistently(() => ask(module, "default"));
  await persistently(async () => load(script));
  ran = true;
  const attempt = (cache) =>
    persistently(async () => {
      const arriving = response ?? (await ask(module, cache));
      response = null;
      await run(arriving);
    });
  await attempt("default").catch((error) => {
    // What is no module has gone bad, here or in a cache on the way.
    if (!(error instanceof WebAssembly.CompileError)) throw error;
    return attempt("reload");
  });
}

start(knowsRelaxedSimd)
  .catch((error) => {
    // Without a network there is the build that could be run when the page was kept.
    if (knowsRelaxedSimd && error instanceof NotThere && !ran) return start(false);
    throw error;
  })
  .catch(fail);
