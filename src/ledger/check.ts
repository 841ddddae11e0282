/** Finds faults of a stored block: checks its lists against its roots, and the indexes that should lead to it. */
import { equalBytes } from '../base/bytes.ts'
import type { Sha256 } from '../proof/comet/crypto.ts'
import { logsBloom, uniteBlooms } from '../chain/bloom.ts'
import { listRoot } from '../chain/listRoot.ts'
import { encodeReceipt } from '../proof/receiptEncoding.ts'
import type { ChainReader } from '../chain/reader.ts'

const EVERY_LOG = { addresses: [], topics: [] }

/** The faults of one block as texts, empty if it is sound. Records that cannot be read throw CorruptRecordError. */
export function checkBlock(reader: ChainReader, height: number, sha256: Sha256): readonly string[] {
  const header = reader.header(height)
  const decided = reader.decided(height)
  const transactions = reader.transactions(height)
  const receipts = reader.receipts(height)
  if (!header || !decided || !transactions || !receipts) return [`block ${height} is not complete`]

  const faults: string[] = []
  const expect = (isSound: boolean, what: string): void => {
    if (!isSound) faults.push(`${what} of block ${height}`)
  }
  expect(
    equalBytes(listRoot(transactions.map(({ raw }) => raw)), header.transactionsRoot),
    'transactions',
  )
  expect(
    equalBytes(listRoot(receipts.map((receipt) => encodeReceipt(receipt))), header.receiptsRoot),
    'receipts',
  )
  const bloom = uniteBlooms(receipts.map(({ logs }) => logsBloom(logs)))
  expect(equalBytes(bloom, header.logsBloom), 'bloom')

  expect(reader.heightOfHash(header.hash) === height, 'index by block hash')
  for (const [index, { hash }] of transactions.entries()) {
    const place = reader.findTransaction(hash)
    expect(place?.height === height && place.index === index, 'index by transaction hash')
  }
  // The same bytes may be decided twice, and refused the second time: the index leads to one of them.
  for (const { raw } of decided)
    expect(reader.findDecided(sha256(raw)) !== undefined, 'index by consensus hash')
  const logs = receipts.reduce((sum, receipt) => sum + receipt.logs.length, 0)
  const found = Array.from(reader.logs(height, height, EVERY_LOG), ({ places }) => places.length)
  expect(found.reduce((sum, count) => sum + count, 0) === logs, 'index of logs')
  return faults
}
