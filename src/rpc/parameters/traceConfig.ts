/** The configuration object of the tracing methods (D16; go-ethereum's names), and the tracer that it selects. */
import { z } from 'zod'
import {
  list,
  OWN,
  parseToFirstIssue,
  record,
  scalarText,
  text,
  within,
} from '../../base/boundedSchema.ts'
import { BOUNDS } from '../../base/bounds.ts'
import { callTracer } from '../../evm/tracers/call.ts'
import { erc7562Tracer } from '../../evm/tracers/erc7562.ts'
import { flatCallTracer } from '../../evm/tracers/flat.ts'
import { fourByteTracer } from '../../evm/tracers/fourByte.ts'
import { keccakPreimageTracer } from '../../evm/tracers/keccakPreimage.ts'
import { muxTracer } from '../../evm/tracers/mux.ts'
import { noopTracer } from '../../evm/tracers/noop.ts'
import {
  bigramTracer,
  opcountTracer,
  trigramTracer,
  unigramTracer,
} from '../../evm/tracers/opcodeCounts.ts'
import { prestateTracer } from '../../evm/tracers/prestate.ts'
import { structLogTracer } from '../../evm/tracers/structLog.ts'
import type { TracerKind } from '../../evm/tracers/tracer.ts'
import { tryFromQuantity } from '../../base/quantity.ts'
import { RpcError } from '../../wire/errors.ts'
import { blockOverrides, stateOverrides } from './overrides.ts'

const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? undefined)

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

const MAX_DURATION = 64

/** A Go duration ("1m30s", "500ms"), in milliseconds. */
const goDuration = text(MAX_DURATION).transform((text, context) => {
  const parts = [...text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g)]
  if (text !== '' && parts.map(([part]) => part).join('') === text)
    return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0)
  context.addIssue({ code: 'custom', message: 'invalid duration, expected for example "5s"' })
  return z.NEVER
})

const fields = z.object({
  tracer: text(BOUNDS.script).nullish(),
  tracerConfig: within(z.record(z.string(), z.unknown()), OWN).nullish(),
  timeout: goDuration.nullish(),
  enableMemory: flag,
  disableStack: flag,
  disableStorage: flag,
  enableReturnData: flag,
  limit: z.int().min(0, 'output limit cannot be negative').nullish(),
})

/** Options of every tracing method; unknown keys are ignored. */
export const traceConfig = fields.nullish().transform((config): TraceConfig => config ?? {})

const callFields = fields.extend({ stateOverrides, blockOverrides })

/** Options of debug_traceCall. */
export const traceCallConfig = callFields
  .nullish()
  .transform((config): Partial<z.output<typeof callFields>> => config ?? {})

export type TraceConfig = Partial<z.output<typeof fields>>

const callConfig = z.object({ onlyTopCall: flag, withLog: flag })
const flatConfig = z.object({ convertParityErrors: flag, includePrecompiles: flag })
const prestateConfig = z
  .object({ diffMode: flag, disableCode: flag, disableStorage: flag, includeEmpty: flag })
  .refine(({ diffMode, includeEmpty }) => diffMode !== true || includeEmpty !== true, {
    message: 'cannot use diffMode with includeEmpty',
  })
const opcode = scalarText().transform((text, context) => {
  const number = tryFromQuantity(text)
  if (number !== undefined && number < 256n) return Number(number)
  context.addIssue({ code: 'custom', message: 'invalid opcode, expected for example "0x20"' })
  return z.NEVER
})
const erc7562Config = z.object({
  ignoredOpcodes: list(opcode, BOUNDS.list)
    .nullish()
    .transform((opcodes) => opcodes ?? undefined),
  withLog: flag,
})
const muxConfig = record(within(z.record(z.string(), z.unknown()), OWN).nullish(), BOUNDS.list)

function read<T>(schema: z.ZodType<T>, config: unknown): T {
  const parsed = parseToFirstIssue(schema, config ?? {})
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const at =
    issue === undefined || issue.path.length === 0 ? [] : [issue.path.map(String).join('.')]
  throw new RpcError('server', ['tracerConfig', ...at, issue?.message].join(': '))
}

function namedTracer(name: string, config: unknown): TracerKind {
  switch (name) {
    case 'callTracer':
      return callTracer(read(callConfig, config))
    case 'flatCallTracer':
      return flatCallTracer(read(flatConfig, config))
    case 'prestateTracer':
      return prestateTracer(read(prestateConfig, config))
    case 'erc7562Tracer':
      return erc7562Tracer(read(erc7562Config, config))
    case 'keccak256PreimageTracer':
      return keccakPreimageTracer
    case '4byteTracer':
      return fourByteTracer
    case 'noopTracer':
      return noopTracer
    case 'opcountTracer':
      return opcountTracer
    case 'unigramTracer':
      return unigramTracer
    case 'bigramTracer':
      return bigramTracer
    case 'trigramTracer':
      return trigramTracer
    case 'muxTracer':
      return muxTracer(
        Object.fromEntries(
          Object.entries(read(muxConfig, config)).map(([inner, innerConfig]) => [
            inner,
            namedTracer(inner, innerConfig),
          ]),
        ),
      )
    default:
      throw new RpcError('server', `tracer not found: ${name.slice(0, 64)}`)
  }
}

/** The tracer of a configuration; the struct logger by default. Throws RpcError -32000 for an unknown one. */
export function tracerOf(config: TraceConfig): TracerKind {
  const { tracer, tracerConfig, limit, ...flags } = config
  if (tracer != null && tracer !== '') return namedTracer(tracer, tracerConfig)
  return structLogTracer({ ...flags, limit: limit ?? undefined })
}
