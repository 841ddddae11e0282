/** A model that is ready to run. */
import fs, { type FileHandle } from 'node:fs/promises'
import type { Hex } from '../../base/hex.ts'
import { readChatTemplate, type ChatTemplate } from '../chat/chatTemplate.ts'
import { createBatch, type Batch } from './batch.ts'
import { GgufError } from '../ggufCursor.ts'
import { InferenceError } from '../errors.ts'
import type { ModelFile, ReportBytes } from '../models.ts'
import { readModelHead, type ModelHead } from './modelFile.ts'
import { modelRoot } from './modelRoot.ts'
import { createRopeChoice, type RopeChoice } from './ropeTables.ts'
import { readShape, type ModelShape } from './shape.ts'
import { checkTensors } from './tensors.ts'
import { tokenListHash } from './tokenizer/tokenListHash.ts'
import { readTokenizer, type Tokenizer } from './tokenizer/tokenizer.ts'
import { loadRopeFactors, loadWeights, type Weights } from './weights.ts'

export type FixedModel = {
  readonly weights: Weights
  /** Its executions. */
  readonly batch: Batch
  readonly rope: RopeChoice
  readonly tokenizer: Tokenizer
  readonly chatTemplate: ChatTemplate | undefined
  readonly tokenListHash: Hex
  /** 32 bytes, see modelRoot.ts. */
  readonly root: Uint8Array
}

/**
 * Loads a model. `admit` sees its head before the weights are read, and may throw. Rejects with
 * InferenceError `unsupported-model`, which says why this engine cannot run it.
 */
export function loadFixedModel(
  model: Pick<ModelFile, 'name' | 'path'>,
  admit: (head: ModelHead) => void = () => undefined,
): Promise<FixedModel> {
  return withModel(model, async (file, head, shape) => {
    admit(head)
    const tokenizer = readTokenizer(head)
    const weights = await loadWeights(file, head, shape)
    return {
      tokenizer,
      chatTemplate: readChatTemplate(head, (text) => tokenizer.controlsIn(text)),
      tokenListHash: tokenListHash(head),
      rope: createRopeChoice(shape, await loadRopeFactors(file, head)),
      weights,
      batch: createBatch(weights),
      root: await modelRoot(file, head, shape),
    }
  })
}

/** The 32-byte root of a model that this engine runs, without loading it. Rejects as `loadFixedModel` does. */
export function fixedModelRoot(
  model: Pick<ModelFile, 'name' | 'path'>,
  report?: ReportBytes,
): Promise<Uint8Array> {
  return withModel(model, (file, head, shape) => {
    readTokenizer(head)
    return modelRoot(file, head, shape, report)
  })
}

async function withModel<T>(
  { name, path }: Pick<ModelFile, 'name' | 'path'>,
  use: (file: FileHandle, head: ModelHead, shape: ModelShape) => Promise<T>,
): Promise<T> {
  const file = await fs.open(path, 'r')
  try {
    const head = await readModelHead(file)
    const shape = readShape(head)
    checkTensors(head, shape)
    return await use(file, head, shape)
  } catch (error) {
    if (error instanceof GgufError || error instanceof InferenceError)
      throw new InferenceError(
        error instanceof InferenceError ? error.code : 'unsupported-model',
        `model "${name}": ${error.message}`,
        { cause: error },
      )
    throw error
  } finally {
    await file.close()
  }
}
