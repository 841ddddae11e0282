/** The search of the page's head. */
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { useNode } from '../net/context.ts'
import { navigate } from './navigation.ts'
import { find } from './search.ts'

/** A field for heights, hashes, addresses and jobs. "/" leads to it. */
export function Search() {
  const node = useNode()
  const field = useRef<HTMLInputElement>(null)
  const [note, say] = useState('')

  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof Element && event.target.matches('input, textarea, select')
      if (event.key !== '/' || isTyping || event.metaKey || event.ctrlKey) return
      event.preventDefault()
      field.current?.focus()
    }
    document.addEventListener('keydown', focus)
    return () => document.removeEventListener('keydown', focus)
  }, [])

  const search = (event: FormEvent): void => {
    event.preventDefault()
    const text = field.current?.value ?? ''
    if (text.trim() === '') return
    say('Searching…')
    find(node, text).then(
      (path) => {
        say(path === undefined ? 'No results.' : '')
        if (path === undefined) return
        if (field.current !== null) field.current.value = ''
        field.current?.blur()
        navigate(path)
      },
      () => say('The node does not respond.'),
    )
  }

  return (
    <search className="search">
      <form onSubmit={search}>
        <input
          ref={field}
          type="search"
          name="q"
          aria-label="Search by block, transaction, address or job"
          placeholder="Block, transaction, address or job"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={200}
          onChange={() => say('')}
        />
        <kbd aria-hidden="true">/</kbd>
        <output className="search-note" aria-live="polite">
          {note}
        </output>
      </form>
    </search>
  )
}
