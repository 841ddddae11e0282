import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { keccak256 } from '../../base/keccak.ts'
import { addressOfPrivateKey, sign } from '../../base/secp256k1.ts'
import type { SenderSignature } from '../../chain/transaction.ts'
import { packSenders, packSignatures, unpackSenders, unpackSignatures } from './protocol.ts'
import { createSenderRecovery } from './recovery.ts'

function signed(index: number): {
  readonly signature: SenderSignature
  readonly address: Uint8Array
} {
  const key = keccak256(Uint8Array.of(index & 255, index >> 8))
  const digest = keccak256(key)
  return { signature: { digest, ...sign(digest, key) }, address: addressOfPrivateKey(key) }
}

function createRecovery() {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const faults: string[] = []
  const onFault = (reason: string) => faults.push(reason)
  return {
    recover: createSenderRecovery({ workers: 1, signal: stop.signal, onFault }),
    faults,
    stop: () => stop.abort(),
  }
}

test.each([1, 7, 40, 300])('%i signatures at a time give their senders', async (count) => {
  const { recover, faults } = createRecovery()
  const expected = Array.from({ length: count }, (_, index) => signed(index))
  for (let round = 0; round < 3; round++) {
    const senders = await Promise.all(
      expected.map(async ({ signature }) => await recover(signature)),
    )
    expect(senders).toEqual(expected.map(({ address }) => address))
  }
  expect(faults).toEqual([])
})

test('what is no signature has no sender, alone or among others', async () => {
  const { recover } = createRecovery()
  const { signature, address } = signed(1)
  const nobody = { ...signature, compact: new Uint8Array(64) }
  const batch = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? signature : nobody))
  const senders = await Promise.all(batch.map(async (one) => await recover(one)))
  expect(senders).toEqual(batch.map((one) => (one === nobody ? undefined : address)))
  expect(await recover(nobody)).toBeUndefined()
})

test('a stop leaves nobody waiting', async () => {
  const { recover, stop } = createRecovery()
  const many = Array.from({ length: 500 }, (_, index) => signed(index))
  const first = many.map(({ signature }) => recover(signature))
  await recover(many[0]?.signature ?? signed(0).signature)
  const second = many.map(({ signature }) => recover(signature))
  stop()
  const senders = await Promise.all([...first, ...second])
  expect(senders).toEqual([...many, ...many].map(({ address }) => address))
})

test('a stop in the middle of a batch leaves nobody waiting, and nobody gets the sender of another', async () => {
  const { recover, stop } = createRecovery()
  const some = Array.from({ length: 200 }, (_, index) => signed(index))
  for (let round = 0; round < 3; round++) {
    const senders = some.map(async ({ signature }) => await recover(signature))
    await senders[0]
    if (round === 2) stop()
    expect(await Promise.all(senders)).toEqual(some.map(({ address }) => address))
  }
})

const sized = (size: number) => fc.uint8Array({ minLength: size, maxLength: size })
const signature = fc.record({
  digest: sized(32),
  compact: sized(64),
  yParity: fc.integer({ min: 0, max: 1 }),
})

test('batches come out as they went in', () => {
  fc.assert(
    fc.property(
      fc.array(signature),
      fc.array(fc.option(sized(20), { nil: undefined })),
      (some, senders) => {
        expect(unpackSignatures(packSignatures(some))).toEqual(some)
        expect(unpackSenders(packSenders(senders))).toEqual(senders)
      },
    ),
  )
})
