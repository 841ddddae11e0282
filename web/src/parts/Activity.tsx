/** The transactions of an account: which direction and which page is in the address. */
import { useState } from 'react'
import { navigate, useQuery, withParameters } from '../app/navigation.ts'
import { Link } from '../app/Link.tsx'
import { loadCounts, loadPage, placeText, readPlace, type Direction } from '../chain/activity.ts'
import { grouped } from '../format/number.ts'
import { saveFile } from '../format/saveFile.ts'
import { oneLine } from '../format/text.ts'
import { useNode } from '../net/context.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { Answered } from './Answered.tsx'
import { TransactionTable } from './TransactionTable.tsx'

const EVERY_MS = 3000

const DIRECTIONS: readonly { readonly direction: Direction; readonly name: string }[] = [
  { direction: 'all', name: 'All' },
  { direction: 'out', name: 'Sent' },
  { direction: 'in', name: 'Received' },
]

function Filter({ direction }: { readonly direction: Direction }) {
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">Direction</legend>
      {DIRECTIONS.map((each) => (
        <label key={each.direction}>
          <input
            type="radio"
            name="direction"
            checked={each.direction === direction}
            onChange={() =>
              navigate(
                withParameters({
                  direction: each.direction === 'all' ? undefined : each.direction,
                  before: undefined,
                }),
              )
            }
          />
          <span>{each.name}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** A button for a file with the latest transactions. */
function Csv({ address, direction }: { readonly address: string; readonly direction: Direction }) {
  const node = useNode()
  const [note, setNote] = useState('')
  const save = async (): Promise<void> => {
    setNote('Loading…')
    const { loadCsv } = await import('../chain/activityCsv.ts')
    saveFile(`${address}.csv`, 'text/csv', await loadCsv(node, address, direction))
    setNote('')
  }
  return (
    <p>
      <button
        type="button"
        className="plain"
        onClick={() => {
          save().catch((error: unknown) =>
            setNote(error instanceof Error ? error.message : String(error)),
          )
        }}
      >
        Save as CSV
      </button>{' '}
      <output className="soft" aria-live="polite">
        {oneLine(note, 200)}
      </output>
    </p>
  )
}

/** A page of them, the latest first. */
export function Activity({ address }: { readonly address: string }) {
  const node = useNode()
  const query = useQuery()
  const direction =
    DIRECTIONS.find((each) => each.direction === query['direction'])?.direction ?? 'all'
  const before = readPlace(query['before'])
  const counts = useAnswer(() => loadCounts(node, address), [address], EVERY_MS)
  const answer = useAnswer(
    () => loadPage(node, address, { direction, before }),
    [address, direction, before],
    // Only the first page grows.
    before === undefined ? EVERY_MS : undefined,
  )
  return (
    <div className="card">
      <div className="list-head">
        <Filter direction={direction} />
        {counts.state === 'here' && (
          <p className="soft">
            {grouped(counts.value.sent)} sent, {grouped(counts.value.received)} received
          </p>
        )}
        <Csv address={address} direction={direction} />
      </div>
      <Answered answer={answer}>
        {({ transactions, receipts, next }) => (
          <>
            <TransactionTable transactions={transactions} receipts={receipts} account={address} />
            <nav className="pages" aria-label="Pages of transactions">
              {before !== undefined && (
                <Link to={withParameters({ before: undefined })}>« Latest</Link>
              )}
              {next !== undefined && (
                <Link to={withParameters({ before: placeText(next) })}>Older ›</Link>
              )}
            </nav>
          </>
        )}
      </Answered>
    </div>
  )
}
