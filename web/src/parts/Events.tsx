/** The events of a transaction. */
import { useState } from 'react'
import type { Decoded } from '../abi/book.ts'
import type { Log } from '../chain/types.ts'
import { grouped } from '../format/number.ts'
import { AddressLink } from './Names.tsx'
import { Bytes, DecodedView } from './Values.tsx'

const PAGE = 50

function Raw({ log }: { readonly log: Log }) {
  return (
    <div className="decoded">
      <p className="soft">The signature of this event is unknown.</p>
      {log.topics.map((topic, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <p key={index}>
          <span className="soft">Topic {index}</span> <span className="hash whole">{topic}</span>
        </p>
      ))}
      {log.data !== '0x' && <Bytes hex={log.data} label="Data" />}
    </div>
  )
}

type Event = { readonly log: Log; readonly decoded: Decoded | undefined }

/** One card a log, in their order. */
export function Events({ events }: { readonly events: readonly Event[] }) {
  const [shown, show] = useState(PAGE)
  if (events.length === 0) return <p className="card empty">No events.</p>
  return (
    <div className="card">
      <ol className="events">
        {events.slice(0, shown).map(({ log, decoded }) => (
          <li key={log.logIndex}>
            <p className="soft">
              <span className="number">{Number(log.logIndex)}</span> by{' '}
              <AddressLink address={log.address} />
            </p>
            {decoded === undefined ? <Raw log={log} /> : <DecodedView decoded={decoded} />}
          </li>
        ))}
      </ol>
      {events.length > shown && (
        <button type="button" className="plain" onClick={() => show(shown + PAGE)}>
          Show more of {grouped(events.length)}
        </button>
      )}
    </div>
  )
}
