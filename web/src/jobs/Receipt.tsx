/** The receipt of a job, to verify here and to download. */
import { useState } from 'react'
import type { Report } from '../../../src/proof/bundle/report.ts'
import { oneLine } from '../format/text.ts'
import { useNode } from '../net/context.ts'
import type { JobApi } from './api.ts'
import { BundleReport } from './BundleReport.tsx'

function save(id: string, receipt: unknown): void {
  const url = URL.createObjectURL(
    new Blob([JSON.stringify(receipt, undefined, 2)], { type: 'application/json' }),
  )
  const link = document.createElement('a')
  link.href = url
  link.download = `receipt-${id.slice(0, 16)}.json`
  link.click()
  URL.revokeObjectURL(url)
}

type Run =
  | { readonly state: 'idle' | 'busy' }
  | { readonly state: 'checked'; readonly report: Report }
  | { readonly state: 'failed'; readonly reason: string }

type Props = { readonly api: JobApi; readonly id: string; readonly prompt: string | undefined }

/** Fetches the bundle, and verifies it without trusting the dispatcher that it came from. */
export function Receipt({ api, id, prompt }: Props) {
  const node = useNode()
  const [run, setRun] = useState<Run>({ state: 'idle' })

  const fetched = (use: (receipt: unknown) => Promise<Run> | Run): void => {
    setRun({ state: 'busy' })
    api
      .receipt(id)
      .then(use)
      .then(setRun, (error: unknown) =>
        setRun({ state: 'failed', reason: error instanceof Error ? error.message : String(error) }),
      )
  }
  const check = async (receipt: unknown): Promise<Run> => {
    const { checkBundle } = await import('../proof/bundle.ts')
    return { state: 'checked', report: await checkBundle(node, receipt, prompt) }
  }

  return (
    <section className="card" aria-labelledby="receipt">
      <h2 id="receipt">Receipt</h2>
      <p className="soft">
        Statement, draw, evidence, signatures, and the way to a signed header: all that a stranger
        needs to check the answers.
      </p>
      <p className="actions">
        <button
          type="button"
          className="button"
          disabled={run.state === 'busy'}
          onClick={() => fetched(check)}
        >
          {run.state === 'busy' ? 'Verifying…' : 'Verify in this page'}
        </button>
        <button
          type="button"
          className="plain"
          onClick={() =>
            fetched((receipt) => {
              save(id, receipt)
              return run
            })
          }
        >
          Download
        </button>
      </p>
      <div aria-live="polite">
        {run.state === 'failed' && <p className="problem">{oneLine(run.reason, 300)}</p>}
        {run.state === 'checked' && <BundleReport report={run.report} />}
      </div>
    </section>
  )
}
