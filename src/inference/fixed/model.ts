/** A model that is ready to run. */
import fs from 'node:fs/promises'
import { GgufError } from '../ggufCursor.ts'
import { InferenceError } from '../errors.ts'
import type { ModelFile } from '../models.ts'
import { readModelHead } from './modelFile.ts'
import { modelRoot } from './modelRoot.ts'
import { createRopeTable, type RopeTable } from './rope.ts'
import { readShape } from './shape.ts'
import { checkTensors } from './tensors.ts'
import { readTokenizer, type Tokenizer } from './tokenizer.ts'
import { loadWeights, type Weights } from './weights.ts'

export type FixedModel = {
  readonly weights: Weights
  readonly rope: RopeTable
  readonly tokenizer: Tokenizer
  /** 32 bytes, see modelRoot.ts. */
  readonly root: Uint8Array
}

/** Loads a model. Rejects with InferenceError `unsupported-model`, which says why this engine cannot run it. */
export async function loadFixedModel({
  name,
  path,
}: Pick<ModelFile, 'name' | 'path'>): Promise<FixedModel> {
  const file = await fs.open(path, 'r')
  try {
    const head = await readModelHead(file)
    const shape = readShape(head)
    checkTensors(head, shape)
    const tokenizer = readTokenizer(head)
    return {
      tokenizer,
      rope: createRopeTable(shape.headSize, shape.ropeBase),
      weights: await loadWeights(file, head, shape),
      root: await modelRoot(file, head, shape),
    }
  } catch (error) {
    if (error instanceof GgufError || error instanceof InferenceError)
      throw new InferenceError('unsupported-model', `model "${name}": ${error.message}`, {
        cause: error,
      })
    throw error
  } finally {
    await file.close()
  }
}
