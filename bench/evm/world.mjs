// What the engine's benchmarks share: a block, a message, a world without a store, and the contract of loops.
import fs from 'node:fs'
import path from 'node:path'
import { createRequire } from 'node:module'
import { fromHex, toHexDigits } from '../../dist/base/hex.js'
import { keccak256 } from '../../dist/base/keccak.js'
import { EMPTY_CODE_HASH } from '../../dist/evm/types.js'

const require = createRequire(import.meta.url)

const CALLER = new Uint8Array(20).fill(0xaa)
export const TARGET = new Uint8Array(20).fill(0xbb)

/** A block with so much gas. */
export const blockWith = (gasLimit) => ({
  chainId: 1n,
  height: 1,
  timestamp: 1n,
  coinbase: new Uint8Array(20),
  gasLimit,
  baseFeePerGas: 0n,
  prevRandao: new Uint8Array(32),
  blobBaseFee: 1n,
  hardfork: 'osaka',
})

/** A call of TARGET. */
export const messageWith = (gasLimit, data) => ({
  caller: CALLER,
  to: TARGET,
  value: 0n,
  data,
  gasLimit,
  gasPrice: 0n,
  origin: CALLER,
  nonce: 0n,
  accessList: [],
})

/** A world of contracts, by the hex digits of their addresses; every slot is zero. Other accounts come from `others`. */
export function worldOf(contracts, others = () => undefined) {
  const codes = new Map()
  const accounts = new Map([
    [toHexDigits(CALLER), { nonce: 1n, balance: 10n ** 18n, codeHash: EMPTY_CODE_HASH }],
  ])
  for (const [address, code] of Object.entries(contracts)) {
    const codeHash = keccak256(code)
    codes.set(toHexDigits(codeHash), code)
    accounts.set(address, { nonce: 1n, balance: 10n ** 18n, codeHash })
  }
  return {
    account: (address) => accounts.get(toHexDigits(address)) ?? others(address),
    code: (hash) => codes.get(toHexDigits(hash)) ?? new Uint8Array(0),
    storage: () => new Uint8Array(32),
    hasStorage: () => false,
  }
}

/** The code of bench/evm/Loops.sol, and the selectors of its functions. */
export function compileLoops() {
  const file = 'Loops.sol'
  const content = fs.readFileSync(path.join(import.meta.dirname, file), 'utf8')
  const input = {
    language: 'Solidity',
    sources: { [file]: { content } },
    settings: {
      evmVersion: 'paris',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['evm.deployedBytecode.object', 'evm.methodIdentifiers'] } },
    },
  }
  const output = JSON.parse(require('solc').compile(JSON.stringify(input)))
  const { evm } = output.contracts[file].Loops
  return { code: fromHex(evm.deployedBytecode.object), selectors: evm.methodIdentifiers }
}

/** Seconds of processor time that this process has used. */
export const processorTime = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
