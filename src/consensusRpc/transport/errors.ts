/** Error objects of the consensus RPC. The message is the kind; `data` tells what was wrong. */
import { ConsensusError } from '../../consensus/engine.ts'

/** Codes and messages by kind, as CometBFT sends them. */
export const COMET_ERRORS = {
  parse: { code: -32700, message: 'Parse error. Invalid JSON' },
  invalidRequest: { code: -32600, message: 'Invalid Request' },
  methodNotFound: { code: -32601, message: 'Method not found' },
  invalidParams: { code: -32602, message: 'Invalid params' },
  internal: { code: -32603, message: 'Internal error' },
  server: { code: -32000, message: 'Server error' },
} as const

/** A failed request. `data` is omitted from the reply when it is empty. */
export type CometFault = { readonly kind: keyof typeof COMET_ERRORS; readonly data: string }

/**
 * What the caller is told about a thrown error. `unexpected` is true for a fault of this program: its text appears only
 * in the log.
 */
export function faultOf(error: unknown): CometFault & { readonly unexpected: boolean } {
  return error instanceof ConsensusError
    ? { kind: 'internal', data: error.message, unexpected: false }
    : { kind: 'internal', data: 'a fault in the node; its log has the details', unexpected: true }
}
