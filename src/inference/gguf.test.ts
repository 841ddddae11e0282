import fs from 'node:fs'
import { open } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readModelHead } from './fixed/modelFile.ts'
import { parseGgufHeader, readGgufHeader } from './gguf.ts'
import { GgufError } from './ggufCursor.ts'
import { encodeGguf, type GgufValue } from './ggufWriter.ts'

const metadata: Readonly<Record<string, GgufValue>> = {
  'other.strings': { type: 'strings', value: ['a', 'bc'] },
  'other.numbers': { type: 'float32s', value: [1, 2, 3] },
  'other.flag': { type: 'bool', value: true },
  'phi3.context_length': { type: 'uint32', value: 4096 },
  'general.architecture': { type: 'string', value: 'phi3' },
}

test('architecture and context length are found in any order, past other values', async () => {
  expect(await parseGgufHeader(encodeGguf(metadata, []))).toEqual({
    version: 3,
    architecture: 'phi3',
    contextLength: 4096,
  })
})

test('every beginning of a file asks for more bytes, and never gives a wrong head', async () => {
  const whole = encodeGguf(metadata, [])
  const full = await parseGgufHeader(whole)
  for (let length = 0; length < whole.length; length++) {
    const header = await parseGgufHeader(whole.subarray(0, length))
    if (header !== undefined) expect(header).toEqual(full)
  }
})

function patched(offset: number, value: number): Uint8Array {
  const bytes = encodeGguf(metadata, [])
  bytes[offset] = value
  return bytes
}

test.each([
  [patched(0, 0), 'does not start with "GGUF"'],
  [patched(4, 1), 'version 1 is not supported'],
  [patched(20, 255), 'its number of metadata keys is'],
  [
    encodeGguf({ ...metadata, 'general.architecture': { type: 'bool', value: true } }, []),
    'not a string',
  ],
  [
    encodeGguf({ ...metadata, 'phi3.context_length': { type: 'uint32', value: 0 } }, []),
    'positive',
  ],
  [encodeGguf({ 'general.architecture': { type: 'string', value: 'x' } }, []), 'context length'],
])('a damaged head is refused with what is wrong (%#)', async (bytes, reason) => {
  await expect(parseGgufHeader(bytes)).rejects.toThrow(reason)
})

test('any bytes after the magic are a head, too few, or a GgufError', async () => {
  const start = encodeGguf(metadata, []).subarray(0, 8)
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (rest) => {
      try {
        await parseGgufHeader(Uint8Array.from([...start, ...rest]))
      } catch (error) {
        expect(error).toBeInstanceOf(GgufError)
      }
    }),
    { numRuns: 500 },
  )
})

test('a changed byte anywhere gives a head, or a GgufError', async () => {
  const whole = encodeGguf(metadata, [])
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), async (offset, value) => {
      try {
        await parseGgufHeader(patched(offset, value))
      } catch (error) {
        expect(error).toBeInstanceOf(GgufError)
      }
    }),
    { numRuns: 500 },
  )
})

const MAGIC = [...Buffer.from('GGUF'), 3, 0, 0, 0, ...Array<number>(8).fill(0)]
const uint32 = (value: number): Buffer => Buffer.from(new Uint32Array([value]).buffer)
const uint64 = (value: number): Buffer => Buffer.from(new BigUint64Array([BigInt(value)]).buffer)

/** Heads of 60 MB that are all of one kind: what each takes to walk over is what a hostile file can make of it. */
const HOSTILE: readonly (readonly [string, () => Buffer])[] = [
  [
    'thousands of long keys that end like one that is looked for',
    () => {
      const key = Buffer.concat([
        uint64(5988),
        Buffer.alloc(5988 - 15, 0xc3),
        Buffer.from('.context_length'),
        uint32(4),
        uint32(1),
      ])
      return Buffer.concat([...Array<Buffer>(10_000).fill(key)])
    },
  ],
  ['millions of empty strings', () => arrays(7, 8, 1 << 20, 8)],
  ['millions of empty arrays', () => arrays(4, 9, 1 << 20, 12)],
  ['millions of numbers', () => arrays(56, 0, 1 << 20, 1)],
  ['a vocabulary larger than any', () => arrays(1, 8, 7_000_000, 8)],
]

/** Arrays under keys of their own; `size` is that of an element that is all zeros. */
function arrays(keys: number, type: number, count: number, size: number): Buffer {
  const head = (key: number): Buffer =>
    Buffer.concat([
      uint64(2),
      Buffer.from(String(10 + key)),
      uint32(9),
      uint32(type),
      uint64(count),
    ])
  const elements = Buffer.alloc(count * size)
  return Buffer.concat(Array.from({ length: keys }, (_, key) => [head(key), elements]).flat())
}

test.each(HOSTILE)(
  'a head of 60 MB of %s is refused in bounded memory and time',
  async (_, make) => {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-gguf-')), 'hostile.gguf')
    fs.writeFileSync(file, Buffer.concat([Buffer.from(MAGIC), uint64(10_000), make()]))
    for (const read of [readGgufHeader, readModelHead]) {
      const handle = await open(file)
      const before = process.memoryUsage()
      const began = performance.now()
      await expect(read(handle)).rejects.toThrow(GgufError)
      const ms = performance.now() - began
      const { heapTotal, external } = process.memoryUsage()
      const grown = (heapTotal + external - before.heapTotal - before.external) / 2 ** 20
      expect(ms).toBeLessThan(5000)
      expect(grown).toBeLessThan(150)
      await handle.close()
    }
    fs.rmSync(path.dirname(file), { recursive: true })
  },
)
