// Source, not build output: starts the engine in its worker; index.html copies this file beside
// the page. What fails before the engine runs would reach nobody: it is told from here.
importScripts("./couplet-worker_choice.js");

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

/** Runs a build; fails before anything of it has run where a file of it does not arrive. */
async function start(relaxed) {
  const { script, module } = workerFiles(relaxed);
  const response = await fetch(`./${module}`);
  if (!response.ok) throw new Error(`${module}: ${response.status}`);
  importScripts(`./${script}`);
  wasm_bindgen({ module_or_path: response }).catch(fail);
}

start(knowsRelaxedSimd)
  // Without a network there is the build that could be run when the page was kept.
  .catch((error) => (knowsRelaxedSimd ? start(false).catch(() => Promise.reject(error)) : Promise.reject(error)))
  .catch(fail);
