/** Runs a proof in the page, and shows each of its checks as it holds. */
import { useState } from 'react'
import { oneLine } from '../format/text.ts'
import { useNode } from '../net/context.ts'
import { fact, Facts } from '../parts/Facts.tsx'
import type { Facts as ProvenFacts, Proof } from './prove.ts'
import { TrustNote } from './TrustNote.tsx'

type Run =
  | { readonly state: 'idle' }
  | { readonly state: 'running' }
  | { readonly state: 'proven'; readonly facts: ProvenFacts; readonly seconds: string }
  | { readonly state: 'refused'; readonly reason: string }

type Props = {
  readonly title: string
  /** What the proof shows, in a sentence. */
  readonly about: string
  /** Loads the proof: its code is not part of the first page. */
  readonly load: () => Promise<Proof>
}

/** A button, then checks, then a stamp. */
export function ProofPanel({ title, about, load }: Props) {
  const node = useNode()
  const [run, setRun] = useState<Run>({ state: 'idle' })
  const [checks, setChecks] = useState<readonly string[]>([])

  const start = (): void => {
    setChecks([])
    setRun({ state: 'running' })
    const begun = performance.now()
    load()
      .then((proof) => proof(node, (text) => setChecks((before) => [...before, text])))
      .then(
        (facts) =>
          setRun({
            state: 'proven',
            facts,
            seconds: ((performance.now() - begun) / 1000).toFixed(2),
          }),
        (error: unknown) =>
          setRun({
            state: 'refused',
            reason: error instanceof Error ? error.message : String(error),
          }),
      )
  }

  return (
    <section className={`card proof proof-${run.state}`} aria-label={title}>
      <div className="proof-head">
        <div>
          <h2>{title}</h2>
          <p className="soft">{about}</p>
        </div>
        <button type="button" className="button" onClick={start} disabled={run.state === 'running'}>
          {run.state === 'idle'
            ? 'Verify'
            : run.state === 'running'
              ? 'Verifying…'
              : 'Verify again'}
        </button>
      </div>
      <ol className="checks" aria-live="polite">
        {checks.map((text) => (
          <li key={text}>{oneLine(text, 300)}</li>
        ))}
      </ol>
      {run.state === 'refused' && (
        <div className="verdict verdict-bad" role="alert">
          <strong>Not proven</strong>
          <p>
            <bdi>{oneLine(run.reason, 400)}</bdi>
          </p>
        </div>
      )}
      {run.state === 'proven' && (
        <div className="verdict verdict-good" role="status">
          <strong>Proven in this page</strong>
          <span className="soft"> in {run.seconds} s, without trusting a server</span>
          <Facts
            facts={run.facts.map(([name, value]) =>
              fact(name, <span className="hash whole">{value}</span>),
            )}
          />
        </div>
      )}
      {run.state !== 'running' && <TrustNote key={run.state} />}
    </section>
  )
}
