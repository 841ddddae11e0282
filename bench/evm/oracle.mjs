// The engine on @ethereumjs/evm, which is test support in TypeScript: compiled here, into .setup.
import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..', '..')

/** A fresh engine of the library. */
export async function createOracle() {
  const out = path.join(root, '.setup', 'oracle')
  const options = {
    outDir: out,
    rootDir: root,
    target: 'es2023',
    module: 'nodenext',
    types: 'node',
    rewriteRelativeImportExtensions: 'true',
    skipLibCheck: 'true',
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const source = path.join(root, 'test', 'support', 'ethereumjs', 'engine.ts')
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const result = spawnSync(process.execPath, [tsc, '--ignoreConfig', ...args, source], {
    encoding: 'utf8',
    cwd: root,
  })
  if (result.status !== 0) throw new Error(result.stdout)
  const { createEthereumjsEngine } = await import(
    path.join(out, 'test', 'support', 'ethereumjs', 'engine.js')
  )
  return createEthereumjsEngine()
}
