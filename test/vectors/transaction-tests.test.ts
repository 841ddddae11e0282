/** TransactionTests of ethereum/tests, from Berlin on: decoding, sender, hash and intrinsic gas, and that invalid bytes are refused. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { TransactionDecodeError, decodeTransaction } from '../../src/chain/transaction.ts'
import { intrinsicGas } from '../../src/evm/gas.ts'
import { InvalidTransactionError } from '../../src/evm/invalidTransaction.ts'
import type { Hardfork } from '../../src/evm/rules.ts'
import { checkFields, maxCost } from '../../src/evm/validity.ts'
import { hardforkNamed } from '../support/stateTest.ts'

type Expected =
  | { readonly exception: string }
  | { readonly hash: string; readonly sender: string; readonly intrinsicGas: string }
type Vector = { readonly txbytes: string; readonly result: Readonly<Record<string, Expected>> }

const FOLDER = join(
  process.env['ASSAY_VECTORS'] ?? '../shared/vectors',
  'ethereum-tests/TransactionTests',
)
const REQUIRED = process.env['ASSAY_VECTORS_REQUIRED'] === '1'

function observe(txbytes: string, hardfork: Hardfork): Expected {
  try {
    const transaction = decodeTransaction(fromHex(txbytes), 1n)
    checkFields(transaction, { hardfork })
    // What no balance can pay is invalid by itself.
    if (maxCost(transaction) >= 2n ** 256n) return { exception: 'cost exceeds 256 bits' }
    return {
      hash: toHex(transaction.hash),
      sender: toHex(transaction.sender),
      intrinsicGas: `0x${intrinsicGas(transaction, { hardfork }).toString(16)}`,
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
  const passed: Record<string, number> = {}
  const cases = vectors().flatMap(([name, { txbytes, result }]) =>
    Object.entries(result).map(([fork, expected]) => ({ name, txbytes, fork, expected })),
  )
  for (const { name, txbytes, fork, expected } of cases) {
    const hardfork = hardforkNamed(fork)
    if (hardfork === undefined) continue
    const observed = observe(txbytes, hardfork)
    const agrees =
      'exception' in expected
        ? 'exception' in observed
        : 'hash' in observed &&
          observed.hash === expected.hash &&
          observed.sender === expected.sender &&
          BigInt(observed.intrinsicGas) === BigInt(expected.intrinsicGas)
    if (agrees) passed[fork] = (passed[fork] ?? 0) + 1
    else failures.push(`${fork} ${name}: ${JSON.stringify({ expected, observed })}`)
  }
  console.log(
    `TransactionTests, cases that pass: ${JSON.stringify(passed)}; that fail: ${failures.length}`,
  )
  expect(failures).toEqual([])
})
