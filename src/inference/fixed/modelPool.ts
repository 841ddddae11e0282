/** The loaded models of an engine within a limit of memory: what does not fit is refused before it is begun (D129). */
import { InferenceError } from '../errors.ts'
import type { ModelFile } from '../models.ts'
import { weightBytes } from './memoryNeed.ts'
import { loadFixedModel, type FixedModel } from './model.ts'

export type PoolLimits = {
  /** Maximum number of models that stay loaded. */
  readonly keepLoaded: number
  /** Bytes for all models and their contexts. */
  readonly memory: number
}

export type ModelPool = {
  /** Loads a model, unless it is; those used least recently make room. Rejects with InferenceError `unsupported-model`. */
  take(file: ModelFile): Promise<FixedModel>
  /**
   * Reserves memory for a sequence of so many tokens of a model that was taken, next to those that are going on; models used least
   * recently make room. Throws InferenceError `out-of-memory`.
   */
  reserve(file: ModelFile, tokens: number): void
  clear(): void
}

/** `held` is what a model has taken so far: the memory of its kernels grows and never shrinks. */
type Loaded = { readonly model: FixedModel; readonly weights: number; held: number }

/** An empty pool. */
export function createModelPool({ keepLoaded, memory }: PoolLimits): ModelPool {
  /** The one used last comes last. */
  const models = new Map<string, Loaded>()
  /** Unloads others until there is room; false if there is not enough even so. */
  const makeRoom = (sha256: string, bytes: number): boolean => {
    const others = [...models].filter(([key]) => key !== sha256)
    let taken = others.reduce((sum, [, { held }]) => sum + held, 0)
    for (const [key, { held }] of others) {
      if (taken + bytes <= memory) break
      models.delete(key)
      taken -= held
    }
    return taken + bytes <= memory
  }
  const load = async (file: ModelFile): Promise<Loaded> => {
    let weights = 0
    const model = await loadFixedModel(file, (head) => {
      const bytes = weightBytes(head)
      if (!makeRoom(file.sha256, bytes))
        throw new InferenceError(
          'out-of-memory',
          `it needs ${megabytes(bytes)} for its weights, but this operator has ${megabytes(memory)} for models`,
        )
      weights = bytes
    })
    return { model, weights, held: weights }
  }
  return {
    async take(file) {
      const { sha256 } = file
      const before = models.get(sha256)
      models.delete(sha256)
      for (const oldest of models.keys()) {
        if (models.size < keepLoaded) break
        models.delete(oldest)
      }
      const loaded = before ?? (await load(file))
      models.set(sha256, loaded)
      return loaded.model
    },
    reserve({ name, sha256 }, tokens) {
      const loaded = models.get(sha256)
      if (loaded === undefined) return
      const context = loaded.model.batch.bytesWith(tokens)
      const bytes = Math.max(loaded.held, loaded.weights + context)
      if (!makeRoom(sha256, bytes))
        throw new InferenceError(
          'out-of-memory',
          `model "${name}" needs ${megabytes(loaded.weights)} for its weights and ${megabytes(context)} for a context of ${tokens} tokens, but this operator has ${megabytes(memory)} for models; ask for fewer tokens (max_tokens)`,
        )
      loaded.held = bytes
    },
    clear: () => models.clear(),
  }
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`
}
