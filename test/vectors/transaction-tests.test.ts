/** TransactionTests of ethereum/tests: decoding, sender, hash and intrinsic gas, and that invalid bytes are refused. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { TransactionDecodeError, decodeTransaction } from '../../src/chain/transaction.ts'
import { intrinsicGas } from '../../src/evm/gas.ts'
import { InvalidTransactionError } from '../../src/evm/invalidTransaction.ts'
import type { Hardfork } from '../../src/evm/rules.ts'
import { checkFields, maxCost } from '../../src/evm/validity.ts'

type Expected =
  | { readonly exception: string }
  | { readonly hash: string; readonly sender: string; readonly intrinsicGas: string }
type Vector = { readonly txbytes: string; readonly result: Readonly<Record<string, Expected>> }

const FOLDER = join(
  process.env['ASSAY_VECTORS'] ?? '../shared/vectors',
  'ethereum-tests/TransactionTests',
)
const REQUIRED = process.env['ASSAY_VECTORS_REQUIRED'] === '1'

/** The newest fork that the suite lists. */
const FORK = 'Cancun'
const HARDFORK: Hardfork = 'cancun'

function observe(txbytes: string): Expected {
  try {
    const transaction = decodeTransaction(fromHex(txbytes), 1n)
    checkFields(transaction, { hardfork: HARDFORK, baseFeeSink: 'burned' })
    // What no balance can pay is invalid by itself.
    if (maxCost(transaction) >= 2n ** 256n) return { exception: 'cost exceeds 256 bits' }
    return {
      hash: toHex(transaction.hash),
      sender: toHex(transaction.sender),
      intrinsicGas: `0x${intrinsicGas(transaction).toString(16)}`,
    }
  } catch (error) {
    if (error instanceof TransactionDecodeError || error instanceof InvalidTransactionError)
      return { exception: error.message }
    throw error
  }
}

function vectors(): [string, Vector][] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) =>
      Object.entries(
        JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Record<string, Vector>,
      ),
    )
}

test('transactions are decoded or refused as listed', () => {
  if (!existsSync(FOLDER)) {
    if (REQUIRED) throw new Error(`${FOLDER} is missing`)
    console.warn(`skipped: ${FOLDER} is missing; set ASSAY_VECTORS to the folder of the vectors`)
    return
  }
  const failures: string[] = []
  let ran = 0
  for (const [name, { txbytes, result }] of vectors()) {
    const expected = result[FORK]
    if (expected === undefined) continue
    ran++
    const observed = observe(txbytes)
    const agrees =
      'exception' in expected
        ? 'exception' in observed
        : 'hash' in observed &&
          observed.hash === expected.hash &&
          observed.sender === expected.sender &&
          BigInt(observed.intrinsicGas) === BigInt(expected.intrinsicGas)
    if (!agrees) failures.push(`${name}: ${JSON.stringify({ expected, observed })}`)
  }
  console.log(`${FORK} TransactionTests: ${ran - failures.length} of ${ran} cases pass`)
  expect(failures).toEqual([])
})
