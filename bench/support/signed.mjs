// Transactions signed before the measurement: the same bytes for every peer.
import { fromHex, toHex } from '../../dist/base/hex.js'
import { keccak256 } from '../../dist/base/keccak.js'
import { signTransaction } from '../../dist/chain/signTransaction.js'
import { callData } from './abi.mjs'
import { cachedLines } from './cache.mjs'
import { CHAIN_ID, LOOPS, senderKeys, TOKEN } from './chain.mjs'

const GWEI = 10n ** 9n
/** Changes whenever the transactions do, so that old ones are not taken from the cache. */
const VERSION = 1
const RECIPIENTS = 5_000
const NO_DATA = new Uint8Array(0)

function sign(index, nonce, fields) {
  return toHex(
    signTransaction(
      {
        type: 2,
        chainId: CHAIN_ID,
        nonce: BigInt(nonce),
        maxFeePerGas: 1000n * GWEI,
        maxPriorityFeePerGas: GWEI,
        accessList: [],
        authorizationList: [],
        value: 0n,
        data: NO_DATA,
        ...fields,
      },
      senderKeys[index],
    ).raw,
  )
}

function recipient(i) {
  const number = Uint8Array.of(i >> 16, (i >> 8) & 255, i & 255)
  return keccak256(number).slice(12)
}

const KINDS = {
  transfer: (i) => ({ to: recipient(i % RECIPIENTS), value: 1n, gasLimit: 21_000n }),
  token: (i) => ({
    to: fromHex(TOKEN),
    data: fromHex(callData('transfer(address,uint256)', toHex(recipient(i % RECIPIENTS)), 1)),
    gasLimit: 60_000n,
  }),
}

/**
 * Raw transactions in hex: transfers of the currency ('transfer') or of the ERC-20 token ('token'). The senders take turns,
 * so that one's nonces stand far apart and arrive in order even over many connections.
 */
export function signedTransactions(kind, count) {
  return cachedLines(`signed-${kind}`, { VERSION, kind, count }, () => {
    process.stderr.write(`Signing ${count} transactions ...\n`)
    return Array.from({ length: count }, (_, i) =>
      sign(i % senderKeys.length, Math.floor(i / senderKeys.length), KINDS[kind](i)),
    )
  })
}

/** Raw transactions of one sender that emit `count * each` logs. */
export function signedPings(count, each) {
  return Array.from({ length: count }, (_, nonce) =>
    sign(0, nonce, {
      to: fromHex(LOOPS),
      data: fromHex(callData('ping(uint256,uint256)', nonce * each, each)),
      gasLimit: 50_000n + 3_000n * BigInt(each),
    }),
  )
}

/** The raw transaction, a sender's first, that calls a function of `Loops`. */
export function signedLoop(name, turns, gasLimit) {
  return sign(0, 0, {
    to: fromHex(LOOPS),
    data: fromHex(callData(`${name}(uint256)`, turns)),
    gasLimit,
  })
}
