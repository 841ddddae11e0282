/** The accounts that differ between two states (debug_getModifiedAccountsBy…). */
import { compareBytes, equalBytes } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import type { ListedAccount } from '../../chain/reader.ts'
import { RpcError } from '../../wire/errors.ts'
import { createDeadline } from './deadline.ts'
import type { Execution } from './protocol.ts'
import type { ExecutionWorld } from './world.ts'

type Found = ListedAccount['account']

/** Accounts of a state, and of the answer, that are held in memory. */
const MOST = 500_000

const tooMany = (most: number): RpcError =>
  new RpcError('server', `the state has more than ${most} accounts, which are too many to compare`)

function isSame(a: Found, b: Found): boolean {
  return (
    a.nonce === b.nonce &&
    a.balance === b.balance &&
    equalBytes(a.codeHash, b.codeHash) &&
    equalBytes(a.storageRoot, b.storageRoot)
  )
}

/**
 * Addresses of the accounts after `last` that are new, or differ in nonce, balance, code or storage from those after
 * `first`, in the order of the trie. Both states are listed, within the time of one execution. Throws RpcError, also for states of more
 * than `most` accounts, and StateUnavailableError.
 */
export function modifiedAccounts(
  { chain, timeoutMs }: ExecutionWorld,
  { first, last }: Omit<Extract<Execution, { kind: 'modifiedAccounts' }>, 'kind'>,
  most = MOST,
): { readonly addresses: readonly Uint8Array[] } {
  const deadline = createDeadline()
  deadline.restart(timeoutMs)
  const before = new Map<string, Found>()
  for (const { address, account } of chain.accounts(first)) {
    deadline.poll()
    if (before.size >= most) throw tooMany(most)
    before.set(toHexDigits(address), account)
  }
  const modified: { readonly key: Uint8Array; readonly address: Uint8Array }[] = []
  for (const { address, account } of chain.accounts(last)) {
    deadline.poll()
    const old = before.get(toHexDigits(address))
    if (old !== undefined && isSame(old, account)) continue
    if (modified.length >= most) throw tooMany(most)
    modified.push({ key: keccak256(address), address })
  }
  modified.sort((a, b) => compareBytes(a.key, b.key))
  return { addresses: modified.map(({ address }) => address) }
}
