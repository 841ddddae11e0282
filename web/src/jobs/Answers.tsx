/** The answers of operators, side by side; equal ones together. */
import { Badge } from '../parts/Badge.tsx'
import { fact, Facts } from '../parts/Facts.tsx'
import { AddressLink, Hash } from '../parts/Names.tsx'
import { UntrustedText } from '../parts/Untrusted.tsx'
import { groupBy } from '../format/groupBy.ts'
import { grouped } from '../format/number.ts'
import { unverified } from './facts.ts'
import type { Result } from './types.ts'

function Trust({ result }: { readonly result: Result }) {
  const { tone, name, about } = unverified(result.job_type)
  return (
    <p className="trust-level">
      <Badge tone={tone}>{name}</Badge> <span className="soft">{about}</span>
    </p>
  )
}

function Answer({
  text,
  results,
  isOdd,
}: {
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
          <Trust result={result} />
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
export function Answers({ results }: { readonly results: readonly Result[] }) {
  const groups = groupBy(results, ({ result }) => result).toSorted(
    (a, b) => b.items.length - a.items.length,
  )
  const most = groups[0]?.items.length ?? 0
  return (
    <div className="stack">
      <h2 className="visually-hidden">Answers</h2>
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
        <Answer key={key} text={key} results={items} isOdd={items.length < most} />
      ))}
    </div>
  )
}
