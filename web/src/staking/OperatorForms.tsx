/** What the operator of a validator can do. */
import { rate } from '../format/amount.ts'
import { units } from '../format/number.ts'
import type { Connection } from '../wallet/connection.ts'
import { DeedForm } from '../wallet/DeedForm.tsx'
import { Field } from '../wallet/Field.tsx'
import { consensusAddressOf } from './consensusAddress.ts'
import { setCommission, setConsensusKey, setReward, unjail, withdrawCommission } from './deeds.ts'
import { ProveForm } from './ProveForm.tsx'
import type { Parameters, Validator } from './types.ts'
import { useStake } from './useStaking.ts'

/** The forms; for the operator's account alone. */
export function OperatorForms({
  connection,
  validator,
  parameters,
}: {
  readonly connection: Connection
  readonly validator: Validator
  readonly parameters: Parameters
}) {
  const stake = useStake(connection.account)
  const owed = stake.state === 'here' ? (stake.value.commission ?? 0n) : 0n
  return (
    <section className="card" aria-labelledby="operator">
      <h2 id="operator">You operate this validator</h2>
      <div className="deeds">
        {validator.isJailed && !validator.isTombstoned && (
          <DeedForm
            connection={connection}
            title="Unjail"
            about="Start the node first: if absent again, the validator is jailed again."
            verb="Unjail"
            deed={unjail}
          />
        )}
        <DeedForm
          connection={connection}
          title="Commission"
          about={`Currently ${rate(validator.commission)}, at most ${rate(validator.maxCommission)}. Can change once a day, by at most ${rate(validator.maxCommissionChange)}.`}
          verb="Change commission"
          deed={setCommission}
        >
          <Field
            name="commission"
            label="Commission, in percent"
            initial={(validator.commission / 100).toString()}
            isWide
          />
        </DeedForm>
        <DeedForm
          connection={connection}
          title="Commission earned"
          about={`${units(owed, 18)} can be withdrawn to the reward address.`}
          verb="Withdraw commission"
          deed={withdrawCommission}
        />
        <DeedForm
          connection={connection}
          title="Reward address"
          about="Receives the tips of its blocks and the commission."
          verb="Set address"
          deed={(form) => setReward(consensusAddressOf(validator.publicKey), form)}
        >
          <Field name="reward" label="Address" kind="hex" isWide />
        </DeedForm>
        {parameters.maxValidators > 1 && !validator.isTombstoned && (
          <ProveForm connection={connection} />
        )}
        {parameters.maxValidators > 1 && !validator.isTombstoned && (
          <DeedForm
            connection={connection}
            title="Consensus key"
            about="Prove the new key first. It signs starting two blocks later, and can change once a day. Never sign with the old key again."
            verb="Change key"
            deed={setConsensusKey}
          >
            <Field
              name="key"
              label="Ed25519 public key"
              hint="pub_key.value of config/priv_validator_key.json"
              kind="hex"
              isWide
            />
          </DeedForm>
        )}
      </div>
    </section>
  )
}
