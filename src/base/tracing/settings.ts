/** Where a program sends its traces: by configuration, or by the usual variables of OpenTelemetry. */
import { UserError } from '../errors.ts'
import type { Log } from '../log.ts'
import { createTracer, type Tracer } from './tracer.ts'

export type TracingConfig = {
  /** URL of the collector; empty means the variable, or none. */
  readonly endpoint: string
  /** By OTEL_TRACES_SAMPLER_ARG if absent, or all. */
  readonly ratio?: number
}

type Environment = Readonly<Record<string, string | undefined>>

/** `name=value,…`, with percent-encoded values: OTEL_EXPORTER_OTLP_HEADERS, whose values are secrets. */
function headersOf(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.includes('='))
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      return [pair.slice(0, at).trim().toLowerCase(), decodeURIComponent(pair.slice(at + 1).trim())]
    }),
  )
}

function ratioOf({ OTEL_TRACES_SAMPLER_ARG: text }: Environment): number {
  const ratio = Number(text ?? 1)
  return ratio >= 0 && ratio <= 1 ? ratio : 1
}

/** The tracer of a program; undefined when nothing names a collector. Throws UserError for what is no URL. */
export function openTracer(
  program: string,
  { endpoint, ...config }: TracingConfig,
  environment: Environment,
  log: Log,
): Tracer | undefined {
  const target = endpoint || (environment['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '')
  if (target === '' || environment['OTEL_SDK_DISABLED'] === 'true') return undefined
  if (!/^https?:$/.test(URL.canParse(target) ? new URL(target).protocol : ''))
    throw new UserError(
      'the collector of traces has no http URL',
      'Set otel.endpoint or OTEL_EXPORTER_OTLP_ENDPOINT to one such as http://127.0.0.1:4318.',
    )
  const headers = headersOf(environment['OTEL_EXPORTER_OTLP_HEADERS'] ?? '')
  const ratio = config.ratio ?? ratioOf(environment)
  return createTracer({ endpoint: target, headers, program, ratio, log })
}
