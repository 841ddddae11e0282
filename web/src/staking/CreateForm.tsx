/** Forms that make the connected account the operator of a new validator. */
import { units } from '../format/number.ts'
import type { Connection } from '../wallet/connection.ts'
import { DeedForm } from '../wallet/DeedForm.tsx'
import { Field } from '../wallet/Field.tsx'
import { createValidator } from './deeds.ts'
import { ProveForm } from './ProveForm.tsx'
import type { Parameters } from './types.ts'

/** The forms, or why there are none. */
export function CreateForm({
  connection,
  parameters,
}: {
  readonly connection: Connection
  readonly parameters: Parameters
}) {
  if (parameters.maxValidators === 1)
    return (
      <p className="soft">
        The set of this chain is closed: its one validator stays alone. Others can delegate to it.
      </p>
    )
  const least = units(parameters.powerUnit, 18)
  return (
    <>
      <ProveForm connection={connection} />
      <DeedForm
        connection={connection}
        title="Become a validator"
        about="Prove the key of the node first. Your node must be in sync and keep running: absent validators lose stake. This account becomes the validator’s operator."
        verb="Create validator"
        deed={createValidator}
      >
        <Field
          name="key"
          label="Ed25519 public key of the node"
          hint="pub_key.value of config/priv_validator_key.json"
          kind="hex"
          isWide
        />
        <Field name="stake" label="First stake" hint={`At least ${least}`} initial={least} />
        <Field
          name="reward"
          label="Reward address"
          hint="Receives the tips of its blocks and the commission"
          kind="hex"
          initial={connection.account}
        />
        <Field name="commission" label="Commission, in percent" initial="5" />
        <Field
          name="maxCommission"
          label="Maximum commission rate, in percent"
          hint="Cannot be changed later"
          initial="20"
        />
        <Field
          name="maxChange"
          label="Maximum change per day, in percent"
          hint="Cannot be changed later"
          initial="1"
        />
      </DeedForm>
    </>
  )
}
