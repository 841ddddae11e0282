/** What is wider than a phone, or longer than fits. */
import type { ReactNode } from 'react'

type ScrolledProps = {
  readonly label: string
  readonly children: ReactNode
  readonly className?: string
}

/** Scrolls by itself; the keyboard reaches it for that. */
export function Scrolled({ label, children, className = '' }: ScrolledProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={`scrolled ${className}`} aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
