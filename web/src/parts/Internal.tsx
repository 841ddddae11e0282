/** Money that contracts moved from or to an account, looked for as far back as somebody wants. */
import { useState } from 'react'
import { loadInternal, type InternalTransfer } from '../chain/internal.ts'
import { grouped } from '../format/number.ts'
import { oneLine } from '../format/text.ts'
import { useNode } from '../net/context.ts'
import { Money } from './Money.tsx'
import { AddressLink, BlockLink, TransactionLink } from './Names.tsx'
import { Scrolled } from './Scrolled.tsx'

function Table({ transfers }: { readonly transfers: readonly InternalTransfer[] }) {
  return (
    <Scrolled label="Internal transfers, as a table">
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">Block</th>
            <th scope="col">Transaction</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col" className="amount">
              Amount
            </th>
          </tr>
        </thead>
        <tbody>
          {transfers.map(({ height, transaction, place, from, to, amount }) => (
            <tr key={`${transaction}-${place}`}>
              <td>
                <BlockLink height={height} />
              </td>
              <td>
                <TransactionLink hash={transaction} />
              </td>
              <td>
                <AddressLink address={from} />
              </td>
              <td>
                <AddressLink address={to} />
              </td>
              <td className="amount">
                <Money amount={amount} isShort />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}

/** The tab. No index has these: the node executes blocks again, when it is asked to. */
export function Internal({ address }: { readonly address: string }) {
  const node = useNode()
  const [transfers, keep] = useState<readonly InternalTransfer[]>([])
  const [first, reach] = useState<number>()
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)

  const look = async (): Promise<void> => {
    setBusy(true)
    setProblem('')
    try {
      const last = first === undefined ? Number(await node.ethereum('eth_blockNumber')) : first - 1
      const stretch = await loadInternal(node, address.toLowerCase(), last)
      keep((before) => [...before, ...stretch.transfers])
      reach(stretch.first)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
    setBusy(false)
  }

  return (
    <section className="card stack" aria-label="Internal transfers">
      <p className="soft">
        Money that contracts moved, by calls inside of transactions. No index has them: the node
        executes the blocks again.
      </p>
      {transfers.length > 0 && <Table transfers={transfers} />}
      <p className="actions">
        {first !== 0 && (
          <button
            type="button"
            className="button"
            aria-disabled={isBusy}
            onClick={() => {
              if (!isBusy) void look()
            }}
          >
            {isBusy ? 'Looking …' : first === undefined ? 'Look for them' : 'Look further back'}
          </button>
        )}
        <output className="soft">
          {first !== undefined &&
            `${grouped(transfers.length)} found from block ${grouped(first)} on.`}
        </output>
      </p>
      {problem !== '' && (
        <p className="problem" role="alert">
          {oneLine(problem, 300)}
        </p>
      )}
    </section>
  )
}
