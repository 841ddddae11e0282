/** The argument of broadcast_evidence, parsed as far as CometBFT parses it before it consults its chain. */
import { messageOf } from '../base/errors.ts'
import { type Argument, ArgumentError, LARGE } from './argument.ts'
import { jsonTypeName, parseGoJson } from './goJson.ts'

/** Evidence in JSON: `{type, value}`. */
export type Evidence = {
  readonly type: 'tendermint/DuplicateVoteEvidence' | 'tendermint/LightClientAttackEvidence'
  readonly value: Readonly<Record<string, unknown>>
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function fromJson(json: unknown): Evidence {
  if (!isObject(json))
    throw new ArgumentError(
      `json: cannot unmarshal ${jsonTypeName(json)} into Go value of type json.interfaceWrapper`,
    )
  const { type = '', value } = json
  if (type === '') throw new ArgumentError('interface type cannot be empty')
  if (
    type !== 'tendermint/DuplicateVoteEvidence' &&
    type !== 'tendermint/LightClientAttackEvidence'
  )
    throw new ArgumentError(`unknown type ${JSON.stringify(String(type))}`)
  return { type, value: isObject(value) ? value : {} }
}

/** Evidence; undefined when the caller gives none. */
export const evidenceArgument: Argument<Evidence | undefined> = {
  type: 'Evidence',
  absent: undefined,
  limit: LARGE,
  fromJson,
  fromUri(text) {
    try {
      return fromJson(parseGoJson(text))
    } catch (error) {
      throw new ArgumentError(messageOf(error))
    }
  },
}

/** What is wrong with evidence before any of it is verified, in CometBFT's wording. */
export function evidenceFault({ type, value }: Evidence): string | undefined {
  if (type === 'tendermint/LightClientAttackEvidence')
    return isObject(value['ConflictingBlock']) ? undefined : 'conflicting block is nil'
  const votes = [value['vote_a'], value['vote_b']]
  if (votes.every(isObject)) return undefined
  const shown = votes.map((vote) => (isObject(vote) ? 'Vote' : 'nil-Vote')).join(', ')
  return `one or both of the votes are empty ${shown}`
}
