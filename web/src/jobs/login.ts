/**
 * The project that this page acts for. Its token is kept in memory alone: it is gone when the page is. A link can bring both in its
 * fragment, which browsers send to no server; it leaves the address bar and the history before anything else is done
 * (D168).
 */
import { useSyncExternalStore } from 'react'

export type Login = { readonly project: string; readonly token: string }

const LONGEST = 200

const listeners = new Set<() => void>()
let current: Login | undefined

/** What the fragment of an address brings; undefined unless it has both parts. */
export function readLogin(fragment: string): Login | undefined {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ''))
  const project = parameters.get('project') ?? ''
  const token = parameters.get('token') ?? ''
  const isGood = [project, token].every((text) => /^[\w.:-]+$/.test(text) && text.length <= LONGEST)
  return isGood ? { project, token } : undefined
}

/** Acts for a project from now on, or, with undefined, for none. */
export function logIn(login: Login | undefined): void {
  current = login
  for (const listener of listeners) listener()
}

/** The project of all requests. */
export function currentLogin(): Login | undefined {
  return current
}

/** The same, for what is drawn. */
export function useLogin(): Login | undefined {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, currentLogin)
}

/** Takes a login out of the current address, which is without its fragment afterwards, whether that was good or not. */
export function takeLogin(): void {
  if (!/[#&]token=/.test(location.hash)) return
  const login = readLogin(location.hash)
  history.replaceState(history.state, '', location.pathname + location.search)
  if (login !== undefined) logIn(login)
}
