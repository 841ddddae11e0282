/** Which models of an offer an operator gets jobs for (D144). */
import { isModelReference, modelReferenceText } from '../../../base/modelName.ts'
import type { Hex } from '../../../base/hex.ts'
import { otherFile, type KnownModel } from '../../otherFile.ts'
import type { ModelIdentity } from '../../protocol.ts'

/** What an operator says that it can do. Operators of former releases state no identities. */
export type StatedOffer = {
  readonly workers: readonly string[]
  readonly models: readonly string[]
  readonly identities?: readonly ModelIdentity[] | undefined
}

/** An offer as it came, and whose it is: former releases keep it when they write another session into the row. */
export type StoredOffer = StatedOffer & { readonly session: string }

/** A model that an operator gets no jobs for. */
export type RefusedModel = { readonly model: string; readonly reason: string }

export type Judgement = {
  /** Names, and names with a pin: a job is handed to whoever serves exactly what it names. */
  readonly served: readonly string[]
  readonly refused: readonly RefusedModel[]
}

/**
 * Compares an offer with the registry. A name without an identity is served: its answers say which file it was. A pinned name is
 * served where the operator states one file for all of its job types.
 */
export function judgeOffer(
  { workers, models, identities = [] }: StatedOffer,
  registered: ReadonlyMap<string, KnownModel>,
): Judgement {
  const stated = new Map<string, ModelIdentity[]>()
  for (const identity of identities)
    if (workers.includes(identity.type)) {
      const files = stated.get(identity.model)
      if (files === undefined) stated.set(identity.model, [identity])
      else files.push(identity)
    }
  const served: string[] = []
  const refused: RefusedModel[] = []
  for (const model of new Set(models)) {
    const files = stated.get(model) ?? []
    const expected = registered.get(model)
    const reason =
      expected &&
      files.map((file) => otherFile(model, expected, file)).find((why) => why !== undefined)
    if (reason !== undefined) {
      refused.push({ model, reason })
      continue
    }
    served.push(model)
    const pinned = pinnedName(model, files, workers)
    if (pinned !== undefined) served.push(pinned)
  }
  return { served, refused }
}

function pinnedName(
  name: string,
  files: readonly ModelIdentity[],
  workers: readonly string[],
): string | undefined {
  const [first, ...others] = new Set(files.map(({ sha256 }) => sha256))
  const types = new Set(files.map(({ type }) => type))
  if (first === undefined || others.length > 0 || types.size < workers.length) return undefined
  const reference = modelReferenceText({ name, sha256: first as Hex })
  return isModelReference(reference) ? reference : undefined
}
