// Checks a release against its provenance: that the files are those it names, that its materials are those of the lock file of
// this checkout, and, with a key, that its holder signed it.
//
//   npm run release:check -- FOLDER [--public-key FILE] [--commit HASH]
import fs from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import {
  BUILD_TYPE,
  materialsOf,
  openEnvelope,
  PREDICATE_TYPE,
  STATEMENT_TYPE,
  subjectsOf,
} from './provenance.mjs'

const root = path.resolve(import.meta.dirname, '..')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'public-key': { type: 'string' }, commit: { type: 'string' } },
})
const folder = path.resolve(positionals[0] ?? path.join(root, 'release'))

function only(suffix) {
  const files = fs.readdirSync(folder).filter((file) => file.endsWith(suffix))
  if (files.length !== 1)
    throw new Error(`${folder} contains ${files.length} files *${suffix}, expected one`)
  return fs.readFileSync(path.join(folder, files[0]), 'utf8')
}

/** Throws with the sentence unless it holds. */
function require(holds, sentence) {
  if (!holds) throw new Error(sentence)
}

function check() {
  const text = only('.intoto.json')
  const { _type: type, subject, predicateType, predicate } = JSON.parse(text)
  require(type === STATEMENT_TYPE, `the statement has the type ${type}`)
  require(predicateType === PREDICATE_TYPE, `the predicate has the type ${predicateType}`)
  const { buildDefinition, runDetails } = predicate
  require(buildDefinition.buildType === BUILD_TYPE, `built as ${buildDefinition.buildType}`)
  const key = values['public-key']
  if (key !== undefined) {
    require(openEnvelope(only('.intoto.jsonl'), key) ===
      text, 'the signature is for a different statement')
    console.log(`ok  signed by the key in ${key}`)
  }
  for (const named of subject) {
    require(/^[\w.-]+$/.test(named.name), `${named.name} is not a file name`)
    const [found] = subjectsOf(folder, [named.name])
    require(isDeepStrictEqual(found, named), `${named.name} is not the file that was built`)
    console.log(`ok  ${named.name} is the file that was built`)
  }
  require(subject.some(({ name }) => name.endsWith('.tgz')), 'it lists no package')
  const [source, ...materials] = buildDefinition.resolvedDependencies
  const { commit = source.digest.gitCommit } = values
  require(source.digest.gitCommit ===
    commit, `built from ${source.digest.gitCommit}, not ${commit}`)
  require(source.annotations?.modified !== true, 'built from files that differ from the commit')
  console.log(`ok  from commit ${commit} by ${runDetails.builder.id}`)
  const lock = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'))
  require(isDeepStrictEqual(
    materials,
    materialsOf(lock),
  ), 'the materials are not those of package-lock.json: check out the commit first')
  console.log(`ok  with the ${materials.length} packages of package-lock.json`)
  if (key === undefined)
    console.log('No signature was checked: pass --public-key, or rebuild the commit and compare.')
}

try {
  check()
} catch (error) {
  console.error(`not ok  ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
