/** The selection range of an operator in the space of draws, and where draws fell. */
import type { SelectionRange } from '../../../src/proof/vrfSelection.ts'
import { oneLine } from '../format/text.ts'
import { partOf, placeOf } from './odds.ts'
import type { Draw } from './types.ts'

const percentOf = (share: number): string =>
  `${(share * 100).toFixed(share === 1 || share === 0 ? 0 : 1)} %`

/** The line. Reviews widen an operator's range; a draw says itself whether it was selected. */
export function OddsBar({
  range,
  draws,
}: {
  readonly range: SelectionRange
  readonly draws: readonly Draw[]
}) {
  const { from, to } = partOf(range)
  const places = draws.flatMap((draw) => {
    const place = placeOf(draw.vrf_random_value, range.max)
    return place === undefined ? [] : [{ draw, place }]
  })
  const words = `Selected in ${percentOf(to - from)} of draws.${places
    .map(
      ({ draw, place }) =>
        ` Round ${draw.round}: drew ${percentOf(place)}, ${draw.selected ? 'selected' : 'not selected'}.`,
    )
    .join('')}`
  return (
    <div className="odds" role="img" aria-label={oneLine(words, 400)}>
      <svg viewBox="0 0 1000 28" preserveAspectRatio="none" aria-hidden="true">
        <rect className="odds-line" x="0" y="12" width="1000" height="4" />
        <rect className="odds-part" x={from * 1000} y="9" width={(to - from) * 1000} height="10" />
      </svg>
      {places.map(({ draw, place }) => (
        <span
          key={`${draw.operator}-${draw.round}`}
          className={draw.selected ? 'odds-draw is-selected' : 'odds-draw'}
          style={{ left: `${place * 100}%` }}
          aria-hidden="true"
        />
      ))}
      <span className="soft odds-words" aria-hidden="true">
        {words}
      </span>
    </div>
  )
}
