/** Which methods are private, and whether a caller may use one (D13). */
import { RpcError } from './errors.ts'
import type { Caller } from './method.ts'

/** Namespaces that need a token or the IPC socket. */
export const PRIVATE_NAMESPACES: readonly string[] = ['personal', 'miner', 'admin']

/** The part before the first separator: "eth" of "eth_call", "rpc" of "rpc.discover". */
export function namespaceOf(method: string): string {
  return method.slice(0, Math.max(method.search(/[_.]/), 0))
}

/** Whether a method is private. */
export function isPrivate(method: string): boolean {
  return PRIVATE_NAMESPACES.includes(namespaceOf(method))
}

function isInScope(scope: readonly string[], method: string): boolean {
  const namespace = namespaceOf(method)
  const exact = `${namespace}:${method.slice(namespace.length + 1)}`
  return scope.some((grant) => grant === '*' || grant === `${namespace}:*` || grant === exact)
}

/** Throws RpcError unauthorized (4100) unless the caller may use a private method. */
export function requireAuthority(method: string, caller: Caller): void {
  if (!caller.authorized)
    throw new RpcError('unauthorized', `unauthorized: ${caller.refusal ?? 'missing token'}`)
  if (caller.scope !== undefined && !isInScope(caller.scope, method))
    throw new RpcError('unauthorized', `unauthorized: the token's scope does not cover ${method}`)
}
