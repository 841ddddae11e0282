/**
 * Positional parameters of a method, checked in go-ethereum's order and with its messages, which clients match on
 * (D12).
 */
import type { z } from 'zod'
import { parseToFirstIssue } from '../base/boundedSchema.ts'
import { acceptOf, type Accept } from './accept.ts'
import { RpcError } from './errors.ts'
import { describeInGo, structOf } from './goWords.ts'

/** Converts the `params` member to named arguments. Throws RpcError invalidParams. */
export type ReadArguments = (params: unknown) => Readonly<Record<string, unknown>>

type Issue = z.core.$ZodIssue

/** The first issue as text. It names positions and types, never the value, which may be a secret. */
export function describeIssue(
  issue: Issue | undefined,
  struct?: string,
  path: readonly PropertyKey[] = [],
): string {
  if (issue === undefined) return 'invalid value'
  const here = [...path, ...issue.path]
  const inner =
    issue.code === 'invalid_union' ? issue.errors.findLast((list) => list[0]) : undefined
  if (inner !== undefined) return describeIssue(inner[0], struct, here)
  return describeInGo(issue, here, struct)
}

type Slot = {
  readonly name: string
  readonly schema: z.ZodType
  readonly accept: Accept<unknown> | undefined
  readonly isOptional: boolean
  readonly takesNull: boolean
}

/** Prepares the parameters of one method. The schemas are asked once which ones are optional or nullable. */
export function compileArguments(shape: Readonly<Record<string, z.ZodType>>): ReadArguments {
  const slots: readonly Slot[] = Object.entries(shape).map(([name, schema]) => ({
    name,
    schema,
    accept: acceptOf(schema),
    isOptional: schema.safeParse(undefined).success,
    takesNull: schema.safeParse(null).success,
  }))

  return (params) => {
    const values: unknown = params ?? []
    if (!Array.isArray(values)) throw new RpcError('invalidParams', 'non-array args')
    const args: Record<string, unknown> = {}
    for (let position = 0; position < slots.length; position++) {
      const { name, schema, accept, isOptional, takesNull } = slots[position] as Slot
      const accepted = accept?.(values[position])
      if (accepted !== undefined) {
        args[name] = accepted
        continue
      }
      const given: unknown = values[position]
      const value: unknown = given === null && !takesNull ? undefined : given
      if (value === undefined && !isOptional)
        throw new RpcError('invalidParams', `missing value for required argument ${position}`)
      const parsed = parseToFirstIssue(schema, value)
      if (!parsed.success)
        throw new RpcError(
          'invalidParams',
          `invalid argument ${position}: ${describeIssue(parsed.error.issues[0], structOf(schema))}`,
        )
      args[name] = parsed.data
    }
    if (values.length > slots.length)
      throw new RpcError('invalidParams', `too many arguments, want at most ${slots.length}`)
    return args
  }
}
