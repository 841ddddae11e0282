/** Waits for a condition. The limit only guards against hanging: it implies nothing about speed. */
import { vi } from 'vitest'

const LIMIT_MS = 60_000

/** Repeats a check until it does not throw, and resolves with what it returned. */
export function waitFor<T>(check: () => T | Promise<T>, intervalMs = 50): Promise<T> {
  return vi.waitFor(check, { timeout: LIMIT_MS, interval: intervalMs })
}
