// A line to the page as it is in a classroom: so many megabits a second for everybody together,
// so long until the first byte, files compressed as hosts do it.
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { between } from "../support.mjs";

/** Files that hosts send as they are. */
const DENSE = /\.(woff2|safetensors)$/;
const PARAMS = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const CHUNK = 16_384;

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What a host sends of a file, as `cargo xtask build` weighs it. */
export const packed = async (path, raw) => (DENSE.test(path) ? raw : promisify(brotliCompress)(raw, PARAMS));

/**
 * Serves `base` over such a line. It has no limits until `limit({ megabits, latency })` is called:
 * compressing the first time takes seconds. `sent` counts bytes.
 */
export async function line(base) {
  const kept = new Map();
  let limits = null;
  let free = 0;
  const state = { sent: 0 };

  async function file(path) {
    if (kept.has(path)) return kept.get(path);
    const answer = await fetch(new URL(path, base));
    const raw = Buffer.from(await answer.arrayBuffer());
    const body = answer.ok ? await packed(path, raw) : raw;
    const found = {
      status: answer.status,
      body,
      headers: {
        "Content-Type": answer.headers.get("content-type") ?? "application/octet-stream",
        "Cache-Control": "max-age=600",
        ...(body !== raw ? { "Content-Encoding": "br" } : {}),
      },
    };
    kept.set(path, found);
    return found;
  }

  const { address, close } = await between(base, async (request, _, response) => {
    const path = new URL(request.url, base).pathname.slice(new URL(base).pathname.length) || "index.html";
    const { status, headers, body } = await file(path);
    if (limits) await sleep(limits.latency);
    response.writeHead(status, { ...headers, "Content-Length": body.length });
    for (let at = 0; at < body.length && !response.destroyed; at += CHUNK) {
      const chunk = body.subarray(at, at + CHUNK);
      if (limits) {
        // Everybody's bytes stand in one queue.
        free = Math.max(free, performance.now()) + (chunk.length * 8) / (1000 * limits.megabits);
        await sleep(free - performance.now());
      }
      state.sent += chunk.length;
      response.write(chunk);
    }
    response.end();
  });
  return Object.assign(state, { address, close, limit: (wanted) => (limits = wanted) });
}
