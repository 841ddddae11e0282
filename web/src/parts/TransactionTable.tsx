/** Transactions of a block or an account, one a line. */
import { useState } from 'react'
import { decodeCall } from '../abi/book.ts'
import { itemsOf } from '../abi/store.ts'
import type { Receipt, Transaction } from '../chain/types.ts'
import { grouped, units } from '../format/number.ts'
import { oneLine } from '../format/text.ts'
import { Badge } from './Badge.tsx'
import { AddressLink, BlockLink, TransactionLink } from './Names.tsx'
import { Scrolled } from './Scrolled.tsx'
import { Ago } from './Time.tsx'

const PAGE = 50

/** What a transaction does, in a word. */
function Action({ transaction }: { readonly transaction: Transaction }) {
  if (transaction.to === null) return <Badge tone="copper">new contract</Badge>
  if (transaction.input === '0x') return <span className="soft">transfer</span>
  const decoded = decodeCall(itemsOf, transaction.to, transaction.input)
  if (decoded === undefined) return <code>{transaction.input.slice(0, 10)}</code>
  const name = <bdi>{oneLine(decoded.item.name, 28)}</bdi>
  return (
    <code title={decoded.isGuess ? 'guessed from a well-known signature' : undefined}>
      {name}
      {decoded.isGuess && <span className="soft"> ?</span>}
    </code>
  )
}

type Props = {
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  /** The account whose transactions they are: rows then say when they were, and in which direction. */
  readonly account?: string
}

/** The direction of a transaction, seen from an account. */
function directionOf({ from, to }: Transaction, account: string): 'self' | 'out' | 'in' {
  if (from.toLowerCase() !== account) return 'in'
  return to?.toLowerCase() === account ? 'self' : 'out'
}

function When({ transaction }: { readonly transaction: Transaction }) {
  const { blockNumber, blockTimestamp } = transaction
  return (
    <>
      {blockNumber !== null && <BlockLink height={Number(blockNumber)} />}
      {typeof blockTimestamp === 'string' && (
        <span className="under soft">
          <Ago seconds={Number(blockTimestamp)} />
        </span>
      )}
    </>
  )
}

/** The table; longer ones grow on demand. */
export function TransactionTable({ transactions, receipts, account }: Props) {
  const [shown, show] = useState(PAGE)
  const byHash = new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]))
  if (transactions.length === 0) return <p className="empty">No transactions.</p>
  return (
    <>
      <Scrolled label="Transactions">
        <table className="rows cards">
          <thead>
            <tr>
              <th scope="col">Hash</th>
              {account !== undefined && <th scope="col">Block</th>}
              <th scope="col">Method</th>
              <th scope="col">From</th>
              {account !== undefined && (
                <th scope="col">
                  <span className="visually-hidden">Direction</span>
                </th>
              )}
              <th scope="col">To</th>
              <th scope="col" className="amount">
                Value
              </th>
              <th scope="col" className="amount">
                Gas
              </th>
              <th scope="col">Result</th>
            </tr>
          </thead>
          <tbody>
            {transactions.slice(0, shown).map((transaction) => {
              const receipt = byHash.get(transaction.hash)
              return (
                <tr key={transaction.hash}>
                  <td>
                    <TransactionLink hash={transaction.hash} />
                  </td>
                  {account !== undefined && (
                    <td>
                      <When transaction={transaction} />
                    </td>
                  )}
                  <td>
                    <Action transaction={transaction} />
                  </td>
                  <td data-label="from">
                    <AddressLink address={transaction.from} />
                  </td>
                  {account !== undefined && (
                    <td>
                      <Badge tone="plain">{directionOf(transaction, account)}</Badge>
                    </td>
                  )}
                  <td data-label="to">
                    {transaction.to !== null && <AddressLink address={transaction.to} />}
                    {transaction.to === null && typeof receipt?.contractAddress === 'string' && (
                      <AddressLink address={receipt.contractAddress} />
                    )}
                  </td>
                  <td className="amount" data-label="value">
                    {units(BigInt(transaction.value), 18)}
                  </td>
                  <td className="amount wide-only">
                    {receipt === undefined ? '' : grouped(BigInt(receipt.gasUsed))}
                  </td>
                  <td>
                    {receipt !== undefined && (
                      <Badge tone={receipt.status === '0x1' ? 'good' : 'bad'}>
                        {receipt.status === '0x1' ? 'success' : 'failed'}
                      </Badge>
                    )}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </Scrolled>
      {transactions.length > shown && (
        <button type="button" className="plain" onClick={() => show(shown + PAGE * 4)}>
          Show more of {grouped(transactions.length)}
        </button>
      )}
    </>
  )
}
