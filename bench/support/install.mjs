// Installs the peers into runtime/peers/, each with a manifest of its own, and only when they are asked for. No install script runs.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..', '..')

/**
 * The folder of a peer with these packages (versions by name), installed when it is not yet. Packages that hold binaries are
 * named too: npm leaves optional ones out for all kinds of reasons without a word. `fields` are more fields of the manifest.
 */
export function installPeer(name, dependencies, fields = {}) {
  const folder = path.join(root, 'runtime', 'peers', name)
  const content = { name: `assay-peer-${name}`, private: true, ...fields, dependencies }
  const manifest = `${JSON.stringify(content, null, 2)}\n`
  // Written last, so that an interrupted installation is not taken for a whole one.
  const stamp = path.join(folder, '.installed')
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === manifest) return folder
  process.stderr.write(`Installing ${name} into runtime/peers ...\n`)
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'package.json'), manifest)
  const options = ['--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--force']
  execFileSync('npm', ['install', ...options, '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  fs.writeFileSync(stamp, manifest)
  return folder
}
