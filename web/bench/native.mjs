// The same engine outside the browser, by the trainer's `bench` command.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { checkLanes } from "./peers.mjs";
import { inTurn, sentence, summary } from "./statistics.mjs";

const run = promisify(execFile);

/**
 * The engine's report and, with `plainTokens`, plain burn's times.
 * @param {{program: string, icd?: string, same_driver: boolean}} native the binary, the Vulkan
 * driver's description where it is not to be the system's choice, and whether that is the
 * browser's driver
 */
export async function runNative({ program, icd }, { folder, backend, request, plainTokens = 0, seconds }) {
  const { gammas, pairs, ...settings } = request;
  // An empty prompt is the pair's own.
  const wanted = JSON.stringify({ settings: { prompt: "", ...settings }, gammas, pairs });
  const words = ["bench", "--pair-folder", folder, "--device", backend === "cpu" ? "cpu" : "gpu", "--request", wanted, "--plain-tokens", String(plainTokens)];
  const env = icd ? { ...process.env, VK_ICD_FILENAMES: icd, VK_DRIVER_FILES: icd } : process.env;
  try {
    // Ended where it takes too long: it would slow down whatever is timed next.
    const { stdout } = await run(program, words, { env, maxBuffer: 1 << 28, timeout: 1000 * seconds, killSignal: "SIGKILL" });
    return JSON.parse(stdout);
  } catch (error) {
    if (error.killed) throw new Error(`not done after ${seconds} s`);
    // What a panic says of itself stands above its backtrace.
    const lines = (error.stderr || error.message).split("\n").filter((line) => /^(?!note:|stack backtrace)\S/.test(line));
    throw new Error(lines.at(-1) ?? error.message);
  }
}

/** The browser against native, in turn, and plain burn against the engine's kernels. */
export async function againstNative({ ours, native, folder, pair, backend, texts, gamma, pairs, plainTokens, seconds }) {
  const [{ asked, tokens }] = texts;
  const request = { pair, ...asked, temperature: 0, max_tokens: tokens.length, gammas: [gamma], pairs: 5 };
  const ratios = { target_alone: [], speculation: [] };
  const speeds = { browser: [], native: [] };
  const again = (plainTokens) => runNative(native, { folder, backend, request, plainTokens, seconds });
  // Not every driver runs what burn asks for.
  const plain = await again(plainTokens).then(
    ({ plain_burn }) => plainBurn(plain_burn),
    (error) => ({ error: error.message }),
  );
  let device;
  for (let turn = 0; turn < pairs; turn++) {
    let browser, answer;
    const here = async () => (browser = await ours.bench(request));
    await inTurn(turn, here, async () => (answer = await again(0)));
    checkLanes(browser, tokens);
    checkLanes(answer.report, tokens);
    device = answer.report.device.name;
    ratios.target_alone.push(browser.target_alone.median / answer.report.target_alone.median);
    ratios.speculation.push(browser.gammas[0].speculation.median / answer.report.gammas[0].speculation.median);
    speeds.browser.push(1000 / browser.target_alone.median);
    speeds.native.push(1000 / answer.report.target_alone.median);
  }
  const targetAlone = summary(ratios.target_alone);
  return {
    pair,
    backend,
    device,
    same_driver: backend === "cpu" || native.same_driver,
    milliseconds: { browser: summary(speeds.browser), native: summary(speeds.native) },
    target_alone: targetAlone,
    speculation: { gamma, ...summary(ratios.speculation) },
    verdict: sentence("The browser", "native on the same device", targetAlone),
    plain_burn: plain,
  };
}

/** Turns of fused kernels and plain operations, as a ratio. */
export function plainBurn({ tokens, fused, plain }) {
  const ratio = summary(plain.map((time, turn) => time / fused[turn]));
  return { tokens, fused: summary(fused), plain: summary(plain), ratio, verdict: sentence("The engine's target alone", "plain burn with a KV cache", ratio) };
}
