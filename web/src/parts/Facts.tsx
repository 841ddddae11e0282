/** Names and values, one pair a line. */
import type { ReactNode } from 'react'

/** A name and its value. */
export type Fact = readonly [string, ReactNode]

/** One fact. */
export function fact(name: string, value: ReactNode): Fact {
  return [name, value]
}

/** A list of facts; those without a value are omitted. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
