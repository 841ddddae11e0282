/** Where programs look that were told of no home folder. */
import os from 'node:os'
import path from 'node:path'

/** The default home, ~/.assay. */
export function defaultHome(): string {
  return path.join(os.homedir(), '.assay')
}
