/** The chain as it is now. */
import { lazy, Suspense } from 'react'
import type { Earlier } from '../chain/earlier.ts'
import { useNode } from '../net/context.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { BlockRibbon } from '../parts/BlockRibbon.tsx'
import { Money } from '../parts/Money.tsx'
import { AddressLink, BlockLink, TransactionLink } from '../parts/Names.tsx'
import { Plot, type PlotProps } from '../parts/Plot.tsx'
import { Ago } from '../parts/Time.tsx'
import { compact, gasPrice, grouped, percent } from '../format/number.ts'
import { useLive } from '../live/context.ts'
import { useDetails, type Details } from '../live/details.ts'
import type { Live, Sample } from '../live/follow.ts'
import { perSecond, type Head } from '../live/head.ts'

// Nobody needs it but on an empty chain.
const Begin = lazy(async () => ({ default: (await import('../parts/Begin.tsx')).Begin }))

const SECONDS = 60
const ROWS = 10
/** Each takes two lines. */
const TRANSACTIONS = 6

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

type Numbers = Omit<PlotProps, 'length'>

/** What blocks tell. */
function plotsOfHeads(heads: readonly Head[]): readonly Numbers[] {
  const transactions = perSecond(heads, SECONDS, (head) => head.transactions.length)
  const gas = perSecond(heads, SECONDS, (head) => head.gasUsed)
  const [latest] = heads
  return [
    {
      name: 'Transactions per second',
      value: compact(mean(transactions.slice(-5))),
      note: '5 s average',
      series: transactions,
      kind: 'bars',
      floor: 4,
    },
    {
      name: 'Gas per second',
      value: compact(mean(gas.slice(-5))),
      note: latest === undefined ? '' : `block limit ${compact(latest.gasLimit)}`,
      series: gas,
      kind: 'bars',
      floor: 100_000,
    },
    {
      name: 'Base fee',
      value: latest === undefined ? '…' : gasPrice(latest.baseFee),
      note: 'per block',
      series: heads
        .slice(0, SECONDS)
        .map((head) => Number(head.baseFee))
        .reverse(),
      kind: 'line',
    },
  ]
}

/** What no block tells, each by the sample of a second. */
function plotsOfSamples(samples: readonly Sample[]): readonly Numbers[] {
  const latest = samples.at(-1)
  const plot = (
    name: string,
    note: string,
    valueOf: (sample: Sample) => number,
    look: Pick<Numbers, 'kind' | 'floor'>,
  ): Numbers => ({
    name,
    value: latest === undefined ? '…' : grouped(valueOf(latest)),
    note,
    series: samples.map(valueOf),
    ...look,
  })
  const waiting = grouped(latest?.queued ?? 0)
  return [
    plot('Pool', `${waiting} queued behind a nonce gap`, ({ pending }) => pending, {
      kind: 'line',
      floor: 10,
    }),
    plot('Rounds', '0: decided in the first round', ({ round }) => round, {
      kind: 'bars',
      floor: 3,
    }),
    plot('Peers', 'of this node', ({ peers }) => peers, { kind: 'line', floor: 4 }),
  ]
}

function Plots({ heads, samples }: Live) {
  return (
    <div className="plots">
      {[...plotsOfHeads(heads), ...plotsOfSamples(samples)].map((each) => (
        <Plot key={each.name} {...each} length={SECONDS} />
      ))}
    </div>
  )
}

function Blocks({ heads }: { readonly heads: readonly Head[] }) {
  return (
    <section className="card" aria-labelledby="blocks">
      <h2 id="blocks">Blocks</h2>
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">Height</th>
            <th scope="col">Time</th>
            <th scope="col" className="amount">
              Transactions
            </th>
            <th scope="col" className="amount">
              Gas used
            </th>
          </tr>
        </thead>
        <tbody>
          {heads.slice(0, ROWS).map((head) => (
            <tr key={head.height}>
              <td>
                <BlockLink height={head.height} />
              </td>
              <td className="soft">
                <Ago seconds={head.time} />
              </td>
              <td className="amount">{grouped(head.transactions.length)}</td>
              <td className="amount">
                {compact(head.gasUsed)}
                <span className="soft"> {percent(head.gasUsed, head.gasLimit)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Parties({ from, to, value }: Details) {
  return (
    <>
      <td>
        <AddressLink address={from} />
        <span className="under">
          {to === null ? (
            <span className="soft">new contract</span>
          ) : (
            <>
              <span className="soft">to </span>
              <AddressLink address={to} />
            </>
          )}
        </span>
      </td>
      <td className="amount">
        <Money amount={BigInt(value)} isShort />
      </td>
    </>
  )
}

type Row = { readonly hash: string; readonly height: number; readonly time: number }

function TransactionRow({
  hash,
  height,
  time,
  details,
}: Row & {
  readonly details: Details | undefined
}) {
  return (
    <tr>
      <td>
        <TransactionLink hash={hash} />
        <span className="under soft">
          <BlockLink height={height} /> · <Ago seconds={time} />
        </span>
      </td>
      {details === undefined ? (
        <td colSpan={2} className="soft">
          …
        </td>
      ) : (
        <Parties {...details} />
      )}
    </tr>
  )
}

type TransactionsProps = {
  readonly heads: readonly Head[]
  /** What there was before these blocks; undefined while that is not known. */
  readonly earlier: readonly Earlier[] | undefined
}

function Transactions({ heads, earlier }: TransactionsProps) {
  const rows: Row[] = []
  for (const { transactions, height, time } of heads) {
    for (const hash of transactions.slice(0, TRANSACTIONS)) rows.push({ hash, height, time })
    if (rows.length >= TRANSACTIONS) break
  }
  const latest = rows.slice(0, TRANSACTIONS)
  const known = useDetails(latest.map(({ hash }) => hash))
  const shown = [
    ...latest.map((row) => ({ ...row, details: known.get(row.hash) })),
    ...(latest.length === 0 ? (earlier ?? []) : []),
  ]
  return (
    <section className="card" aria-labelledby="transactions">
      <h2 id="transactions">Transactions</h2>
      {shown.length === 0 ? (
        <p className="empty">{earlier === undefined ? 'Loading…' : 'None yet.'}</p>
      ) : (
        <table className="rows">
          <thead>
            <tr>
              <th scope="col">Transaction</th>
              <th scope="col">From / to</th>
              <th scope="col" className="amount">
                Value
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <TransactionRow key={row.hash} {...row} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Latest({ head }: { readonly head: Head | undefined }) {
  if (head === undefined) return <h1 className="soft">Waiting for the first block…</h1>
  const { length } = head.transactions
  return (
    <div className="hero">
      <h1>
        <span className="hero-label">Block</span>
        <span className="hero-height">{grouped(head.height)}</span>
      </h1>
      <p className="soft">
        <Ago seconds={head.time} /> ·{' '}
        {length === 1 ? '1 transaction' : `${grouped(length)} transactions`}, final
      </p>
    </div>
  )
}

/** Live blocks, plots, and the latest of everything; on a chain without a transaction, how to begin. */
export function Now() {
  const live = useLive()
  const node = useNode()
  const { heads } = live
  const isQuiet = heads.length > 0 && heads.every(({ transactions }) => transactions.length === 0)
  const answer = useAnswer(async () => {
    if (!isQuiet) return []
    const { loadEarlier } = await import('../chain/earlier.ts')
    return await loadEarlier(node, TRANSACTIONS)
  }, [isQuiet])
  const earlier = isQuiet && answer.state === 'here' ? answer.value : undefined
  return (
    <>
      <section className="now" aria-label="Latest block">
        <Latest head={heads[0]} />
        <BlockRibbon heads={heads} />
      </section>
      {earlier?.length === 0 && (
        <Suspense>
          <Begin />
        </Suspense>
      )}
      <Plots {...live} />
      <div className="pair">
        <Blocks heads={heads} />
        <Transactions heads={heads} earlier={earlier} />
      </div>
    </>
  )
}
