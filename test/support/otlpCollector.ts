/** A stand-in for a collector of traces: it takes nothing that is not of OTLP's JSON form. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

/** The JSON mapping of ExportTraceServiceRequest: hex ids, 64-bit integers as texts, enumerations as numbers. */
const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
])
const attributes = z.array(z.strictObject({ key: z.string().min(1), value }))
const ids = {
  traceId: z.string().regex(/^(?!0+$)[0-9a-f]{32}$/),
  spanId: z.string().regex(/^(?!0+$)[0-9a-f]{16}$/),
}
const nanoseconds = z.string().regex(/^\d{19}$/)
const exported = z.strictObject({
  resourceSpans: z.tuple([
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.tuple([
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(
            z.strictObject({
              ...ids,
              parentSpanId: ids.spanId.optional(),
              name: z.string(),
              kind: z.int().min(1).max(5),
              startTimeUnixNano: nanoseconds,
              endTimeUnixNano: nanoseconds,
              attributes,
              links: z.array(z.strictObject(ids)).optional(),
              status: z.strictObject({ code: z.literal(2).optional() }),
            }),
          ),
        }),
      ]),
    }),
  ]),
})

/** A collector of OpenTelemetry that answers with these statuses, then 200, and keeps the spans that it took. */
export async function openCollector(...statuses: number[]) {
  const spans: z.infer<typeof exported>['resourceSpans'][0]['scopeSpans'][0]['spans'] = []
  const requests: { readonly headers: http.IncomingHttpHeaders; readonly body: string }[] = []
  async function take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString()
    requests.push({ headers: request.headers, body })
    const status = request.url === '/v1/traces' ? (statuses.shift() ?? 200) : 404
    if (status === 200)
      spans.push(...exported.parse(JSON.parse(body)).resourceSpans[0].scopeSpans[0].spans)
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  }
  const server = http.createServer((request, response) => {
    take(request, response).catch(() => response.writeHead(400).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    requests,
    close: () => void server.close(),
  }
}
