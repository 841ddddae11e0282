/** Checks a receipt bundle from a file, for example one received from someone else. */
import { useState, type ChangeEvent } from 'react'
import type { Report } from '../../../src/proof/bundle/report.ts'
import { oneLine } from '../format/text.ts'
import { useNode } from '../net/context.ts'
import { trustedDispatchers } from '../proof/dispatchers.ts'
import { BundleReport } from './BundleReport.tsx'

const MAX_FILE = 50_000_000

/** A file in, a report out. Nothing is sent anywhere. */
export function BundleFile() {
  const node = useNode()
  const [report, setReport] = useState<Report>()
  const [problem, setProblem] = useState('')

  const check = async (file: File): Promise<Report> => {
    if (file.size > MAX_FILE) throw new Error('The file is too large.')
    const { checkBundle } = await import('../proof/bundle.ts')
    return await checkBundle(node, JSON.parse(await file.text()), {
      dispatchers: trustedDispatchers(),
    })
  }

  const choose = (event: ChangeEvent<HTMLInputElement>): void => {
    const file = event.currentTarget.files?.[0]
    if (file === undefined) return
    setReport(undefined)
    setProblem('')
    check(file).then(setReport, (error: unknown) =>
      setProblem(error instanceof Error ? error.message : String(error)),
    )
  }

  return (
    <section className="card" aria-labelledby="bundle">
      <h2 id="bundle">Verify a receipt</h2>
      <div className="fields">
        <label className="wide">
          A receipt bundle from any source. It is verified in this page and not uploaded.
          <input type="file" accept=".json,application/json" onChange={choose} />
        </label>
        <output className="problem">{oneLine(problem, 300)}</output>
      </div>
      {report !== undefined && <BundleReport report={report} />}
    </section>
  )
}
