// wllama: loads an exported decoder and decodes greedily with its KV cache.
//
// Prompts and texts are lists of token ids, see export_gguf.py. Times are those that wllama
// states itself, so what it takes to carry text to the page and back is not counted.

import { Wllama } from "/peers/@wllama/wllama/esm/index.js";

let wllama;

/**
 * @param {{model: string, threads: number, draft?: string, webgpu?: boolean}} options `model` and
 * `draft` are folders' addresses; with a draft, wllama is asked to speculate.
 */
export async function load({ model, threads, draft, webgpu = false }) {
  const files = await Promise.all([model, draft].filter(Boolean).map(async (folder) => (await fetch(`${folder}/model.gguf`)).blob()));
  const said = [];
  const listen = (...words) => said.push(words.join(" "));
  const logger = { debug: listen, log: listen, warn: listen, error: listen };
  wllama = new Wllama({ default: "/peers/@wllama/wllama/esm/wasm/wllama.wasm" }, { suppressNativeLog: !webgpu, logger });
  await wllama.loadModel(files, {
    n_threads: threads,
    n_ctx: 256,
    n_parallel: 1,
    n_gpu_layers: webgpu ? 99 : 0,
    cache_type_k: "f32",
    cache_type_v: "f32",
    ...(draft ? { spec_draft_model: "models/model-00002-of-00002.gguf", spec_draft_ngl: 0, spec_draft_n_max: 4, spec_draft_n_min: 1, spec_draft_p_min: 0, spec_draft_threads: threads } : {}),
  });
  // Where the adapter does not suit it, it takes the CPU without a word to its caller.
  if (webgpu && !said.some((line) => /WebGPU.*buffer size/i.test(line))) throw new Error("asked for WebGPU, it keeps the model on the CPU");
}

const greedy = { temperature: 0, top_k: 1, samplers: ["top_k"], ignore_eos: true, stream: false };
const text = (tokens) => tokens.map((token) => `<${token}>`).join("");

/** Decodes `count` tokens after `prompt`; neither the prompt nor the first token is timed. */
export async function generate({ prompt, count }) {
  const answer = await wllama.createCompletion({ ...greedy, prompt: text(prompt), max_tokens: count, n_predict: count, cache_prompt: false });
  const tokens = [...answer.choices[0].text.matchAll(/<(\d+)>/g)].map(([, token]) => Number(token));
  // The first token comes with the prompt: `count` tokens are one pass fewer.
  return { tokens, milliseconds: answer.timings.predicted_ms / (answer.timings.predicted_n - 1), timings: answer.timings };
}
