/** One job: its progress, its answers, and why they can be trusted. */
import { useState } from 'react'
import { groupBy } from '../format/groupBy.ts'
import { grouped } from '../format/number.ts'
import { oneLine, shorten } from '../format/text.ts'
import { Answers } from '../jobs/Answers.tsx'
import { JobApiError, type JobApi } from '../jobs/api.ts'
import { ClockDiagram } from '../jobs/ClockDiagram.tsx'
import { clockPicture } from '../jobs/clockPicture.ts'
import { useJobApi } from '../jobs/context.ts'
import { isEnd, isEndState, useJobEvents, type JobEvent } from '../jobs/follow.ts'
import { OddsBar } from '../jobs/OddsBar.tsx'
import { Receipt } from '../jobs/Receipt.tsx'
import { toneOf } from '../jobs/states.ts'
import { Timeline } from '../jobs/Timeline.tsx'
import type { Detail, Message, Operator, Result } from '../jobs/types.ts'
import { useProof } from '../jobs/useProof.ts'
import { warningsAbout } from '../jobs/warnings.ts'
import { useAnswer, useLastAnswer } from '../net/useAnswer.ts'
import { Answered } from '../parts/Answered.tsx'
import { Badge } from '../parts/Badge.tsx'
import { fact, Facts } from '../parts/Facts.tsx'
import { AddressLink } from '../parts/Names.tsx'
import { Untrusted, UntrustedText } from '../parts/Untrusted.tsx'
import { Unknown } from './Unknown.tsx'

type Loaded = {
  readonly detail: Detail
  readonly results: readonly Result[]
  readonly operators: readonly Operator[]
}

async function load(api: JobApi, id: string): Promise<Loaded> {
  const [detail, results, operators] = await Promise.all([
    api.detail(id),
    api.results(id),
    api.operators().catch(() => []),
  ])
  return { detail, results, operators }
}

const SHOWN_MESSAGES = 50

/** The latest messages of a conversation, which is the prompt of its job. */
function Conversation({ messages }: { readonly messages: readonly Message[] }) {
  const shown = messages.slice(-SHOWN_MESSAGES)
  return (
    <>
      {shown.length < messages.length && (
        <p className="soft">
          The last {SHOWN_MESSAGES} of {grouped(messages.length)} messages.
        </p>
      )}
      {shown.map(({ role, content }, index) => (
        // Messages have no other name than their place.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="message">
          <p className="soft">{oneLine(role, 20)}</p>
          <UntrustedText text={content} label={`Message ${index + 1}`} />
        </div>
      ))}
    </>
  )
}

function Request({ detail }: { readonly detail: Detail }) {
  const {
    id,
    job,
    job_type: type,
    user,
    tag,
    effective_tag: drawn = tag,
    created_at: time,
  } = detail
  const parameters = Object.entries(job.params ?? {})
    .slice(0, 10)
    .map(([name, value]) => `${oneLine(name, 30)} ${oneLine(JSON.stringify(value), 30)}`)
  return (
    <section className="card" aria-labelledby="request">
      <h2 id="request">Request</h2>
      {warningsAbout(id).map((warning) => (
        <p key={warning} className="problem">
          <bdi>{oneLine(warning, 400)}</bdi>
        </p>
      ))}
      {job.messages === undefined ? (
        <UntrustedText text={job.prompt ?? ''} label="Prompt" />
      ) : (
        <Conversation messages={job.messages} />
      )}
      <Facts
        facts={[
          fact('Model', <Untrusted text={job.model} />),
          fact(
            'Verified',
            type === 'tee' ? 'by an attested worker (tee)' : 'by re-execution (opml)',
          ),
          fact('Parameters', parameters.length === 0 ? undefined : parameters.join(', ')),
          fact('User', user === '' ? undefined : <Untrusted text={user} />),
          fact('Review', tag === '' ? undefined : oneLine(tag, 20)),
          fact('Drawn as', drawn === tag ? undefined : oneLine(drawn, 20)),
          fact('Submitted', `${time} UTC`),
        ]}
      />
    </section>
  )
}

function Draws({
  detail,
  operators,
}: {
  readonly detail: Detail
  readonly operators: readonly Operator[]
}) {
  const byOperator = groupBy(detail.draws, ({ operator }) => operator)
  if (byOperator.length === 0) return null
  return (
    <section className="card" aria-labelledby="draws">
      <h2 id="draws">Selection</h2>
      <p className="soft">
        Each operator draws a number that it cannot choose and that anyone can verify. If the number
        is in the operator’s selection range, its answer counts.
      </p>
      <ul className="plain-list operators">
        {byOperator.map(({ key: operator, items: draws }) => {
          const range = operators.find((each) => each.operator === operator)?.range
          return (
            <li key={operator}>
              <p>
                <AddressLink address={operator} />{' '}
                <Badge tone={draws.some(({ selected }) => selected) ? 'good' : 'plain'}>
                  {draws.some(({ selected }) => selected) ? 'selected' : 'not selected'}
                </Badge>
              </p>
              {range === undefined ? (
                <p className="soft">Not connected: its selection range is unknown.</p>
              ) : (
                <OddsBar range={range} draws={draws} />
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Clocks({ detail, results, wasHandedOut }: Loaded & { readonly wasHandedOut: boolean }) {
  const operators = new Set([
    ...results.map(({ operator }) => operator),
    ...detail.draws.map(({ operator }) => operator),
  ])
  const dispatcher = Object.keys(detail.clock).find((participant) => !operators.has(participant))
  const known = results.map(({ operator, clock }) => ({
    participant: operator,
    clock,
    label: 'answered',
  }))
  const picture = clockPicture(
    dispatcher === undefined
      ? known
      : [
          ...known,
          {
            participant: dispatcher,
            clock: detail.clock,
            label: results.length > 0 ? 'recorded' : wasHandedOut ? 'handed out' : 'submitted',
          },
        ],
    dispatcher,
  )
  if (picture.events.length === 0) return null
  return (
    <section className="card" aria-labelledby="clock">
      <h2 id="clock">Causal order</h2>
      <p className="soft">
        Who had seen what before acting, according to the vector clocks that the operators signed.
        Wall clocks are not trusted.
      </p>
      <ClockDiagram
        picture={picture}
        nameOf={(participant) => (participant === dispatcher ? 'Dispatcher' : 'Operator')}
      />
    </section>
  )
}

function Cancel({ api, id }: { readonly api: JobApi; readonly id: string }) {
  const [note, setNote] = useState('')
  return (
    <p>
      <button
        type="button"
        className="plain"
        onClick={() => {
          api.cancel(id).then(
            () => setNote('Cancelled.'),
            (error: unknown) => setNote(error instanceof Error ? error.message : String(error)),
          )
        }}
      >
        Cancel job
      </button>{' '}
      <output aria-live="polite">{oneLine(note, 200)}</output>
    </p>
  )
}

function Details({
  api,
  events,
  found,
}: {
  readonly api: JobApi
  readonly events: readonly JobEvent[]
  readonly found: Loaded
}) {
  const { detail, results, operators } = found
  const { id, job, state } = detail
  const isOver = events.some(isEnd) || isEndState(state)
  const isAnswered = isOver && results.length > 0
  const proof = useProof(api, { id, prompt: job.prompt, messages: job.messages }, isAnswered)
  const wasHandedOut = events.some(({ event }) => event !== 'created' && event !== 'cancelled')
  return (
    <>
      <div className="title">
        <h1>
          <span className="title-kind">Job</span> <span className="hash">{shorten(id, 12, 8)}</span>
        </h1>
        <Badge tone={toneOf(state)}>{oneLine(state, 20)}</Badge>
      </div>
      <div className="console">
        <div className="stack">
          <Answers id={id} results={results} proof={proof} />
          <Request detail={detail} />
          <Draws detail={detail} operators={operators} />
          <Clocks {...found} wasHandedOut={wasHandedOut} />
          {isAnswered && <Receipt api={api} id={id} proof={proof} />}
        </div>
        <div className="stack">
          <section className="card" aria-labelledby="progress">
            <h2 id="progress">Progress</h2>
            <Timeline events={events} />
            {!isOver && <Cancel api={api} id={id} />}
            <p className="soft">
              {events.length === 1 ? '1 event' : `${grouped(events.length)} events`}
            </p>
          </section>
        </div>
      </div>
    </>
  )
}

function JobOf({ api, id }: { readonly api: JobApi; readonly id: string }) {
  const events = useJobEvents(api, id)
  // Every event may mean that there is more to read.
  const answer = useLastAnswer(useAnswer(() => load(api, id), [id, events.length]))
  if (
    answer.state === 'failed' &&
    answer.error instanceof JobApiError &&
    answer.error.status === 404
  )
    return <Unknown what={`Job ${id}`} />
  return (
    <Answered answer={answer}>
      {(found) => <Details api={api} events={events} found={found} />}
    </Answered>
  )
}

/** The page of a job. */
export function Job({ id }: { readonly id: string }) {
  const api = useJobApi()
  return api === undefined ? (
    <p className="card empty">This node has no dispatcher configured (explorer.dispatcher).</p>
  ) : (
    <JobOf key={id} api={api} id={id} />
  )
}
