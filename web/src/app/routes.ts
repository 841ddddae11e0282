/** The pages of the explorer, as paths: those of EIP-3091, which wallets open, and our own (D167). */

export type Route =
  | { readonly page: 'now' }
  | { readonly page: 'block'; readonly id: string }
  | { readonly page: 'transaction'; readonly hash: string }
  | { readonly page: 'account'; readonly address: string }
  | { readonly page: 'token'; readonly address: string }
  | { readonly page: 'network' }
  | { readonly page: 'validator'; readonly operator: string }
  | { readonly page: 'chat' }
  | { readonly page: 'jobs' }
  | { readonly page: 'job'; readonly id: string }
  | { readonly page: 'unknown'; readonly path: string }

/** The page of a path. */
export function routeOf(path: string): Route {
  const [name = '', argument = ''] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decode)
  if (name === '') return { page: 'now' }
  if (name === 'block' && argument !== '') return { page: 'block', id: lowerHex(argument) }
  if (name === 'tx' && argument !== '') return { page: 'transaction', hash: lowerHex(argument) }
  // "account" is what former releases called it.
  if ((name === 'address' || name === 'account') && argument !== '')
    return { page: 'account', address: lowerHex(argument) }
  if (name === 'token' && argument !== '') return { page: 'token', address: lowerHex(argument) }
  if (name === 'network') return { page: 'network' }
  if (name === 'validator' && argument !== '') return { page: 'validator', operator: argument }
  if (name === 'chat') return { page: 'chat' }
  if (name === 'jobs') return { page: 'jobs' }
  if (name === 'job' && argument !== '') return { page: 'job', id: argument }
  return { page: 'unknown', path }
}

/** Wallets spell addresses with a checksum (EIP-55). */
function lowerHex(text: string): string {
  return /^0x[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Paths of things. */
export const paths = {
  block: (id: string | number): string => `/block/${encodeURIComponent(id)}`,
  transaction: (hash: string): string => `/tx/${encodeURIComponent(hash)}`,
  account: (address: string): string => `/address/${encodeURIComponent(address)}`,
  token: (address: string): string => `/token/${encodeURIComponent(address)}`,
  validator: (operator: string): string => `/validator/${encodeURIComponent(operator)}`,
  job: (id: string): string => `/job/${encodeURIComponent(id)}`,
}
