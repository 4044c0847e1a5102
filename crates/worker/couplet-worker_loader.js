// Source, not build output: starts the engine in its worker; index.html copies this file beside
// the page. What fails before the engine runs would reach nobody: it is told from here.
importScripts("./couplet-worker_choice.js");

const TELL_EVERY_MS = 1_000;

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

/** Tells the page that more of a module has come; it gives an engine up of which it hears nothing for long. */
async function tellOf(response) {
  // From a copy: the module itself goes to the compiler as it comes.
  const reader = response.clone().body.getReader();
  let told = 0;
  for (let done = false; !done; ) {
    ({ done } = await reader.read());
    if (!done && performance.now() - told < TELL_EVERY_MS) continue;
    told = performance.now();
    postMessage(JSON.stringify("arriving"));
  }
}

async function fetchModule(module, cache) {
  const response = await fetch(`./${module}`, { cache });
  if (!response.ok) throw new Error(`${module}: ${response.status}`);
  // What breaks the copy breaks the module too, and is told there.
  tellOf(response).catch(() => {});
  return response;
}

/** Runs a build; fails before anything of it has run where a file of it does not arrive. */
async function start(relaxed) {
  const { script, module } = workerFiles(relaxed);
  const response = await fetchModule(module, "default");
  importScripts(`./${script}`);
  wasm_bindgen({ module_or_path: response })
    .catch(async (error) => {
      // What is no module has gone bad, here or in a cache on the way.
      if (!(error instanceof WebAssembly.CompileError)) throw error;
      await wasm_bindgen({ module_or_path: await fetchModule(module, "reload") });
    })
    .catch(fail);
}

start(knowsRelaxedSimd)
  // Without a network there is the build that could be run when the page was kept.
  .catch((error) => (knowsRelaxedSimd ? start(false).catch(() => Promise.reject(error)) : Promise.reject(error)))
  .catch(fail);
