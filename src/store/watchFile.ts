/**
 * Watches the file of an open store. Pages that are cut off while they are mapped end the process with a signal at the
 * next read, and a file that was replaced takes every later block with it: the node ends first, with a sentence (D90).
 */
import fs from 'node:fs'
import path from 'node:path'
import { codeOf, DamageError } from '../base/errors.ts'
import { faultOfStoreFile } from './kvFile.ts'

/** Notifications of the file system come first, where there are any. */
const INTERVAL_MS = 1000

const ADVICE =
  'Nothing more was signed. Do not start it again as it is: see assay node check --help.'

/** What is wrong with the file, as the end of a sentence. */
function faultOf(folder: string, opened: fs.Stats): string | undefined {
  const file = path.join(folder, 'data.mdb')
  try {
    const { ino, dev, size } = fs.statSync(file)
    if (ino !== opened.ino || dev !== opened.dev) return `${file} was replaced while the node ran`
    if (size === 0) return `${file} was emptied while the node ran`
    return faultOfStoreFile(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return `${file} was removed while the node ran`
    // Out of descriptors or the like: nothing is known about the file.
    return undefined
  }
}

/** Calls `onFault` once, when the file of the store in a folder was cut, replaced or removed. Returns how to stop. */
export function watchStoreFile(folder: string, onFault: (error: DamageError) => void): () => void {
  const file = path.join(folder, 'data.mdb')
  const opened = fs.statSync(file)
  let isOver = false
  let watcher: fs.FSWatcher | undefined

  function stop(): void {
    isOver = true
    clearInterval(timer)
    watcher?.close()
  }

  function look(): void {
    if (isOver) return
    const fault = faultOf(folder, opened)
    if (fault === undefined) return
    stop()
    onFault(new DamageError(`the store's file is damaged: ${fault}`, ADVICE))
  }

  const timer = setInterval(look, INTERVAL_MS)
  timer.unref()
  try {
    watcher = fs.watch(file, { persistent: false }, look)
    watcher.on('error', () => watcher?.close())
  } catch {
    // Without notifications, or with none left: the interval is enough.
  }
  return stop
}
