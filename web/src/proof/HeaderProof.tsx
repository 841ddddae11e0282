/** The proof of a block. */
import { ProofPanel } from './ProofPanel.tsx'

/** That the validators signed the header of a height. */
export function HeaderProof({ height }: { readonly height: number }) {
  return (
    <ProofPanel
      title="Is this block real?"
      about="Verifies the validators’ signatures on this header, starting from a header that this browser trusts."
      load={async () => (await import('./prove.ts')).headerProof(height)}
    />
  )
}
