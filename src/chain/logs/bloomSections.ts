/** Blooms of many blocks in one record, so that a search over a long range reads few of them. */
import type { KvTable } from '../../store/kv.ts'
import { heightKey } from '../blocks/heightKey.ts'
import { BLOOM_SIZE } from '../bloom.ts'

/** Blocks per section. Section n holds the heights from n * SECTION_SIZE on. */
export const SECTION_SIZE = 256

/** A block of the section and its bloom, which is not empty. */
export type SectionBloom = { readonly offset: number; readonly bloom: Uint8Array }

/** The number of the section that a height belongs to. */
export function sectionOf(height: number): number {
  return Math.floor(height / SECTION_SIZE)
}

/** Stores a section: for each block with logs its place in the section and its bloom. */
export function putSection(
  table: KvTable,
  section: number,
  bloomAt: (height: number) => Uint8Array,
): void {
  const entries: Uint8Array[] = []
  for (let offset = 0; offset < SECTION_SIZE; offset++) {
    const bloom = bloomAt(section * SECTION_SIZE + offset)
    if (bloom.some((byte) => byte !== 0)) entries.push(Uint8Array.of(offset), bloom)
  }
  const record = new Uint8Array((entries.length / 2) * (1 + BLOOM_SIZE))
  let at = 0
  for (const entry of entries) {
    record.set(entry, at)
    at += entry.length
  }
  table.put(heightKey(section), record)
}

/** The blooms of a section that was stored, in order. */
export function* sectionBlooms(table: KvTable, section: number): Generator<SectionBloom> {
  const record = table.get(heightKey(section)) ?? new Uint8Array(0)
  for (let at = 0; at < record.length; at += 1 + BLOOM_SIZE)
    yield {
      offset: record[at] as number,
      bloom: record.subarray(at + 1, at + 1 + BLOOM_SIZE),
    }
}
