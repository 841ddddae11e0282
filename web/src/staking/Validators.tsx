/** The validator set and everybody who would be in it, with the numbers that matter for both. */
import type { ValidatorSet } from '../chain/validators.ts'
import { duration } from '../format/amount.ts'
import { grouped, percent } from '../format/number.ts'
import { Money } from '../parts/Money.tsx'
import { Tiles, type Tile } from '../parts/Tiles.tsx'
import { linesOf } from './lines.ts'
import type { Staking } from './types.ts'
import type { Known } from './useStaking.ts'
import { ValidatorTable } from './ValidatorTable.tsx'

/** Part of the votes that were given in the blocks looked at. */
function signedShare({ rows }: ValidatorSet): string {
  const votes = rows.flatMap((row) => row.votes).filter(({ vote }) => vote !== undefined)
  return percent(votes.filter(({ vote }) => vote === 'signed').length, votes.length)
}

function stakingTiles({ bonded, unbonding, parameters }: Staking): readonly Tile[] {
  return [
    {
      name: 'Total stake',
      value: <Money amount={bonded} isShort />,
      note: 'across all validators',
    },
    {
      name: 'Unbonding',
      value: <Money amount={unbonding} isShort />,
      note: `takes ${duration(parameters.unbondingTime)}`,
    },
  ]
}

/** The tab. */
export function Validators({
  set,
  known: { staking, genesis },
}: {
  readonly set: ValidatorSet
  readonly known: Known
}) {
  const lines = linesOf(set.rows, staking?.validators ?? [], genesis)
  const places = staking?.parameters.maxValidators
  return (
    <div className="stack">
      <Tiles
        tiles={[
          {
            name: 'Validators',
            value: grouped(set.rows.length),
            ...(places !== undefined && {
              note: places === 1 ? 'the set is closed' : `of ${grouped(places)} places`,
            }),
          },
          { name: 'Votes signed', value: signedShare(set), note: 'in recent blocks' },
          ...(staking === undefined ? [] : stakingTiles(staking)),
        ]}
      />
      <section className="card" aria-labelledby="validators">
        <h2 id="validators">
          {set.rows.length === 1 ? '1 validator' : `${grouped(set.rows.length)} validators`}
          {lines.length > set.rows.length && (
            <span className="soft">
              {' '}
              and {grouped(lines.length - set.rows.length)} outside the set
            </span>
          )}
        </h2>
        <ValidatorTable lines={lines} parameters={staking?.parameters} power={set.power} />
      </section>
    </div>
  )
}
