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
          fact('In the account', <Money amount={stake.balance} isShort />),
          fact('Behind this validator', <Money amount={delegation?.amount ?? 0n} />),
          fact('Rewards so far', <Money amount={delegation?.rewards ?? 0n} isShort />),
          fact(
            'Bound by a redelegation',
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
          about={`It earns from the next block on. To get it back takes ${leaving}.`}
          verb="Delegate"
          deed={(form) => delegate(operator, form)}
        >
          <Field name="amount" label="Amount" isWide />
        </DeedForm>
        <DeedForm
          connection={connection}
          title="Take out"
          about={`It stops earning at once, and can be withdrawn after ${leaving}.`}
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
            title="Move"
            about={`At once; for ${leaving} it answers for both validators and stays where it is.`}
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
          about="Your part of what this validator earned. They stay until you fetch them."
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
