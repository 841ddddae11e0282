/** Verification of a contract's sources, in the page. */
import { useState, type ChangeEvent } from 'react'
import { keepAbi } from '../abi/store.ts'
import { lines, oneLine } from '../format/text.ts'
import type { Verification } from './verify.ts'

const MAX_FILE = 20_000_000

type Run =
  | { readonly state: 'idle' | 'running' }
  | { readonly state: 'verified'; readonly verification: Verification }
  | { readonly state: 'refused'; readonly reason: string }

const MATCHES: Readonly<Record<Verification['match'], string>> = {
  exact: 'byte for byte, including the hash of these sources',
  code: 'in all executable code; only the hash of the sources differs, as it does after changes to comments or paths',
}

/** A file in, a verdict out. */
export function VerifyForm({ address, code }: { readonly address: string; readonly code: string }) {
  const [run, setRun] = useState<Run>({ state: 'idle' })

  const verify = async (file: File): Promise<Run> => {
    if (file.size > MAX_FILE) throw new Error('The file is too large.')
    const { verifySources } = await import('./verify.ts')
    const verification = await verifySources(await file.text(), code)
    const { abi, name } = verification.contract
    keepAbi(address, JSON.stringify(abi), { isVerified: true, name })
    return { state: 'verified', verification }
  }

  const choose = (event: ChangeEvent<HTMLInputElement>): void => {
    const file = event.currentTarget.files?.[0]
    if (file === undefined) return
    setRun({ state: 'running' })
    verify(file).then(setRun, (error: unknown) =>
      setRun({ state: 'refused', reason: error instanceof Error ? error.message : String(error) }),
    )
  }

  return (
    <section className="card" aria-labelledby="verify">
      <h2 id="verify">Verify source code</h2>
      <div className="fields">
        <label className="wide">
          Compiler input (solc standard JSON). It is compiled in your browser and not uploaded.
          <input
            type="file"
            accept=".json,application/json"
            onChange={choose}
            disabled={run.state === 'running'}
          />
        </label>
      </div>
      <div aria-live="polite">
        {run.state === 'running' && <p className="empty">Compiling…</p>}
        {run.state === 'refused' && (
          <div className="verdict verdict-bad">
            <strong>Not verified</strong>
            <pre className="whole">{lines(run.reason, 2000)}</pre>
          </div>
        )}
        {run.state === 'verified' && (
          <div className="verdict">
            <strong>
              This is <bdi>{oneLine(run.verification.contract.name, 60)}</bdi>
            </strong>
            <p>
              The deployed code matches <bdi>{oneLine(run.verification.contract.file, 100)}</bdi>{' '}
              compiled with {oneLine(run.verification.version, 40)},{' '}
              {MATCHES[run.verification.match]}.
            </p>
          </div>
        )}
      </div>
    </section>
  )
}
