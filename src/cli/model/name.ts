/** Names of models in jobs, which are names of files in the models folder. */
import { UserError } from '../../base/errors.ts'
import { MODEL_NAME } from '../../proof/job/job.ts'

/** Throws UserError unless jobs can ask for a file of this name. */
export function requireModelName(name: string): void {
  if (MODEL_NAME.test(name) && name.endsWith('.gguf')) return
  throw new UserError(
    `"${name}" is not a valid model name`,
    'Use letters, digits, dots, dashes and underscores, and the extension .gguf: --name NAME.gguf.',
  )
}
