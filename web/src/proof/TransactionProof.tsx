/** The proof of a transaction. */
import { ProofPanel } from './ProofPanel.tsx'

/** That it stands in its block, and that its receipt is true. */
export function TransactionProof({ hash }: { readonly hash: string }) {
  return (
    <ProofPanel
      title="Is this what became of it?"
      about="Checks that the block holds the transaction, and that its receipt hashes to what the validators signed."
      load={async () => (await import('./prove.ts')).transactionProof(hash)}
    />
  )
}
