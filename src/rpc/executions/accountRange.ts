/** debug_accountRange: the accounts after a block, in the order of the trie. */
import { keccak256 } from '../../base/keccak.ts'
import type { ListedAccount, ListedSlot } from '../../chain/reader.ts'
import { RpcError } from '../../wire/errors.ts'
import { createDeadline, type Deadline } from './deadline.ts'
import { createHashPage } from './hashPage.ts'
import type { AccountRange, Execution } from './protocol.ts'
import type { ExecutionWorld } from './world.ts'

function* polled<T>(items: Iterable<T>, { poll }: Deadline): Generator<T> {
  for (const item of items) {
    poll()
    yield item
  }
}

/** A page of accounts. All accounts are scanned, within the time of one execution. Throws RpcError. */
export function accountRange(
  { chain, timeoutMs }: ExecutionWorld,
  { height, start, limit, ...wanted }: Omit<Extract<Execution, { kind: 'accountRange' }>, 'kind'>,
): AccountRange {
  const deadline = createDeadline()
  deadline.restart(timeoutMs)
  const header = chain.header(height)
  if (!header) throw new RpcError('server', `block ${height} not found`)
  const page = createHashPage<ListedAccount & { key: Uint8Array }>(start, limit)
  for (const listed of polled(chain.accounts(height), deadline))
    page.add({ ...listed, key: keccak256(listed.address) })
  const state = chain.stateAt(height)
  const storageOf = (address: Uint8Array): readonly ListedSlot[] => [
    ...polled(chain.slots(height, address), deadline),
  ]
  const { items, next } = page.page()
  return {
    stateRoot: header.stateRoot,
    accounts: items.map(({ key, address, account }) => ({
      hash: key,
      address,
      account,
      code: wanted.withCode ? state.code(account.codeHash).slice() : undefined,
      storage: wanted.withStorage ? storageOf(address) : undefined,
    })),
    next,
  }
}
