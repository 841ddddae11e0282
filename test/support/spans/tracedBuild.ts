/** A copy of the build whose functions tell what they call. */
import fs from 'node:fs'
import path from 'node:path'
import { instrument } from './instrument.ts'

const root = path.resolve(import.meta.dirname, '..', '..', '..')
const recorder = path.join(import.meta.dirname, 'recorder.mjs')

/** A function with a span. */
export type TracedFunction = {
  /** Below src/. */
  readonly file: string
  readonly path: readonly string[]
  readonly name: string
  /** Whether the file imports a package or a module of Node. */
  readonly meetsWorld: boolean
}

/**
 * Tools: what they call counts as called by whoever uses them. To store/sql it is the driver that calls back, whenever its pool
 * opens a connection.
 */
const WITHOUT_SPANS = /^(?:base|generated|cli|config|client|explorer|store\/sql)\//

/** Writes it to `dist` in a folder, from which it runs as from a checkout, and returns its functions by number. */
export function writeTracedBuild(folder: string): readonly TracedFunction[] {
  const functions: TracedFunction[] = []
  const modules = fs
    .readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(?:test|as)\.ts$/.test(file))
  for (const file of modules) {
    const built = path.join('dist', file.replace(/\.ts$/, '.js'))
    const text = fs.readFileSync(path.join(root, built), 'utf8')
    const to = path.join(folder, built)
    fs.mkdirSync(path.dirname(to), { recursive: true })
    if (WITHOUT_SPANS.test(file)) fs.writeFileSync(to, text)
    else {
      const traced = instrument(built, text, { recorder, first: functions.length })
      fs.writeFileSync(to, traced.text)
      const { meetsWorld } = traced
      functions.push(
        ...traced.functions.map(({ path, name }) => ({ file, path, name, meetsWorld })),
      )
    }
  }
  // Without the runtime of llama.cpp: the way of a job needs none.
  for (const name of ['package.json', 'node_modules'])
    fs.symlinkSync(path.join(root, name), path.join(folder, name))
  return functions
}
