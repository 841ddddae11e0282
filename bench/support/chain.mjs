// The chain that every peer starts from: senders with money and tokens, and the contracts in place.
import { bigintToBytes, utf8 } from '../../dist/base/bytes.js'
import { toHex } from '../../dist/base/hex.js'
import { keccak256 } from '../../dist/base/keccak.js'
import { addressOfPrivateKey } from '../../dist/base/secp256k1.js'
import { mappingSlot, word } from './abi.mjs'
import { runtimeCode } from './contracts.mjs'

/** Chain id of a new home of ours; the others are told to use it, so that all take the same signed transactions. */
export const CHAIN_ID = 271828n
export const TOKEN = '0x00000000000000000000000000000000000b0001'
export const LOOPS = '0x00000000000000000000000000000000000b0002'

/** Slots of `Loops.filled` that the loops read. */
export const FILLED_SLOTS = 5000

const SENDERS = 200
const BALANCE = 10n ** 24n

/** Private keys that anybody can make again: for chains that hold nothing of value. */
export const senderKeys = Array.from({ length: SENDERS }, (_, i) =>
  keccak256(utf8(`sender ${i} of the benchmarks`)),
)
/** The addresses of the senders, in hex. */
export const senders = senderKeys.map((key) => toHex(addressOfPrivateKey(key)))

function tokenStorage() {
  const balances = senders.map((address) => [mappingSlot(address, 0), `0x${word(BALANCE)}`])
  const totalSupply = [`0x${word(2)}`, `0x${word(BALANCE * BigInt(SENDERS))}`]
  return Object.fromEntries([...balances, totalSupply])
}

function loopStorage(count) {
  const slots = Array.from({ length: count }, (_, i) => [
    mappingSlot(i, 0),
    toHex(keccak256(bigintToBytes(BigInt(i)))),
  ])
  return Object.fromEntries(slots)
}

/** Accounts by address: balance and nonce in decimals, and of contracts code and storage in hex. `slots` is how many `Loops.filled` has. */
export function allocation(slots) {
  return {
    ...Object.fromEntries(
      senders.map((address) => [address, { balance: BALANCE.toString(), nonce: '0' }]),
    ),
    [TOKEN]: { balance: '0', nonce: '1', code: runtimeCode('Token'), storage: tokenStorage() },
    [LOOPS]: { balance: '0', nonce: '1', code: runtimeCode('Loops'), storage: loopStorage(slots) },
  }
}

/** A genesis file as go-ethereum and anvil read it. */
export function gethGenesis({ blockGasLimit, slots = 0 }) {
  const forks = [
    'homesteadBlock',
    'eip150Block',
    'eip155Block',
    'eip158Block',
    'byzantiumBlock',
    'constantinopleBlock',
    'petersburgBlock',
    'istanbulBlock',
    'berlinBlock',
    'londonBlock',
    'mergeNetsplitBlock',
    'shanghaiTime',
    'cancunTime',
    'pragueTime',
    'osakaTime',
  ]
  const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5007716 }
  const hex = (value) => `0x${BigInt(value).toString(16)}`
  const alloc = Object.entries(allocation(slots)).map(([address, { balance, nonce, ...rest }]) => [
    address,
    { balance: hex(balance), nonce: hex(nonce), ...rest },
  ])
  return {
    config: {
      chainId: Number(CHAIN_ID),
      ...Object.fromEntries(forks.map((fork) => [fork, 0])),
      terminalTotalDifficulty: 0,
      blobSchedule: { cancun: blobs, prague: blobs, osaka: blobs },
    },
    nonce: '0x0',
    timestamp: '0x0',
    extraData: '0x',
    gasLimit: hex(blockGasLimit),
    difficulty: '0x0',
    mixHash: `0x${word(0)}`,
    coinbase: `0x${'0'.repeat(40)}`,
    baseFeePerGas: hex(10n ** 9n),
    alloc: Object.fromEntries(alloc),
  }
}
