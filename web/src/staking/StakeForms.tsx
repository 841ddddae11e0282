/** What the connected account can do with its stake at one validator. */
import { units } from '../format/number.ts'
import { oneLine, shorten } from '../format/text.ts'
import { duration } from '../format/amount.ts'
import { Answered } from '../parts/Answered.tsx'
import { fact, Facts } from '../parts/Facts.tsx'
import { Money } from '../parts/Money.tsx'
import type { Connection } from '../wallet/connection.ts'
import { DeedForm } from '../wallet/DeedForm.tsx'
import { Choice, Field } from '../wallet/Field.tsx'
import { delegate, redelegate, undelegate, withdrawRewards } from './deeds.ts'
import { Locked } from './Locked.tsx'
import type { ValidatorLine } from './lines.ts'
import type { Parameters, Stake, Validator } from './types.ts'
import { useStake } from './useStaking.ts'

type Props = {
  readonly connection: Connection
  readonly validator: Validator
  /** All of them, to move stake to. */
  readonly lines: readonly ValidatorLine[]
  readonly parameters: Parameters
}

/** How a validator is called in a list of choices. */
export function nameOf({ name, validator }: ValidatorLine): string {
  const operator = shorten(validator?.operator ?? '', 8, 6)
  return name === '' ? operator : `${oneLine(name, 40)} (${operator})`
}

function Forms({
  connection,
  validator,
  lines,
  parameters,
  stake,
}: Props & { readonly stake: Stake }) {
  const { operator } = validator
  const delegation = stake.delegations.find((each) => each.operator === operator)
  const others = lines.filter(
    (line) =>
      line.validator !== undefined &&
      line.validator.operator !== operator &&
      !line.validator.isTombstoned,
  )
  const leaving = duration(parameters.unbondingTime)
  return (
    <>
      <Facts
        facts={[
          fact('Account balance', <Money amount={stake.balance} isShort />),
          fact('Delegated here', <Money amount={delegation?.amount ?? 0n} />),
          fact('Pending rewards', <Money amount={delegation?.rewards ?? 0n} isShort />),
          fact(
            'Locked by a redelegation',
            delegation !== undefined && delegation.lockedShares > 0n ? (
              <Locked delegation={delegation} />
            ) : undefined,
          ),
        ]}
      />
      <div className="deeds">
        <DeedForm
          connection={connection}
          title="Delegate"
          about={`Earns rewards from the next block. Unbonding takes ${leaving}.`}
          verb="Delegate"
          deed={(form) => delegate(operator, form)}
        >
          <Field name="amount" label="Amount" isWide />
        </DeedForm>
        <DeedForm
          connection={connection}
          title="Undelegate"
          about={`Stops earning at once, and can be withdrawn after ${leaving}.`}
          verb="Undelegate"
          deed={(form) => undelegate(operator, delegation, form)}
        >
          <Field
            name="amount"
            label="Amount"
            hint={`At most ${units(delegation?.amount ?? 0n, 18)}`}
            isWide
          />
        </DeedForm>
        {others.length > 0 && (
          <DeedForm
            connection={connection}
            title="Redelegate"
            about={`Takes effect at once. For ${leaving} the stake can be slashed for faults of either validator and cannot be moved again.`}
            verb="Redelegate"
            deed={(form) => redelegate(operator, delegation, form)}
          >
            <Field name="amount" label="Amount" isWide />
            <Choice
              name="to"
              label="To"
              options={others.map((line) => ({
                value: line.validator?.operator ?? '',
                text: nameOf(line),
              }))}
            />
          </DeedForm>
        )}
        <DeedForm
          connection={connection}
          title="Rewards"
          about="Your share of what this validator earned. It stays available until you withdraw it."
          verb="Withdraw rewards"
          deed={() => withdrawRewards(operator)}
        />
      </div>
    </>
  )
}

/** The forms, with what the account has. */
export function StakeForms(props: Props) {
  const answer = useStake(props.connection.account)
  return <Answered answer={answer}>{(stake) => <Forms {...props} stake={stake} />}</Answered>
}
