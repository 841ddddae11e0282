/** Operators of the verification network: their selection ranges, and their stake. */
import { grouped, percent, utc } from '../format/number.ts'
import { OddsBar } from '../jobs/OddsBar.tsx'
import { useNode } from '../net/context.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { Answered } from '../parts/Answered.tsx'
import { Badge } from '../parts/Badge.tsx'
import { Money } from '../parts/Money.tsx'
import { AddressLink } from '../parts/Names.tsx'
import { Scrolled } from '../parts/Scrolled.tsx'
import { Tiles } from '../parts/Tiles.tsx'
import { useConnection } from '../wallet/connection.ts'
import { WalletBar } from '../wallet/WalletBar.tsx'
import { coverage, KINDS, loadRegistry, type Operator, type Registry } from './load.ts'
import { OperatorDeeds } from './OperatorDeeds.tsx'

const EVERY_MS = 3000

function Row({ operator, max }: { readonly operator: Operator; readonly max: number }) {
  const { address, start, end, types, stake, withdrawing, withdrawableAt, isActive } = operator
  return (
    <tr>
      <td>
        <AddressLink address={address} /> {!isActive && <Badge tone="warn">stake too low</Badge>}
      </td>
      <td>
        {KINDS.filter(({ bit }) => (types & bit) !== 0).map(({ name }) => (
          <Badge key={name} tone={name === 'tee' ? 'copper' : 'good'}>
            {name}
          </Badge>
        ))}
      </td>
      <td className="odds-cell">
        <OddsBar range={{ start, end, max }} draws={[]} />
      </td>
      <td className="amount">
        <Money amount={stake} />
        {withdrawing > 0n && (
          <span className="locked soft">
            <Money amount={withdrawing} /> leave at {utc(withdrawableAt)}
          </span>
        )}
      </td>
    </tr>
  )
}

function Table({ registry }: { readonly registry: Registry }) {
  if (registry.total === 0)
    return (
      <p className="empty">
        No operators are registered. Dispatchers that do not require registration accept every
        operator that proves its key.
      </p>
    )
  return (
    <Scrolled label="Operators, as a table">
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">Operator</th>
            <th scope="col">Jobs</th>
            <th scope="col">Selection range</th>
            <th scope="col" className="amount">
              Stake
            </th>
          </tr>
        </thead>
        <tbody>
          {registry.operators.map((operator) => (
            <Row key={operator.address} operator={operator} max={registry.max} />
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}

function Content({ registry }: { readonly registry: Registry }) {
  const connection = useConnection()
  const { operators, total } = registry
  const active = operators.filter(({ isActive }) => isActive)
  return (
    <div className="stack">
      <Tiles
        tiles={[
          { name: 'Registered', value: grouped(total), note: `${grouped(active.length)} active` },
          {
            name: 'Selection coverage',
            value: percent(coverage(registry), 1),
            note: 'share of draws that select an operator',
          },
          {
            name: 'At stake',
            value: <Money amount={operators.reduce((sum, { stake }) => sum + stake, 0n)} />,
            note: 'by all operators',
          },
        ]}
      />
      <section className="card" aria-labelledby="registered">
        <h2 id="registered">Registered operators</h2>
        <Table registry={registry} />
        {total > operators.length && (
          <p className="soft">
            The first {grouped(operators.length)} of {grouped(total)}.
          </p>
        )}
      </section>
      <section className="card" aria-labelledby="yours">
        <h2 id="yours">Yours</h2>
        <WalletBar />
        {connection !== undefined && (
          <OperatorDeeds key={connection.account} connection={connection} registry={registry} />
        )}
      </section>
    </div>
  )
}

/** The tab. */
export function Operators() {
  const node = useNode()
  const answer = useAnswer(() => loadRegistry(node), [], EVERY_MS)
  return (
    <Answered answer={answer}>
      {(registry) =>
        registry === undefined ? (
          <p className="card empty">The genesis of this chain has no operator registry.</p>
        ) : (
          <Content registry={registry} />
        )
      }
    </Answered>
  )
}
