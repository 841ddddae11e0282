// Installs llama.cpp's Node binding into runtime/llama/, with a manifest of its own (D39a). A plain install would bring
// a gigabyte of CUDA and Vulkan builds, so only the CPU build of this platform is named, and no install script runs.
// Run again, it does nothing. The exit code is 0 where the platform has no binary: everything else works without it.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

const VERSION = '3.22.1'
const PLATFORM_PACKAGES = {
  'linux-x64': '@node-llama-cpp/linux-x64',
  'linux-arm64': '@node-llama-cpp/linux-arm64',
  'darwin-arm64': '@node-llama-cpp/mac-arm64-metal',
  'darwin-x64': '@node-llama-cpp/mac-x64',
  'win32-x64': '@node-llama-cpp/win-x64',
  'win32-arm64': '@node-llama-cpp/win-arm64',
}

const folder = path.resolve(import.meta.dirname, '..', 'runtime', 'llama')
const platform = `${process.platform}-${process.arch}`
const platformPackage = PLATFORM_PACKAGES[platform]

/** Written last, so that an interrupted installation is not taken for a whole one. */
const stamp = path.join(folder, '.installed')
const wanted = `${VERSION} ${platform}`

function isInstalled() {
  return fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted
}

function writeManifest() {
  const manifest = {
    name: 'assay-llama-runtime',
    private: true,
    type: 'module',
    dependencies: { 'node-llama-cpp': VERSION, [platformPackage]: VERSION },
  }
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Runs npm in the runtime folder; resolves with its exit code and what it wrote. */
function npmInstall() {
  const command = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const options = [
    'install',
    '--omit=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  return new Promise((resolve, reject) => {
    const child = spawn(command, options, {
      cwd: folder,
      env: { ...process.env, NODE_LLAMA_CPP_SKIP_DOWNLOAD: 'true' },
      shell: process.platform === 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}

if (platformPackage === undefined) {
  process.stderr.write(
    `llama.cpp has no prebuilt binary for ${platform}: jobs that need inference will be refused.\n`,
  )
} else if (!isInstalled()) {
  const started = performance.now()
  process.stderr.write(`Installing llama.cpp ${VERSION} for ${platform} (85 MB) `)
  writeManifest()
  const dots = setInterval(() => process.stderr.write('.'), 1000)
  const result = await npmInstall().catch((error) => ({ code: -1, output: error.message }))
  clearInterval(dots)
  if (result.code !== 0) {
    process.stderr.write(
      `\n${result.output}\nllama.cpp could not be installed. Run "node scripts/llama.mjs" again.\n`,
    )
    process.exit(1)
  }
  fs.writeFileSync(stamp, wanted)
  process.stderr.write(` ${((performance.now() - started) / 1000).toFixed(1)} s\n`)
}
