/**
 * Installs llama.cpp's Node binding with a manifest of its own (D39a, D126). A plain install would bring a gigabyte of CUDA and
 * Vulkan builds, so only the CPU build of this platform is named, and no install script runs.
 */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { messageOf, UserError } from '../base/errors.ts'
import { takeLock } from '../base/lock.ts'
import { createProgress } from './progress.ts'

const VERSION = '3.22.1'
const PLATFORM_PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@node-llama-cpp/linux-x64',
  'linux-arm64': '@node-llama-cpp/linux-arm64',
  'darwin-arm64': '@node-llama-cpp/mac-arm64-metal',
  'darwin-x64': '@node-llama-cpp/mac-x64',
  'win32-x64': '@node-llama-cpp/win-x64',
  'win32-arm64': '@node-llama-cpp/win-arm64',
}
/** Maximum length of what npm says in an error message. */
const MAX_OUTPUT = 4000

const platform = `${process.platform}-${process.arch}`
const wanted = `${VERSION} ${platform}`
/** Written last, so that an interrupted installation is not taken for a whole one. */
const STAMP = '.installed'

/** Whether the folder has the version of the binding that is wanted. */
export function isInstalled(folder: string): boolean {
  const stamp = path.join(folder, STAMP)
  return fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted
}

function writeManifest(folder: string, platformPackage: string): void {
  const manifest = {
    name: 'assay-llama-runtime',
    private: true,
    type: 'module',
    dependencies: { 'node-llama-cpp': VERSION, [platformPackage]: VERSION },
  }
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Runs npm in a folder; resolves with its exit code and the end of what it wrote. */
function npmInstall(folder: string): Promise<{ readonly code: number; readonly output: string }> {
  const isWindows = process.platform === 'win32'
  const options = [
    '--omit=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  return new Promise((resolve) => {
    const child = spawn(isWindows ? 'npm.cmd' : 'npm', ['install', ...options], {
      cwd: folder,
      env: { ...process.env, NODE_LLAMA_CPP_SKIP_DOWNLOAD: 'true' },
      shell: isWindows,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const take = (chunk: Buffer): void =>
      void (output = (output + String(chunk)).slice(-MAX_OUTPUT))
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.on('error', (error) => resolve({ code: -1, output: messageOf(error) }))
    child.on('close', (code) => resolve({ code: code ?? -1, output }))
  })
}

/** Installs next to the folder, then renames: a worker that starts meanwhile sees all of it or nothing. */
async function replace(folder: string, platformPackage: string): Promise<void> {
  const partial = `${folder}.partial`
  fs.rmSync(partial, { recursive: true, force: true })
  writeManifest(partial, platformPackage)
  const { code, output } = await npmInstall(partial)
  if (code !== 0)
    throw new UserError(
      `llama.cpp could not be installed: npm says ${output.trim()}`,
      'Check the network and the npm registry setting, and run the same command again.',
    )
  fs.writeFileSync(path.join(partial, STAMP), wanted)
  fs.rmSync(folder, { recursive: true, force: true })
  fs.renameSync(partial, folder)
}

/** Installs the binding into a folder, unless it is there. Rejects with UserError. */
export async function installLlama(folder: string): Promise<void> {
  const platformPackage = PLATFORM_PACKAGES[platform]
  if (platformPackage === undefined)
    throw new UserError(
      `llama.cpp has no prebuilt binary for ${platform}`,
      'Everything works without it, except tee jobs and the engine "llama".',
    )
  fs.mkdirSync(path.dirname(folder), { recursive: true })
  const { release } = takeLock(`${folder}.lock`, `the installation of ${folder}`)
  const progress = createProgress()
  try {
    if (isInstalled(folder)) return
    const text = `Installing llama.cpp ${VERSION} for ${platform} (85 MB)`
    if (!process.stderr.isTTY) process.stderr.write(`${text}\n`)
    progress.say(text)
    await replace(folder, platformPackage)
  } finally {
    progress.end()
    release()
  }
}
