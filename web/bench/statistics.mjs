// Medians and what may be said of them; the same rules as couplet-speculation's.

/** The fewest pairs whose range covers their median with 95 %. */
const ENOUGH = 6;

/** @param {number[]} values not empty */
export function median(values) {
  const sorted = ascending(values);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * An interval that covers the median with at least 95 % whatever the distribution: the k-th
 * smallest and k-th largest value, with the largest k that allows it. Fewer than [ENOUGH] values
 * have no such k: the interval is their range.
 */
export function medianInterval(values) {
  const sorted = ascending(values);
  const n = sorted.length;
  let k = 1;
  while (2 * (k + 1) <= n && 2 * fairCoinsBelow(k + 1, n) <= 0.05) k += 1;
  return [sorted[k - 1], sorted[n - k]];
}

/** P(Binomial(n, ½) < k). */
function fairCoinsBelow(k, n) {
  let term = 0.5 ** n;
  let sum = 0;
  for (let heads = 0; heads < k; heads++) {
    sum += term;
    term *= (n - heads) / (heads + 1);
  }
  return sum;
}

function ascending(values) {
  if (values.length === 0 || values.some((value) => !Number.isFinite(value))) throw new Error("a median needs numbers");
  return [...values].sort((a, b) => a - b);
}

/** Median, interval and number of ratios. */
export function summary(ratios) {
  return { median: median(ratios), interval: medianInterval(ratios), pairs: ratios.length };
}

/** `1.41 times [1.38, 1.44]`. */
export function withInterval({ median, interval: [low, high] }) {
  return `${figure(median)} times [${figure(low)}, ${figure(high)}]`;
}

/** Three digits that count, and no fewer than two after the point below ten. */
export function figure(value) {
  if (!Number.isFinite(value)) return "–";
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits);
}

/** What an interval or a range says of a speed-up: `faster`, `slower` or `cannot tell`. */
export function verdict([low, high]) {
  if (low > 1) return "faster";
  if (high < 1) return "slower";
  return "cannot tell";
}

/** Whether so many pairs have a range and no interval at 95 %. */
export function areTooFew(pairs) {
  return pairs < ENOUGH;
}

/** Runs both, the second first every other turn: whoever comes first finds the machine cooler. */
export async function inTurn(turn, first, second) {
  for (const run of turn % 2 === 0 ? [first, second] : [second, first]) await run();
}

/** The verdict on `subject` against `other` as a sentence; `isEnough` says whether the interval is one at 95 %. */
export function sentence(subject, other, speedUp) {
  const said = withInterval(speedUp);
  const { pairs, isEnough = !areTooFew(pairs) } = speedUp;
  const grounds = isEnough ? "" : ` in all ${pairs} pairs, too few for 95 %`;
  switch (verdict(speedUp.interval)) {
    case "faster":
      return `${subject} is ${said} as fast as ${other}${grounds}.`;
    case "slower":
      return `${subject} is slower than ${other}${grounds}: ${said}.`;
    default:
      return `${subject} against ${other}: can't tell, ${said} holds 1.`;
  }
}
