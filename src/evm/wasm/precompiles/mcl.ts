/**
 * mcl, a library of elliptic curves and pairings in WebAssembly (npm mcl-wasm; scripts/build.mjs extracts the module; D38a).
 * One instance serves one curve. Values are records in its memory: a field element has 48 bytes, a scalar 32, a point
 * three coordinates, for every curve.
 */
import {
  compileWasm,
  createWasmMemory,
  instantiateWasm,
  type WasmModule,
} from '../../../base/wasm.ts'
import { MCL_WASM } from '../../../generated/mcl.ts'

/** The library's numbers for the curves in use. */
export const CURVE = { bn254: 4, bls12381: 5, p256: 107 } as const

export const FIELD_RECORD = 48
export const SCALAR_RECORD = 32
/** An element of the pairing's target group. */
export const TARGET_RECORD = 12 * FIELD_RECORD

type Setter = (to: number, bytes: number, size: number) => number
type Unary = (to: number, a: number) => void
type Binary = (to: number, a: number, b: number) => void
type Test = (a: number) => number

/** The library's functions on the points of one group. Arguments are addresses of records; tests give 0 or 1. */
export type PointCalls = {
  readonly clear: (point: number) => void
  /** Whether a point is on the curve. */
  readonly isValid: Test
  readonly isValidOrder: Test
  readonly isZero: Test
  readonly normalize: Unary
  readonly neg: Unary
  readonly dbl: Unary
  readonly add: Binary
  readonly mul: Binary
  readonly mulVec: (to: number, points: number, scalars: number, count: number) => void
}

/** The module's exports that we use. Arguments are addresses. */
type Exports = {
  __wasm_call_ctors(): void
  malloc(size: number): number
  mclBn_init(curve: number, check: number): number
  mclBn_setMapToMode(mode: number): number
  mclBn_verifyOrderG1(isOn: number): void
  mclBn_verifyOrderG2(isOn: number): void
  mclBn_millerLoopVec(to: number, g1: number, g2: number, count: number): void
  mclBn_finalExp: Unary
  mclBn_precomputeG2(to: number, g2: number): void
  mclBn_precomputedMillerLoop2(to: number, g1a: number, g2a: number, g1b: number, g2b: number): void
  mclBn_getUint64NumToPrecompute(): number
  mclBnFp_setLittleEndian: Setter
  mclBnFp_getLittleEndian(bytes: number, size: number, a: number): number
  mclBnFp_setInt32(to: number, value: number): void
  mclBnFp_squareRoot(to: number, a: number): number
  mclBnFp_mul: Binary
  mclBnFp_add: Binary
  mclBnFp_neg: Unary
  mclBnFp_mapToG1(to: number, field: number): number
  mclBnFp2_mul: Binary
  mclBnFp2_mapToG2(to: number, field: number): number
  mclBnFr_setLittleEndianMod: Setter
  mclBnFr_getLittleEndian(bytes: number, size: number, a: number): number
  mclBnFr_mul: Binary
  mclBnFr_inv: Unary
  mclBnFr_isZero: Test
  mclBnFr_isEqual(a: number, b: number): number
  mclBnGT_mul: Binary
  mclBnGT_isOne: Test
}

export type Mcl = {
  readonly calls: Exports
  readonly g1: PointCalls
  readonly g2: PointCalls
  /** Allocates `size` bytes that are never freed. */
  reserve(size: number): number
  /** Copies a record. */
  copy(to: number, from: number, size: number): void
  /** Sets a field element from big-endian bytes, which must be below the field's order. */
  setField(to: number, bytes: Uint8Array): void
  /** A field element as `size` big-endian bytes. */
  getField(at: number, size: number): Uint8Array
  /** Sets a scalar from big-endian bytes, modulo the group's order. */
  setScalar(to: number, bytes: Uint8Array): void
  /** A scalar as 32 big-endian bytes. */
  getScalar(at: number): Uint8Array
}

function pointCalls(exports: object, group: 'G1' | 'G2'): PointCalls {
  const prefix = `mclBn${group}_`
  const named = Object.entries(exports).filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(
    named.map(([name, call]) => [name.slice(prefix.length), call]),
  ) as unknown as PointCalls
}

/** Configuration that the library was compiled for: scalars of 4 units, field elements of 6. */
const COMPILED_FOR = 46
const FIRST_PAGES = 32
/** Points are mapped according to RFC 9380. */
const RFC_9380 = 5
const SCRATCH = 64

let compiled: WasmModule | undefined

/** A new instance for a curve. Points are only checked to be on the curve; subgroup checks are left to the caller. */
export function loadMcl(curve: number): Mcl {
  compiled ??= compileWasm(MCL_WASM)
  const memory = createWasmMemory(FIRST_PAGES)
  // Needed only for signing.
  const cryptoGetRandomValues = (): never => {
    throw new Error('randomness is not available here')
  }
  const calls = instantiateWasm(compiled, { env: { memory, cryptoGetRandomValues } }) as Exports
  calls.__wasm_call_ctors()
  if (calls.mclBn_init(curve, COMPILED_FOR) !== 0) throw new Error('mcl does not know the curve')
  calls.mclBn_verifyOrderG1(0)
  calls.mclBn_verifyOrderG2(0)
  if (curve === CURVE.bls12381) calls.mclBn_setMapToMode(RFC_9380)
  const scratch = calls.malloc(SCRATCH)
  let view = new Uint8Array(memory.buffer)
  const bytes = (): Uint8Array => {
    if (view.length === 0) view = new Uint8Array(memory.buffer)
    return view
  }
  function writeReversed(value: Uint8Array): void {
    const to = bytes()
    const { length } = value
    for (let i = 0; i < length; i++) to[scratch + i] = value[length - 1 - i] as number
  }
  function readReversed(length: number, size: number): Uint8Array {
    const out = new Uint8Array(size)
    const from = bytes()
    for (let i = 0; i < length; i++) out[size - 1 - i] = from[scratch + i] as number
    return out
  }
  return {
    calls,
    g1: pointCalls(calls, 'G1'),
    g2: pointCalls(calls, 'G2'),
    reserve: (size) => calls.malloc(size),
    copy(to, from, size) {
      bytes().copyWithin(to, from, from + size)
    },
    setField(to, value) {
      writeReversed(value)
      calls.mclBnFp_setLittleEndian(to, scratch, value.length)
    },
    getField(at, size) {
      return readReversed(calls.mclBnFp_getLittleEndian(scratch, SCRATCH, at), size)
    },
    setScalar(to, value) {
      writeReversed(value)
      calls.mclBnFr_setLittleEndianMod(to, scratch, value.length)
    },
    getScalar: (at) =>
      readReversed(calls.mclBnFr_getLittleEndian(scratch, SCRATCH, at), SCALAR_RECORD),
  }
}
