/** A job's progress, live. */
import { oneLine, shorten } from '../format/text.ts'
import { isEnd, type JobEvent } from './follow.ts'

const WORDS: Readonly<Record<string, string>> = {
  created: 'Submitted',
  dispatched: 'Handed out',
  completed: 'Completed',
  failed: 'Failed',
  expired: 'Expired',
  cancelled: 'Cancelled',
}

function wordsOf({ event, operator, isSelected }: JobEvent): string {
  if (event !== 'draw') return WORDS[event] ?? event
  const by = shorten(operator, 8, 6)
  return isSelected === true ? `${by} drew and was selected` : `${by} drew and was not selected`
}

/** The events so far, and that more are awaited. */
export function Timeline({ events }: { readonly events: readonly JobEvent[] }) {
  const last = events.at(-1)
  const isOver = last !== undefined && isEnd(last)
  return (
    <ol className="timeline" aria-live="polite" aria-label="Progress">
      {events.map((event) => (
        <li key={event.id} className={`step step-${event.event}`}>
          <span>{oneLine(wordsOf(event), 100)}</span>
          <span className="soft number">{oneLine(event.at, 30)}</span>
          {event.reason !== '' && <bdi className="problem">{oneLine(event.reason, 300)}</bdi>}
        </li>
      ))}
      {!isOver && (
        <li className="step step-waiting">
          <span className="soft">
            {last === undefined ? 'Waiting for updates' : 'Waiting for an answer'}
          </span>
        </li>
      )}
    </ol>
  )
}
