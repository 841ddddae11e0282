/**
 * Text that a stranger wrote: isolated from the direction of the surrounding text, visible in full, and never too long.
 */
import { useState } from 'react'
import { grouped } from '../format/number.ts'
import { lines, oneLine } from '../format/text.ts'
import { Scrolled } from './Scrolled.tsx'

/** One line within a sentence or a cell. */
export function Untrusted({
  text,
  limit = 80,
}: {
  readonly text: string
  readonly limit?: number
}) {
  return (
    <bdi
      className="untrusted"
      title={text.length > limit ? `${grouped(text.length)} characters` : undefined}
    >
      {oneLine(text, limit)}
    </bdi>
  )
}

const FIRST = 2000
/** More than anyone reads, and little enough to be drawn. */
const MOST = 50_000

/** A text of any length, in a box of its own. */
export function UntrustedText({ text, label }: { readonly text: string; readonly label: string }) {
  const [isLong, setLong] = useState(false)
  const shown = lines(text, isLong ? MOST : FIRST)
  return (
    <div className="untrusted-text">
      <Scrolled label={label}>
        <pre dir="auto">{shown}</pre>
      </Scrolled>
      {text.length > FIRST && (
        <p className="soft">
          {grouped(text.length)} characters.{' '}
          {!isLong && (
            <button type="button" className="plain" onClick={() => setLong(true)}>
              Show {text.length > MOST ? `the first ${grouped(MOST)}` : 'all'}
            </button>
          )}
        </p>
      )}
    </div>
  )
}
