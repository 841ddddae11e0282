/**
 * Real evidence of hardware with its bytes changed, cut short, and under noise (vectors: attestation). Every byte and length
 * with ASSAY_VECTORS_FULL=1, which takes minutes; else every sixteenth, beginning anywhere.
 */
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { DerError } from '../../src/proof/attestation/der.ts'
import { parseCertificate } from '../../src/proof/attestation/x509.ts'
import { REQUIRED, FULL, present, snp, cases } from '../support/attestationVectors.ts'

const STEP = FULL ? 1 : 16
const first = Math.floor(Math.random() * STEP)

const counts: Record<string, number> = {}
const count = (what: string) => (counts[what] = (counts[what] ?? 0) + 1)

test('the vectors are there when they are required', () => {
  expect(present || !REQUIRED).toBe(true)
})

describe.each(cases)('$name', ({ bytes, judge, paddingFrom = bytes.length }) => {
  test('is refused with a byte changed', async () => {
    const intact = await judge(bytes)
    for (let index = first; index < bytes.length; index += STEP) {
      const bit = (index / STEP) & 7
      const changed = bytes.slice()
      changed[index] = (changed[index] ?? 0) ^ (1 << bit)
      const { reason } = await judge(changed)
      if (reason === '' || reason === intact.reason)
        expect.fail(`bit ${bit} of byte ${index} does not matter: "${reason}"`)
      count('flips')
    }
  })

  test('is refused at any other length', async () => {
    const intact = await judge(bytes)
    for (let length = first; length < paddingFrom; length += STEP) {
      const { reason } = await judge(bytes.slice(0, length))
      if (reason === '' || reason === intact.reason)
        expect.fail(`${length} of ${bytes.length} bytes are enough: "${reason}"`)
      count('truncations')
    }
    for (let length = paddingFrom + first; length < bytes.length; length += STEP)
      expect(await judge(bytes.slice(0, length))).toEqual(intact)
    const longer = await judge(Uint8Array.from([...bytes, 1]))
    expect(longer.reason).not.toBe('')
    expect(longer.reason).not.toBe(intact.reason)
  })
})

test.runIf(present)('hostile DER and CBOR is refused without a crash', async () => {
  const seeds = cases.map(({ bytes, judge }) => ({ bytes, judge }))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...seeds),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(64),
      fc.uint8Array({ maxLength: 64 }),
      async ({ bytes, judge }, where, removed, inserted) => {
        const at = Math.floor(where * bytes.length)
        const changed = Uint8Array.from([
          ...bytes.subarray(0, at),
          ...inserted,
          ...bytes.subarray(at + removed),
        ])
        await judge(changed)
        count('mutations')
      },
    ),
    { numRuns: FULL ? 20_000 : 2000 },
  )
  const [certificate] = snp().certificates
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(1300), (noise, at) => {
      const changed = Uint8Array.from(certificate ?? [])
      changed.set(noise.subarray(0, changed.length - at), Math.min(at, changed.length))
      try {
        parseCertificate(changed)
      } catch (error) {
        expect(error).toBeInstanceOf(DerError)
      }
      count('noisy certificates')
    }),
    { numRuns: 2000 },
  )
})

afterAll(() => {
  if (present) console.warn('attestation:', counts)
})
