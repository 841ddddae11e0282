/** `assay model hash`: what a model file is known by, and whether the engine of opml jobs runs it. */
import path from 'node:path'
import { Command } from 'commander'
import { messageOf, UserError } from '../base/errors.ts'
import { toHex } from '../base/hex.ts'

/** The command. */
export function modelCommand(): Command {
  const hash = new Command('hash')
    .description(
      'Print the SHA-256 of a model file, and the Merkle root over its weights that executions commit to.',
    )
    .argument('<file>', 'a GGUF file')
    .action(printHash)
  return new Command('model').description('Look at model files').addCommand(hash)
}

async function printHash(file: string): Promise<void> {
  const { InferenceError } = await import('../inference/errors.ts')
  const { loadFixedModel } = await import('../inference/fixed/model.ts')
  const { openModelFolder } = await import('../inference/models.ts')
  try {
    const model = await openModelFolder(path.dirname(file)).open(path.basename(file))
    process.stdout.write(`sha256        ${model.sha256}\n`)
    process.stdout.write(`architecture  ${model.header.architecture}\n`)
    const { root } = await loadFixedModel(model)
    process.stdout.write(`model root    ${toHex(root)}\n`)
  } catch (error) {
    if (!(error instanceof InferenceError)) throw error
    throw new UserError(
      messageOf(error),
      error.code === 'unsupported-model'
        ? 'If it is a model at all, llama.cpp may run it: engine = "llama" in the configuration of an operator.'
        : '',
    )
  }
}
