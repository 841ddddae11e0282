import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createArena, type Block } from './arena.ts'
import { openKernels } from './kernels.ts'

const steps = fc.array(
  fc.oneof(fc.record({ take: fc.integer({ min: 1, max: 5000 }) }), fc.record({ free: fc.nat(50) })),
  { maxLength: 60 },
)

test('blocks that come and go never overlap, are zero at first, and leave nothing behind', () => {
  const kernels = openKernels()
  fc.assert(
    fc.property(steps, (all) => {
      const before = kernels.mark()
      const arena = createArena(kernels)
      const held: { block: Block; length: number; byte: number }[] = []
      const bytesOf = ({ block, length }: (typeof held)[number]): Uint8Array =>
        kernels.bytes().subarray(block.address, block.address + length)
      all.forEach((step, i) => {
        if ('take' in step) {
          const size = arena.sizeWith(step.take)
          const entry = { block: arena.take(step.take), length: step.take, byte: 1 + (i % 250) }
          expect(kernels.mark() - before).toBe(size)
          expect(entry.block.address % 16).toBe(0)
          expect(bytesOf(entry).every((byte) => byte === 0)).toBe(true)
          bytesOf(entry).fill(entry.byte)
          held.push(entry)
        } else {
          const [entry] = held.splice(step.free % (held.length + 1), 1)
          entry?.block.free()
        }
        for (const entry of held)
          expect(bytesOf(entry).every((byte) => byte === entry.byte)).toBe(true)
      })
      for (const { block } of held) block.free()
      expect(kernels.mark()).toBe(before)
    }),
    { numRuns: 60 },
  )
})
