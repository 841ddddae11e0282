/** `assay dispatcher model`: the registry of models, which says what file a name is. */
import { Command } from 'commander'
import { listRegisteredCommand } from './model/list.ts'
import { removeRegisteredCommand } from './model/rm.ts'
import { setRegisteredCommand } from './model/set.ts'

/** The command. */
export function dispatcherModelCommand(): Command {
  return new Command('model')
    .description('Register what file a model name is: operators that serve another are refused.')
    .addCommand(setRegisteredCommand())
    .addCommand(listRegisteredCommand())
    .addCommand(removeRegisteredCommand())
}
