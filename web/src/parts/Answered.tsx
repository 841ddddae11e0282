/** Placeholder until an answer arrives. */
import type { ReactNode } from 'react'
import { oneLine } from '../format/text.ts'
import type { Answer } from '../net/useAnswer.ts'

/** A note that something could not be had. */
export function Failed({ error }: { readonly error: Error }) {
  return (
    <p className="notice notice-bad card" role="alert">
      <bdi>{oneLine(error.message, 400)}</bdi>
    </p>
  )
}

/** Draws an answer when it is here; before that, that it is awaited; or why it does not come. */
export function Answered<T>({
  answer,
  children,
}: {
  readonly answer: Answer<T>
  readonly children: (value: T) => ReactNode
}) {
  if (answer.state === 'waiting') return <p className="empty waiting">Loading…</p>
  if (answer.state === 'failed') return <Failed error={answer.error} />
  return children(answer.value)
}
