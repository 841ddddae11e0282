/** The receipt of a job: to be kept, and checked by anyone. */
import { useAnswer } from '../net/useAnswer.ts'
import { Answered } from '../parts/Answered.tsx'
import type { JobApi } from './api.ts'

function download(id: string, receipt: unknown): void {
  const url = URL.createObjectURL(
    new Blob([JSON.stringify(receipt, undefined, 2)], { type: 'application/json' }),
  )
  const link = document.createElement('a')
  link.href = url
  link.download = `receipt-${id.slice(0, 16)}.json`
  link.click()
  URL.revokeObjectURL(url)
}

/** A button that saves the receipt where the dispatcher gives one. */
export function Receipt({ api, id }: { readonly api: JobApi; readonly id: string }) {
  const answer = useAnswer(() => api.receipt(id), [id])
  return (
    <section className="card" aria-labelledby="receipt">
      <h2 id="receipt">Receipt</h2>
      <Answered answer={answer}>
        {(receipt) =>
          receipt === undefined ? (
            <p className="empty">This dispatcher gives no receipts.</p>
          ) : (
            <button type="button" className="button" onClick={() => download(id, receipt)}>
              Save the receipt
            </button>
          )
        }
      </Answered>
    </section>
  )
}
