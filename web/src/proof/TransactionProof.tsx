/** The proof of a transaction. */
import { ProofPanel } from './ProofPanel.tsx'

/** That it is in its block, and that its receipt is correct. */
export function TransactionProof({ hash }: { readonly hash: string }) {
  return (
    <ProofPanel
      title="Is this result correct?"
      about="Verifies that the block contains the transaction, and that the receipt hash is what the validators signed."
      load={async () => (await import('./prove.ts')).transactionProof(hash)}
    />
  )
}
