/** `assay model`: the model files of a home, and what a file is known by. */
import { Command } from 'commander'
import { addModelCommand } from './model/add.ts'
import { describeModel, printDescription, requireSupported } from './model/describe.ts'
import { listModelsCommand } from './model/list.ts'

/** The command. */
export function modelCommand(): Command {
  const hash = new Command('hash')
    .description(
      'Print the SHA-256 of a model file, and the Merkle root over its weights that executions commit to.',
    )
    .argument('<file>', 'a GGUF file')
    .action(async (file: string) => {
      const description = await describeModel(file)
      printDescription(description)
      requireSupported(description)
    })
  return new Command('model')
    .description('Add model files, and look at them.')
    .addCommand(addModelCommand())
    .addCommand(listModelsCommand())
    .addCommand(hash)
}
