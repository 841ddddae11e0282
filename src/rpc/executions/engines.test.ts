import { expect, test } from 'vitest'
import { EVM_BLOCK } from '../../../test/support/evmBlock.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { emptyState } from '../../evm/emptyState.ts'
import { overlay } from '../../evm/overlay.ts'
import type { Message, StateView } from '../../evm/types.ts'
import { createEngines } from './engines.ts'

const TARGET = new Uint8Array(20).fill(0xbb)
const CALLER = new Uint8Array(20).fill(0xaa)
const BLOCK = { ...EVM_BLOCK, height: 10 }

function message(gasLimit = 10_000_000n): Message {
  return {
    caller: CALLER,
    to: TARGET,
    value: 0n,
    data: new Uint8Array(0),
    gasLimit,
    gasPrice: 7n,
    origin: CALLER,
    nonce: 0n,
    accessList: [],
  }
}

function stateWith(code: string, slot = 0): StateView {
  const bytes = fromHex(code)
  const world = overlay(emptyState)
  world.setAccount(TARGET, { nonce: 1n, balance: 0n, codeHash: keccak256(bytes) }, bytes)
  return { ...world, storage: () => new Uint8Array(32).fill(slot) }
}

/** Returns slot 0. */
const READER = '0x5f545f5260205ff3'
const ENDLESS = '0x5b5f56'

test('one engine after the other state reads each as it is', () => {
  const engine = createEngines(1n).plain()
  for (const slot of [1, 2, 0, 3]) {
    const { output } = engine.execute(message(), BLOCK, stateWith(READER, slot))
    expect(toHex(output)).toBe(toHex(new Uint8Array(32).fill(slot)))
  }
})

test('an engine that was stopped goes on with the next execution', () => {
  const engines = createEngines(1n)
  for (const engine of [engines.plain(), engines.traced({ watchesSteps: true }).engine]) {
    engines.deadline.restart(-1)
    expect(() => engine.execute(message(), BLOCK, stateWith(ENDLESS))).toThrow('execution timeout')
    engines.deadline.restart(60_000)
    const { status } = engine.execute(message(), BLOCK, stateWith(READER, 1))
    expect(status).toBe('success')
  }
})

test('each kind of tracer has its engine, and hears of no execution after it was forgotten', () => {
  const engines = createEngines(1n)
  const steps = engines.traced({ watchesSteps: true })
  expect(engines.traced({ watchesSteps: true })).toBe(steps)
  expect(engines.traced({ watchesSteps: false })).not.toBe(steps)
  let heard = 0
  steps.observe({ hooks: { onStep: () => heard++ } })
  steps.engine.execute(message(), BLOCK, stateWith(READER))
  expect(heard).toBe(7)
  engines.forget()
  steps.engine.execute(message(), BLOCK, stateWith(READER))
  expect(heard).toBe(7)
})
