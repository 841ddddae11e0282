/** Names of files in the models folder, which are names of models in jobs, too. */
import { UserError } from '../../base/errors.ts'
import { isModelFileName } from '../../inference/modelNames.ts'
import { plain } from '../plain.ts'

/** Throws UserError unless a file in the models folder can have this name. */
export function requireModelName(name: string): void {
  if (isModelFileName(name) && name.endsWith('.gguf')) return
  throw new UserError(
    `"${plain(name)}" is not a valid model name`,
    'Use letters, digits, dots, dashes and underscores, and the extension .gguf: --name NAME.gguf.',
  )
}
