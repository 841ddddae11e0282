import { expect, test } from 'vitest'
import { concatBytes, padLeft } from '../base/bytes.ts'
import { fromHex, toHex, toHexDigits } from '../base/hex.ts'
import { keccak256 } from '../base/keccak.ts'
import { sha256 } from '../base/sha256.ts'
import { HISTORY_ADDRESS } from '../evm/blockHashes.ts'
import { contractAddress } from '../evm/contractAddress.ts'
import { createEngine } from '../evm/createEngine.ts'
import { emptyState } from '../evm/emptyState.ts'
import { overlay } from '../evm/overlay.ts'
import { defaultAppState } from './defaultGenesis.ts'
import { parseGenesis } from './genesis.ts'
import { PREDEPLOYS, STAKING_ADDRESS } from './predeploys.ts'
import { rewardAddress, rewardSlot } from './rewards.ts'
import { encodeTransaction } from './signTransaction.ts'
import { decodeTransaction } from './transaction.ts'

const VALIDATOR_KEY = new Uint8Array(32).fill(0xc0)
const CONSENSUS = sha256(VALIDATOR_KEY).slice(0, 20)
const REWARD = new Uint8Array(20).fill(0x4e)

function codeAt(address: string): Uint8Array {
  const found = PREDEPLOYS.find((contract) => toHex(contract.address) === address)
  if (found === undefined) throw new Error(`no contract at ${address}`)
  return found.code
}

/** The address of a keyless deployment (a transaction with a made-up signature): it depends on every byte. */
function keylessAddress(
  gasPrice: bigint,
  gasLimit: bigint,
  data: Uint8Array,
  r: bigint,
  s: bigint,
) {
  const unsigned = {
    type: 0,
    chainId: undefined,
    nonce: 0n,
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: gasPrice,
    gasLimit,
    to: undefined,
    value: 0n,
    data,
    accessList: [],
    authorizationList: [],
  } as const
  const { sender } = decodeTransaction(encodeTransaction(unsigned, { v: 27n, r, s }), 1n)
  return toHex(contractAddress(sender, 0n))
}

// Holds D52.
test('the CREATE2 deployer has the code that its keyless deployment left at its address', () => {
  const address = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
  const data = concatBytes(fromHex('604580600e600039806000f350fe'), codeAt(address))
  const twos = BigInt(`0x${'2'.repeat(64)}`)
  expect(keylessAddress(100_000_000_000n, 100_000n, data, twos, twos)).toBe(address)
})

test('the history contract has the code that the deployment of EIP-2935 leaves at its address', () => {
  const address = toHex(HISTORY_ADDRESS)
  const data = concatBytes(fromHex('60538060095f395ff3'), codeAt(address))
  const s = 0xaa12693182426612186309f02cfe8a80a0000n
  expect(keylessAddress(0xe8d4a51000n, 0x3d090n, data, 0x539n, s)).toBe(address)
})

test('Multicall3 has its code hash of other chains', () => {
  expect(toHex(keccak256(codeAt('0xca11bde05977b3631167028862be2a173976ca11')))).toBe(
    '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891',
  )
})

test("a validator's reward address of genesis is what the node and the contract read", () => {
  const validators = [{ publicKey: VALIDATOR_KEY, rewardAddress: REWARD }]
  const appState = defaultAppState({ accounts: [], validators })
  const text = new TextEncoder().encode(JSON.stringify(appState))
  const { alloc } = parseGenesis('assay_271828-1', text)
  const state = overlay(emptyState)
  state.apply(alloc)
  expect(rewardAddress(state, CONSENSUS)).toEqual(REWARD)
  expect(rewardAddress(state, REWARD)).toEqual(new Uint8Array(20))
  expect(toHexDigits(rewardSlot(CONSENSUS))).toHaveLength(64)
  const selector = keccak256(new TextEncoder().encode('rewardOf(address)')).subarray(0, 4)
  const outcome = createEngine().execute(
    {
      caller: new Uint8Array(20),
      to: STAKING_ADDRESS,
      value: 0n,
      data: concatBytes(selector, padLeft(CONSENSUS, 32)),
      gasLimit: 100_000n,
      gasPrice: 0n,
      origin: new Uint8Array(20),
      nonce: 0n,
      accessList: [],
    },
    {
      chainId: 271828n,
      height: 1,
      timestamp: 1n,
      coinbase: REWARD,
      gasLimit: 30_000_000n,
      baseFeePerGas: 0n,
      prevRandao: new Uint8Array(32),
      blobBaseFee: 1n,
      hardfork: 'osaka',
    },
    state,
  )
  expect(outcome.output).toEqual(padLeft(REWARD, 32))
})
