/** A few numbers side by side, each with what it is. */
import type { ReactNode } from 'react'

export type Tile = { readonly name: string; readonly value: ReactNode; readonly note?: string }

/** The numbers, as a list of terms. */
export function Tiles({ tiles }: { readonly tiles: readonly Tile[] }) {
  return (
    <dl className="tiles">
      {tiles.map(({ name, value, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <span className="tile-value">{value}</span>
            {note !== undefined && <span className="soft">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
