/** Navigation between pages without reloading: paths, with tab, page and filter as their query. */
import { useMemo, useSyncExternalStore } from 'react'
import { keepPlace, restorePlace } from './place.ts'
import { readQuery, targetOf, type Query } from './query.ts'

const listeners = new Set<() => void>()

function announce(): void {
  for (const listener of listeners) listener()
}

window.addEventListener('popstate', () => {
  announce()
  restorePlace()
})

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Goes to a path of this page, with or without a query. `replaces`: leaves no way back to the present one. */
export function navigate(target: string, { replaces = false } = {}): void {
  const { pathname, search } = location
  if (target === pathname + search) return
  if (replaces) history.replaceState(history.state, '', target)
  else {
    keepPlace()
    history.pushState(undefined, '', target)
  }
  if (location.pathname !== pathname) window.scrollTo(0, 0)
  announce()
}

/** The current path. */
export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname)
}

/** Parameters of the current address. */
export function useQuery(): Query {
  const search = useSyncExternalStore(subscribe, () => location.search)
  return useMemo(() => readQuery(search), [search])
}

/** The current path with some parameters changed. */
export function withParameters(changes: Query): string {
  return targetOf(location.pathname, { ...readQuery(location.search), ...changes })
}
