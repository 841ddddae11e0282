/** What an account has at stake, as tables; with actions where it is the connected one. */
import { Link } from '../app/Link.tsx'
import { paths } from '../app/routes.ts'
import { utc } from '../format/number.ts'
import { shorten } from '../format/text.ts'
import { Money } from '../parts/Money.tsx'
import { Scrolled } from '../parts/Scrolled.tsx'
import type { Connection } from '../wallet/connection.ts'
import { DeedForm } from '../wallet/DeedForm.tsx'
import { withdrawRewards, withdrawUnbonded } from './deeds.ts'
import { Locked } from './Locked.tsx'
import type { Delegation, Stake, Unbonding } from './types.ts'

function ValidatorLink({ operator }: { readonly operator: string }) {
  return (
    <Link to={paths.validator(operator)} className="hash" title={operator}>
      {shorten(operator, 8, 6)}
    </Link>
  )
}

function Delegations({
  delegations,
  connection,
}: {
  readonly delegations: readonly Delegation[]
  readonly connection: Connection | undefined
}) {
  if (delegations.length === 0) return <p className="empty">No delegations.</p>
  return (
    <Scrolled label="Delegations, as a table">
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">Validator</th>
            <th scope="col" className="amount">
              Stake
            </th>
            <th scope="col" className="amount">
              Rewards
            </th>
            {connection !== undefined && (
              <th scope="col" className="doing">
                Action
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {delegations.map((delegation) => (
            <tr key={delegation.operator}>
              <td>
                <ValidatorLink operator={delegation.operator} />
              </td>
              <td className="amount">
                <Money amount={delegation.amount} isShort />
                {delegation.lockedShares > 0n && (
                  <span className="locked">
                    locked: <Locked delegation={delegation} />
                  </span>
                )}
              </td>
              <td className="amount">
                <Money amount={delegation.rewards} isShort />
              </td>
              {connection !== undefined && (
                <td className="doing">
                  <DeedForm
                    connection={connection}
                    title={`Rewards of ${shorten(delegation.operator, 8, 6)}`}
                    verb="Withdraw rewards"
                    deed={() => withdrawRewards(delegation.operator)}
                    isSmall
                  />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}

function Unbondings({
  unbondings,
  connection,
}: {
  readonly unbondings: readonly Unbonding[]
  readonly connection: Connection | undefined
}) {
  if (unbondings.length === 0) return <p className="empty">Nothing is unbonding.</p>
  return (
    <Scrolled label="Unbonding stake, as a table">
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col" className="amount">
              Amount
            </th>
            <th scope="col" className="doing">
              Available at
            </th>
            {connection !== undefined && (
              <th scope="col" className="doing">
                Action
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {unbondings.map(({ index, operator, amount, completesAt }) => (
            <tr key={index}>
              <td>
                <ValidatorLink operator={operator} />
              </td>
              <td className="amount">
                <Money amount={amount} isShort />
              </td>
              <td className="number doing">{utc(Number(completesAt))}</td>
              {connection !== undefined && (
                <td className="doing">
                  <DeedForm
                    connection={connection}
                    title={`Withdrawal from ${shorten(operator, 8, 6)}`}
                    verb="Withdraw"
                    deed={() => withdrawUnbonded(index)}
                    isSmall
                  />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  )
}

/** Delegations, and unbonding stake. */
export function StakeOf({
  stake,
  connection,
}: {
  readonly stake: Stake
  /** Of this very account; undefined to look only. */
  readonly connection?: Connection | undefined
}) {
  return (
    <div className="stack">
      <section className="card" aria-label="Delegations">
        <h2>Delegations</h2>
        <Delegations delegations={stake.delegations} connection={connection} />
      </section>
      <section className="card" aria-label="Unbonding">
        <h2>Unbonding</h2>
        <Unbondings unbondings={stake.unbondings} connection={connection} />
      </section>
    </div>
  )
}
