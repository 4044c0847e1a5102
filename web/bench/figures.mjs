// What the measurements are held against.
import { figure, median, summary } from "./statistics.mjs";

const NAMES = { ort: "onnxruntime-web", wllama: "wllama" };

/** What may be said of one of several draft lengths: the interval allows for whoever picks the best of them. */
export function judged({ speed_up, interval_among_all, confidence_among_all, ratios }) {
  return { median: speed_up, interval: interval_among_all, pairs: ratios.length, isEnough: confidence_among_all !== null };
}

/**
 * The fastest draft length of a SpeedReport: of those that are faster, else of those of which it cannot be
 * told; the first of several. As the page's own `best` (crates/protocol/src/speed.rs).
 */
export function fastest(report) {
  const rank = ({ verdict }) => ["slower", "cannot_tell", "faster"].indexOf(verdict);
  const isBetter = (a, b) => rank(a) > rank(b) || (rank(a) === rank(b) && a.speed_up > b.speed_up);
  return report.gammas.reduce((best, each) => (isBetter(each, best) ? each : best));
}

/**
 * The engine's own γ ÷ the better of no speculation and the best fixed γ, pair by pair. Which is the
 * best is judged by the other pairs, as by somebody who fixes it before writing: the largest of
 * several medians is also large by luck.
 */
export function besideTheBest({ gammas, auto }) {
  const off = auto.ratios.map(() => 1);
  const fixed = [off, ...gammas.map(({ ratios }) => ratios)];
  const ratios = auto.ratios.map((own, pair) => {
    const elsewhere = (ratios) => median(ratios.filter((_, other) => other !== pair));
    const best = fixed.reduce((best, each) => (elsewhere(each) > elsewhere(best) ? each : best));
    return own / best[pair];
  });
  return summary(ratios);
}

/**
 * What is required, by what computes; `plain` and `native` are ratios that only some have to reach, and
 * `speculation` is by temperature.
 */
const REQUIRED = {
  cpu: { ort: 1.5, native: 0.7, rows: 1.8, speculation: { 1: 1.3 } },
  software: { ort: 10, plain: 8, native: 0.9, rows: 1.8, speculation: {} },
  card: { ort: 3, plain: 10, rows: 1.15, speculation: { 0: 2, 1: 1.5 } },
};

/**
 * What computes on a sweep's device: "cpu", "software" or "card". WebGPU may be the work of a processor, and of one without a name, as
 * all are in Firefox, no more is asked than of that.
 */
export function kindOf({ backend, device }) {
  if (backend === "cpu") return "cpu";
  return device.name === "WebGPU" || /swiftshader|llvmpipe/i.test(device.name) ? "software" : "card";
}

/** Verifying in steps of the target, by place among the draft lengths: the target's pass and the verdict. */
function verifying({ target_step, draft_first_extra, verify }, place) {
  return (verify[place] - draft_first_extra) / target_step;
}

/**
 * Every figure with what is required of it.
 * @returns {{figure, where, required, measured, interval, met}[]} `measured` is `null` and `met`
 * `false` where it could not be measured; `at_most` marks figures that must not exceed
 */
export function figures({ sweeps, peers, native }) {
  const rows = [];
  const row = (name, where, required, measured, { interval = null, atMost = false, why } = {}) =>
    rows.push({
      figure: name,
      where,
      required,
      at_most: atMost,
      measured: measured ?? null,
      interval,
      met: measured != null && (atMost ? measured <= required : measured >= required),
      ...(why ? { why } : {}),
    });
  const kinds = Object.fromEntries(sweeps.map((sweep) => [sweep.backend, kindOf(sweep)]));
  const of = (backend) => REQUIRED[kinds[backend] ?? (backend === "cpu" ? "cpu" : "software")];
  const ratio = (name, where, required, value, why) => row(name, where, required, value?.median, { interval: value?.interval ?? null, why });
  const failed = ({ tried, error }) => error ?? tried.map(({ settings, error }) => `${settings}: ${error}`).join("; ");
  for (const entry of peers.filter(({ peer }) => peer === "ort")) {
    ratio(`target alone / ${NAMES.ort}`, `${entry.pair}, ${entry.backend}`, of(entry.backend).ort, entry.target_alone?.ratio, entry.target_alone ? undefined : failed(entry));
  }
  // wllama's best mode is the one on the backend that suits it best.
  const wllama = peers.filter(({ peer }) => peer === "wllama");
  for (const pair of new Set(wllama.map(({ pair }) => pair))) {
    const entries = wllama.filter((entry) => entry.pair === pair);
    const ran = entries.filter(({ theirs }) => theirs).sort((a, b) => a.theirs.median - b.theirs.median);
    const name = `best mode / best mode of ${NAMES.wllama}`;
    if (ran.length > 0) ratio(name, `${pair}, ${ran[0].backend}`, 1, ran[0].best_mode.ratio);
    else ratio(name, pair, 1, null, entries.map(failed).join("; "));
  }
  for (const entry of native) {
    const where = `${entry.pair}, ${entry.backend}`;
    const { plain, native: besideNative } = of(entry.backend);
    // On the CPU burn's own operations are no dispatches, and nothing is required.
    if (plain) ratio("fused / plain burn, native", where, plain, entry.plain_burn?.ratio, entry.error ?? entry.plain_burn.error);
    if (!besideNative) continue;
    const comparable = entry.same_driver ? entry.target_alone : null;
    const why = entry.error ?? (comparable ? undefined : `native ran on another driver, ${entry.device}`);
    ratio("browser / native, same driver", where, besideNative, comparable, why);
  }
  for (const { pair, backend, report } of sweeps) {
    const where = `${pair}, ${backend}, T ${report.request.settings.temperature}`;
    const four = report.request.gammas.indexOf(4);
    if (four >= 0) row("verifying 5 rows / 1 row", where, of(backend).rows, verifying(report.costs, four), { atMost: true });
    const best = fastest(report);
    const { temperature } = report.request.settings;
    const fast = of(backend).speculation[temperature];
    if (fast) row(`speculation / target alone, γ ${best.gamma}`, where, fast, best.speed_up, { interval: best.interval_among_all });
    const { gamma, rounds, readbacks } = report.race.at(-1);
    if (readbacks > 0) row(`tokens per readback, ${gamma ? `γ ${gamma}` : "γ of the engine's own"}`, where, 8, rounds.flatMap(({ tokens }) => tokens).length / readbacks);
    if (report.auto) ratio("γ of the engine's own / the better of off and the best γ", where, 0.98, besideTheBest(report));
    if (best.predicted) row(`measured / formula, γ ${best.gamma}`, where, 0.9, best.speed_up / best.predicted, { interval: best.interval_among_all.map((end) => end / best.predicted) });
  }
  return rows;
}

/** The figures as a table for a terminal. */
export function table(rows) {
  const cells = rows.map((row) => [
    row.figure,
    row.where,
    row.measured == null ? "not measured" : figure(row.measured) + (row.interval ? ` [${row.interval.map(figure).join(", ")}]` : ""),
    `${row.at_most ? "at most" : "at least"} ${figure(row.required)}`,
    row.met ? "met" : "MISSED",
    row.why ?? "",
  ]);
  const head = ["figure", "where", "measured", "required", "", ""];
  const widths = head.map((_, column) => Math.max(...[head, ...cells].map((line) => (column < 5 ? line[column].length : 0))));
  return [head, ...cells].map((line) => line.map((cell, column) => cell.padEnd(widths[column])).join("  ").trimEnd()).join("\n");
}
