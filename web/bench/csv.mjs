// The report as one table, a line for each thing that was timed.

const COLUMNS = ["kind", "pair", "backend", "device", "subject", "gamma", "temperature", "milliseconds_per_token", "speed_up", "low", "high", "low_among_all", "high_among_all", "verdict", "predicted", "acceptance_rate", "pairs", "tokens", "rule", "seed", "settings"];

export function csv({ sweeps, peers, native }) {
  const lines = [];
  const line = (values) => lines.push(COLUMNS.map((column) => quoted(values[column] ?? "")).join(","));
  for (const { pair, backend, device, report } of sweeps) {
    const shared = { kind: "sweep", pair, backend, device: device.name, temperature: report.request.settings.temperature, tokens: report.tokens, rule: report.request.settings.rule, seed: report.request.settings.seed };
    line({ ...shared, subject: "couplet, target alone", gamma: 0, milliseconds_per_token: 1000 / report.target_alone.median });
    for (const each of [...report.gammas, ...(report.auto ? [{ ...report.auto, auto: true }] : [])]) {
      line({
        ...shared,
        subject: each.auto ? "couplet, speculation, γ chosen by the engine" : "couplet, speculation",
        gamma: each.gamma,
        milliseconds_per_token: 1000 / each.speculation.median,
        speed_up: each.speed_up,
        low: each.interval[0],
        high: each.interval[1],
        low_among_all: each.interval_among_all[0],
        high_among_all: each.interval_among_all[1],
        verdict: each.verdict,
        predicted: each.predicted,
        acceptance_rate: each.judged ? each.accepted / each.judged : "",
        pairs: report.request.pairs,
      });
    }
  }
  for (const { pair, backend, peer, settings, theirs, target_alone, best_mode, tried, checked } of peers) {
    const shared = { pair, backend, temperature: 0 };
    for (const { settings, milliseconds, error } of tried) line({ ...shared, kind: "peer tried", subject: peer, milliseconds_per_token: milliseconds, settings: error ? `${settings}: ${error}` : settings });
    if (!theirs) continue;
    line({ ...shared, kind: "peer", subject: peer, milliseconds_per_token: theirs.median, tokens: checked[0], settings });
    for (const [subject, mode, drafted] of [["couplet, target alone", target_alone, 0], ["couplet, best mode", best_mode, best_mode.gamma]]) {
      line({ ...shared, kind: `against ${peer}`, subject, gamma: drafted, milliseconds_per_token: mode.median, speed_up: mode.ratio.median, low: mode.ratio.interval[0], high: mode.ratio.interval[1], pairs: mode.ratio.pairs, tokens: checked[0] });
    }
  }
  for (const { pair, backend, device, milliseconds, target_alone, plain_burn } of native) {
    if (!target_alone) continue;
    const shared = { pair, backend, device, temperature: 0 };
    const ratio = ({ median, interval: [low, high], pairs }) => ({ speed_up: median, low, high, pairs });
    line({ ...shared, kind: "native", subject: "couplet, target alone, native", milliseconds_per_token: milliseconds.native.median });
    line({ ...shared, kind: "browser against native", subject: "couplet, target alone", milliseconds_per_token: milliseconds.browser.median, ...ratio(target_alone) });
    if (plain_burn?.ratio) line({ ...shared, kind: "fused against plain burn", subject: "couplet, target alone, native", milliseconds_per_token: plain_burn.fused.median, ...ratio(plain_burn.ratio), tokens: plain_burn.tokens });
  }
  return `${COLUMNS.join(",")}\n${lines.join("\n")}\n`;
}

function quoted(value) {
  const text = typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
