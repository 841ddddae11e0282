import { z } from 'zod'
import { trimLeft } from '../../../base/bytes.ts'
import { toChecksumAddress } from '../../../base/checksumAddress.ts'
import { toHex, toHexDigits } from '../../../base/hex.ts'
import { method, type Result } from '../../../wire/method.ts'
import { data } from '../../../wire/schema.ts'
import { addressShape, dataShape, hashShape } from '../../../wire/shapes.ts'
import type { AccountRange, DumpedAccount } from '../../executions/protocol.ts'
import type { World } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'

/** Maximum number of accounts on one page, also used for an impossible number; as in go-ethereum. */
export const MAX_ACCOUNTS = 256

const digits = z.string().regex(/^(?:[0-9a-f]{2})*$/)

/** As go-ethereum writes them: balances in decimal, roots and stored values without 0x. */
export const accountRangeResult: Result<AccountRange> = {
  schema: z.strictObject({
    root: digits,
    accounts: z.record(
      z.string(),
      z.strictObject({
        balance: z.string().regex(/^\d+$/),
        nonce: z.int(),
        root: hashShape,
        codeHash: hashShape,
        code: dataShape.optional(),
        storage: z.record(hashShape, digits).optional(),
        address: addressShape,
        key: hashShape,
      }),
    ),
    next: dataShape.optional(),
  }),
  encode: ({ stateRoot, accounts, next }) => ({
    root: toHexDigits(stateRoot),
    accounts: Object.fromEntries(
      accounts.map((account) => [toChecksumAddress(account.address), encodeAccount(account)]),
    ),
    ...(next && { next: toHex(next) }),
  }),
}

function encodeAccount({ address, hash, account, code, storage }: DumpedAccount): object {
  const slots = storage?.map(({ slot, value }) => [toHex(slot), toHexDigits(trimLeft(value))])
  return {
    balance: account.balance.toString(),
    nonce: Number(account.nonce),
    root: toHex(account.storageRoot),
    codeHash: toHex(account.codeHash),
    ...(code !== undefined && code.length > 0 && { code: toHex(code) }),
    ...(slots !== undefined &&
      slots.length > 0 && { storage: Object.fromEntries(slots) as object }),
    address: toHex(address),
    key: toHex(hash),
  }
}

export const debug_accountRange = method({
  // See D16a.
  summary: 'Accounts in the state after a block, ordered by address hash, one page at a time.',
  params: {
    block,
    start: data,
    limit: z.int(),
    noCode: z.boolean().nullish(),
    noStorage: z.boolean().nullish(),
    incompletes: z.boolean().nullish().meta({ description: 'ignored: every address is known' }),
  },
  result: accountRangeResult,
  handler: async (
    { chain, executions }: Pick<World, 'chain' | 'executions'>,
    { block, start, limit, noCode, noStorage },
  ) =>
    (await executions.run({
      kind: 'accountRange',
      height: requireHeader(chain, block).height,
      start,
      limit: limit > 0 ? Math.min(limit, MAX_ACCOUNTS) : MAX_ACCOUNTS,
      withCode: noCode !== true,
      withStorage: noStorage !== true,
    })) as AccountRange,
})
