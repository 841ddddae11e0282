/** The answers of operators, side by side; equal ones together. */
import { Badge } from '../parts/Badge.tsx'
import { fact, Facts } from '../parts/Facts.tsx'
import { AddressLink, Hash } from '../parts/Names.tsx'
import { UntrustedText } from '../parts/Untrusted.tsx'
import { groupBy } from '../format/groupBy.ts'
import { grouped } from '../format/number.ts'
import { Seal } from './Seal.tsx'
import type { Result } from './types.ts'
import type { Proof } from './useProof.ts'

type Sealed = {
  /** Of the job. */
  readonly id: string
  readonly proof: Proof
}

/** The seal of one answer: of that of its operator in the bundle. */
function Trust({ id, result, proof }: Sealed & { readonly result: Result }) {
  const index = proof.state === 'here' ? proof.operators.indexOf(result.operator.toLowerCase()) : 0
  // A result that the bundle does not have is as good as one that failed.
  return index < 0 ? (
    <p className="seal seal-of-failed" role="alert">
      The receipt says nothing about this answer.
    </p>
  ) : (
    <Seal proof={proof} jobType={result.job_type} id={id} index={index} />
  )
}

function Answer({
  text,
  results,
  isOdd,
  id,
  proof,
}: Sealed & {
  readonly text: string
  readonly results: readonly Result[]
  readonly isOdd: boolean
}) {
  return (
    <article className={isOdd ? 'card answer is-odd' : 'card answer'} aria-label="Answer">
      <UntrustedText text={text} label="Answer" />
      {results.map((result) => (
        <div key={result.verify_id} className="answer-by">
          <p>
            by <AddressLink address={result.operator} />{' '}
            <span className="soft">at {result.created_at} UTC</span>
          </p>
          <Trust id={id} result={result} proof={proof} />
          <details>
            <summary>Statement, draw and signature</summary>
            <Facts
              facts={[
                fact('Digest', <Hash value={result.verify_id} />),
                fact('Signature', <Hash value={result.signature} />),
                fact('Draw', <Hash value={result.vrf.vrf_random_value} />),
                fact('VRF proof', <Hash value={result.vrf.vrf_proof} />),
                fact('VRF public key', <Hash value={result.vrf.vrf_verify_pubkey} />),
              ]}
            />
          </details>
        </div>
      ))}
    </article>
  )
}

/** Answers by their text, the one that most operators gave first. */
export function Answers({ id, results, proof }: Sealed & { readonly results: readonly Result[] }) {
  const groups = groupBy(results, ({ result }) => result).toSorted(
    (a, b) => b.items.length - a.items.length,
  )
  const most = groups[0]?.items.length ?? 0
  if (results.length === 0) return null
  return (
    <div className="stack" role="group" aria-label="Answers">
      {groups.length > 1 && (
        <p className="card notice-warn">
          The operators do not agree: {grouped(groups.length)} different answers.
        </p>
      )}
      {groups.length === 1 && results.length > 1 && (
        <p className="agree">
          <Badge tone="good">all {grouped(results.length)} operators agree</Badge>
        </p>
      )}
      {groups.map(({ key, items }) => (
        <Answer
          key={key}
          id={id}
          proof={proof}
          text={key}
          results={items}
          isOdd={items.length < most}
        />
      ))}
    </div>
  )
}
