/** URI over HTTP: `GET /<endpoint>?<arguments>`, also as a posted form (interface.md, "Consensus-engine RPC"). */
import { messageOf } from '../../base/errors.ts'
import { ArgumentError } from '../argument.ts'
import type { CometCaller } from '../method.ts'
import { type CallContext, runCall } from './call.ts'
import { errorReply, readUriArguments, resultReply, URI_REQUEST_ID } from './envelope.ts'
import type { CometFault } from './errors.ts'
import type { HttpReply } from './reply.ts'

const failed = (status: number, fault: CometFault): HttpReply => ({
  status,
  body: errorReply(URI_REQUEST_ID, fault),
  cacheable: false,
})

/** Answers a URI request. `form` contains the arguments of a posted form; those of the URI take precedence. */
export async function answerUri(
  context: CallContext,
  name: string,
  query: URLSearchParams,
  form: URLSearchParams,
  caller: Omit<CometCaller, 'id' | 'events'>,
): Promise<HttpReply> {
  const method = context.table.get(name)
  if (method === undefined || method.websocketOnly) {
    return failed(404, { kind: 'methodNotFound', data: '' })
  }
  let args: Readonly<Record<string, unknown>>
  try {
    args = readUriArguments(method, (argument) => query.get(argument) || (form.get(argument) ?? ''))
  } catch (error) {
    if (!(error instanceof ArgumentError)) throw error
    const data = `error converting http params to arguments: ${messageOf(error)}`
    return failed(500, { kind: 'invalidParams', data })
  }
  const outcome = await runCall(context, name, method, args, {
    ...caller,
    id: URI_REQUEST_ID,
    events: undefined,
  })
  if (!outcome.ok) return failed(500, outcome.fault)
  return {
    status: 200,
    body: resultReply(URI_REQUEST_ID, outcome.result),
    cacheable: outcome.cacheable,
  }
}
