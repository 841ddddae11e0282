/** State tests of ethereum/tests and execution-spec-tests: how a case is run on our transition. */
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { bigintToBytes, bytesToBigint, trimLeft } from '../../src/base/bytes.ts'
import { fromHex, toHex, toHexDigits } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import { encodeRlp, encodeRlpBytes } from '../../src/base/rlp.ts'
import { InvalidTransactionError } from '../../src/evm/invalidTransaction.ts'
import { overlay } from '../../src/evm/overlay.ts'
import {
  includesFork,
  LATEST_HARDFORK,
  type Hardfork,
  type TransitionRules,
} from '../../src/evm/rules.ts'
import { applyTransaction } from '../../src/evm/transition.ts'
import {
  EMPTY_CODE_HASH,
  type BlockEnvironment,
  type Effects,
  type Engine,
  type Log,
  type StateView,
} from '../../src/evm/types.ts'
import {
  bytes,
  chainIdOf,
  number,
  transactionOf,
  word,
  type StateTest,
  type StateTestPost,
} from './stateTestJson.ts'

/** EIP-4844's approximation of factor * e^(numerator / denominator). */
function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let output = 0n
  let term = factor * denominator
  for (let i = 1n; term > 0n; i++) {
    output += term
    term = (term * numerator) / (denominator * i)
  }
  return output / denominator
}

/** The names of forks in these tests. Forks that change nothing but the blobs of a block are Osaka. */
const FORKS: Readonly<Record<string, Hardfork>> = {
  Berlin: 'berlin',
  London: 'london',
  Merge: 'paris',
  Paris: 'paris',
  Shanghai: 'shanghai',
  Cancun: 'cancun',
  Prague: 'prague',
  Osaka: 'osaka',
  BPO1: 'osaka',
  BPO2: 'osaka',
  BPO3: 'osaka',
  BPO4: 'osaka',
  BPO5: 'osaka',
}

/** The rules for a fork by the name that tests have for it, or undefined if it is older than our oldest. */
export function hardforkNamed(fork: string): Hardfork | undefined {
  return FORKS[fork]
}

/** How fast the price of blobs moves, where a test does not say it. */
const CANCUN_UPDATE_FRACTION = 3_338_477n
const PRAGUE_UPDATE_FRACTION = 5_007_716n

function updateFraction({ config }: StateTest, fork: string, hardfork: Hardfork): bigint {
  const listed = config?.blobSchedule?.[fork]?.baseFeeUpdateFraction
  if (listed !== undefined) return BigInt(listed)
  return includesFork({ hardfork }, 'prague') ? PRAGUE_UPDATE_FRACTION : CANCUN_UPDATE_FRACTION
}

function environment(test: StateTest, fork: string): BlockEnvironment {
  const { env } = test
  const rules = { hardfork: FORKS[fork] ?? LATEST_HARDFORK }
  return {
    ...rules,
    chainId: chainIdOf(test),
    height: Number(number(env['currentNumber'])),
    timestamp: number(env['currentTimestamp']),
    coinbase: fromHex(env['currentCoinbase'] ?? ''),
    gasLimit: number(env['currentGasLimit']),
    baseFeePerGas: includesFork(rules, 'london') ? number(env['currentBaseFee'] ?? '0x0a') : 0n,
    // The same opcode was DIFFICULTY before.
    prevRandao: includesFork(rules, 'paris')
      ? word(env['currentRandom'] ?? '0x00')
      : word(env['currentDifficulty'] ?? '0x00'),
    blobBaseFee: fakeExponential(
      1n,
      number(env['currentExcessBlobGas']),
      updateFraction(test, fork, rules.hardfork),
    ),
  }
}

type MemoryAccount = {
  nonce: bigint
  balance: bigint
  code: Uint8Array
  storage: Map<string, Uint8Array>
}
type MemoryState = Map<string, MemoryAccount>

function preState({ pre }: StateTest): MemoryState {
  const state: MemoryState = new Map()
  for (const [address, account] of Object.entries(pre)) {
    const storage = new Map(
      Object.entries(account.storage)
        .map(([slot, value]) => [toHexDigits(word(slot)), word(value)] as const)
        .filter(([, value]) => bytesToBigint(value) !== 0n),
    )
    state.set(toHexDigits(fromHex(address)), {
      nonce: number(account.nonce),
      balance: number(account.balance),
      code: bytes(account.code),
      storage,
    })
  }
  return state
}

function viewOf(state: MemoryState): StateView {
  const codes = new Map<string, Uint8Array>()
  for (const { code } of state.values()) codes.set(toHexDigits(keccak256(code)), code)
  return {
    account(address) {
      const account = state.get(toHexDigits(address))
      return (
        account && {
          nonce: account.nonce,
          balance: account.balance,
          codeHash: account.code.length === 0 ? EMPTY_CODE_HASH : keccak256(account.code),
        }
      )
    },
    code: (hash) => codes.get(toHexDigits(hash)) ?? new Uint8Array(0),
    storage: (address, slot) =>
      state.get(toHexDigits(address))?.storage.get(toHexDigits(slot)) ?? new Uint8Array(32),
    hasStorage: (address) => (state.get(toHexDigits(address))?.storage.size ?? 0) > 0,
  }
}

function applyEffects(state: MemoryState, effects: Effects, view: StateView): void {
  for (const [key, effect] of effects) {
    if (effect.account === undefined) {
      state.delete(key)
      continue
    }
    const before = effect.storageCleared ? undefined : state.get(key)
    const storage = new Map(before?.storage)
    for (const [slot, value] of effect.storage)
      if (bytesToBigint(value) === 0n) storage.delete(slot)
      else storage.set(slot, value)
    const { nonce, balance, codeHash } = effect.account
    state.set(key, { nonce, balance, code: effect.code ?? view.code(codeHash), storage })
  }
}

async function storageRoot(storage: MemoryAccount['storage']): Promise<Uint8Array> {
  const trie = new MerklePatriciaTrie({ useKeyHashing: true })
  for (const [slot, value] of storage)
    await trie.put(fromHex(slot), encodeRlpBytes(trimLeft(value)))
  return trie.root()
}

async function rootOf(state: MemoryState): Promise<string> {
  const trie = new MerklePatriciaTrie({ useKeyHashing: true })
  for (const [address, { nonce, balance, code, storage }] of state)
    await trie.put(
      fromHex(address),
      encodeRlp([
        bigintToBytes(nonce),
        bigintToBytes(balance),
        await storageRoot(storage),
        keccak256(code),
      ]),
    )
  return toHex(trie.root())
}

function logsHash(logs: readonly Log[]): string {
  return toHex(
    keccak256(encodeRlp(logs.map(({ address, topics, data }) => [address, topics, data]))),
  )
}

/** Why a case of a fork fails, or undefined when state root and logs hash are the expected ones. */
export async function runStateTest(
  engine: Engine,
  test: StateTest,
  post: StateTestPost,
  fork: string,
): Promise<string | undefined> {
  const rules: TransitionRules = { baseFeeSink: 'burned' }
  const state = preState(test)
  const view = viewOf(state)
  const block = environment(test, fork)
  let logs: readonly Log[] = []
  let refused = ''
  try {
    const transaction = transactionOf(test, post)
    if (transaction.gasLimit > block.gasLimit)
      throw new InvalidTransactionError('block-gas-limit', 'gas limit reached')
    const result = applyTransaction(engine, transaction, block, view, rules)
    const after = overlay(view)
    after.apply(result.effects)
    applyEffects(state, result.effects, after)
    logs = result.logs
  } catch (error) {
    if (!(error instanceof InvalidTransactionError)) throw error
    refused = error.message
  }
  const expected = post.expectException
  if ((refused !== '') !== (expected !== undefined))
    return `expected ${expected ?? 'a valid transaction'}, got ${refused || 'one'}`
  if (logsHash(logs) !== post.logs) return 'logs differ'
  return (await rootOf(state)) === post.hash ? undefined : `state root differs (${refused})`
}
