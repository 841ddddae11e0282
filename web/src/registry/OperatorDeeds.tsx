/** What the connected account can do as a registered operator. */
import { duration } from '../format/amount.ts'
import { grouped, units, utc } from '../format/number.ts'
import type { Connection } from '../wallet/connection.ts'
import { DeedForm } from '../wallet/DeedForm.tsx'
import { Field } from '../wallet/Field.tsx'
import { requestWithdrawal, update, withdraw } from './deeds.ts'
import { KINDS, type Operator, type Registry } from './load.ts'

function Kinds({ types }: { readonly types: number }) {
  return (
    <fieldset className="choices wide">
      <legend>Job types</legend>
      {KINDS.map(({ bit, name }) => (
        <label key={name} className="choice">
          <input type="checkbox" name={name} defaultChecked={(types & bit) !== 0} />
          {name}
        </label>
      ))}
    </fieldset>
  )
}

/** The forms of a registered operator; for others, how to become one. */
export function OperatorDeeds({
  connection,
  registry,
}: {
  readonly connection: Connection
  readonly registry: Registry
}) {
  const own: Operator | undefined = registry.operators.find(
    ({ address }) => address === connection.account,
  )
  if (own === undefined)
    return (
      <p className="soft">
        This account is not registered. An operator registers with the key that signs its answers
        and VRF draws, which wallets do not hand out: use <code>assay operator register</code>.
      </p>
    )
  return (
    <div className="deeds">
      <DeedForm
        connection={connection}
        title="Your selection range"
        about={`Each unit requires a stake of ${units(registry.stakePerUnit, 18)}.`}
        verb="Change range"
        deed={(form) => update(form, registry.max)}
      >
        <Field name="start" label="From" kind="number" initial={String(own.start)} />
        <Field
          name="end"
          label="To"
          kind="number"
          initial={String(own.end)}
          hint={`At most ${grouped(registry.max)}`}
        />
        <Field name="more" label="Stake to add" initial="0" isWide />
        <Kinds types={own.types} />
      </DeedForm>
      <DeedForm
        connection={connection}
        title="Stake"
        about={`Withdrawn stake stops counting at once, and can be paid out after ${duration(registry.delay)}. Current stake: ${units(own.stake, 18)}.`}
        verb="Request withdrawal"
        deed={requestWithdrawal}
      >
        <Field name="amount" label="Amount" isWide />
      </DeedForm>
      {own.withdrawing > 0n && (
        <DeedForm
          connection={connection}
          title="Withdrawal"
          about={`${units(own.withdrawing, 18)} can be paid out from ${utc(own.withdrawableAt)}.`}
          verb="Withdraw"
          deed={withdraw}
        />
      )}
    </div>
  )
}
