/** A contract: its ABI, and its functions to read and to call. */
import { useState, type ChangeEvent } from 'react'
import { forgetAbi, keepAbi, useAbi, type StoredAbi } from '../abi/store.ts'
import { grouped } from '../format/number.ts'
import { clip } from '../format/text.ts'
import { UntrustedText } from '../parts/Untrusted.tsx'
import { FunctionForm } from './FunctionForm.tsx'
import { VerifyForm } from './VerifyForm.tsx'

const MAX_FILE = 5_000_000

function AbiForm({
  address,
  abi,
}: {
  readonly address: string
  readonly abi: StoredAbi | undefined
}) {
  const [problem, setProblem] = useState('')
  const read = (event: ChangeEvent<HTMLInputElement>): void => {
    const file = event.currentTarget.files?.[0]
    if (file === undefined) return
    if (file.size > MAX_FILE) {
      setProblem('The file is too large to be an ABI.')
      return
    }
    file
      .text()
      .then((text) => {
        keepAbi(address, text, { isVerified: false, name: '' })
        setProblem('')
      })
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
  }
  return (
    <div className="fields">
      <label className="wide">
        ABI, or a compiler artifact that contains one (JSON). It stays in this browser.
        <input type="file" accept=".json,application/json" onChange={read} />
      </label>
      {abi !== undefined && abi.origin !== 'genesis' && (
        <button type="button" className="plain" onClick={() => forgetAbi(address)}>
          Forget this ABI
        </button>
      )}
      <output aria-live="polite">{clip(problem, 300)}</output>
    </div>
  )
}

function Functions({ address, abi }: { readonly address: string; readonly abi: StoredAbi }) {
  const functions = abi.items.filter((item) => item.kind === 'function')
  const groups = [
    { title: 'Read', items: functions.filter((item) => item.isView) },
    { title: 'Write', items: functions.filter((item) => !item.isView) },
  ]
  return (
    <div className="pair">
      {groups.map(({ title, items }) => (
        <section key={title} className="card" aria-label={title}>
          <h2>{title}</h2>
          {items.length === 0 && <p className="empty">No functions.</p>}
          {items.map((item, index) => (
            // Functions may share a name.
            // oxlint-disable-next-line react/no-array-index-key
            <FunctionForm key={`${item.name}-${index}`} address={address} item={item} />
          ))}
        </section>
      ))}
    </div>
  )
}

/** Everything about a contract but its history. */
export function ContractPanel({
  address,
  code,
}: {
  readonly address: string
  readonly code: string
}) {
  const abi = useAbi(address)
  return (
    <div className="stack">
      {abi !== undefined && <Functions address={address} abi={abi} />}
      <section className="card" aria-label="Interface">
        <h2>{abi === undefined ? 'No ABI for this contract yet' : 'Interface'}</h2>
        <AbiForm address={address} abi={abi} />
      </section>
      <VerifyForm address={address} code={code} />
      <section className="card" aria-label="Code">
        <h2>Code</h2>
        <p className="soft">{grouped(code.length / 2 - 1)} bytes</p>
        <UntrustedText text={code} label="Code of the contract" />
      </section>
    </div>
  )
}
