// Source, not build output: starts the engine in its worker; index.html copies this file beside
// the page. What fails before the engine runs would reach nobody: it is told from here.
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
const start = (relaxed) => {
  const { script, module } = workerFiles(relaxed);
  importScripts(`./${script}`);
  wasm_bindgen({ module_or_path: `./${module}` }).catch(fail);
};
try {
  importScripts("./couplet-worker_choice.js");
  try {
    start(knowsRelaxedSimd);
  } catch (error) {
    // A browser that has learnt it since the page was kept has only the other one without a network.
    if (!knowsRelaxedSimd) throw error;
    start(false);
  }
} catch (error) {
  fail(error);
}
