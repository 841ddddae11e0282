// Makes what a release consists of, in release/: the npm package, its bill of materials (CycloneDX), their provenance (in-toto,
// SLSA), and the SHA-256 of the three.
// It compiles the committed files in a folder of its own, so nothing that lies about in this one gets in, and the same commit
// gives the same bytes anywhere.
//
//   npm run release              needs node_modules of package-lock.json (npm run build)
//   npm run release -- FOLDER    writes there instead
//   --key FILE                   signs the provenance: an Ed25519 key in PEM
//   --builder URI                who builds, as the provenance names it
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { envelopeOf, LOCAL_BUILDER, materialsOf, statementOf, subjectsOf } from './provenance.mjs'

const root = path.resolve(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { key: { type: 'string' }, builder: { type: 'string', default: LOCAL_BUILDER } },
})
const target = path.resolve(positionals[0] ?? path.join(root, 'release'))

/** Runs a command and gives what it printed. */
function run(cwd, command, ...args) {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** Every file that git knows, as it stands here. */
function copyTo(folder) {
  const files = run(root, 'git', 'ls-files', '-z')
    .split('\0')
    .filter((file) => file !== '')
  for (const file of files) {
    const source = path.join(root, file)
    if (!fs.existsSync(source)) continue
    const copy = path.join(folder, file)
    fs.mkdirSync(path.dirname(copy), { recursive: true })
    fs.copyFileSync(source, copy)
  }
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
}

/**
 * The bill of materials of what is installed for use, without what is different each time: when it was made, and a number at
 * random. npm's own --omit=dev also leaves out what tools and the program have in common.
 */
function billOfMaterials(folder) {
  const options = ['--sbom-format=cyclonedx', '--package-lock-only']
  const { serialNumber: _number, ...bill } = JSON.parse(run(folder, 'npm', 'sbom', ...options))
  const { timestamp: _time, ...metadata } = bill.metadata
  const { packages } = JSON.parse(fs.readFileSync(path.join(folder, 'package-lock.json'), 'utf8'))
  const used = new Set()
  for (const [folderOf, { dev, version }] of Object.entries(packages))
    if (dev !== true) used.add(`${folderOf.split('node_modules/').at(-1)}@${version}`)
  const components = bill.components.filter(({ group, name, version }) =>
    used.has(`${group === undefined ? '' : `${group}/`}${name}@${version}`),
  )
  const kept = new Set([metadata.component, ...components].map((each) => each['bom-ref']))
  const dependencies = bill.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((to) => kept.has(to)) }))
  return `${JSON.stringify({ ...bill, metadata, components, dependencies }, undefined, 2)}\n`
}

/** The statement of where the files come from. */
function provenance(folder, files) {
  const lock = JSON.parse(fs.readFileSync(path.join(folder, 'package-lock.json'), 'utf8'))
  const changes = run(root, 'git', 'status', '--porcelain', '--untracked-files=no')
  return statementOf({
    subjects: subjectsOf(target, files),
    materials: materialsOf(lock),
    source: {
      commit: run(root, 'git', 'rev-parse', 'HEAD').trim(),
      isModified: changes !== '',
    },
    builder: values.builder,
    // Compression is Node's: another version may give other bytes.
    versions: { node: process.versions.node, npm: run(folder, 'npm', '--version').trim() },
  })
}

// The bill names the folder.
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-release-'))
const folder = path.join(scratch, 'assay')
try {
  copyTo(folder)
  run(folder, process.execPath, path.join('scripts', 'build.mjs'))
  fs.mkdirSync(target, { recursive: true })
  const options = ['--ignore-scripts', '--json', `--pack-destination=${target}`]
  const [{ filename }] = JSON.parse(run(folder, 'npm', 'pack', ...options))
  const bill = filename.replace(/\.tgz$/, '.cdx.json')
  fs.writeFileSync(path.join(target, bill), billOfMaterials(folder))
  const statement = filename.replace(/\.tgz$/, '.intoto.json')
  const text = provenance(folder, [filename, bill])
  fs.writeFileSync(path.join(target, statement), text)
  if (values.key !== undefined)
    fs.writeFileSync(path.join(target, `${statement}l`), envelopeOf(text, values.key))
  const sums = [filename, bill, statement].map((file) => {
    const bytes = fs.readFileSync(path.join(target, file))
    return `${createHash('sha256').update(bytes).digest('hex')}  ${file}\n`
  })
  fs.writeFileSync(path.join(target, 'SHA256SUMS'), sums.join(''))
  process.stdout.write(sums.join(''))
} finally {
  fs.rmSync(scratch, { recursive: true, force: true })
}
