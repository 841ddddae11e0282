/** Tabs, as the ARIA practices want them: one stop of the Tab key, arrows between. The address names the chosen one. */
import { useId, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { navigate, usePath, useQuery } from '../app/navigation.ts'
import { slugOf, targetOf } from '../app/query.ts'

export type Tab = {
  readonly name: string
  readonly count?: number
  readonly render: () => ReactNode
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }

/** The tabs; only the content of the chosen one is drawn. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const id = useId()
  const path = usePath()
  const { tab } = useQuery()
  const chosen = Math.max(
    0,
    tabs.findIndex(({ name }) => slugOf(name) === tab),
  )
  const list = useRef<HTMLDivElement>(null)

  // Pages and filters belong to the tab that is left. Arrows pass by tabs that nobody wants to come back to.
  const choose = (index: number, options?: { readonly replaces: boolean }): void =>
    navigate(
      targetOf(path, { tab: index === 0 ? undefined : slugOf(tabs[index]?.name ?? '') }),
      options,
    )

  const move = (event: KeyboardEvent): void => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = (chosen + step + tabs.length) % tabs.length
    choose(next, { replaces: true })
    list.current?.querySelectorAll('button')[next]?.focus()
  }

  return (
    <div className="tabs">
      <div role="tablist" aria-label={label} ref={list} tabIndex={-1} onKeyDown={move}>
        {tabs.map(({ name, count }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-controls={`${id}-panel`}
            aria-selected={index === chosen}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => choose(index)}
          >
            {name}
            {count !== undefined && <span className="count">{count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${chosen}`} tabIndex={0}>
        {tabs[chosen]?.render()}
      </div>
    </div>
  )
}
