// Which of the two builds of the engine's worker this browser can run. The loader starts that one and
// the service worker keeps that one; `xtask finish` puts this text into both.

/** A module of one function that uses `f32x4.relaxed_madd`, which a browser knows or refuses. */
const RELAXED_SIMD = new Uint8Array([
  // Magic number and version.
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00,
  // One type: from nothing to a vector. One function, of that type.
  0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b, 0x03, 0x02, 0x01, 0x00,
  // Its body: three times `i32.const 0, i32x4.splat`, then the instruction and the end.
  0x0a, 0x13, 0x01, 0x11, 0x00, 0x41, 0x00, 0xfd, 0x11, 0x41, 0x00, 0xfd, 0x11, 0x41, 0x00, 0xfd, 0x11,
  0xfd, 0x85, 0x02, 0x0b,
]);

const knowsRelaxedSimd = WebAssembly.validate(RELAXED_SIMD);

/** What trunk makes of one build: its script and its module. */
const workerFiles = (relaxed) => {
  const name = relaxed ? "couplet-worker-relaxed" : "couplet-worker";
  return { script: `${name}.js`, module: `${name}_bg.wasm` };
};
