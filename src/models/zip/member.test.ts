// Holds D123.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { isInstalled } from '../../../test/support/tools.ts'
import { zipBytes } from '../../../test/support/zipBytes.ts'
import { openMember } from './member.ts'
import { ZipError } from './zipError.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-zip-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

const MODEL = 'package/model.gguf'
const content = Buffer.alloc(300_000, 'a model, in some words; ')
const members = [
  { name: 'package/__init__.py', content: Buffer.from('import os\n') },
  { name: MODEL, content },
  { name: 'package/empty', content: Buffer.alloc(0), isStored: true },
] as const

/** The member of a zip file, read whole. */
async function read(bytes: Uint8Array, name = MODEL): Promise<Buffer> {
  const file = path.join(folder, 'test.zip')
  fs.writeFileSync(file, bytes)
  return readFile(file, name)
}

async function readFile(file: string, name: string): Promise<Buffer> {
  const handle = await fs.promises.open(file, 'r')
  try {
    const chunks: Buffer[] = []
    for await (const chunk of (await openMember(handle, name)).bytes()) chunks.push(chunk)
    return Buffer.concat(chunks)
  } finally {
    await handle.close()
  }
}

test.each([false, true])('a member is read, also of zip64 (%s)', async (isWide) => {
  const bytes = zipBytes(members, isWide)
  expect((await read(bytes)).equals(content)).toBe(true)
  expect(await read(bytes, 'package/empty')).toHaveLength(0)
  const commented = Buffer.concat([
    bytes.subarray(0, -2),
    Buffer.from([5, 0]),
    Buffer.from('hello'),
  ])
  expect((await read(commented)).equals(content)).toBe(true)
})

test.runIf(isInstalled('python3'))('a zip file that Python wrote is read', async () => {
  const file = path.join(folder, 'python.zip')
  const script = `import zipfile, sys
with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:
  z.writestr('a', b'a' * 100000)
  with z.open('b', 'w', force_zip64=True) as m: m.write(b'b' * 70000)`
  execFileSync('python3', ['-c', script, file])
  expect((await readFile(file, 'a')).equals(Buffer.alloc(100_000, 'a'))).toBe(true)
  expect((await readFile(file, 'b')).equals(Buffer.alloc(70_000, 'b'))).toBe(true)
})

test('what is missing, there twice, encrypted or compressed in another way is refused by name', async () => {
  await expect(read(Buffer.from('no zip file'))).rejects.toThrow('not a zip file')
  await expect(read(zipBytes(members), 'other')).rejects.toThrow('no member other')
  const twice = zipBytes([...members, { name: MODEL, content: Buffer.from('another') }])
  await expect(read(twice)).rejects.toThrow(`two members ${MODEL}`)
  const at = (bytes: Buffer): number => bytes.lastIndexOf(MODEL) - 46
  const encrypted = zipBytes(members)
  encrypted.writeUInt16LE(1, at(encrypted) + 8)
  await expect(read(encrypted)).rejects.toThrow('is encrypted')
  const other = zipBytes(members)
  other.writeUInt16LE(14, at(other) + 10)
  await expect(read(other)).rejects.toThrow('compressed by method 14')
})

test('a member that is larger than it says ends there', async () => {
  const bytes = zipBytes(members)
  const at = bytes.lastIndexOf(MODEL) - 46
  bytes.writeUInt32LE(1000, at + 24)
  await expect(read(bytes)).rejects.toThrow(/is damaged: .*too many bytes/)
})

test('places that no file has are refused', async () => {
  const locator = 20
  for (const place of [2n ** 63n, 2n ** 53n, 2n ** 40n, 100_000n]) {
    const bytes = zipBytes(members, true)
    const at = bytes.indexOf(Buffer.from('PK\x06\x07'))
    expect(bytes.length - at).toBe(locator + 22)
    bytes.writeBigUInt64LE(place, at + 8)
    await expect(read(bytes)).rejects.toThrow(ZipError)
    // The same of the directory, as the record says that the locator leads to.
    const other = zipBytes(members, true)
    other.writeBigUInt64LE(place, other.indexOf(Buffer.from('PK\x06\x06')) + 48)
    await expect(read(other)).rejects.toThrow(ZipError)
  }
})

const edit = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))

test('hostile bytes give the member as it is or a ZipError, nothing else', async () => {
  const small = [{ name: MODEL, content: content.subarray(0, 2000) }, ...members.slice(2)]
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(edit, { maxLength: 6 }),
      fc.option(fc.nat()),
      async (isWide, edits, cut) => {
        const bytes = zipBytes(small, isWide)
        // Most of what a reader believes is at the end.
        for (const [at, value] of edits) bytes[bytes.length - 1 - (at % bytes.length)] = value
        const shown = cut === null ? bytes : bytes.subarray(0, cut % bytes.length)
        try {
          expect((await read(shown)).equals(content.subarray(0, 2000))).toBe(true)
        } catch (error) {
          if (!(error instanceof ZipError)) throw error
        }
      },
    ),
    { numRuns: 400 },
  )
})
