/** The lmdb package with points for faults around its write transactions. */
import { open as openStore } from '../../node_modules/lmdb/index.js'
import { reach, wrap } from './faultPoint.mjs'

export { ABORT } from '../../node_modules/lmdb/index.js'

export function open(options) {
  const store = openStore(options)
  if (options.readOnly) return store
  // Every opened store has a class of its own, which its tables share.
  let prototype = Object.getPrototypeOf(store)
  while (!Object.hasOwn(prototype, 'transactionSync')) prototype = Object.getPrototypeOf(prototype)
  let isInside = false
  wrap(prototype, 'transactionSync', (original, callback, ...rest) => {
    reach('transaction-open')
    const result = original(
      () => {
        isInside = true
        const inner = callback()
        isInside = false
        reach('transaction-full')
        return inner
      },
      ...rest,
    )
    reach('transaction-committed')
    return result
  })
  wrap(prototype, 'putSync', (original, ...args) => {
    const result = original(...args)
    if (isInside) reach('transaction-put')
    return result
  })
  return store
}
