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
try {
  importScripts("./couplet-worker.js");
  wasm_bindgen({ module_or_path: "./couplet-worker_bg.wasm" }).catch(fail);
} catch (error) {
  fail(error);
}
