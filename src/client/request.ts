/** JSON-RPC 2.0 requests over any transport. */

/** Calls one method with positional parameters. Rejects with RequestError, or with what the transport throws. */
export type Transport = {
  request(method: string, params: readonly unknown[]): Promise<unknown>
}

/** The node responded with an error. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export type Answer = {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** The body of a request; omitted parameters at the end of `params` are not sent. */
export function requestText(id: number, method: string, params: readonly unknown[]): string {
  const last = params.findLastIndex((param) => param !== undefined)
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: params.slice(0, last + 1) })
}

/** The result in a response. Throws RequestError. */
export function resultOf({ result, error }: Answer): unknown {
  if (error !== undefined) throw new RequestError(error.code, error.message, error.data)
  return result
}
