/** Blocks of a memory that come and go in any order. */
import type { Kernels } from './kernels.ts'

/** A block: its address, and how it is given back. */
export type Block = { readonly address: number; free(): void }

export type Arena = {
  /** Takes zeroed memory at a multiple of 16, of the first gap that is large enough. Throws InferenceError if there is not enough. */
  take(length: number): Block
  /** Bytes that the arena would have after `take`, gaps included. */
  sizeWith(length: number): number
}

type Gap = { readonly from: number; readonly until: number }

/** An empty arena above what is allocated now. Nobody else may allocate as long as it has blocks. */
export function createArena(
  kernels: Pick<Kernels, 'allocate' | 'mark' | 'release' | 'bytes'>,
): Arena {
  let start = kernels.mark()
  let end = start
  let gaps: Gap[] = []
  const fitting = (length: number): Gap | undefined =>
    gaps.find(({ from, until }) => until - from >= length)
  const align = (length: number): number => Math.ceil(length / 16) * 16

  const free = (from: number, until: number): void => {
    const sorted = [...gaps, { from, until }].sort((a, b) => a.from - b.from)
    gaps = []
    for (const gap of sorted) {
      const last = gaps.at(-1)
      if (last?.until === gap.from) gaps[gaps.length - 1] = { from: last.from, until: gap.until }
      else gaps.push(gap)
    }
    if (gaps.at(-1)?.until !== end) return
    end = gaps.pop()?.from ?? end
    kernels.release(end)
  }
  return {
    take(length) {
      const size = align(length)
      const gap = fitting(size)
      if (gap === undefined) {
        if (end === start) start = kernels.mark()
        const address = kernels.allocate(size)
        end = address + size
        return { address, free: () => free(address, address + size) }
      }
      const { from, until } = gap
      gaps = gaps.flatMap((other) =>
        other !== gap ? other : from + size === until ? [] : { from: from + size, until },
      )
      kernels.bytes().fill(0, from, from + size)
      return { address: from, free: () => free(from, from + size) }
    },
    sizeWith(length) {
      const size = align(length)
      return end - start + (fitting(size) === undefined ? size : 0)
    },
  }
}
