/**
 * A test node whose blocks contain transactions that can be re-executed: a contract that calls, logs, reverts and
 * creates.
 */
import { concatBytes } from '../../src/base/bytes.ts'
import { fromHex, toHexDigits } from '../../src/base/hex.ts'
import { ALICE, CONTRACT, createTestNode, transactionByAlice, type TestNode } from './rpcNode.ts'

/** Called by CONTRACT with the selector 0x01020304: stores 7 in slot 1, emits a log, returns a word. */
export const CALLEE = fromHex('0x00000000000000000000000000000000000ca11e')
/** Always reverts with Error("no"). */
export const REVERTER = fromHex('0x000000000000000000000000000000000000bad0')

const REVERT_DATA = `08c379a0${'00'.repeat(31)}20${'00'.repeat(31)}026e6f${'00'.repeat(30)}`
// Writes the revert data word by word, then reverts with 100 bytes of it.
const REVERTER_CODE = `0x${[0, 1, 2, 3]
  .map((word) => {
    const digits = REVERT_DATA.slice(word * 64, word * 64 + 64).padEnd(64, '0')
    return `7f${digits}60${(word * 32).toString(16).padStart(2, '0')}52`
  })
  .join('')}60645ffd`
// SSTORE(1, 7); LOG1(0, 0, 0x2a); MSTORE(0, 1); RETURN(0, 32)
const CALLEE_CODE = '0x6007600155602a5f5fa160015f5260205ff3'
// MSTORE(0, 0x01020304 << 224); CALL(gas, CALLEE, 0, 0, 4, 0, 32); CALL(gas, REVERTER, 0, 0, 0, 0, 0);
// STATICCALL(gas, identity precompile); SLOAD(9); STOP
const CONTRACT_CODE =
  `0x630102030460e01b5f5260205f60045f5f73${toHexDigits(CALLEE)}5af1505f5f5f5f5f73${toHexDigits(REVERTER)}5af1505f5f5f5f60045afa50600954 00`.replace(
    ' ',
    '',
  )

/** Block 1: a call of CONTRACT, a transfer, a call of REVERTER. Block 2: empty. */
export function createTracedNode(): TestNode {
  const genesis = {
    [toHexDigits(ALICE)]: { balance: 10n ** 21n },
    [toHexDigits(CONTRACT)]: { code: fromHex(CONTRACT_CODE), nonce: 1n },
    [toHexDigits(CALLEE)]: { code: fromHex(CALLEE_CODE), nonce: 1n },
    [toHexDigits(REVERTER)]: { code: fromHex(REVERTER_CODE), nonce: 1n },
  }
  const node = createTestNode({ genesis })
  node.chain.append([
    {
      transaction: transactionByAlice({
        to: CONTRACT,
        value: 0n,
        gasLimit: 200_000n,
        data: concatBytes(fromHex('0xaabbccdd'), new Uint8Array(32)),
      }),
    },
    { transaction: transactionByAlice({ nonce: 1n }) },
    { transaction: transactionByAlice({ nonce: 2n, to: REVERTER, value: 0n }), status: 0 },
  ])
  node.chain.append()
  return node
}

/** The hash of a transaction of block 1, on the wire. */
export function hashOf(node: TestNode, index: number): string {
  const transaction = node.chain.transactions(1)?.[index]
  if (!transaction) throw new Error('no such transaction')
  return `0x${toHexDigits(transaction.hash)}`
}
