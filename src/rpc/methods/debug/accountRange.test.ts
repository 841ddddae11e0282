import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createListedChain,
  NEWCOMER,
  SETTER,
  wordHex,
} from '../../../../test/support/listedChain.ts'
import { ALICE } from '../../../../test/support/rpcNode.ts'
import { toChecksumAddress } from '../../../base/checksumAddress.ts'
import { toHex, toHexDigits } from '../../../base/hex.ts'
import { keccak256 } from '../../../base/keccak.ts'

type Range = {
  readonly root: string
  readonly accounts: Readonly<Record<string, Record<string, unknown>>>
  readonly next?: string
}

let listed: Awaited<ReturnType<typeof createListedChain>>
beforeAll(async () => {
  listed = await createListedChain()
})
afterAll(() => listed.chain.close())

async function range(block: string, ...rest: readonly unknown[]): Promise<Range> {
  return (await listed.node.request('debug_accountRange', block, ...rest)) as Range
}

test('debug_accountRange shows accounts with code and storage as go-ethereum writes them', async () => {
  const { root, accounts } = await range('latest', '0x', 256, false, false, false)
  expect(root).toBe(toHexDigits(listed.chain.reader.header(3)?.stateRoot ?? new Uint8Array(0)))
  expect(accounts[toChecksumAddress(SETTER)]).toMatchObject({
    balance: '0',
    nonce: 1,
    code: '0x6020355f355500',
    storage: {
      [wordHex(1)]: '0a',
      [wordHex(3)]: '21',
      [wordHex(4)]: '28',
      [wordHex(5)]: '32',
      [wordHex(7)]: '07',
    },
    address: toHex(SETTER),
    key: toHex(keccak256(SETTER)),
  })
  expect(accounts[toChecksumAddress(ALICE)]).not.toHaveProperty('code')
})

test('roots are those of the proofs, and the flags leave out code and storage', async () => {
  const { accounts } = await range('0x2', '0x', 256, true, true)
  const shown = accounts[toChecksumAddress(SETTER)]
  expect(shown).toMatchObject({ root: toHex(listed.chain.reader.proof(2, SETTER, []).storageRoot) })
  expect(shown).not.toHaveProperty('code')
  expect(shown).not.toHaveProperty('storage')
})

test('an account that came later is not there before', async () => {
  // The call sent no value: an empty account is never created (EIP-161).
  expect((await range('latest', '0x', 256)).accounts).not.toHaveProperty([
    toChecksumAddress(NEWCOMER),
  ])
  expect((await range('0x0', '0x', 256)).accounts).not.toHaveProperty([toChecksumAddress(SETTER)])
  expect((await range('0x1', '0x', 256)).accounts).toHaveProperty([toChecksumAddress(SETTER)])
})

// Holds D16a.
test('pages follow one another in the order of the hashes, by the key of the next one', async () => {
  const all = Object.values((await range('latest', '0x', 256, true, true)).accounts)
  const keys: unknown[] = []
  let start: string | undefined = '0x'
  while (start !== undefined) {
    const { accounts, next } = await range('latest', start, 3, true, true)
    keys.push(...Object.values(accounts).map(({ key }) => key))
    start = next
  }
  expect(keys).toEqual(all.map(({ key }) => key))
  expect(keys.length).toBeGreaterThan(5)
})
