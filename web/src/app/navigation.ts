/** Navigation between pages without reloading. */
import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()

function announce(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('popstate', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('popstate', listener)
  }
}

/** Goes to a path of this page. */
export function navigate(path: string): void {
  if (path === location.pathname) return
  history.pushState(undefined, '', path)
  window.scrollTo(0, 0)
  announce()
}

/** The current path. */
export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname)
}
