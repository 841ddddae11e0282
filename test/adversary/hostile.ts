/** What hostile operators and dispatchers say, over and above messages that only look right. */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { z } from 'zod'
import type { Dispatch, Result } from '../../src/jobs/protocol.ts'
import { anything, fitting, nearly, type JsonSchema } from '../support/schemaArbitrary.ts'

/** Values that exist, by the names of their fields. */
export type Known = { readonly [name: string]: readonly unknown[] }

/** Messages that fit a schema, as texts, with values that exist where `known` has any. */
export function messagesOf(schema: z.ZodType, known: () => Known): fc.Arbitrary<string> {
  const names = new Set(Object.keys(known()))
  const hint = (name: string): fc.Arbitrary<unknown> | undefined =>
    names.has(name)
      ? fc.noBias(fc.nat()).map((at) => {
          const values = known()[name] ?? []
          return values[at % values.length]
        })
      : undefined
  const shape = z.toJSONSchema(schema, { unrepresentable: 'any' }) as JsonSchema
  return fitting(shape, hint).map((value) => JSON.stringify(value))
}

/** Messages of these schemas that are spoilt: nearly fitting, cut, with bytes changed or repeated, or anything else. */
export function spoiltOf(schemas: readonly z.ZodType[]): fc.Arbitrary<string | Buffer> {
  const shapes = schemas.map(
    (each) => z.toJSONSchema(each, { unrepresentable: 'any' }) as JsonSchema,
  )
  const text = (made: fc.Arbitrary<unknown>) => made.map((value) => JSON.stringify(value) ?? '')
  const fit = fc.oneof(...shapes.map((shape) => text(fitting(shape, () => undefined))))
  const place = fc.double({ min: 0, max: 1, noNaN: true })
  const at = (said: string, where: number): number => Math.floor(said.length * where)
  return fc.oneof(
    fc.oneof(...shapes.map((shape) => text(nearly(shape, () => undefined)))),
    text(anything),
    fc.tuple(fit, place).map(([said, where]) => said.slice(0, at(said, where))),
    fc
      .tuple(fit, place, fc.constantFrom('[', '{', '"', '\\', ',', '\0', '1e999', '[[[['))
      .map(
        ([said, where, put]) => said.slice(0, at(said, where)) + put + said.slice(at(said, where)),
      ),
    fc.tuple(fit, fc.nat(200)).map(([said, depth]) => '['.repeat(depth) + said + ']'.repeat(depth)),
    fit.map((said) => Buffer.from(said)),
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  )
}

const junk = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`junk${at}`, '7']))

/** Clocks that poison whoever keeps them; `own` is a participant that exists. */
export function poisonedClocks(own: string): readonly Record<string, string>[] {
  return [
    junk(255),
    junk(1000),
    { [own]: '9'.repeat(20) },
    { [own]: String(Number.MAX_SAFE_INTEGER) },
    { [own]: '9223372036854775808' },
    { ...junk(200), [own]: '9'.repeat(19) },
    { ['__proto__x']: '1', constructor: '1' },
  ]
}

/** Lies that begin with an honest result. */
export function liesAbout(result: Result, others: readonly string[]): readonly object[] {
  const { answer } = result
  return [
    ...poisonedClocks(others[0] ?? 'x').map((clock) => ({
      ...result,
      clock: { ...result.clock, ...clock },
    })),
    { ...result, clock: {} },
    { ...result, selected: !result.selected },
    { ...result, jobId: '00'.repeat(32) },
    { ...result, lease: randomUUID() },
    { ...result, answer: undefined },
    answer && { ...result, answer: { ...answer, output: `${answer.output}!` } },
    answer && { ...result, answer: { ...answer, trace: 'AAAA' } },
    answer && { ...result, answer: { ...answer, signature: `0x${'11'.repeat(65)}` } },
    { type: 'refused', jobId: result.jobId, lease: result.lease, reason: '\0\ud800', retry: true },
  ].filter((lie) => lie !== undefined)
}

/** Hand-outs that an honest operator must survive; they begin with one that is sound. */
export function handoutsLike(dispatch: Dispatch, operator: string): readonly object[] {
  return [
    ...poisonedClocks(operator).map((clock) => ({ ...dispatch, lease: randomUUID(), clock })),
    { ...dispatch, lease: randomUUID(), leaseSeconds: Number.MAX_SAFE_INTEGER },
    { ...dispatch, lease: randomUUID(), chainId: '9'.repeat(78) },
    { ...dispatch, lease: randomUUID(), job: { ...dispatch.job, model: '..gguf' } },
    { ...dispatch, lease: randomUUID(), block: { number: 1e15, hash: '00'.repeat(32) } },
    { type: 'recorded', jobId: dispatch.jobId, lease: randomUUID() },
    { type: 'rejected', jobId: dispatch.jobId, lease: randomUUID(), reason: 'x'.repeat(100_000) },
    { type: 'rejected', jobId: dispatch.jobId, lease: dispatch.lease, reason: 'the clock' },
  ]
}
