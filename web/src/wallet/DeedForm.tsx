/** A form whose submission is a transaction of the connected account. */
import { useId, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { grouped } from '../format/number.ts'
import { oneLine } from '../format/text.ts'
import { useNode } from '../net/context.ts'
import { TransactionLink } from '../parts/Names.tsx'
import type { Connection } from './connection.ts'
import { perform, type Deed, type Progress } from './perform.ts'
import { FieldError, ProblemContext } from './problem.ts'

type State = Progress | { readonly step: 'idle' } | { readonly step: 'failed'; readonly why: Error }

const WORDS = { checking: 'Checking…', signing: 'Waiting for the wallet…' } as const

function Status({ state }: { readonly state: State }) {
  switch (state.step) {
    case 'checking':
    case 'signing':
      return <p className="soft">{WORDS[state.step]}</p>
    case 'sent':
      return (
        <p className="soft">
          Sent as <TransactionLink hash={state.hash} />, waiting for its block…
        </p>
      )
    case 'done':
      return (
        <p className="done">
          Mined in block {grouped(state.height)}: <TransactionLink hash={state.hash} />
        </p>
      )
    case 'failed':
      return (
        <p className="problem">
          <bdi>
            {state.why instanceof FieldError
              ? 'Nothing was sent: check the highlighted field.'
              : oneLine(state.why.message, 300)}
          </bdi>
        </p>
      )
    default:
      return null
  }
}

type DeedFormProps = {
  readonly connection: Connection
  readonly title: string
  readonly about?: ReactNode
  /** Label of the button. */
  readonly verb: string
  /** What the fields mean. Throws FieldError. */
  readonly deed: (form: FormData) => Deed
  readonly children?: ReactNode
  /** Whether it is one of a few buttons in a row: title and text are for screen readers alone. */
  readonly isSmall?: boolean
}

/** The form. What is refused is said before anything is signed. */
export function DeedForm({
  connection,
  title,
  about,
  verb,
  deed,
  children,
  isSmall = false,
}: DeedFormProps) {
  const node = useNode()
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  const [state, setState] = useState<State>({ step: 'idle' })
  const isBusy = ['checking', 'signing', 'sent'].includes(state.step)
  const problem = state.step === 'failed' && state.why instanceof FieldError ? state.why : undefined

  const run = async (data: FormData): Promise<void> => {
    try {
      await perform(node, connection, deed(data), setState)
      form.current?.reset()
    } catch (error) {
      const why = error instanceof Error ? error : new Error(String(error))
      setState({ step: 'failed', why })
      const field =
        why instanceof FieldError ? form.current?.elements.namedItem(why.field) : undefined
      if (field instanceof HTMLElement) field.focus()
    }
  }

  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    if (!isBusy) void run(new FormData(event.currentTarget))
  }

  return (
    <form
      ref={form}
      className={isSmall ? 'deed is-small' : 'deed'}
      aria-labelledby={`${id}-title`}
      onSubmit={submit}
      noValidate
    >
      <h3 id={`${id}-title`} className={isSmall ? 'visually-hidden' : undefined}>
        {title}
      </h3>
      {about !== undefined && <p className="soft">{about}</p>}
      <ProblemContext value={problem}>
        {children !== undefined && <div className="fields">{children}</div>}
      </ProblemContext>
      <button type="submit" className={isSmall ? 'button small' : 'button'} aria-disabled={isBusy}>
        {verb}
      </button>
      <div aria-live="polite" className="deed-status">
        <Status state={state} />
      </div>
    </form>
  )
}
