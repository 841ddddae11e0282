/** The folder of key files: go-ethereum's names, and a scan that tolerates any other files. */
import fs from 'node:fs'
import path from 'node:path'
import { codeOf, UserError } from '../base/errors.ts'
import { toHexDigits } from '../base/hex.ts'
import { parseKeyFile } from './keyFile.ts'

/** A key file that was found. `address` is 40 lower-case hex digits. */
export type FoundKey = { readonly address: string; readonly file: string }

/** A file that is not a valid key file may still be being copied; it is reread for this long. */
const SETTLING_MS = 5_000

/** A real key file has about 500 bytes. */
const MAX_FILE_BYTES = 64 * 1024

/** `UTC--<time>--<address>`; `stamp` is nanoseconds since 1970. */
export function keyFileName(address: Uint8Array, stamp: bigint): string {
  const time = new Date(Number(stamp / 1_000_000n)).toISOString().slice(0, 19).replaceAll(':', '-')
  const fraction = (stamp % 1_000_000_000n).toString().padStart(9, '0')
  return `UTC--${time}.${fraction}Z--${toHexDigits(address)}`
}

/** Creates the folder with mode 0700. Throws UserError when other users can access it. */
export function openKeyFolder(folder: string): void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  if ((fs.statSync(folder).mode & 0o077) !== 0)
    throw new UserError(`${folder} is accessible to other users`, `Run: chmod 700 ${folder}`)
}

function isCandidate(entry: fs.Dirent): boolean {
  return entry.isFile() && !entry.name.startsWith('.') && !/(?:~|\.tmp)$/.test(entry.name)
}

/** Creation time of a key: from its file's name, otherwise the file's time. Sorts as a string. */
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

/** Lists the keys of a folder in the order of their creation; rereads only what changed since the last scan. */
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
    // A change within the clock's resolution of this scan would not change the folder's time.
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
