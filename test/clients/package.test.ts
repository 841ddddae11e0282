/** The npm package: what is in it, that it is the same wherever it is made, and that it works in an empty folder. */
import { spawn, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, freePorts, rpc, type UpFile } from '../support/assay.ts'
import { run } from '../support/installed.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const HOUR = 3_600_000

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-package-'))
const at = (...parts: readonly string[]) => path.join(folder, ...parts)
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

/** Makes a release in a place and as a user of its own. */
async function release(name: string, ...options: readonly string[]): Promise<string> {
  const temporary = at(`${name}-tmp`)
  fs.mkdirSync(temporary)
  const script = path.join(root, 'scripts', 'release.mjs')
  await run(process.execPath, [script, at(name), ...options], { env: { TMPDIR: temporary } })
  return fs.readFileSync(at(name, 'SHA256SUMS'), 'utf8')
}

let sums = ''
let tarball = ''
beforeAll(async () => {
  fs.writeFileSync(at('key.pem'), privateKey, { mode: 0o600 })
  fs.writeFileSync(at('key.pub.pem'), publicKey)
  sums = await release('first', '--key', at('key.pem'))
  tarball = at('first', /\S+\.tgz$/m.exec(sums)?.[0] ?? '')
}, HOUR)

test('a release made twice, in two places, has the same bytes', { timeout: HOUR }, async () => {
  expect(sums.split('\n').filter((line) => line !== '')).toHaveLength(3)
  expect(await release('second')).toBe(sums)
})

test('the bill of materials names what is installed for use, and no tool of ours', () => {
  const file = at('first', /\S+\.cdx\.json$/m.exec(sums)?.[0] ?? '')
  const { bomFormat, components } = JSON.parse(fs.readFileSync(file, 'utf8')) as {
    readonly bomFormat: string
    readonly components: readonly {
      readonly group?: string
      readonly name: string
      readonly version: string
    }[]
  }
  expect(bomFormat).toBe('CycloneDX')
  const { dependencies, devDependencies } = JSON.parse(
    fs.readFileSync(path.join(root, 'package.json'), 'utf8'),
  ) as Readonly<Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>>
  const found = new Set(
    components.map(({ group, name, version }) =>
      group === undefined ? `${name}@${version}` : `${group}/${name}@${version}`,
    ),
  )
  for (const [name, version] of Object.entries(dependencies))
    expect(found).toContain(`${name}@${version}`)
  const named = [...found].map((each) => each.slice(0, each.lastIndexOf('@')))
  for (const name of ['typescript', 'vitest', 'solc'].filter((each) => each in devDependencies))
    expect(named).not.toContain(name)
})

/** The documented check of a release: what it says, and whether it holds. */
function check(name: string, ...options: readonly string[]) {
  const script = path.join(root, 'scripts', 'checkRelease.mjs')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, at(name), ...options], {
    encoding: 'utf8',
  })
  return { holds: status === 0, said: stdout + stderr }
}

const signed = ['--public-key', at('key.pub.pem')]
const isCommitted = spawnSync('git', ['diff', '--quiet', 'HEAD'], { cwd: root }).status === 0

test('the provenance names package, commit, programs and all packages of the lock', () => {
  const file = at('first', /\S+\.intoto\.json$/m.exec(sums)?.[0] ?? '')
  const statement = JSON.parse(fs.readFileSync(file, 'utf8'))
  const commit = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://slsa.dev/provenance/v1',
    subject: [{ name: path.basename(tarball) }, { name: expect.stringMatching(/\.cdx\.json$/) }],
    predicate: {
      buildDefinition: { externalParameters: { commit: commit.trim() } },
      runDetails: { builder: { version: { node: process.versions.node } } },
    },
  })
  const uris = statement.predicate.buildDefinition.resolvedDependencies.map(
    (each: { readonly uri?: string }) => each.uri,
  )
  expect(uris).toContain('pkg:npm/%40noble/curves@2.4.0')
  expect(uris).toContain('pkg:npm/solc@0.8.37')
})

test.runIf(isCommitted)('the check of a release takes it as it was made, signed or not', () => {
  expect(check('first', ...signed)).toMatchObject({
    holds: true,
    said: expect.stringContaining('ok  signed by the key'),
  })
  expect(check('first')).toMatchObject({
    holds: true,
    said: expect.stringContaining('No signature was checked'),
  })
})

test('the check of a release refuses another file, signer, statement or commit', () => {
  const changed = (name: string, suffix: string, change: (bytes: Buffer) => Buffer) => {
    fs.cpSync(at('first'), at(name), { recursive: true })
    const file = fs.readdirSync(at(name)).find((each) => each.endsWith(suffix))
    const full = at(name, file ?? '')
    fs.writeFileSync(full, change(fs.readFileSync(full)))
  }
  changed('other-file', '.tgz', (bytes) => Buffer.concat([bytes, Buffer.from('x')]))
  expect(check('other-file', ...signed).said).toContain('is not the file that was built')
  changed('other-statement', '.intoto.json', (bytes) =>
    Buffer.from(bytes.toString().replace('builder:local', 'builder:else')),
  )
  expect(check('other-statement', ...signed).said).toContain(
    'the signature is for a different statement',
  )
  const { publicKey: foreign } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  fs.writeFileSync(at('foreign.pem'), foreign)
  expect(check('first', '--public-key', at('foreign.pem')).said).toContain(
    'is not signed by the key',
  )
  expect(check('first', '--commit', '0'.repeat(40)).said).toContain(`not ${'0'.repeat(40)}`)
  for (const name of ['other-file', 'other-statement'])
    expect(check(name, ...signed).holds).toBe(false)
})

test('the package has what runs and what is read, and neither tests nor what lies about', async () => {
  const files = (await run('tar', ['--list', '--gzip', '--file', tarball])).split('\n')
  for (const file of [
    'dist/main.js',
    'dist/web/manifest.json',
    'docs/config.md',
    'deploy/systemd/assay.service',
    'README.md',
    'LICENSE',
  ])
    expect(files).toContain(`package/${file}`)
  expect(
    files.filter((file) => /\.test\.|\/test\/|node_modules|runtime\/|(?<!\.d)\.ts$/.test(file)),
  ).toEqual([])
  expect(fs.statSync(tarball).size).toBeLessThan(9_000_000)
})

/** What a program of somebody else does with the exports of the package. */
const PROGRAM = `
import fs from 'node:fs'
import { createClient } from 'assay/client'
import { createJobs } from 'assay/jobs'
import { createVerifyingFetch } from 'assay/openai'
import { verifyReceipts, type Verification } from 'assay/proof'

const up: Record<'rpc' | 'dispatcher' | 'dispatcherAddress' | 'project' | 'token', string> = JSON.parse(fs.readFileSync(process.argv[2] ?? '', 'utf8'))
const chain: string = await createClient(up.rpc).eth_chainId()
if (chain !== '0x425d4') throw new Error(chain)
const jobs = createJobs({ url: up.dispatcher, project: up.project, token: up.token })
const id: string = await jobs.submit({ tag: 'opml', prompt: 'What is AI?', model: 'tiny.gguf', params: { max_tokens: 4 } })
const [answer] = await jobs.wait(id)
if (answer === undefined) throw new Error('no answer')
const bundle = await jobs.bundle(id)
const trust = { dispatcher: up.dispatcherAddress, jobId: id, prompt: 'What is AI?' }
const good: Verification = await verifyReceipts(bundle, trust)
const bad = await verifyReceipts({ ...bundle, answers: bundle.answers.map((each) => ({ ...each, output: each.output + '!' })) }, trust)
const asking = createVerifyingFetch({ trust: { dispatcher: up.dispatcherAddress } })
const completion = await asking(up.dispatcher + '/v1/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + up.token, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'tiny.gguf', prompt: 'Once', max_tokens: 4 }),
})
console.log(JSON.stringify([good.verdict, good.facts[0], bad.verdict, completion.headers.get('x-assay-facts')]))
`

/** Compiles the program against the declarations of the installed package, and runs it. */
async function askAndVerify(place: string, upFile: string): Promise<string> {
  const program = path.join(place, 'program.ts')
  fs.writeFileSync(path.join(place, 'package.json'), '{"type":"module"}')
  fs.writeFileSync(program, PROGRAM)
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const types = path.join(root, 'node_modules', '@types')
  const options = ['--strict', '--target', 'es2023', '--module', 'nodenext', '--skipLibCheck']
  await run(process.execPath, [tsc, ...options, '--typeRoots', types, '--types', 'node', program], {
    cwd: place,
  })
  return run(process.execPath, [path.join(place, 'program.js'), upFile], { cwd: place })
}

test(
  'installed in an empty folder, without running any script of a package, npx assay up works, and so do its exports',
  { timeout: HOUR },
  async () => {
    const place = at('empty')
    fs.mkdirSync(place)
    const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
    await run('npm', ['install', ...options, tarball], { cwd: place })
    expect(await run('npx', ['--no-install', 'assay', '--version'], { cwd: place })).toBe('0.1.0')

    const home = at('home')
    const up = spawn('npx', ['--no-install', 'assay', 'up', '--home', home, ...freePorts], {
      cwd: place,
      // Whoever runs this may have the inference runtime in a home of their own.
      env: { ...process.env, HOME: at('user'), ASSAY_HOME: '' },
    })
    const gone = once(up, 'exit')
    let output = ''
    up.stdout.on('data', (chunk) => (output += chunk))
    up.stderr.on('data', (chunk) => (output += chunk))
    const file = path.join(home, 'up.json')
    const facts = await eventually(
      () =>
        fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as UpFile) : undefined,
      120,
    )
    expect((await rpc(facts.rpc, 'eth_chainId')).result).toBe('0x425d4')
    expect((await fetch(facts.explorer ?? '')).status).toBe(200)
    // The inference runtime is not part of the package, and the banner says what to run.
    await eventually(() => (output.includes('Ctrl-C') ? true : undefined))
    expect(output).toContain('No tee operator is running')
    const command = /node (\S+main\.js) runtime install/.exec(output)?.[1] ?? ''
    expect(fs.existsSync(path.resolve(place, command))).toBe(true)
    expect(JSON.parse(await askAndVerify(place, file))).toEqual([
      'holds',
      ['signed'],
      'fails',
      'signed',
    ])
    process.kill(facts.pid, 'SIGTERM')
    await gone
    expect(fs.existsSync(file)).toBe(false)
  },
)
