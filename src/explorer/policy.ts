/** What the explorer's page may do: run its own files, and talk to the addresses of this node. */

/** The addresses that the page talks to; the content of /config.json. */
export type Endpoints = {
  /** Ethereum JSON-RPC, over HTTP and WebSocket. */
  readonly rpc: string
  readonly ws: string
  /** Consensus RPC. */
  readonly comet: string
  /** Job API; null if none is known. */
  readonly dispatcher: string | null
}

/** Headers of every response. */
const COMMON = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const

/** The origin of a URL, as a source of a content-security policy. */
function source(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}

/**
 * The security headers of the page and its files (CSP Level 3). Compiling a contract runs WebAssembly, which only the
 * worker of that name is allowed to: a worker has the policy of its own file.
 */
export function securityHeaders(
  endpoints: Endpoints | undefined,
  options: { readonly mayCompile: boolean },
): Readonly<Record<string, string>> {
  const connect = [endpoints?.rpc, endpoints?.ws, endpoints?.comet, endpoints?.dispatcher]
    .filter((url) => url !== undefined && url !== null)
    .map((url) => source(url))
  const policy = [
    "default-src 'none'",
    `script-src 'self'${options.mayCompile ? " 'wasm-unsafe-eval'" : ''}`,
    "style-src 'self'",
    "img-src 'self'",
    "worker-src 'self'",
    `connect-src ${["'self'", ...connect].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return { ...COMMON, 'content-security-policy': policy.join('; ') }
}
