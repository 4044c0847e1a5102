// Ours against a peer, in turn, with the same weights, prompts and tokens.
import { openPeer, shortened } from "./tabs.mjs";
import { inTurn, median, sentence, summary } from "./statistics.mjs";

/** Every way to run a peer that may be its best; `threads` are those of the machine. */
function candidates(peer, backend, threads) {
  const counts = [1, 2, 4, 8].filter((count) => count <= threads);
  if (peer === "ort") {
    if (backend === "webgpu") return [{ form: "gqa", webgpu: true, threads: 1 }];
    return ["rows", "gqa"].flatMap((form) => counts.map((threads) => ({ form, webgpu: false, threads })));
  }
  if (backend === "webgpu") return [{ webgpu: true, threads: 1 }];
  return counts.flatMap((threads) => [{ threads }, { threads, speculation: true }]);
}

/** A candidate in words. */
export function described(peer, { form, webgpu, threads, speculation }) {
  const forms = {
    gqa: "com.microsoft operators (GroupQueryAttention)" + (webgpu ? ", caches in shared GPU buffers, JSPI build" : ""),
    rows: "standard operators, one cache input, only new rows copied out",
  };
  return [
    ...(webgpu ? ["WebGPU"] : ["WASM SIMD", `${threads} ${threads === 1 ? "thread" : "threads"}`]),
    "f32",
    ...(peer === "ort" ? [forms[form]] : ["f32 caches"]),
    ...(speculation ? ["speculation with the pair's draft"] : []),
  ].join(", ");
}

/** How many tokens of `found` are those of `expected`. */
export function agreement(found, expected) {
  const differs = expected.findIndex((token, at) => found[at] !== token);
  return differs < 0 ? expected.length : differs;
}

/**
 * Finds the quickest of a peer's settings whose greedy tokens are ours.
 * @param {{prompt: number[], tokens: number[]}[]} texts ours; every one must come out the same
 * @returns {Promise<{best, tried}>} `best` is an open tab with its settings, or `null`
 */
async function quickest({ browser, base, peer, backend, pair, texts, threads, seconds }) {
  const tried = [];
  let best = null;
  for (const settings of candidates(peer, backend, threads)) {
    const entry = { settings: described(peer, settings) };
    tried.push(entry);
    let tab;
    try {
      const folder = `/models/${pair}`;
      tab = await openPeer(browser, base, peer, { ...settings, model: `${folder}/target`, ...(settings.speculation ? { draft: `${folder}/draft` } : {}) }, seconds);
      for (const { prompt, tokens } of texts) {
        const answer = await tab.generate(prompt, tokens.length);
        const same = agreement(answer.tokens, tokens);
        if (same < tokens.length) throw new Error(`its greedy text differs from ours after ${same} of ${tokens.length} tokens`);
        if (best && answer.milliseconds > 4 * best.milliseconds) throw new Error(`${answer.milliseconds.toFixed(1)} ms per token, far from the best`);
        if (settings.speculation && !answer.timings?.draft_n) throw new Error("its speculation does not run: the draft model is loaded, and no token is drafted");
      }
      const times = [];
      for (let run = 0; run < (backend === "webgpu" ? 2 : 6); run++) times.push((await tab.generate(texts[0].prompt, texts[0].tokens.length)).milliseconds);
      // Candidates do not take turns: the fastest run is what a busy moment spoils least.
      entry.milliseconds = Math.min(...times);
      if (!best || entry.milliseconds < best.milliseconds) {
        await best?.tab.close();
        best = { tab, ...entry };
        tab = null;
      }
    } catch (error) {
      entry.error = shortened(error);
    }
    await tab?.close();
    console.log(`    ${entry.settings}: ${entry.error ?? `${entry.milliseconds.toFixed(2)} ms per token at best`}`);
  }
  return { best, tried };
}

/**
 * Times ours and a peer in turn.
 * @param {object} options `ours` is our tab, `texts` what it writes greedily, `gamma` our best draft length for greedy text,
 * `count` the tokens of a run, `pairs` how often, `seconds` how long anything may take
 */
export async function against(options) {
  const { ours, peer, backend, pair, texts, gamma, pairs, seconds } = options;
  const { best, tried } = await quickest(options);
  const report = { pair, backend, peer, tried, checked: texts.map(({ tokens }) => tokens.length) };
  if (!best) return report;
  const [{ asked, prompt, tokens }] = texts;
  const ourAlone = [];
  const ourSpeculation = [];
  const theirs = [];
  let passTimes;
  try {
    const timeOurs = async () => {
      const mine = await ours.bench({ pair, ...asked, temperature: 0, max_tokens: tokens.length, gammas: [gamma], pairs: 5 });
      checkLanes(mine, tokens);
      ourAlone.push(1000 / mine.target_alone.median);
      ourSpeculation.push(1000 / mine.gammas[0].speculation.median);
    };
    const timeTheirs = async () => {
      const times = [];
      for (let run = 0; run < 4; run++) {
        const answer = await best.tab.generate(prompt, tokens.length);
        if (agreement(answer.tokens, tokens) < tokens.length) throw new Error(`${peer}'s text changed between runs`);
        // The first run of a turn warms up, as ours does.
        if (run > 0) times.push(answer.milliseconds);
      }
      theirs.push(median(times));
    };
    for (let turn = 0; turn < pairs; turn++) await inTurn(turn, timeOurs, timeTheirs);
    // Behind the tokens that are given there is always one more, with which to compare.
    const all = [...prompt, ...tokens];
    const passes = await best.tab.passes({ tokens: all.slice(0, -1), rows: [1, 5, 9], repetitions: backend === "webgpu" ? 3 : 20 });
    passTimes = passes?.map(({ rows, milliseconds, tokens: found }) => {
      const from = all.length - 1 - 9;
      const right = found.every((token, row) => token === all[from + row + 1]);
      return { rows, milliseconds: right ? median(milliseconds) : null };
    });
  } finally {
    await best.tab.close();
  }
  // One mode for all turns: the better of two noisy ones in each turn would be better than either.
  const speculates = median(ourSpeculation) < median(ourAlone);
  const ourBest = speculates ? ourSpeculation : ourAlone;
  const ratio = (mine) => summary(theirs.map((time, turn) => time / mine[turn]));
  const name = { ort: "onnxruntime-web", wllama: "wllama" }[peer];
  return {
    ...report,
    settings: best.settings,
    theirs: times(theirs),
    target_alone: { ...times(ourAlone), ratio: ratio(ourAlone), verdict: sentence("Our target alone", name, ratio(ourAlone)) },
    best_mode: { gamma: speculates ? gamma : 0, ...times(ourBest), ratio: ratio(ourBest), verdict: sentence("Our best mode", `${name}'s`, ratio(ourBest)) },
    passes: passTimes ?? null,
  };
}

/** The text that was timed is the text that was checked. */
export function checkLanes(report, tokens) {
  for (const lane of report.race) {
    const written = lane.rounds.flatMap((round) => round.tokens);
    const same = agreement(written, tokens.slice(0, written.length));
    if (same < Math.min(written.length, tokens.length)) throw new Error(`our timed text at γ ${lane.gamma} differs from the target's own greedy text after ${same} tokens`);
  }
}

function times(values) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}
