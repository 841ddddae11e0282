/** The latest transactions of a chain whose latest blocks have none, however long ago they were. */
import { bytesToHex } from '../format/hex.ts'
import type { Node } from '../net/context.ts'
import { askMany } from '../net/jsonRpc.ts'
import { keccak256 } from '../proof/hashes.ts'
import type { Transaction } from './types.ts'

export type Earlier = {
  readonly hash: string
  readonly height: number
  /** Seconds since 1970. */
  readonly time: number
  readonly details: Pick<Transaction, 'from' | 'to' | 'value'>
}

type SearchAnswer = { readonly txs: readonly { readonly tx: string }[] | null }

/** Number of blocks that are searched first; each further search takes ten times as many. */
const FIRST_WINDOW = 1000

function hashOf(base64: string): string {
  return bytesToHex(keccak256(Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))))
}

/** At most `limit` of them, the latest first; none if the chain has none. */
export async function loadEarlier(node: Node, limit: number): Promise<readonly Earlier[]> {
  let last = Number(await node.ethereum('eth_blockNumber'))
  for (let width = FIRST_WINDOW; last > 0; width *= 10) {
    const first = Math.max(1, last - width + 1)
    const { txs } = (await node.consensus('tx_search', {
      query: `tx.height>=${first} AND tx.height<=${last}`,
      prove: false,
      page: '1',
      per_page: String(limit),
      order_by: 'desc',
    })) as SearchAnswer
    if (txs !== null && txs.length > 0) {
      const hashes = txs.map(({ tx }) => [hashOf(tx)])
      const found = await askMany(node.endpoints.rpc, 'eth_getTransactionByHash', hashes)
      return (found as (Transaction | null)[]).flatMap((each) =>
        each === null || each.blockNumber === null
          ? []
          : [
              {
                hash: each.hash,
                height: Number(each.blockNumber),
                time: Number(each.blockTimestamp ?? 0),
                details: each,
              },
            ],
      )
    }
    last = first - 1
  }
  return []
}
