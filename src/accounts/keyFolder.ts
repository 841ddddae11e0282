/** The folder of key files: go-ethereum's names, and a scan that tolerates whatever else lies there. */
import fs from 'node:fs'
import path from 'node:path'
import { codeOf, UserError } from '../base/errors.ts'
import { toHexDigits } from '../base/hex.ts'
import { parseKeyFile } from './keyFile.ts'

/** A key file that was found. `address` is 40 lower-case hex digits. */
export type FoundKey = { readonly address: string; readonly file: string }

/** A file that is no key file yet may be one in the middle of being copied; it is looked at again for so long. */
const SETTLING_MS = 5_000

/** A real key file has some 500 bytes. */
const MAX_FILE_BYTES = 64 * 1024

/** `UTC--<time>--<address>`; `stamp` is nanoseconds since 1970. */
export function keyFileName(address: Uint8Array, stamp: bigint): string {
  const time = new Date(Number(stamp / 1_000_000n)).toISOString().slice(0, 19).replaceAll(':', '-')
  const fraction = (stamp % 1_000_000_000n).toString().padStart(9, '0')
  return `UTC--${time}.${fraction}Z--${toHexDigits(address)}`
}

/** Makes the folder with mode 0700. Throws UserError when others may look inside. */
export function openKeyFolder(folder: string): void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  if ((fs.statSync(folder).mode & 0o077) !== 0)
    throw new UserError(`${folder} is open to other users`, `Run: chmod 700 ${folder}`)
}

function isCandidate(entry: fs.Dirent): boolean {
  return entry.isFile() && !entry.name.startsWith('.') && !/(?:~|\.tmp)$/.test(entry.name)
}

/** When a key was made: by its file's name, otherwise by the file's time. Sorts as text. */
function creationOf(name: string, modifiedMs: number): string {
  return (
    /^UTC--([\dT.-]+)Z?--/.exec(name)?.[1] ??
    new Date(modifiedMs).toISOString().replaceAll(':', '-').slice(0, -1)
  )
}

type Cached = {
  readonly modifiedMs: number
  readonly size: number
  readonly address: string | undefined
}

/** Lists the keys of a folder in the order of their creation; rereads only what changed since the last time. */
export function createKeyScanner(folder: string): () => readonly FoundKey[] {
  let cache = new Map<string, Cached>()
  let found: readonly FoundKey[] = []
  let scannedMs: number | undefined

  function addressIn(name: string, { mtimeMs, size }: fs.Stats): string | undefined {
    const known = cache.get(name)
    if (known?.address !== undefined && known.modifiedMs === mtimeMs && known.size === size)
      return known.address
    if (size > MAX_FILE_BYTES) return undefined
    const address = parseKeyFile(fs.readFileSync(path.join(folder, name), 'utf8'))?.address
    return address?.length === 20 ? toHexDigits(address) : undefined
  }

  return () => {
    const folderMs = fs.statSync(folder).mtimeMs
    if (folderMs === scannedMs) return found
    const next = new Map<string, Cached>()
    let isSettled = true
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      if (!isCandidate(entry)) continue
      try {
        const stats = fs.statSync(path.join(folder, entry.name))
        const address = addressIn(entry.name, stats)
        next.set(entry.name, { modifiedMs: stats.mtimeMs, size: stats.size, address })
        if (address === undefined && Date.now() - stats.mtimeMs < SETTLING_MS) isSettled = false
      } catch (error) {
        if (!['ENOENT', 'EACCES'].includes(codeOf(error) ?? '')) throw error
      }
    }
    cache = next
    // A change within the clock's grain of this scan would leave the folder's time as it is.
    scannedMs = isSettled && Date.now() - folderMs > 50 ? folderMs : undefined
    const keys = [...next].flatMap(([name, { address, modifiedMs }]) =>
      address === undefined ? [] : [{ address, name, created: creationOf(name, modifiedMs) }],
    )
    keys.sort((a, b) => (a.created < b.created ? -1 : a.created > b.created ? 1 : 0))
    const byAddress = new Map<string, FoundKey>()
    for (const { address, name } of keys)
      if (!byAddress.has(address))
        byAddress.set(address, { address, file: path.join(folder, name) })
    found = [...byAddress.values()]
    return found
  }
}
