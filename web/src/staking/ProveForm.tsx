/** Form that proves to the staking contract that the connected account has a consensus key. */
import type { Connection } from '../wallet/connection.ts'
import { DeedForm } from '../wallet/DeedForm.tsx'
import { Field } from '../wallet/Field.tsx'
import { proveKey } from './deeds.ts'

/** The form. */
export function ProveForm({ connection }: { readonly connection: Connection }) {
  return (
    <DeedForm
      connection={connection}
      title="Prove the key"
      about="Comes first, once for each key: so that nobody takes the key of another node. The proof is for this account alone."
      verb="Prove key"
      deed={proveKey}
    >
      <Field
        name="proof"
        label="Proof"
        hint={`Printed on the node by assay node prove-key ${connection.account ?? ''}`}
        kind="hex"
        isWide
      />
    </DeedForm>
  )
}
