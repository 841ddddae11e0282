/** Zip files for tests. */
import { deflateRawSync } from 'node:zlib'
import { crc32 } from '../../src/base/crc32.ts'

export type ZipMember = {
  readonly name: string
  readonly content: Uint8Array
  readonly isStored?: true
}

const FULL = 0xffffffff

function record(
  size: number,
  ...values: readonly (readonly [at: number, bytes: 2 | 4 | 8, value: number])[]
): Buffer {
  const out = Buffer.alloc(size)
  for (const [at, bytes, value] of values)
    if (bytes === 8) out.writeBigUInt64LE(BigInt(value), at)
    else out.writeUIntLE(value, at, bytes)
  return out
}

/** A zip file; `isWide` writes the sizes of members and directory as zip64 does. */
export function zipBytes(members: readonly ZipMember[], isWide = false): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, isStored } of members) {
    const data = isStored === true ? Buffer.from(content) : deflateRawSync(content)
    const method = isStored === true ? 0 : 8
    const crc = crc32(content)
    const extra = isWide
      ? record(
          28,
          [0, 2, 1],
          [2, 2, 24],
          [4, 8, content.length],
          [12, 8, data.length],
          [20, 8, offset],
        )
      : Buffer.alloc(0)
    const local = record(
      30,
      [0, 4, 0x04034b50],
      [8, 2, method],
      [14, 4, crc],
      [18, 4, data.length],
      [22, 4, content.length],
      [26, 2, name.length],
    )
    bodies.push(local, Buffer.from(name), data)
    directory.push(
      record(
        46,
        [0, 4, 0x02014b50],
        [10, 2, method],
        [16, 4, crc],
        [20, 4, isWide ? FULL : data.length],
        [24, 4, isWide ? FULL : content.length],
        [28, 2, name.length],
        [30, 2, extra.length],
        [42, 4, isWide ? FULL : offset],
      ),
      Buffer.from(name),
      extra,
    )
    offset += local.length + name.length + data.length
  }
  const all = Buffer.concat(directory)
  const count = members.length
  const end64 = isWide
    ? [
        record(
          56,
          [0, 4, 0x06064b50],
          [4, 8, 44],
          [24, 8, count],
          [32, 8, count],
          [40, 8, all.length],
          [48, 8, offset],
        ),
        record(20, [0, 4, 0x07064b50], [8, 8, offset + all.length], [16, 4, 1]),
      ]
    : []
  const end = record(
    22,
    [0, 4, 0x06054b50],
    [8, 2, isWide ? 0xffff : count],
    [10, 2, isWide ? 0xffff : count],
    [12, 4, isWide ? FULL : all.length],
    [16, 4, isWide ? FULL : offset],
  )
  return Buffer.concat([...bodies, all, ...end64, end])
}
