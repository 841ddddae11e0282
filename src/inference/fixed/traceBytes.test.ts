import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Trace } from './trace.ts'
import { decodeTrace, encodeTrace } from './traceBytes.ts'

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
const token = fc.integer({ min: 0, max: 0xffff_fffe })

const traces: fc.Arbitrary<Trace> = fc.integer({ min: 1, max: 4 }).chain((layers) =>
  fc
    .array(
      fc.record(
        {
          token,
          layers: fc.array(hash, { minLength: layers, maxLength: layers }),
          choice: fc.record({ logits: hash, token }),
        },
        { requiredKeys: ['token', 'layers'] },
      ),
    )
    .map((tokens) => tokens.map((each, position) => ({ position, ...each }))),
)

test('a trace comes back from its bytes', () => {
  fc.assert(
    fc.property(traces, (trace) => {
      expect(decodeTrace(encodeTrace(trace))).toEqual(trace)
    }),
  )
})

test('bytes of any other length are no trace', () => {
  fc.assert(
    fc.property(traces, fc.integer({ min: 1, max: 39 }), (trace, more) => {
      const bytes = encodeTrace(trace)
      const layers = trace[0]?.layers.length ?? 0
      fc.pre(more % (40 + 32 * layers) !== 0)
      expect(decodeTrace(new Uint8Array([...bytes, ...new Uint8Array(more)]))).toBeUndefined()
    }),
  )
  expect(decodeTrace(new Uint8Array(3))).toBeUndefined()
})
