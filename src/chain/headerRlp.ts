/** A header as RLP in Ethereum's format (Prague). Its Keccak hash is not the block's hash, which is CometBFT's (D6). */
import { bigintToBytes, EMPTY_BYTES } from '../base/bytes.ts'
import { fromHex } from '../base/hex.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../base/rlp.ts'
import { timestampOf, type BlockHeader } from './block.ts'
import type { Transaction } from './transaction.ts'

const EMPTY_UNCLES_HASH = fromHex(
  '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
)
const ZERO_NONCE = new Uint8Array(8)

function headerItems(header: BlockHeader): readonly RlpItem[] {
  return [
    header.parentHash,
    EMPTY_UNCLES_HASH,
    header.coinbase,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    EMPTY_BYTES,
    bigintToBytes(BigInt(header.height)),
    bigintToBytes(header.gasLimit),
    bigintToBytes(header.gasUsed),
    bigintToBytes(timestampOf(header)),
    EMPTY_BYTES,
    header.prevRandao,
    ZERO_NONCE,
    bigintToBytes(header.baseFeePerGas),
  ]
}

/** The header's 16 fields. */
export function encodeHeaderRlp(header: BlockHeader): Uint8Array {
  return encodeRlp(headerItems(header))
}

/** Header, transactions and an empty list of uncles. Typed transactions are byte strings (EIP-2718). */
export function encodeBlockRlp(
  header: BlockHeader,
  transactions: readonly Transaction[],
): Uint8Array {
  const items = transactions.map(({ type, raw }): RlpItem => (type === 0 ? decodeRlp(raw) : raw))
  return encodeRlp([headerItems(header), items, []])
}
