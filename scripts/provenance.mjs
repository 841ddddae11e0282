// Where a release comes from: an in-toto statement (v1) with SLSA provenance (v1), and its signature in a DSSE envelope (v1).
// docs/releases.md says what the fields mean.
import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
export const PREDICATE_TYPE = 'https://slsa.dev/provenance/v1'
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json'
export const BUILD_TYPE = 'urn:x-assay:release-build:v1'
export const LOCAL_BUILDER = 'urn:x-assay:builder:local'

const hex = (algorithm, bytes) => createHash(algorithm).update(bytes).digest('hex')

/** Names and digests of files, as in-toto's resource descriptors. */
export function subjectsOf(folder, files) {
  return files.map((name) => {
    const bytes = fs.readFileSync(path.join(folder, name))
    return { name, digest: { sha256: hex('sha256', bytes), sha512: hex('sha512', bytes) } }
  })
}

/** Every package that the lock names, tools too: all of them can change what is built. Sorted, each once. */
export function materialsOf(lock) {
  const materials = new Map()
  for (const [folder, { version, integrity = '' }] of Object.entries(lock.packages)) {
    const digest = /^sha512-(\S+)$/.exec(integrity)?.[1]
    if (folder === '' || digest === undefined) continue
    const name = folder.split('node_modules/').at(-1).replace('@', '%40')
    const uri = `pkg:npm/${name}@${version}`
    materials.set(uri, { uri, digest: { sha512: Buffer.from(digest, 'base64').toString('hex') } })
  }
  return [...materials.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1))
}

/**
 * The statement's text. It holds no time and no number at random: the same commit, built by the same programs, gives the same
 * text. `source`: commit, and whether files differed from it; `versions`: those of the programs that built it.
 */
export function statementOf({ subjects, materials, source, builder, versions }) {
  const { commit, isModified } = source
  const statement = {
    _type: STATEMENT_TYPE,
    subject: subjects,
    predicateType: PREDICATE_TYPE,
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: { commit, command: ['npm', 'run', 'release'] },
        internalParameters: {},
        resolvedDependencies: [
          {
            name: 'source',
            digest: { gitCommit: commit },
            ...(isModified && { annotations: { modified: true } }),
          },
          ...materials,
        ],
      },
      runDetails: { builder: { id: builder, version: versions } },
    },
  }
  return `${JSON.stringify(statement, undefined, 2)}\n`
}

/** What a DSSE signature is made of. */
function preAuthentication(payload) {
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `
  return Buffer.concat([Buffer.from(head), payload])
}

/** SHA-256 of a public key (SubjectPublicKeyInfo, DER). */
function keyIdOf(publicKey) {
  return hex('sha256', publicKey.export({ type: 'spki', format: 'der' }))
}

function requireEd25519(key, file) {
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} holds no Ed25519 key`)
  return key
}

/** The envelope of a statement, on one line, signed by the private key in a file (Ed25519, PKCS #8, PEM). */
export function envelopeOf(statement, keyFile) {
  const key = requireEd25519(createPrivateKey(fs.readFileSync(keyFile)), keyFile)
  const payload = Buffer.from(statement)
  const envelope = {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [
      {
        keyid: keyIdOf(createPublicKey(key)),
        sig: sign(null, preAuthentication(payload), key).toString('base64'),
      },
    ],
  }
  return `${JSON.stringify(envelope)}\n`
}

/** The statement that an envelope holds, if the public key in a file (SubjectPublicKeyInfo, PEM) signed it; else throws. */
export function openEnvelope(text, keyFile) {
  const key = requireEd25519(createPublicKey(fs.readFileSync(keyFile)), keyFile)
  const { payloadType, payload, signatures } = JSON.parse(text)
  const bytes = Buffer.from(payload, 'base64')
  const isSigned =
    payloadType === PAYLOAD_TYPE &&
    signatures.some(({ sig }) =>
      verify(null, preAuthentication(bytes), key, Buffer.from(sig, 'base64')),
    )
  if (!isSigned) throw new Error(`the provenance is not signed by the key in ${keyFile}`)
  return bytes.toString('utf8')
}
