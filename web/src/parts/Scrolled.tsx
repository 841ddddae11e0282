/** Tables that are wider than a phone. */
import type { ReactNode } from 'react'

/** Scrolls sideways by itself; the keyboard reaches it for that. */
export function Scrolled({
  label,
  children,
}: {
  readonly label: string
  readonly children: ReactNode
}) {
  return (
    <section className="scrolled" aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
