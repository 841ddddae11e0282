/** The votes of a validator for the last blocks. */
import type { ValidatorRow } from '../chain/validators.ts'

/** How many of the last blocks it did not sign. */
export function missedOf(row: ValidatorRow): number {
  return row.votes.filter(({ vote }) => vote === 'absent').length
}

/** One square a block: signed, missed, or voted for none. */
export function Votes({ row }: { readonly row: ValidatorRow }) {
  const count = row.votes.filter(({ vote }) => vote !== undefined).length
  const label = `Signed ${count - missedOf(row)} of the last ${count} blocks`
  return (
    <span className="votes" role="img" aria-label={label}>
      {row.votes.map(({ height, vote }) => (
        <span
          key={height}
          className={`vote vote-${vote ?? 'none'}`}
          title={`${height}: ${vote ?? 'not a validator then'}`}
        />
      ))}
    </span>
  )
}
