/** What a transaction changed, account by account. */
import type { AccountState, StateDiff } from '../chain/types.ts'
import { grouped, units } from '../format/number.ts'
import { AddressLink } from './Names.tsx'
import { Scrolled } from './Scrolled.tsx'

const MAX_ACCOUNTS = 100
const MAX_SLOTS = 50
const ZERO = `0x${'0'.repeat(64)}`

type Change = {
  readonly name: string
  readonly before: string
  readonly after: string
  readonly note?: string
}

function changesOf(pre: AccountState, post: AccountState): Change[] {
  const changes: Change[] = []
  if (post.balance !== undefined) {
    const [before, after] = [BigInt(pre.balance ?? '0x0'), BigInt(post.balance)]
    const difference = after - before
    changes.push({
      name: 'Balance',
      before: units(before, 18),
      after: units(after, 18),
      note: `${difference > 0n ? '+' : ''}${units(difference, 18)}`,
    })
  }
  if (post.nonce !== undefined)
    changes.push({ name: 'Nonce', before: grouped(pre.nonce ?? 0), after: grouped(post.nonce) })
  if (post.code !== undefined)
    changes.push({
      name: 'Code',
      before: pre.code === undefined ? 'none' : `${grouped(pre.code.length / 2 - 1)} bytes`,
      after: `${grouped(post.code.length / 2 - 1)} bytes`,
    })
  const slots = new Set([...Object.keys(pre.storage ?? {}), ...Object.keys(post.storage ?? {})])
  for (const slot of [...slots].slice(0, MAX_SLOTS))
    changes.push({
      name: slot,
      before: pre.storage?.[slot] ?? ZERO,
      after: post.storage?.[slot] ?? ZERO,
    })
  return changes
}

function short(value: string): string {
  return value.length === 66 ? `0x${value.slice(2).replace(/^0+(?=.)/, '')}` : value
}

function Account({
  address,
  pre,
  post,
}: {
  readonly address: string
  readonly pre: AccountState
  readonly post: AccountState
}) {
  const changes = changesOf(pre, post)
  return (
    <section className="card" aria-label={`Changes of ${address}`}>
      <h2>
        <AddressLink address={address} isWhole />
      </h2>
      <Scrolled label={`Changes of ${address}, as a table`}>
        <table className="rows changes">
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {changes.map((change) => (
              <tr key={change.name}>
                <td>
                  {change.name.startsWith('0x') ? (
                    <>
                      Slot <span className="hash">{short(change.name)}</span>
                    </>
                  ) : (
                    change.name
                  )}
                </td>
                <td className="hash whole before">{short(change.before)}</td>
                <td className="hash whole after">
                  {short(change.after)}
                  {change.note !== undefined && <span className="soft"> ({change.note})</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </section>
  )
}

/** The changes of prestateTracer's diffMode. */
export function StateChanges({ diff }: { readonly diff: StateDiff }) {
  const addresses = [...new Set([...Object.keys(diff.pre), ...Object.keys(diff.post)])]
  const changed = addresses.filter(
    (address) => changesOf(diff.pre[address] ?? {}, diff.post[address] ?? {}).length > 0,
  )
  if (changed.length === 0) return <p className="card empty">No state changes.</p>
  return (
    <div className="stack">
      {changed.slice(0, MAX_ACCOUNTS).map((address) => (
        <Account
          key={address}
          address={address}
          pre={diff.pre[address] ?? {}}
          post={diff.post[address] ?? {}}
        />
      ))}
    </div>
  )
}
