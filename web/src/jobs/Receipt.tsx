/** The receipt of a job: every check of it, and the file for others. */
import { useState } from 'react'
import { saveFile } from '../format/saveFile.ts'
import { oneLine } from '../format/text.ts'
import type { JobApi } from './api.ts'
import { BundleReport } from './BundleReport.tsx'
import type { Proof } from './useProof.ts'

function save(id: string, receipt: unknown): void {
  const text = JSON.stringify(receipt, undefined, 2)
  saveFile(`receipt-${id.slice(0, 16)}.json`, 'application/json', text)
}

type Props = { readonly api: JobApi; readonly id: string; readonly proof: Proof }

/** What was checked, line by line, without trusting the dispatcher that the bundle came from. */
export function Receipt({ api, id, proof }: Props) {
  const [problem, setProblem] = useState('')
  const download = (): void => {
    setProblem('')
    api.receipt(id).then(
      (receipt) => save(id, receipt),
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    )
  }
  return (
    <section className="card" aria-labelledby="receipt">
      <h2 id="receipt">Receipt</h2>
      <p className="soft">
        Statement, draw, evidence, signatures, and the way to a signed header: all that a stranger
        needs to check the answers.
      </p>
      <p className="actions">
        <button type="button" className="button" onClick={download}>
          Download
        </button>
        <output className="problem" aria-live="polite">
          {oneLine(problem, 300)}
        </output>
      </p>
      {proof.state === 'here' && <BundleReport report={proof.report} />}
    </section>
  )
}
