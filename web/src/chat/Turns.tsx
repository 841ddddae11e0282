/** The turns of a conversation; each answer with its seal and its job. */
import { useState } from 'react'
import { Link } from '../app/Link.tsx'
import { paths } from '../app/routes.ts'
import { oneLine } from '../format/text.ts'
import type { JobApi } from '../jobs/api.ts'
import { Seal } from '../jobs/Seal.tsx'
import { useProof } from '../jobs/useProof.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { UntrustedText } from '../parts/Untrusted.tsx'
import { LIMITS, sentFor, type Turn } from './conversation.ts'

type Place = {
  readonly api: JobApi
  readonly turns: readonly Turn[]
  readonly index: number
}

/** Verifies that the bundle of the job proves this text for what this browser sent. */
function Sealed({ api, turns, index, job }: Place & { readonly job: string }) {
  const detail = useAnswer(() => api.detail(job), [job])
  const text = turns[index]?.text ?? ''
  const subject = {
    id: job,
    messages: sentFor(turns, index),
    // A longer one is cut where it is kept.
    text: text.length < LIMITS.textLength ? text : undefined,
  }
  const proof = useProof(api, subject, detail.state !== 'waiting')
  const type = detail.state === 'here' ? detail.value.job_type : 'opml'
  return <Seal proof={proof} jobType={type} id={job} isFolded />
}

/** The latest answer is verified by itself, the others when somebody asks. */
function Proven(props: Place & { readonly job: string }) {
  const [isWanted, want] = useState(props.index === props.turns.length - 1)
  if (isWanted) return <Sealed {...props} />
  return (
    <p>
      <button type="button" className="plain" onClick={() => want(true)}>
        Verify this answer
      </button>
    </p>
  )
}

function Answer({ turn, ...place }: Place & { readonly turn: Turn }) {
  const { text, state, job, model = '', problem } = turn
  return (
    <article className="turn turn-answer answer" aria-label="Answer">
      <p className="turn-by soft">
        <bdi>{oneLine(model, 60)}</bdi>
        {state === 'streaming' && ' · provisional, until it is signed'}
        {job !== undefined && (
          <>
            {' · '}
            <Link to={paths.job(job)}>job</Link>
          </>
        )}
      </p>
      {text !== '' && <UntrustedText text={text} label="Answer" />}
      {state === 'streaming' && text === '' && (
        <p className="soft waiting">Waiting for an operator…</p>
      )}
      {state === 'done' && text === '' && <p className="soft">The answer is empty.</p>}
      {state === 'partial' && (
        <p className="soft">Stopped before its end: nobody signed it, and it is not sent along.</p>
      )}
      {problem !== undefined && (
        <p className="problem" role="alert">
          <bdi>{oneLine(problem, 400)}</bdi>
        </p>
      )}
      {state === 'done' && job !== undefined && <Proven key={job} {...place} job={job} />}
    </article>
  )
}

/** All of them, the oldest first. */
export function Turns({ api, turns }: { readonly api: JobApi; readonly turns: readonly Turn[] }) {
  return (
    <div className="turns">
      {turns.map((turn, index) =>
        turn.role === 'user' ? (
          // Turns have no other name than their place, and none is ever put between two.
          // oxlint-disable-next-line react/no-array-index-key
          <article key={index} className="turn turn-user" aria-label="Question">
            <UntrustedText text={turn.text} label="Question" />
          </article>
        ) : (
          // oxlint-disable-next-line react/no-array-index-key
          <Answer key={index} api={api} turns={turns} index={index} turn={turn} />
        ),
      )}
    </div>
  )
}
