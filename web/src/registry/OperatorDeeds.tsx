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
      <legend>Kinds of jobs</legend>
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
        and makes its draws, which no wallet hands out: <code>assay operator register</code> does
        it.
      </p>
    )
  return (
    <div className="deeds">
      <DeedForm
        connection={connection}
        title="Your part of the line"
        about={`Each unit needs ${units(registry.stakePerUnit, 18)} of stake.`}
        verb="Change it"
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
        about={`What is taken out stops counting at once, and can be paid after ${duration(registry.delay)}. Of ${units(own.stake, 18)} there are.`}
        verb="Take out"
        deed={requestWithdrawal}
      >
        <Field name="amount" label="Amount" isWide />
      </DeedForm>
      {own.withdrawing > 0n && (
        <DeedForm
          connection={connection}
          title="Withdrawal"
          about={`${units(own.withdrawing, 18)} can be paid from ${utc(own.withdrawableAt)} on.`}
          verb="Withdraw"
          deed={withdraw}
        />
      )}
    </div>
  )
}
