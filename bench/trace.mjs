// The step tracer alone: a transaction of some 150,000 steps is run again and its struct logs are written, as
// debug_traceTransaction answers by default. anvil needs --steps-tracing for the same.
import { keccak256 } from '../dist/base/keccak.js'
import { emptyState } from '../dist/evm/emptyState.js'
import { overlay } from '../dist/evm/overlay.js'
import { createTracedEngine } from '../dist/evm/tracers/engine.js'
import { structLogTracer } from '../dist/evm/tracers/structLog.js'
import { runTransaction } from '../dist/evm/transition.js'
import { EMPTY_CODE_HASH } from '../dist/evm/types.js'

const ROUNDS = 9
const SENDER = new Uint8Array(20).fill(0xaa)
const TARGET = new Uint8Array(20).fill(0xbb)

// Eight words on the stack, as in compiled code, then a loop of eight steps until the gas is used up: JUMPDEST, PUSH1,
// ADD, DUP1, PUSH0, MSTORE, PUSH1, JUMP.
const WORDS = `73${'ab'.repeat(20)}7f${'cd'.repeat(32)}6001600261ffff600360045f`
const LOOP = `5b600101805f5260${(WORDS.length / 2).toString(16)}56`
const code = Uint8Array.from(Buffer.from(WORDS + LOOP, 'hex'))

const state = overlay(emptyState)
const target = { nonce: 1n, balance: 0n, codeHash: keccak256(code) }
const sender = { nonce: 0n, balance: 10n ** 18n, codeHash: EMPTY_CODE_HASH }
state.setAccount(TARGET, target, code)
state.setAccount(SENDER, sender)

const traced = {
  transaction: {
    type: 0,
    sender: SENDER,
    nonce: 0n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
    gasLimit: 535_000n,
    to: TARGET,
    value: 0n,
    data: new Uint8Array(0),
    accessList: [],
    authorizationList: [],
  },
  block: {
    chainId: 1n,
    height: 1,
    timestamp: 1n,
    coinbase: new Uint8Array(20).fill(0xcb),
    gasLimit: 30_000_000n,
    baseFeePerGas: 0n,
    prevRandao: new Uint8Array(32),
    blobBaseFee: 1n,
    hardfork: 'osaka',
  },
  rules: { baseFeeSink: 'coinbase' },
}

const kind = structLogTracer({})
const { engine, observe } = createTracedEngine(kind)
const times = []
let pieces = []
for (let round = 0; round < ROUNDS; round++) {
  const before = process.cpuUsage()
  const tracer = kind.start()
  observe(tracer)
  const { transaction, block, rules } = traced
  const outcome = runTransaction(engine, transaction, block, state, rules)
  pieces = tracer.result(outcome)
  const { user, system } = process.cpuUsage(before)
  times.push((user + system) / 1000)
}
const bytes = Buffer.concat(pieces)
const steps = JSON.parse(bytes.toString('latin1')).structLogs.length
const median = times.toSorted((a, b) => a - b)[ROUNDS >> 1]
process.stdout.write(
  [
    '| row | steps | answer | processor time |',
    '| --- | ----- | ------ | -------------- |',
    `| struct logs of a transaction | ${steps} | ${(bytes.length / 1e6).toFixed(1)} MB | ${median.toFixed(0)} ms |`,
    '',
  ].join('\n'),
)
