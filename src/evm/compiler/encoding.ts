/** The part of WebAssembly's binary format that compiled code needs (WebAssembly Core Specification, section 5). */

import { concatBytes, utf8 } from '../../base/bytes.ts'

/** Value types, and the type of a block without a result. */
export const I32 = 0x7f
export const I64 = 0x7e
export const V128 = 0x7b
const FUNCTION = 0x60
export const EMPTY_BLOCK = 0x40

/** Instructions without immediates; others are written by the functions of `Body`. */
export const OP = {
  end: 0x0b,
  else: 0x05,
  return: 0x0f,
  i32Eqz: 0x45,
  i32GreaterU: 0x4b,
  i32Add: 0x6a,
  i32Sub: 0x6b,
  i32And: 0x71,
  i32Or: 0x72,
  i64Eqz: 0x50,
  i64Eq: 0x51,
  i64NotEqual: 0x52,
  i64LessS: 0x53,
  i64LessU: 0x54,
  i64GreaterU: 0x56,
  i64Add: 0x7c,
  i64Sub: 0x7d,
  i64Multiply: 0x7e,
  i64DivideU: 0x80,
  i64RemainderU: 0x82,
  i64And: 0x83,
  i64Or: 0x84,
  i64Xor: 0x85,
  i64ShiftLeft: 0x86,
  i64ShiftRightU: 0x88,
  i32Wrap: 0xa7,
  i64Extend: 0xad,
} as const

/** Appends an unsigned number in LEB128. */
export function writeUnsigned(to: number[], value: number): void {
  let rest = value
  while (rest > 0x7f) {
    to.push((rest & 0x7f) | 0x80)
    rest >>>= 7
  }
  to.push(rest)
}

/** Appends a signed number of 32 bits in LEB128. */
export function writeSigned32(to: number[], value: number): void {
  let rest = value
  for (;;) {
    const byte = rest & 0x7f
    rest >>= 7
    const isLast = (rest === 0 && byte < 0x40) || (rest === -1 && byte >= 0x40)
    to.push(isLast ? byte : byte | 0x80)
    if (isLast) return
  }
}

/** Appends a signed number of 64 bits in LEB128. */
export function writeSigned64(to: number[], value: bigint): void {
  if (value < 0x8000_0000n && value >= -0x8000_0000n) return writeSigned32(to, Number(value))
  let rest = BigInt.asIntN(64, value)
  for (;;) {
    const byte = Number(rest & 0x7fn)
    rest >>= 7n
    const isLast = (rest === 0n && byte < 0x40) || (rest === -1n && byte >= 0x40)
    to.push(isLast ? byte : byte | 0x80)
    if (isLast) return
  }
}

function unsigned(value: number): number[] {
  const bytes: number[] = []
  writeUnsigned(bytes, value)
  return bytes
}

function name(text: string): number[] {
  return [...unsigned(text.length), ...utf8(text)]
}

function vector(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()]
}

function section(id: number, ...content: Uint8Array[]): Uint8Array {
  const bytes = concatBytes(...content)
  return concatBytes(Uint8Array.from([id, ...unsigned(bytes.length)]), bytes)
}

export type FunctionType = {
  readonly parameters: readonly number[]
  readonly results: readonly number[]
}

/** A function that a module imports from "core". */
export type ImportedFunction = FunctionType & { readonly name: string }

function typeOf({ parameters, results }: FunctionType): number[] {
  return [FUNCTION, parameters.length, ...parameters, results.length, ...results]
}

/** Local variables, as runs of one type. */
function localRuns(locals: readonly number[]): number[] {
  const runs: { readonly type: number; count: number }[] = []
  for (const type of locals) {
    const last = runs.at(-1)
    if (last?.type === type) last.count++
    else runs.push({ type, count: 1 })
  }
  return vector(runs.map(({ type, count }) => [...unsigned(count), type]))
}

const HEAD = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00)
const FUNCTION_KIND = 0x00
const MEMORY_KIND = 0x02

/**
 * A module with one function, exported as `run`, over the memory "core.memory" and functions of "core". In `body` these
 * are numbered in order; `locals` are the types of the locals after the parameters.
 */
export function encodeModule(
  imports: readonly ImportedFunction[],
  type: FunctionType,
  locals: readonly number[],
  body: readonly number[],
): Uint8Array {
  const imported = imports.map((each, index) => [
    ...name('core'),
    ...name(each.name),
    FUNCTION_KIND,
    ...unsigned(index),
  ])
  const memory = [...name('core'), ...name('memory'), MEMORY_KIND, 0x00, 0x00]
  const own = unsigned(imports.length)
  const code = [Uint8Array.from(localRuns(locals)), Uint8Array.from(body), Uint8Array.of(OP.end)]
  const size = code.reduce((sum, { length }) => sum + length, 0)
  return concatBytes(
    HEAD,
    section(1, Uint8Array.from(vector([...imports, type].map(typeOf)))),
    section(2, Uint8Array.from(vector([...imported, memory]))),
    section(3, Uint8Array.from(vector([own]))),
    section(7, Uint8Array.from(vector([[...name('run'), FUNCTION_KIND, ...own]]))),
    section(10, Uint8Array.from([1, ...unsigned(size)]), ...code),
  )
}
