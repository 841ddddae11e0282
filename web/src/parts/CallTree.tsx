/** The calls that a transaction made, inside one another, with the gas that each took. */
import { useState } from 'react'
import { decodeCall } from '../abi/book.ts'
import { itemsOf } from '../abi/store.ts'
import { boundCalls, type BoundedCall } from '../chain/boundCalls.ts'
import type { Call } from '../chain/types.ts'
import { grouped } from '../format/number.ts'
import { clip, oneLine } from '../format/text.ts'
import { Badge } from './Badge.tsx'
import { Money } from './Money.tsx'
import { AddressLink } from './Names.tsx'
import { Scrolled } from './Scrolled.tsx'

const MAX_CALLS = 500
const OPEN_TO = 4

function Name({ call }: { readonly call: Call }) {
  if (call.type.startsWith('CREATE')) return <code>new contract</code>
  if (call.input === '0x') return <span className="soft">transfer</span>
  const decoded = decodeCall(itemsOf, call.to ?? '', call.input)
  return (
    <code>
      {decoded === undefined ? (
        call.input.slice(0, 10)
      ) : (
        <>
          <bdi>{oneLine(decoded.item.name, 40)}</bdi>
          {decoded.isGuess && <span className="soft"> ?</span>}
        </>
      )}
    </code>
  )
}

function Line({ call, total }: { readonly call: Call; readonly total: number }) {
  const share = total === 0 ? 0 : Number(call.gasUsed) / total
  const value = BigInt(call.value ?? '0x0')
  return (
    <span className="call">
      <span className="call-type">{clip(call.type.toLowerCase(), 14)}</span>
      {call.to !== undefined && <AddressLink address={call.to} />}
      <Name call={call} />
      {value > 0n && <Money amount={value} />}
      {call.error !== undefined && (
        <Badge tone="bad">
          <bdi>{oneLine(call.revertReason ?? call.error, 60)}</bdi>
        </Badge>
      )}
      <span className="call-gas number">
        {grouped(BigInt(call.gasUsed))} gas
        <span
          className="call-bar"
          style={{ width: `${Math.max(1, share * 100)}%` }}
          aria-hidden="true"
        />
      </span>
    </span>
  )
}

function Node({
  call,
  total,
  depth,
}: {
  readonly call: BoundedCall
  readonly total: number
  readonly depth: number
}) {
  const { calls, omitted } = call
  const [isOpen, setOpen] = useState(depth < OPEN_TO)
  const isLeaf = calls.length === 0 && omitted === 0
  return (
    <div className="call-node">
      {!isLeaf && (
        <button
          type="button"
          className="fold"
          aria-expanded={isOpen}
          aria-label={`${grouped(calls.length + omitted)} nested calls`}
          onClick={() => setOpen(!isOpen)}
        />
      )}
      <Line call={call} total={total} />
      {isOpen && !isLeaf && (
        <ul>
          {calls.map((each, index) => (
            // oxlint-disable-next-line react/no-array-index-key
            <li key={index}>
              <Node call={each} total={total} depth={depth + 1} />
            </li>
          ))}
          {omitted > 0 && <li className="soft">{grouped(omitted)} more calls</li>}
        </ul>
      )}
    </div>
  )
}

/** The tree; at most MAX_CALLS of it. */
export function CallTree({ root }: { readonly root: Call }) {
  return (
    <Scrolled label="Calls">
      <div className="call-tree">
        <Node call={boundCalls(root, MAX_CALLS)} total={Number(root.gasUsed)} depth={0} />
      </div>
    </Scrolled>
  )
}
