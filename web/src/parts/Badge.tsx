/** A word with a colour, for states. The word alone says it. */
import type { ReactNode } from 'react'

export type Tone = 'good' | 'bad' | 'warn' | 'plain' | 'copper'

/** The badge. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <span className={`badge badge-${tone}`}>{children}</span>
}
