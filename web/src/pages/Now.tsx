/** The chain as it is now. */
import { BlockRibbon } from '../parts/BlockRibbon.tsx'
import { BlockLink, TransactionLink } from '../parts/Names.tsx'
import { Plot } from '../parts/Plot.tsx'
import { Ago } from '../parts/Time.tsx'
import { compact, gasPrice, grouped, percent } from '../format/number.ts'
import { useLive } from '../live/context.ts'
import type { Live } from '../live/follow.ts'
import { perSecond, type Head } from '../live/head.ts'

const SECONDS = 60
const ROWS = 10

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

function Plots({ heads, samples }: Live) {
  const transactions = perSecond(heads, SECONDS, (head) => head.transactions.length)
  const gas = perSecond(heads, SECONDS, (head) => head.gasUsed)
  const fees = heads
    .slice(0, SECONDS)
    .map((head) => Number(head.baseFee))
    .reverse()
  const latest = samples.at(-1)
  const lastFive = (series: readonly number[]) => mean(series.slice(-5))
  return (
    <div className="plots">
      <Plot
        name="Transactions a second"
        value={compact(lastFive(transactions))}
        note="mean of 5 s"
        series={transactions}
        kind="bars"
        length={SECONDS}
        floor={4}
      />
      <Plot
        name="Gas a second"
        value={compact(lastFive(gas))}
        note={heads[0] === undefined ? '' : `block limit ${compact(heads[0].gasLimit)}`}
        series={gas}
        kind="bars"
        length={SECONDS}
        floor={100_000}
      />
      <Plot
        name="Base fee"
        value={heads[0] === undefined ? '…' : gasPrice(heads[0].baseFee)}
        note="by block"
        series={fees}
        kind="line"
        length={SECONDS}
      />
      <Plot
        name="Pool"
        value={latest === undefined ? '…' : grouped(latest.pending)}
        note={latest === undefined ? '' : `${grouped(latest.queued)} wait for an earlier nonce`}
        series={samples.map((sample) => sample.pending)}
        kind="line"
        length={SECONDS}
        floor={10}
      />
      <Plot
        name="Rounds"
        value={latest === undefined ? '…' : String(latest.round)}
        note="0: decided at the first attempt"
        series={samples.map((sample) => sample.round)}
        kind="bars"
        length={SECONDS}
        floor={3}
      />
      <Plot
        name="Peers"
        value={latest === undefined ? '…' : grouped(latest.peers)}
        note="of the node"
        series={samples.map((sample) => sample.peers)}
        kind="line"
        length={SECONDS}
        floor={4}
      />
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

function Transactions({ heads }: { readonly heads: readonly Head[] }) {
  const rows: { hash: string; head: Head }[] = []
  for (const head of heads) {
    for (const hash of head.transactions.slice(0, ROWS)) rows.push({ hash, head })
    if (rows.length >= ROWS) break
  }
  return (
    <section className="card" aria-labelledby="transactions">
      <h2 id="transactions">Transactions</h2>
      {rows.length === 0 ? (
        <p className="empty">None in the last {grouped(heads.length)} blocks.</p>
      ) : (
        <table className="rows">
          <thead>
            <tr>
              <th scope="col">Hash</th>
              <th scope="col">Block</th>
              <th scope="col">Time</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, ROWS).map(({ hash, head }) => (
              <tr key={hash}>
                <td>
                  <TransactionLink hash={hash} />
                </td>
                <td>
                  <BlockLink height={head.height} />
                </td>
                <td className="soft">
                  <Ago seconds={head.time} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Latest({ head }: { readonly head: Head | undefined }) {
  if (head === undefined) return <h1 className="soft">Waiting for the first block …</h1>
  const { length } = head.transactions
  return (
    <div className="hero">
      <h1>
        <span className="hero-label">Block</span>
        <span className="hero-height">{grouped(head.height)}</span>
      </h1>
      <p className="soft">
        <Ago seconds={head.time} /> ·{' '}
        {length === 1 ? 'one transaction' : `${grouped(length)} transactions`}, final as it stands
      </p>
    </div>
  )
}

/** Live blocks, plots, and the latest of everything. */
export function Now() {
  const live = useLive()
  return (
    <>
      <section className="now" aria-label="Latest block">
        <Latest head={live.heads[0]} />
        <BlockRibbon heads={live.heads} />
      </section>
      <Plots {...live} />
      <div className="pair">
        <Blocks heads={live.heads} />
        <Transactions heads={live.heads} />
      </div>
    </>
  )
}
