/**
 * Faults between the writes of a node, for `node --import`. The product knows nothing of them: this module stands in for the
 * store's package and wraps the file system before the program is loaded. ASSAY_CLOCK_SHIFT moves the wall clock by
 * milliseconds: from the start, or with ASSAY_CLOCK_SHIFT_SIGNAL from that signal on. ASSAY_HOARD takes more and more memory,
 * from so many milliseconds after the start on.
 */
import fs from 'node:fs'
import { register } from 'node:module'
import path from 'node:path'
import { reach, wrap } from './faultPoint.mjs'

const SIGN_STATE = 'priv_validator_state.json'

const faultyStore = new URL('faultyStore.mjs', import.meta.url).href
const hooks = `export const resolve = (specifier, context, next) =>
  specifier === 'lmdb' ? { url: ${JSON.stringify(faultyStore)}, shortCircuit: true } : next(specifier, context)`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)

let temporary
let isRenamed = false
wrap(fs, 'openSync', (original, file, ...rest) => {
  const handle = original(file, ...rest)
  if (path.basename(String(file)).startsWith(`${SIGN_STATE}.`)) {
    temporary = handle
    reach('sign-created')
  }
  return handle
})
wrap(fs, 'writeFileSync', (original, target, ...rest) => {
  original(target, ...rest)
  if (target === temporary) reach('sign-written')
})
wrap(fs, 'renameSync', (original, from, to) => {
  original(from, to)
  if (path.basename(String(to)) !== SIGN_STATE) return
  temporary = undefined
  isRenamed = true
  reach('sign-renamed')
})
wrap(fs, 'fsyncSync', (original, handle) => {
  original(handle)
  if (handle === temporary) reach('sign-synced')
  else if (isRenamed) {
    isRenamed = false
    reach('sign-durable')
  }
})

const shift = Number(process.env.ASSAY_CLOCK_SHIFT ?? 0)
if (shift !== 0) {
  const now = Date.now
  const set = () => {
    Date.now = () => now() + shift
  }
  const signal = process.env.ASSAY_CLOCK_SHIFT_SIGNAL
  if (signal === undefined) set()
  else process.once(signal, set)
}

const hoardFrom = Number(process.env.ASSAY_HOARD ?? 0)
if (hoardFrom !== 0) {
  const hoard = []
  const take = () => hoard.push(Array.from({ length: 100_000 }, (_, i) => i / 3))
  setTimeout(() => setInterval(take, 5), hoardFrom).unref()
}
