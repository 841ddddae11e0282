// Compiles everything that a checkout needs to run: AssemblyScript to WebAssembly, Solidity to bytecode, TypeScript to
// JavaScript. Each part is skipped when nothing that it reads has changed. Runs after scripts/setup.mjs.
//
//   node scripts/build.mjs                    builds what is stale
//   node scripts/build.mjs --check            builds nothing, and fails when something is stale
//   node scripts/build.mjs --check=generated  the same for what is built into src/generated alone
import { createHash } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { createRequire } from 'node:module'
import { takeSolcApart } from './solc.mjs'

const root = path.resolve(import.meta.dirname, '..')
const require = createRequire(path.join(root, 'package.json'))
const stamps = path.join(root, '.setup')
const generated = path.join(root, 'src', 'generated')
const checked = process.argv.slice(2).find((argument) => argument.startsWith('--check'))
const mainFile = path.join(root, 'dist', 'main.js')

function filesUnder(folder, suffix) {
  if (!fs.existsSync(folder)) return []
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(suffix))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
}

function fingerprint(files) {
  const hash = createHash('sha256')
  for (const file of files)
    hash.update(path.relative(root, file)).update('\0').update(fs.readFileSync(file)).update('\0')
  return hash.digest('hex')
}

function step(name, label, inputs, outputs, run) {
  const isGenerated = outputs.every((file) => file.startsWith(generated))
  if (checked === '--check=generated' && !isGenerated) return
  const stamp = path.join(stamps, `${name}.sha256`)
  const print = fingerprint([...inputs, import.meta.filename, path.join(root, 'package-lock.json')])
  const fresh =
    fs.existsSync(stamp) &&
    fs.readFileSync(stamp, 'utf8') === print &&
    outputs.every((file) => fs.existsSync(file))
  if (fresh) return
  if (checked) fail(`The build is stale (${label}): run "npm run build".`)
  const started = performance.now()
  process.stderr.write(`${label} ... `)
  // A step that fails may have written a part: what was there before is not fresh any more, either.
  fs.rmSync(stamp, { force: true })
  run()
  fs.mkdirSync(stamps, { recursive: true })
  fs.writeFileSync(stamp, print)
  process.stderr.write(`${((performance.now() - started) / 1000).toFixed(1)} s\n`)
}

function fail(message) {
  process.stderr.write(`\n${message}\n`)
  process.exit(1)
}

function compileAssemblyScript(source, constant, target, more = []) {
  const asc = path.join(root, 'node_modules', 'assemblyscript', 'bin', 'asc.js')
  const wasm = path.join(stamps, `${path.basename(target)}.wasm`)
  fs.mkdirSync(stamps, { recursive: true })
  const options = [
    '--runtime',
    'stub',
    '-O3',
    '--converge',
    '--noAssert',
    '--enable',
    'simd',
    '--exportTable',
    '--use',
    'abort=',
    ...more,
    '-o',
    wasm,
  ]
  const result = spawnSync(process.execPath, [asc, source, ...options], {
    encoding: 'utf8',
    cwd: root,
  })
  if (result.status !== 0)
    fail(`${path.relative(root, source)} does not compile:\n${result.stdout}${result.stderr}`)
  fs.mkdirSync(path.dirname(target), { recursive: true })
  const header = `// Made by scripts/build.mjs from ${path.relative(root, source)}.\n`
  fs.writeFileSync(
    target,
    `${header}export const ${constant} =\n  '${fs.readFileSync(wasm).toString('base64')}'\n`,
  )
}

/** The package loads its module asynchronously only, and an EVM cannot wait: the module itself is taken from it. */
function takeOutMcl(source, target) {
  const module = /wasmBase64 = '([A-Za-z0-9+/=]+)'/.exec(fs.readFileSync(source, 'utf8'))?.[1]
  if (module === undefined) fail(`${path.relative(root, source)} holds no WebAssembly module`)
  const header =
    '// The module of npm mcl-wasm, taken out by scripts/build.mjs. Copyright (c) 2015 MITSUNARI Shigeo, BSD-3-Clause.\n'
  fs.mkdirSync(path.dirname(target), { recursive: true })
  fs.writeFileSync(target, `${header}export const MCL_WASM =\n  '${module}'\n`)
}

/** Contracts that are not in genesis, whose calls cost more than their code. */
const CALLED_STEPS = /^contracts\/(?:InferenceSteps\.sol|steps\/)/

function compileSolidity(files, target) {
  const steps = files.filter((file) => CALLED_STEPS.test(path.relative(root, file)))
  const others = files.filter((file) => !steps.includes(file))
  const text = '// Made by scripts/build.mjs from contracts/.\n'
  fs.mkdirSync(path.dirname(target), { recursive: true })
  fs.writeFileSync(target, text + exportsOf(others, 200) + exportsOf(steps, 1_000_000))
}

/** Contracts as constants. The optimizer weighs so many runs of the code against its size. */
function exportsOf(files, runs) {
  const solc = require('solc')
  const sources = Object.fromEntries(
    files.map((file) => [path.relative(root, file), { content: fs.readFileSync(file, 'utf8') }]),
  )
  const input = {
    language: 'Solidity',
    sources,
    settings: {
      evmVersion: 'prague',
      optimizer: { enabled: true, runs },
      outputSelection: {
        '*': {
          '*': ['abi', 'storageLayout', 'evm.bytecode.object', 'evm.deployedBytecode.object'],
        },
      },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const errors = (output.errors ?? []).filter((error) => error.severity === 'error')
  if (errors.length > 0) fail(errors.map((error) => error.formattedMessage).join('\n'))
  let text = ''
  for (const contracts of Object.values(output.contracts))
    for (const [name, contract] of Object.entries(contracts)) {
      // Parts of a contract, and libraries within one, have no code that could be called.
      const isCallable = contract.abi.some(({ type }) => type === 'function')
      if (contract.evm.bytecode.object === '' || !isCallable) continue
      const value = {
        abi: contract.abi,
        storageLayout: contract.storageLayout,
        bytecode: `0x${contract.evm.bytecode.object}`,
        deployedBytecode: `0x${contract.evm.deployedBytecode.object}`,
      }
      text += `export const ${name} = ${JSON.stringify(value)} as const\n`
    }
  return text
}

function compileTypeScript() {
  // An incremental build writes only what changed since the last one, even into a folder that was deleted since.
  if (!fs.existsSync(mainFile)) fs.rmSync(path.join(stamps, 'build.tsbuildinfo'), { force: true })
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  // The client is for other programs too: it has declarations.
  for (const project of ['tsconfig.build.json', 'tsconfig.client.json']) {
    const result = spawnSync(process.execPath, [tsc, '-p', project], {
      encoding: 'utf8',
      cwd: root,
    })
    if (result.status !== 0) fail(`TypeScript does not compile:\n${result.stdout}${result.stderr}`)
  }
}

const sharedSources = filesUnder(path.join(root, 'src', 'base'), '.as.ts')
const keccakSource = path.join(root, 'src', 'base', 'keccak.as.ts')
const keccakTarget = path.join(generated, 'keccak.ts')
step('keccak', 'Compiling Keccak to WebAssembly', sharedSources, [keccakTarget], () =>
  compileAssemblyScript(keccakSource, 'KECCAK_WASM', keccakTarget),
)

const coreFolder = path.join(root, 'src', 'evm', 'core')
const coreSources = [...sharedSources, ...filesUnder(coreFolder, '.as.ts')]
const coreTarget = path.join(generated, 'evm.ts')
step('evm', 'Compiling the EVM to WebAssembly', coreSources, [coreTarget], () =>
  compileAssemblyScript(path.join(coreFolder, 'main.as.ts'), 'EVM_WASM', coreTarget),
)

const logTextSource = path.join(root, 'src', 'rpc', 'encode', 'logText.as.ts')
const logTextTarget = path.join(generated, 'logText.ts')
step(
  'logText',
  'Compiling the log serializer',
  [...sharedSources, logTextSource],
  [logTextTarget],
  () => compileAssemblyScript(logTextSource, 'LOG_TEXT_WASM', logTextTarget),
)

const fixedFolder = path.join(root, 'src', 'inference', 'fixed', 'kernels')
const fixedTarget = path.join(generated, 'fixed.ts')
step(
  'fixed',
  'Compiling the integer engine to WebAssembly',
  filesUnder(fixedFolder, '.as.ts'),
  [fixedTarget],
  () =>
    compileAssemblyScript(path.join(fixedFolder, 'main.as.ts'), 'FIXED_WASM', fixedTarget, [
      // Threads share the memory.
      '--enable',
      'threads',
      '--importMemory',
      '--sharedMemory',
      '--initialMemory',
      '1',
      '--maximumMemory',
      '65536',
    ]),
)

// See D38a for why.
const mclSource = path.join(root, 'node_modules', 'mcl-wasm', 'dist', 'mcl_c.js')
const mclTarget = path.join(generated, 'mcl.ts')
step('mcl', 'Extracting the elliptic curves in WebAssembly', [mclSource], [mclTarget], () =>
  takeOutMcl(mclSource, mclTarget),
)

const contracts = filesUnder(path.join(root, 'contracts'), '.sol')
const contractsTarget = path.join(generated, 'contracts.ts')
step('contracts', 'Compiling contracts', contracts, [contractsTarget], () =>
  compileSolidity(contracts, contractsTarget),
)

const sources = filesUnder(path.join(root, 'src'), '.ts').filter(
  (file) => !/\.(test|as)\.ts$/.test(file),
)
const configs = ['tsconfig.json', 'tsconfig.build.json', 'tsconfig.client.json'].map((file) =>
  path.join(root, file),
)
step('typescript', 'Compiling TypeScript', [...sources, ...configs], [mainFile], compileTypeScript)

const solcSource = path.join(root, 'node_modules', 'solc', 'soljson.js')
const solcFolder = path.join(stamps, 'solc')
step(
  'solc',
  'Packing the Solidity compiler',
  [solcSource, path.join(root, 'scripts', 'solc.mjs')],
  ['soljson.js', 'soljson.wasm.br'].map((file) => path.join(solcFolder, file)),
  () => takeSolcApart(solcFolder),
)

function buildPage() {
  const script = path.join(root, 'scripts', 'web.mjs')
  const result = spawnSync(process.execPath, [script], { encoding: 'utf8', cwd: root })
  if (result.status !== 0) fail(`The explorer failed to build:\n${result.stdout}${result.stderr}`)
}

const pageSources = [
  ...filesUnder(path.join(root, 'web'), ''),
  ...['proof', 'base'].flatMap((room) => filesUnder(path.join(root, 'src', room), '.ts')),
].filter((file) => !/\.(test|as)\.tsx?$/.test(file))
const pageManifest = path.join(root, 'dist', 'web', 'manifest.json')
step(
  'web',
  'Building the explorer',
  [
    ...pageSources,
    contractsTarget,
    ...['web.mjs', 'solc.mjs'].map((file) => path.join(root, 'scripts', file)),
  ],
  [pageManifest],
  buildPage,
)
