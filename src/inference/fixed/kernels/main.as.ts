// The arithmetic of the integer engine, compiled to WebAssembly with SIMD by scripts/build.mjs. The host lays out the memory
// from heap() on.
export { accumulate, gate, normalize, rotate } from './layer.as'
export { gateGelu, scaleAll } from './gelu.as'
export { rotateHalves } from './rotateHalves.as'
export { softCapAll } from './softCap.as'
export { attend, storeEntry } from './attention.as'
export { draw, likeliest, weigh } from './sample.as'
export { countPlanes, unpackNumbers } from './weights.as'
export { unpackBlocks } from './encodings.as'
export { addMinima, addRowMinima } from './minima.as'
export { multiplyMatrix } from './matrix.as'
export { readRow } from './rows.as'
export { quantize, quantizeActivations } from './quantize.as'
export { writeStep } from './step.as'
export { negativeLog2, powerOfHalf } from './exponential.as'
export { squareRoot } from './fixedPoint.as'

/** Start of the host's memory. */
export function heap(): usize {
  return __heap_base
}

/** Adds pages of 64 KiB; returns -1 if there are none left. */
export function grow(pages: i32): i32 {
  return memory.grow(pages)
}
