/** Compiled code against the interpreter. ASSAY_FUZZ_PROGRAMS and ASSAY_FUZZ_SEED make it longer. */
import { expect, test } from 'vitest'
import { EVM_BLOCK } from '../../../test/support/evmBlock.ts'
import { randomLoop } from '../../../test/support/randomLoop.ts'
import { pick, seededRandom, type Random } from '../../../test/support/randomProgram.ts'
import { fromHex, toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { emptyState } from '../emptyState.ts'
import { overlay } from '../overlay.ts'
import {
  EMPTY_CODE_HASH,
  type AccountEffect,
  type Message,
  type Outcome,
  type StateView,
} from '../types.ts'
import { createWasmEngine } from '../wasm/engine.ts'

const PROGRAMS = Number(process.env['ASSAY_FUZZ_PROGRAMS'] ?? 600)
const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? 1)

const CALLER = new Uint8Array(20).fill(0xaa)
const CONTRACTS = [0x11, 0x12, 0x13].map((byte) => new Uint8Array(20).fill(byte))
const KNOWN = [...CONTRACTS, CALLER, fromHex('0x0000000000000000000000000000000000000004')]

function stateOf(codes: readonly Uint8Array[]): StateView {
  const world = overlay(emptyState)
  const effects = codes.map((code, index): [string, AccountEffect] => {
    const address = CONTRACTS[index] ?? CALLER
    const account = { nonce: 1n, balance: 3n, codeHash: keccak256(code) }
    const value = new Uint8Array(32).fill(index, 31)
    const storage = new Map([['1'.padStart(64, '0'), value]])
    return [toHexDigits(address), { address, account, code, storageCleared: false, storage }]
  })
  world.apply(new Map(effects))
  world.setAccount(CALLER, { nonce: 7n, balance: 10n ** 18n, codeHash: EMPTY_CODE_HASH })
  return world
}

function messageOf(random: Random): Message {
  return {
    caller: CALLER,
    to: CONTRACTS[0],
    value: BigInt(random(2)),
    data: Uint8Array.from({ length: random(100) }, () => random(256)),
    gasLimit: BigInt(pick(random, [3_000, 20_000, 100_000, 400_000, 400_000]) + random(3_000)),
    gasPrice: 10n,
    origin: CALLER,
    nonce: 6n,
    accessList: [],
  }
}

const asText = (outcome: Outcome): string =>
  JSON.stringify(outcome, (_, item: unknown) => {
    if (item instanceof Uint8Array) return toHexDigits(item)
    if (item instanceof Map) return [...item].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
    return typeof item === 'bigint' ? `${item}n` : item
  })

// Holds D38b.
test('random loops do the same compiled as interpreted, to the last gas', () => {
  const interpreter = createWasmEngine()
  // Short slices compile code sooner; long ones run more of it compiled.
  const compilers = [100n, 1_000n, 20_000n].map((gas) =>
    createWasmEngine({ compilesHotCode: true, polling: { gas, frames: 4096 } }),
  )
  const ends: Record<string, number> = {}
  for (let i = 0; i < PROGRAMS; i++) {
    const seed = SEED + i
    const random = seededRandom(seed)
    const state = stateOf(CONTRACTS.map(() => randomLoop(random, KNOWN)))
    const message = messageOf(random)
    const expected = interpreter.execute(message, EVM_BLOCK, state)
    const mine = pick(random, compilers).execute(message, EVM_BLOCK, state)
    if (asText(mine) !== asText(expected)) expect(mine, `seed ${seed}`).toEqual(expected)
    ends[mine.status] = (ends[mine.status] ?? 0) + 1
  }
  expect(ends['success'] ?? 0).toBeGreaterThan(PROGRAMS / 10)
  expect(ends['halt'] ?? 0).toBeGreaterThan(PROGRAMS / 10)
}, 3_600_000)
