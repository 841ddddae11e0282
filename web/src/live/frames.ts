/** A store whose readers hear of changes at most once per frame, however many there are. */
import { useSyncExternalStore } from 'react'

export type FrameStore<T> = {
  get(): T
  /** Replaces the value; readers hear of it with the next frame. */
  update(change: (value: T) => T): void
  subscribe(listener: () => void): () => void
}

/** Hidden pages get no frames: then a timer is enough. */
const HIDDEN_MS = 1000

/** A store with a first value. */
export function createFrameStore<T>(first: T): FrameStore<T> {
  let value = first
  let shown = first
  let isAsked = false
  const listeners = new Set<() => void>()

  function show(): void {
    isAsked = false
    shown = value
    for (const listener of listeners) listener()
  }

  return {
    get: () => shown,
    update(change) {
      value = change(value)
      if (isAsked) return
      isAsked = true
      if (document.hidden) setTimeout(show, HIDDEN_MS)
      else requestAnimationFrame(show)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The value of a store; rerenders when it changes. */
export function useFrameStore<T>(store: FrameStore<T>): T {
  return useSyncExternalStore(store.subscribe, store.get)
}
