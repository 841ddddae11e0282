/** The receipts contract (contracts/JobReceipts.sol) over a chain's JSON-RPC. */
import {
  bigintToFixedBytes,
  bytesToBigint,
  concatBytes,
  equalBytes,
  padLeft,
  utf8,
} from '../../base/bytes.ts'
import { keccak256 } from '../../base/keccak.ts'
import { addressOfPrivateKey, signRsv } from '../../base/secp256k1.ts'
import { decodeInteger, decodeWords, encodeCall } from '../onchain/abi.ts'
import { sendTransaction, type Sent } from '../onchain/account.ts'
import type { EvmChain } from '../onchain/chain.ts'

/** The root of an interval, and the number of receipts under it. */
export type Anchored = { readonly root: Uint8Array; readonly count: number }

/** An interval to anchor. Roots have 32 bytes. */
export type NewAnchor = Anchored & { readonly interval: bigint; readonly previous: Uint8Array }

export type ReceiptsContract = {
  /** The last interval of the dispatcher; 0 before the first. */
  lastInterval(): Promise<bigint>
  /** The anchored root; zeros if there is none. */
  anchorAt(interval: bigint): Promise<Anchored>
  /** Makes the anchor key's account the dispatcher's anchorer, unless it is one already. */
  appoint(): Promise<void>
  /** Anchors the root of an interval by a transaction. Rejects as `sendTransaction` does. */
  anchor(anchor: NewAnchor): Promise<Sent>
}

const DOMAIN_TYPE =
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'
const APPOINTMENT_TYPE = 'Appointment(address dispatcher,address anchorer,uint256 serial)'

const hashOf = (text: string) => keccak256(utf8(text))
const word = (bytes: Uint8Array) => padLeft(bytes, 32)

/** What a dispatcher signs to appoint an anchorer (EIP-712). */
export function appointmentDigest(appointment: {
  readonly chainId: bigint
  readonly contract: Uint8Array
  readonly dispatcher: Uint8Array
  readonly anchorer: Uint8Array
  readonly serial: bigint
}): Uint8Array {
  const { chainId, contract, dispatcher, anchorer, serial } = appointment
  const domain = keccak256(
    concatBytes(
      hashOf(DOMAIN_TYPE),
      hashOf('Assay receipts'),
      hashOf('1'),
      bigintToFixedBytes(chainId, 32),
      word(contract),
    ),
  )
  const struct = keccak256(
    concatBytes(
      hashOf(APPOINTMENT_TYPE),
      word(dispatcher),
      word(anchorer),
      bigintToFixedBytes(serial, 32),
    ),
  )
  return keccak256(concatBytes(Uint8Array.of(0x19, 0x01), domain, struct))
}

/** The contract for one dispatcher. Both keys have 32 bytes; transactions are sent by the anchor key's account. */
export function receiptsContract(
  chain: EvmChain,
  contract: Uint8Array,
  keys: { readonly dispatcher: Uint8Array; readonly anchor: Uint8Array },
  signal: AbortSignal,
): ReceiptsContract {
  const dispatcher = addressOfPrivateKey(keys.dispatcher)
  const anchorer = addressOfPrivateKey(keys.anchor)
  const view = (signature: string, ...args: readonly (bigint | Uint8Array)[]) =>
    chain.view(contract, encodeCall(signature, dispatcher, ...args))
  const send = (data: Uint8Array) =>
    sendTransaction(chain, keys.anchor, { to: contract, data }, signal)

  return {
    lastInterval: async () => decodeInteger(await view('intervals(address)')),
    async anchorAt(interval) {
      const [root, count] = decodeWords(await view('anchors(address,uint256)', interval), 3)
      return { root: root as Uint8Array, count: Number(bytesToBigint(count as Uint8Array)) }
    },
    async appoint() {
      const [current] = decodeWords(await view('anchorerOf(address)'), 1)
      if (equalBytes(current as Uint8Array, word(anchorer))) return
      const serial = decodeInteger(await view('serials(address)')) + 1n
      const chainId = await chain.chainId()
      const digest = appointmentDigest({ chainId, contract, dispatcher, anchorer, serial })
      const signature = signRsv(digest, keys.dispatcher)
      await send(
        encodeCall(
          'appoint(address,address,uint8,bytes32,bytes32)',
          dispatcher,
          anchorer,
          signature[64] as number,
          signature.subarray(0, 32),
          signature.subarray(32, 64),
        ),
      )
    },
    anchor: ({ interval, root, count, previous }) =>
      send(
        encodeCall(
          'anchor(address,uint256,bytes32,uint64,bytes32)',
          dispatcher,
          interval,
          root,
          count,
          previous,
        ),
      ),
  }
}
