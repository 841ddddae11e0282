/** Fields of forms: a name, what it is for, and what is wrong with it, all of which a screen reader tells. */
import { useId, type ReactNode } from 'react'
import { useProblem } from './problem.ts'

type FieldProps = {
  readonly name: string
  readonly label: string
  readonly hint?: ReactNode
  readonly initial?: string
  readonly kind?: 'amount' | 'number' | 'hex'
  readonly isWide?: boolean
}

function Notes({
  id,
  hint,
  problem,
}: {
  readonly id: string
  readonly hint: ReactNode
  readonly problem: string | undefined
}) {
  return (
    <span id={id} className="field-notes">
      {problem !== undefined && <span className="problem">{problem}</span>}
      {hint !== undefined && <span className="soft">{hint}</span>}
    </span>
  )
}

const MODES = { amount: 'decimal', number: 'numeric', hex: 'text' } as const

/** A text to be typed. */
export function Field({ name, label, hint, initial, kind = 'amount', isWide = false }: FieldProps) {
  const id = useId()
  const problem = useProblem(name)
  return (
    <div className={isWide ? 'field wide' : 'field'}>
      <label htmlFor={`${id}-input`}>{label}</label>
      <input
        id={`${id}-input`}
        name={name}
        defaultValue={initial}
        inputMode={MODES[kind]}
        className={kind === 'hex' ? 'hash' : undefined}
        autoComplete="off"
        spellCheck={false}
        aria-describedby={`${id}-notes`}
        aria-invalid={problem !== undefined}
      />
      <Notes id={`${id}-notes`} hint={hint} problem={problem} />
    </div>
  )
}

/** A choice among a few. */
export function Choice({
  name,
  label,
  options,
}: {
  readonly name: string
  readonly label: string
  readonly options: readonly { readonly value: string; readonly text: string }[]
}) {
  const id = useId()
  const problem = useProblem(name)
  return (
    <div className="field wide">
      <label htmlFor={`${id}-input`}>{label}</label>
      <select
        id={`${id}-input`}
        name={name}
        aria-describedby={`${id}-notes`}
        aria-invalid={problem !== undefined}
      >
        {options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <Notes id={`${id}-notes`} hint={undefined} problem={problem} />
    </div>
  )
}
