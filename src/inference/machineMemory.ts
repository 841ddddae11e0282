/** How much memory inference may take on this machine. */
import os from 'node:os'

/** The rest is for the program itself, the system and its caches of files. */
const SHARE = 0.8

/** Bytes: four fifths of what the machine has, or of what its container is allowed. */
export function machineMemory(): number {
  const total = os.totalmem()
  const allowed = process.constrainedMemory()
  // Where there is no limit, this is 0 or a number beyond the machine's memory.
  return Math.floor((allowed > 0 && allowed < total ? allowed : total) * SHARE)
}
