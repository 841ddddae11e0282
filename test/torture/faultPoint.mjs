/**
 * The one fault of a process. ASSAY_FAULT is `<action>@<point>#<n>`: what happens the n-th time that the point is reached.
 * Actions are `kill` (SIGKILL of this process) and system errors such as `EIO` or `ENOSPC`.
 *
 * Points, in the order of a block (D53):
 *   transaction-open       before the write transaction
 *   transaction-put        a single value is in the transaction, others follow
 *   transaction-full       everything is in the transaction, nothing is committed
 *   transaction-committed  the transaction is on disk, the signature is not
 *   sign-created           the temporary file is there and empty
 *   sign-written           it holds the sign state, not synced
 *   sign-synced            it is synced, and has its temporary name
 *   sign-renamed           it has its name; the folder is not synced
 *   sign-durable           everything is on disk, nothing is announced
 */
const [, action, wanted, count] = /^(\w+)@([\w-]+)#(\d+)$/.exec(process.env.ASSAY_FAULT ?? '') ?? []
let left = Number(count)

/** Does what is due at a point. */
export function reach(point) {
  if (point !== wanted || --left !== 0) return
  if (action === 'kill') process.kill(process.pid, 'SIGKILL')
  throw Object.assign(new Error(`${action}: injected at ${point}`), { code: action })
}

/** Replaces a method by one that is called with the original one. */
export function wrap(target, name, around) {
  const original = target[name]
  target[name] = function (...args) {
    return around((...given) => original.apply(this, given), ...args)
  }
}
