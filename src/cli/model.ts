/** `assay model`: the model files of a home, and what identifies a file. */
import { Command } from 'commander'
import { addModelCommand } from './model/add.ts'
import { describeModel, printDescription, requireSupported } from './model/describe.ts'
import { getModelCommand } from './model/get.ts'
import { listModelsCommand } from './model/list.ts'
import { removeModelCommand } from './model/remove.ts'
import { nameModelCommand } from './model/nameModel.ts'

/** The command. */
export function modelCommand(): Command {
  const hash = new Command('hash')
    .description(
      'Print the SHA-256 of a model file and the Merkle root of its weights, which executions commit to.',
    )
    .argument('<file>', 'a GGUF file')
    .action(async (file: string) => {
      const description = await describeModel(file)
      printDescription(description)
      requireSupported(description)
    })
  return new Command('model')
    .description('Fetch, add, list and remove models.')
    .addCommand(getModelCommand())
    .addCommand(addModelCommand())
    .addCommand(listModelsCommand())
    .addCommand(removeModelCommand())
    .addCommand(nameModelCommand())
    .addCommand(hash)
}
