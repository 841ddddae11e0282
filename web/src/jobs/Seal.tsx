/** The seal of an answer: one verdict, and the path of facts that leads to it (D169). */
import { oneLine, shorten } from '../format/text.ts'
import { trustDispatcher } from '../proof/dispatchers.ts'
import { FACT_WORDS } from './facts.ts'
import { sealOf, type Seal as SealOf, type Step } from './seal.ts'
import type { JobType } from './types.ts'
import type { Proof } from './useProof.ts'

const VERDICTS: Readonly<Record<SealOf['verdict'], readonly [name: string, about: string]>> = {
  failed: ['Not proven', 'At least one check failed: do not trust this answer.'],
  proven: ['Proven', 'You need to trust neither the operator nor the dispatcher.'],
  vouched: ['Vouched for', 'A dispatcher that you trust and the operator signed it.'],
  anchored: ['Anchored', 'It existed at a proven time, and every signature fits.'],
  open: ['Nothing failed', 'Every check that this page can make holds.'],
}

const MARKS = { reached: '✓', open: '○', failed: '✕' } as const
const SPOKEN = { reached: 'reached', open: 'open', failed: 'failed' } as const

function Chip({ step: { fact, state } }: { readonly step: Step }) {
  return (
    <span className={`seal-chip seal-${state}`}>
      <span aria-hidden="true">{MARKS[state]}</span>
      <span>{FACT_WORDS[fact].name}</span>
      <span className="visually-hidden">{SPOKEN[state]}</span>
    </span>
  )
}

/** Names the dispatcher as one that the user trusts, or takes that back. */
function Trusting({
  dispatcher,
  isTrusted,
}: {
  readonly dispatcher: string
  readonly isTrusted: boolean
}) {
  if (!/^0x[0-9a-f]{40}$/.test(dispatcher)) return null
  return (
    <button type="button" className="plain" onClick={() => trustDispatcher(dispatcher, !isTrusted)}>
      {isTrusted ? 'No longer trust' : 'Trust'} dispatcher{' '}
      <span className="hash">{shorten(dispatcher, 8, 6)}</span>
    </button>
  )
}

function Steps({
  steps,
  dispatcher,
}: {
  readonly steps: readonly Step[]
  readonly dispatcher: string
}) {
  const signed = steps.find(({ fact }) => fact === 'signed')?.state
  return (
    <ul className="seal-steps">
      {steps.map((step) => (
        <li key={step.fact}>
          <Chip step={step} />
          <span className="soft">
            {step.state === 'open' ? (
              <bdi>{oneLine(step.need, 300)}</bdi>
            ) : (
              FACT_WORDS[step.fact].about
            )}
          </span>
        </li>
      ))}
      {signed !== 'failed' && (
        <li>
          <Trusting dispatcher={dispatcher} isTrusted={signed === 'reached'} />
        </li>
      )}
    </ul>
  )
}

type Props = {
  readonly proof: Proof
  readonly jobType: JobType
  readonly id: string
  /** Position of the answer in the bundle. */
  readonly index?: number
  /** Whether the path is folded until somebody asks. */
  readonly isFolded?: boolean
}

/** The seal. While the proof is awaited, it says so. */
export function Seal({ proof, jobType, id, index = 0, isFolded = false }: Props) {
  if (proof.state === 'waiting') return <p className="seal seal-waiting soft">Verifying…</p>
  if (proof.state === 'failed')
    return (
      <p className="seal seal-waiting soft">
        Not verified: <bdi>{oneLine(proof.reason, 300)}</bdi>
      </p>
    )
  const { verdict, steps } = sealOf(proof.report, index, jobType, id)
  const [name, about] = VERDICTS[verdict]
  const path = <Steps steps={steps} dispatcher={proof.dispatcher} />
  const chips = (
    <span className="seal-path">
      {steps.map((step) => (
        <Chip key={step.fact} step={step} />
      ))}
    </span>
  )
  if (isFolded)
    return (
      <details className={`seal seal-of-${verdict}`}>
        <summary>
          <strong>{name}</strong> {chips}
        </summary>
        <p>{about}</p>
        {path}
      </details>
    )
  return (
    <section
      className={`seal seal-of-${verdict}`}
      aria-label="Verdict"
      role={verdict === 'failed' ? 'alert' : undefined}
    >
      <p className="seal-verdict">
        <strong>{name}</strong> <span>{about}</span>
      </p>
      {path}
    </section>
  )
}
