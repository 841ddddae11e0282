/** The transactions of an account as a table for other programs (RFC 4180). */
import type { Node } from '../net/context.ts'
import { loadPage, type Direction, type Page, type Place } from './activity.ts'

/** Transactions of one file. */
const MOST = 1000

const HEAD = 'hash,block,time,from,to,created,value,gasUsed,fee,status'

/** Lines of one page. Amounts are in the smallest unit; nothing in them needs quotes or is a formula. */
export function csvLines({ transactions, receipts }: Page): readonly string[] {
  const byHash = new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]))
  return transactions.map(({ hash, blockNumber, blockTimestamp, from, to, value }) => {
    const receipt = byHash.get(hash)
    const { gasUsed = '0x0', effectiveGasPrice = '0x0', contractAddress, status } = receipt ?? {}
    return [
      hash,
      blockNumber === null ? '' : Number(blockNumber),
      typeof blockTimestamp === 'string'
        ? new Date(Number(blockTimestamp) * 1000).toISOString()
        : '',
      from,
      to ?? '',
      contractAddress ?? '',
      BigInt(value),
      BigInt(gasUsed),
      BigInt(gasUsed) * BigInt(effectiveGasPrice),
      status === '0x1' ? 'success' : 'failed',
    ].join(',')
  })
}

/** The latest transactions in that form, at most 1,000. */
export async function loadCsv(node: Node, address: string, direction: Direction): Promise<string> {
  const lines: string[] = []
  let before: Place | undefined
  do {
    const page: Page = await loadPage(node, address, { direction, before })
    lines.push(...csvLines(page))
    before = page.next
  } while (before !== undefined && lines.length < MOST)
  return `${[HEAD, ...lines.slice(0, MOST)].join('\r\n')}\r\n`
}
