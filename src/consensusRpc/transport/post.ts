/** JSON-RPC over HTTP: `POST /` with one request or a batch (interface.md, "Consensus-engine RPC"). */
import { messageOf } from '../../base/errors.ts'
import { ArgumentError } from '../argument.ts'
import type { CometCaller } from '../method.ts'
import { type CallContext, type Outcome, runCall } from './call.ts'
import {
  type CometRequest,
  errorReply,
  lacksParams,
  readParams,
  readRequests,
  resultReply,
  TOO_FEW_ARGUMENTS,
  URI_REQUEST_ID,
} from './envelope.ts'
import type { HttpReply } from './reply.ts'

type HttpCaller = Omit<CometCaller, 'id' | 'events'>

/** The request omits required parameters, which fails its whole batch in CometBFT. */
class TooFewArguments extends Error {
  override readonly name = 'TooFewArguments'
}

async function runRequest(
  context: CallContext,
  id: string,
  { method: name, params }: CometRequest,
  caller: HttpCaller,
): Promise<Outcome> {
  const method = context.table.get(name)
  if (method === undefined || method.websocketOnly) {
    return { ok: false, fault: { kind: 'methodNotFound', data: '' } }
  }
  if (lacksParams(method, params)) throw new TooFewArguments()
  let args: Readonly<Record<string, unknown>>
  try {
    args = readParams(method, params)
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error
    const data = `error converting json params to arguments: ${error.message}`
    return { ok: false, fault: { kind: 'invalidParams', data } }
  }
  return runCall(context, name, method, args, { ...caller, id, events: undefined })
}

/** Answers a posted body. Requests of a batch run one after another. */
export async function answerPost(
  context: CallContext,
  body: string,
  maxBatch: number,
  caller: HttpCaller,
): Promise<HttpReply> {
  let requests: readonly CometRequest[]
  try {
    requests = readRequests(body)
  } catch (error) {
    const data = `error unmarshaling request: ${messageOf(error)}`
    return { status: 500, body: errorReply(undefined, { kind: 'parse', data }), cacheable: false }
  }
  if (requests.length > maxBatch) {
    const data = `batch request exceeds maximum (${maxBatch}) allowed number of requests`
    const fault = { kind: 'invalidRequest', data } as const
    return { status: 200, body: errorReply(undefined, fault), cacheable: false }
  }

  const replies: string[] = []
  let cacheable = true
  for (const request of requests) {
    if (request.id === undefined) continue
    try {
      const outcome = await runRequest(context, request.id, request, caller)
      cacheable &&= outcome.ok && outcome.cacheable
      replies.push(
        outcome.ok
          ? resultReply(request.id, outcome.result)
          : errorReply(request.id, outcome.fault),
      )
    } catch (error) {
      if (!(error instanceof TooFewArguments)) throw error
      const fault = { kind: 'internal', data: TOO_FEW_ARGUMENTS } as const
      return { status: 500, body: errorReply(URI_REQUEST_ID, fault), cacheable: false }
    }
  }
  const [only = ''] = replies
  return {
    status: 200,
    body: replies.length > 1 ? `[${replies.join(',')}]` : only,
    cacheable: cacheable && replies.length > 0,
  }
}
