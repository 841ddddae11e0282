/** Every error code of the JSON-RPC server, with its meaning (D12). docs/errors.md is generated from this table. */

const SIMULATION = 'eth_simulateV1 only: a block or call of the simulation is invalid.'

/** Code, message and help text by kind. */
export const RPC_ERRORS = {
  parse: {
    code: -32700,
    message: 'parse error',
    help: 'The body is not JSON. Check quotes, commas and the encoding (UTF-8).',
  },
  invalidRequest: {
    code: -32600,
    message: 'invalid request',
    help: 'The JSON is not a JSON-RPC 2.0 request, or a batch is empty or too large.',
  },
  methodNotFound: {
    code: -32601,
    message: 'method not found',
    help: 'No such method, or its namespace is disabled (json-rpc.api).',
  },
  invalidParams: {
    code: -32602,
    message: 'invalid params',
    help: 'A parameter is missing, has the wrong type, or is one too many; the message names its position.',
  },
  internal: {
    code: -32603,
    message: 'internal error',
    help: 'A fault in the node. The request can be retried; the log has the details under the request id.',
  },
  server: {
    code: -32000,
    message: 'server error',
    help: 'The call was understood but failed; the message says why, worded as in go-ethereum.',
  },
  timeout: {
    code: -32002,
    message: 'request timed out',
    help: 'Execution took longer than json-rpc.evm-timeout.',
  },
  responseTooLarge: {
    code: -32003,
    message: 'response too large',
    help: 'The responses to a batch exceed the limit; request less at once.',
  },
  limitExceeded: {
    code: -32005,
    message: 'limit exceeded',
    help: 'More results than json-rpc.logs-cap; narrow the block range or the filter.',
  },
  nonceTooLow: { code: -38010, message: 'nonce too low', help: SIMULATION },
  nonceTooHigh: { code: -38011, message: 'nonce too high', help: SIMULATION },
  baseFeeTooLow: {
    code: -38012,
    message: 'max fee per gas less than block base fee',
    help: SIMULATION,
  },
  intrinsicGas: { code: -38013, message: 'intrinsic gas too low', help: SIMULATION },
  insufficientFunds: { code: -38014, message: 'insufficient funds', help: SIMULATION },
  blockGasLimit: { code: -38015, message: 'block gas limit reached', help: SIMULATION },
  blockNumberOrder: { code: -38020, message: 'block numbers must be in order', help: SIMULATION },
  blockTimeOrder: { code: -38021, message: 'block timestamps must be in order', help: SIMULATION },
  senderNotEoa: { code: -38024, message: 'sender not an eoa', help: SIMULATION },
  initCodeTooLarge: { code: -38025, message: 'max initcode size exceeded', help: SIMULATION },
  clientLimit: { code: -38026, message: 'too many blocks', help: SIMULATION },
  notIncluded: {
    code: 4,
    message: 'transaction not included in time',
    help: 'The transaction is in the pool but was not mined in time (EIP-7966); data holds its hash.',
  },
  reverted: {
    code: 3,
    message: 'execution reverted',
    help: 'The contract reverted; data holds its revert data.',
  },
  unauthorized: {
    code: 4100,
    message: 'unauthorized',
    help: 'The method is private (personal, miner): use the IPC socket, or send Authorization: Bearer with a token (assay token create).',
  },
} as const

/** A failure that the caller receives as a JSON-RPC error object. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown

  /** `message` replaces the table's; `data` is sent when it is not undefined. */
  constructor(kind: keyof typeof RPC_ERRORS, message?: string, data?: unknown) {
    super(message ?? RPC_ERRORS[kind].message)
    this.code = RPC_ERRORS[kind].code
    this.data = data
  }
}
