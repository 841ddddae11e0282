import { expect, test } from 'vitest'
import { ed25519Signer } from '../../base/ed25519.ts'
import { sha256 } from '../../base/sha256.ts'
import { NIL_BLOCK_ID } from '../../proof/comet/blockId.ts'
import type { Header, Validator } from '../../proof/comet/types.ts'
import { addressOfPublicKey } from '../../proof/comet/validators.ts'
import type { FinalizeBlockResponse } from '../application.ts'
import { DEFAULT_PARAMS } from '../files/genesis.ts'
import { nextState, updateValidators, type EngineState } from './state.ts'
import { decodeState, encodeState } from './stateRecord.ts'

function validatorOf(seed: number, power: bigint): Validator {
  const { publicKey } = ed25519Signer(new Uint8Array(32).fill(seed))
  const address = addressOfPublicKey(sha256, publicKey)
  return { address, publicKey, power, proposerPriority: 0n }
}

const own = validatorOf(1, 10n)
const HASH = sha256(Uint8Array.of(1))
const STATE: EngineState = {
  height: 7,
  lastBlockId: { hash: HASH, parts: { total: 2, hash: HASH } },
  lastBlockTimeNs: 1_800_000_000_123_456_789n,
  validators: [own],
  nextValidators: [own],
  params: { ...DEFAULT_PARAMS, version: { app: 1n } },
  appHash: HASH,
  lastResultsHash: HASH,
}
const HEADER: Header = {
  version: { block: 11n, app: 1n },
  chainId: 'assay_271828-1',
  height: 8,
  timeNs: 1_800_000_001_000_000_000n,
  lastBlockId: NIL_BLOCK_ID,
  lastCommitHash: HASH,
  dataHash: HASH,
  validatorsHash: HASH,
  nextValidatorsHash: HASH,
  consensusHash: HASH,
  appHash: HASH,
  lastResultsHash: HASH,
  evidenceHash: HASH,
  proposerAddress: own.address,
}
const RESULT: FinalizeBlockResponse = {
  events: [],
  txResults: [],
  validatorUpdates: [],
  consensusParamUpdates: undefined,
  appHash: sha256(Uint8Array.of(2)),
}

test('a state survives its record', () => {
  expect(decodeState(encodeState(STATE))).toEqual(STATE)
})

test('a power update counts two heights later, a parameter update one', () => {
  const params = { ...STATE.params, block: { maxBytes: 1000n, maxGas: 5n } }
  const update = { type: 'ed25519', publicKey: own.publicKey, power: 3n } as const
  const result = { ...RESULT, validatorUpdates: [update], consensusParamUpdates: params }
  const after = nextState(STATE, HEADER, STATE.lastBlockId, result)
  expect(after.validators.map(({ power }) => power)).toEqual([10n])
  expect(after.nextValidators.map(({ power }) => power)).toEqual([3n])
  expect(after.params).toBe(params)
  expect(after.height).toBe(8)
})

test('an update that leaves anybody else, or nobody, is refused', () => {
  const other = validatorOf(2, 1n)
  const join = { type: 'ed25519', publicKey: other.publicKey, power: 1n } as const
  const leave = { type: 'ed25519', publicKey: own.publicKey, power: 0n } as const
  for (const validatorUpdates of [[join], [leave], [join, leave]])
    expect(() =>
      nextState(STATE, HEADER, STATE.lastBlockId, { ...RESULT, validatorUpdates }),
    ).toThrow('one validator')
  expect(updateValidators([own], [join]).map(({ power }) => power)).toEqual([10n, 1n])
})

test('who joins waits longest, who stays keeps the turn, and priorities stay around zero', () => {
  const joining = validatorOf(2, 10n)
  const join = { type: 'ed25519', publicKey: joining.publicKey, power: 10n } as const
  const set = updateValidators([own], [join])
  const [newcomer, ...others] = set.toSorted((a, b) =>
    Number(a.proposerPriority - b.proposerPriority),
  )
  expect(newcomer?.publicKey).toEqual(joining.publicKey)
  // 1.125 times the power of both is 22; the average of 0 and -22 is then subtracted.
  expect([newcomer, ...others].map((entry) => entry?.proposerPriority)).toEqual([-11n, 11n])
})

test('a single validator is the same set height after height', () => {
  const after = nextState(STATE, HEADER, STATE.lastBlockId, RESULT)
  expect(after.nextValidators).toBe(STATE.nextValidators)
})
