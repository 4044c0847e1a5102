// onnxruntime-web: loads an exported decoder and decodes greedily with a KV cache.
//
// `load` says which form of the model and which backend; see export_onnx.py for the forms.
// On WASM every input is copied into its memory and every output out of it: there is no binding
// of buffers. On WebGPU caches stay in GPU buffers, which past and present share with `gqa`.

let session, shape, form, webgpu, ort, device;

/**
 * @param {{model: string, form: "gqa" | "rows", webgpu: boolean, threads: number}} options
 * `model` is the folder's address.
 */
export async function load(options) {
  ({ form, webgpu } = options);
  // The build for JSPI calls asynchronous WebGPU functions at less cost than the one that
  // rewinds stacks.
  ort = await import(webgpu ? "/peers/onnxruntime-web/dist/ort.jspi.bundle.min.mjs" : "/peers/onnxruntime-web/dist/ort.wasm.bundle.min.mjs");
  ort.env.wasm.wasmPaths = "/peers/onnxruntime-web/dist/";
  ort.env.wasm.numThreads = options.threads;
  ort.env.logLevel = "error";
  const config = await (await fetch(`${options.model}/config.json`)).json();
  shape = {
    layers: config.num_hidden_layers,
    heads: config.num_attention_heads,
    width: config.hidden_size / config.num_attention_heads,
    context: config.max_position_embeddings,
    vocabulary: config.vocab_size,
  };
  const bytes = new Uint8Array(await (await fetch(`${options.model}/${form}.onnx`)).arrayBuffer());
  session = await ort.InferenceSession.create(bytes, {
    executionProviders: [webgpu ? "webgpu" : "wasm"],
    graphOptimizationLevel: "all",
    enableMemPattern: false,
    ...(webgpu ? { preferredOutputLocation: Object.fromEntries(caches("present").map((name) => [name, "gpu-buffer"])) } : {}),
  });
  device = webgpu ? await ort.env.webgpu.device : null;
}

function caches(prefix) {
  return Array.from({ length: shape.layers }, (_, layer) => [`${prefix}_key_${layer}`, `${prefix}_value_${layer}`]).flat();
}

/** An empty cache and what a form needs to go on from it. */
function start() {
  const { layers, heads, width, context } = shape;
  if (form === "rows") return { past: 0, rows: new Float32Array(context * layers * 2 * heads * width) };
  const state = { past: 0, feeds: {} };
  if (webgpu) {
    for (const name of caches("")) {
      const gpuBuffer = device.createBuffer({ size: context * heads * width * 4, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
      const tensor = ort.Tensor.fromGpuBuffer(gpuBuffer, { dataType: "float32", dims: [1, heads, context, width] });
      state.feeds[`past${name}`] = tensor;
      (state.fetches ??= {})[`present${name}`] = tensor;
      (state.buffers ??= []).push(gpuBuffer);
    }
  } else {
    for (const name of caches("")) state.feeds[`past${name}`] = new ort.Tensor("float32", new Float32Array(0), [1, heads, 0, width]);
  }
  return state;
}

function release(state) {
  for (const buffer of state.buffers ?? []) buffer.destroy();
}

/** Runs `ids` after what `state` knows; returns the logits of all rows. */
async function pass(state, ids) {
  const { layers, heads, width } = shape;
  const rows = ids.length;
  const total = state.past + rows;
  const feeds = { input_ids: new ort.Tensor("int64", BigInt64Array.from(ids, BigInt), [1, rows]) };
  if (form === "gqa") {
    feeds.seqlens_k = new ort.Tensor("int32", Int32Array.of(total - 1), [1]);
    feeds.total_sequence_length = new ort.Tensor("int32", Int32Array.of(total), [1]);
  } else {
    feeds.positions = new ort.Tensor("int64", BigInt64Array.from(ids, (_, row) => BigInt(state.past + row)), [rows]);
    const mask = new Float32Array(rows * total);
    for (let row = 0; row < rows; row++) mask.fill(-1e9, row * total + state.past + row + 1, (row + 1) * total);
    feeds.mask = new ort.Tensor("float32", mask, [rows, total]);
  }
  let logits;
  if (form === "rows") {
    const length = layers * 2 * heads * width;
    feeds.past = new ort.Tensor("float32", state.rows.subarray(0, state.past * length), [state.past, length]);
    const out = await session.run(feeds);
    state.rows.set(out.new.data, state.past * length);
    logits = out.logits.data;
  } else if (state.fetches) {
    const out = await session.run({ ...feeds, ...state.feeds }, { ...state.fetches, logits: null });
    logits = await out.logits.getData();
  } else {
    const out = await session.run({ ...feeds, ...state.feeds });
    logits = out.logits.data;
    for (const name of caches("")) state.feeds[`past${name}`] = out[`present${name}`];
  }
  state.past = total;
  return logits;
}

/** The most probable token of a row; the first of equals. */
function best(logits, row) {
  const { vocabulary } = shape;
  let found = row * vocabulary;
  for (let at = found + 1; at < (row + 1) * vocabulary; at++) if (logits[at] > logits[found]) found = at;
  return found - row * vocabulary;
}

/** Decodes `count` tokens after `prompt`; the prompt but for its last token is not timed. */
export async function generate({ prompt, count }) {
  const state = start();
  try {
    if (prompt.length > 1) await pass(state, prompt.slice(0, -1));
    const tokens = [];
    let token = prompt.at(-1);
    const begin = performance.now();
    while (tokens.length < count) {
      token = best(await pass(state, [token]), 0);
      tokens.push(token);
    }
    return { tokens, milliseconds: (performance.now() - begin) / count };
  } finally {
    release(state);
  }
}

/**
 * Times passes over the last 1, 5, … of `tokens`, in turn; returns for each number of rows the
 * milliseconds of every pass and the most probable tokens that it found.
 */
export async function passes({ tokens, rows, repetitions }) {
  const found = rows.map((count) => ({ rows: count, milliseconds: [], tokens: [] }));
  const state = start();
  try {
    await pass(state, tokens.slice(0, -Math.max(...rows)));
    const known = state.past;
    const before = state.feeds && { ...state.feeds };
    for (let repetition = 0; repetition <= repetitions; repetition++) {
      for (const entry of found) {
        // Takes the pass before back: shared buffers are overwritten, inputs were kept.
        if (before) state.feeds = { ...before };
        state.past = known;
        const ids = tokens.slice(known, known + entry.rows);
        const begin = performance.now();
        const logits = await pass(state, ids);
        const tokensFound = ids.map((_, row) => best(logits, row));
        if (repetition > 0) entry.milliseconds.push(performance.now() - begin);
        entry.tokens = tokensFound;
      }
    }
    return found;
  } finally {
    release(state);
  }
}
