import fc from 'fast-check'
import { expect, test } from 'vitest'
import { utf8 } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { createJsonBytes } from '../../base/jsonBytes.ts'
import { toQuantity } from '../../base/quantity.ts'
import { encodeLogsRecord, placesOf } from '../../ledger/blocks/logsRecord.ts'
import type { LogPlace } from '../../chain/reader.ts'
import type { Log } from '../../evm/types.ts'
import { writeLogText } from './logText.ts'

const LONG = 150_000

const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length })

const log = fc.record({
  address: bytes(20),
  topics: fc.array(bytes(32), { maxLength: 4 }),
  data: fc.oneof(
    { weight: 9, arbitrary: fc.uint8Array({ maxLength: 100 }) },
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: 20_000, max: LONG })
        .map((length) => new Uint8Array(length).fill(7)),
    },
  ),
})

/** The record of a block whose transactions have these logs. */
function recordOf(transactions: readonly (readonly Log[])[]): Uint8Array {
  return encodeLogsRecord({
    transactions: transactions.map((_, index) => ({ hash: new Uint8Array(32).fill(index) })),
    receipts: transactions.map((logs) => ({ logs })),
  } as unknown as Parameters<typeof encodeLogsRecord>[0]).record
}

const common = ({ transactionIndex }: LogPlace): Uint8Array =>
  utf8(`","transactionIndex":"${toQuantity(transactionIndex)}","logIndex":"`)

function textOf(
  record: Uint8Array,
  places: readonly LogPlace[],
  first: number,
  end: number,
): string {
  const json = createJsonBytes()
  writeLogText(json, record, places, { first, end }, common)
  return Buffer.concat(json.pieces()).toString('latin1')
}

test('the text of any stretch of wanted logs is what JSON makes of them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(log, { maxLength: 8 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 3 }),
      fc.nat(4),
      (transactions, every, first) => {
        const expected = transactions
          .flatMap((logs, transactionIndex) => logs.map((each) => ({ each, transactionIndex })))
          .map(({ each, transactionIndex }, logIndex) => ({
            address: toHex(each.address),
            topics: each.topics.map(toHex),
            data: toHex(each.data),
            transactionIndex: toQuantity(transactionIndex),
            logIndex: toQuantity(logIndex),
            removed: false,
          }))
        const isWanted = (_: unknown, index: number): boolean => index % every === 0
        const record = recordOf(transactions)
        const places = placesOf(record).filter(isWanted)
        const text = textOf(record, places, first, Math.max(first, places.length))
        expect(`[${text}]`).toBe(JSON.stringify(expected.filter(isWanted).slice(first)))
      },
    ),
    { numRuns: 200 },
  )
})

test.each([0, 9, 15, 16, 255, 4095, 4096, 0x12345, 0xfffffff])(
  'index %i has no leading zeros',
  (index) => {
    const record = recordOf([
      [{ address: new Uint8Array(20), topics: [], data: new Uint8Array(0) }],
    ])
    const places = placesOf(record).map((place) => ({ ...place, logIndex: index }))
    expect(JSON.parse(textOf(record, places, 0, 1))).toMatchObject({ logIndex: toQuantity(index) })
  },
)
