/**
 * How far each entry of the history was scrolled. Browsers restore that before the content has come, when the page is
 * still short; so it is done here, once the page is long enough (D167).
 */

const SETTLE_MS = 150
/** After this time, whoever reads has begun elsewhere. */
const PATIENCE_MS = 5000

let timer: ReturnType<typeof setTimeout> | undefined
let stopRestoring: (() => void) | undefined

function placeOf(state: unknown): number | undefined {
  if (typeof state !== 'object' || state === null || !('y' in state)) return undefined
  return typeof state.y === 'number' ? state.y : undefined
}

/** Notes the place in the current entry. */
export function keepPlace(): void {
  clearTimeout(timer)
  stopRestoring?.()
  history.replaceState({ y: window.scrollY }, '')
}

/** Scrolls to where the current entry was left, as soon as there is something at that place. */
export function restorePlace(): void {
  clearTimeout(timer)
  stopRestoring?.()
  // The browser itself goes to the target of a fragment.
  if (location.hash !== '') return
  const y = placeOf(history.state) ?? 0
  const root = document.documentElement
  const stop = new AbortController()
  const observer = new ResizeObserver(() => {
    if (root.scrollHeight - window.innerHeight < y) return
    window.scrollTo(0, y)
    stop.abort()
  })
  const patience = setTimeout(() => stop.abort(), PATIENCE_MS)
  stopRestoring = () => stop.abort()
  stop.signal.addEventListener('abort', () => {
    observer.disconnect()
    clearTimeout(patience)
    stopRestoring = undefined
  })
  for (const event of ['wheel', 'touchmove', 'keydown'])
    window.addEventListener(event, () => stop.abort(), { signal: stop.signal, passive: true })
  observer.observe(root)
  observer.observe(document.body)
}

/** Keeps the places of all entries from now on, and goes to that of the first: a reload keeps it. */
export function followPlaces(): void {
  history.scrollRestoration = 'manual'
  window.addEventListener(
    'scroll',
    () => {
      if (stopRestoring !== undefined) return
      clearTimeout(timer)
      timer = setTimeout(keepPlace, SETTLE_MS)
    },
    { passive: true },
  )
  window.addEventListener('pagehide', keepPlace)
  if (placeOf(history.state) !== undefined) restorePlace()
}
