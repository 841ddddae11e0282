/** The proof of an account. */
import { useState, type FormEvent } from 'react'
import { ProofPanel } from './ProofPanel.tsx'

const MAX_SLOTS = 16

function parseSlots(text: string): bigint[] {
  return text
    .split(/[\s,]+/)
    .filter((part) => /^(?:0x[0-9a-fA-F]{1,64}|\d{1,77})$/.test(part))
    .slice(0, MAX_SLOTS)
    .map(BigInt)
}

/** Balance, nonce, code hash and storage by Merkle proofs under a signed header. */
export function AccountProof({ address }: { readonly address: string }) {
  const [slots, setSlots] = useState<readonly bigint[]>([])
  const change = (event: FormEvent<HTMLInputElement>): void =>
    setSlots(parseSlots(event.currentTarget.value))
  return (
    <div className="stack">
      <ProofPanel
        title="Is this account state correct?"
        about="Verifies Merkle proofs of the account against the app hash of a header signed by the validators."
        load={async () => (await import('./prove.ts')).accountProof(address, slots)}
      />
      <div className="card">
        <div className="fields">
          <label className="wide">
            Storage slots to prove too, separated by commas
            <input
              className="hash"
              placeholder="0, 1, 0x290d…"
              onInput={change}
              spellCheck={false}
            />
          </label>
        </div>
      </div>
    </div>
  )
}
