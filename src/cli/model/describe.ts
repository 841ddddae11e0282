/** Describes a model file, and whether the engine of opml jobs can run it, with a progress bar while reading. */
import path from 'node:path'
import { messageOf, UserError } from '../../base/errors.ts'
import { toHex, type Hex } from '../../base/hex.ts'
import { createProgress, progressOf } from '../progress.ts'

export type Description = {
  readonly sha256: Hex
  readonly architecture: string
  /** Undefined, with the reason, if the engine of opml jobs cannot run it. */
  readonly root: Hex | undefined
  readonly reason: string
}

const LLAMA_ADVICE =
  'llama.cpp may still run it, for tee jobs and with engine = "llama" in the configuration of an operator.'

/** Reads a file. Throws UserError when it is not a model. */
export async function describeModel(file: string): Promise<Description> {
  const { InferenceError } = await import('../../inference/errors.ts')
  const { fixedModelRoot } = await import('../../inference/fixed/model.ts')
  const { openModelFolder } = await import('../../inference/models.ts')
  const progress = createProgress()
  try {
    const folder = openModelFolder(path.dirname(path.resolve(file)))
    const model = await folder.open(path.basename(file), progressOf(progress, 'Hashing'))
    const { sha256 } = model
    const { architecture } = model.header
    try {
      const root = toHex(
        await fixedModelRoot(model, progressOf(progress, 'Computing the root of its weights')),
      )
      return { sha256, architecture, root, reason: '' }
    } catch (error) {
      if (!(error instanceof InferenceError)) throw error
      return { sha256, architecture, root: undefined, reason: messageOf(error) }
    }
  } catch (error) {
    if (error instanceof InferenceError) throw new UserError(messageOf(error))
    throw error
  } finally {
    progress.end()
  }
}

/** Throws UserError with the reason unless the engine of opml jobs can run the model. */
export function requireSupported({ root, reason }: Description): Hex {
  if (root === undefined) throw new UserError(reason, LLAMA_ADVICE)
  return root
}

/** Prints the description; the root if there is one. */
export function printDescription({ sha256, architecture, root }: Description): void {
  process.stdout.write(`sha256        ${sha256}\narchitecture  ${architecture}\n`)
  if (root !== undefined) process.stdout.write(`model root    ${root}\n`)
}
