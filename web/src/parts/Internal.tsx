/** Internal transfers from or to an account, searched as far back as the user wants. */
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

/** The tab. They are not in any index: the node re-executes blocks on demand. */
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
        Value transferred by contracts in calls within transactions. It is not indexed: the node
        re-executes the blocks to find it.
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
            {isBusy ? 'Searching…' : first === undefined ? 'Search' : 'Search further back'}
          </button>
        )}
        <output className="soft">
          {first !== undefined &&
            `${grouped(transfers.length)} found since block ${grouped(first)}.`}
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
