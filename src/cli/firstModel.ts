/** Which model `assay up` fetches in the background (D125). */
import { UserError } from '../base/errors.ts'
import { FIRST_MODEL } from '../models/catalogue.ts'
import { readReference } from '../models/reference.ts'
import type { Wanted } from '../models/source.ts'
import { requireModelName } from './model/name.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Whether somebody at a terminal of their own runs `npm start`: not a service, an image, a test or a build. */
function isNpmStart({ npm_lifecycle_event: script, CI, NODE_ENV }: Environment): boolean {
  return script === 'start' && (CI ?? '') === '' && NODE_ENV !== 'production'
}

/** The model of the key `model`; undefined for none. Throws UserError when it is nothing that can be fetched. */
export function firstModel(
  setting: string,
  isDevelopment: boolean,
  environment: Environment,
): Wanted | undefined {
  if (setting === 'none') return undefined
  const isAuto = setting === 'auto'
  if (isAuto && (isDevelopment || !isNpmStart(environment))) return undefined
  const reference = readReference(isAuto ? FIRST_MODEL.name : setting)
  if (reference.kind === 'file')
    throw new UserError(
      `model: "${setting}" is a file, which is not fetched`,
      'Add it with assay model add FILE.',
    )
  requireModelName(reference.wanted.file)
  return reference.wanted
}
