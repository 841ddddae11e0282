/** A link within the page. */
import type { CSSProperties, MouseEvent, ReactNode } from 'react'
import { navigate } from './navigation.ts'

type LinkProps = {
  readonly to: string
  readonly children?: ReactNode
  readonly className?: string
  readonly isCurrent?: boolean
  readonly title?: string
  readonly label?: string
  readonly style?: CSSProperties
  /** Whether the Tab key skips it, because something nearby has the same target. */
  readonly isExtra?: boolean
}

/** A real link, so that it opens in another tab as people like, and goes without loading otherwise. */
export function Link({
  to,
  children,
  isCurrent = false,
  label,
  isExtra = false,
  ...attributes
}: LinkProps) {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return
    event.preventDefault()
    navigate(to)
  }
  return (
    <a
      href={to}
      onClick={follow}
      {...attributes}
      tabIndex={isExtra ? -1 : undefined}
      aria-label={label}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {children}
    </a>
  )
}
