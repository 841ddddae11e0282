import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { subject } from '../../test/support/evidence.ts'
import { fromBase64 } from '../base/base64.ts'
import { concatBytes } from '../base/bytes.ts'
import { fromHex } from '../base/hex.ts'
import { decodeIntelDocument, decodeSnpDocument } from '../proof/attestation/documents.ts'
import type { IntelCollateral } from '../proof/attestation/intel/collateral.ts'
import { decodeCbor, encodeCbor, type CborValue } from '../proof/cbor.ts'
import { readCollateralFile } from './collateralFile.ts'
import { openNitroAttester } from './nitro.ts'
import { openSnpAttester } from './snp.ts'
import { readCertificateTable } from './snpCertificates.ts'
import { openTdxAttester } from './tdx.ts'
import { readTsmReport, tsmProvider, type TsmEntries } from './tsm.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-hardware-'))
const reportData = concatBytes(subject.statementHash, subject.nonce)

/** An ordinary folder that behaves like the kernel's: entries appear with attributes and can be removed with them. */
function kernelOf(
  attributes: Readonly<Record<string, string>>,
  seen: Uint8Array[] = [],
): TsmEntries {
  return {
    make(entry) {
      mkdirSync(entry)
      for (const [name, value] of Object.entries(attributes))
        writeFileSync(join(entry, name), value)
    },
    remove(entry) {
      seen.push(readFileSync(join(entry, 'inblob')))
      rmSync(entry, { recursive: true })
    },
  }
}

test('a report is made of the given bytes, and its entry is taken away', async () => {
  const at = mkdtempSync(join(folder, 'tsm-'))
  const seen: Uint8Array[] = []
  const attributes = { provider: 'tdx_guest\n', generation: '1\n', outblob: 'quote' }
  const { provider, report, auxiliary } = await readTsmReport(
    reportData,
    at,
    kernelOf(attributes, seen),
  )
  expect(provider).toBe('tdx_guest')
  expect(Buffer.from(report).toString()).toBe('quote')
  expect(auxiliary).toHaveLength(0)
  expect(new Uint8Array(seen[0] ?? [])).toEqual(reportData)
  expect(readdirSync(at)).toEqual([])
})

test('a machine without a TEE is told so, and what to do', async () => {
  const missing = join(folder, 'nowhere')
  await expect(readTsmReport(reportData, missing)).rejects.toThrow(/provides no platform reports/)
  expect(() => tsmProvider(missing)).toThrow(/provides no platform reports/)
  expect(() => openNitroAttester(['assay-nsm'], missing)).toThrow(/no Nitro security module/)
})

test('a platform that fails leaves no entry behind', async () => {
  const at = mkdtempSync(join(folder, 'tsm-'))
  const broken = kernelOf({ provider: 'tdx_guest', generation: '1' })
  await expect(readTsmReport(reportData, at, broken)).rejects.toThrow(/gave no report/)
  expect(readdirSync(at)).toEqual([])
})

/** A table as a host writes it. */
function certificateTable(certificates: Readonly<Record<string, string>>): Uint8Array {
  const entries = Object.entries(certificates)
  let offset = (entries.length + 1) * 24
  const parts = entries.map(([id, certificate]) => {
    const header = new DataView(new ArrayBuffer(8))
    header.setUint32(0, offset, true)
    header.setUint32(4, certificate.length, true)
    offset += certificate.length
    return concatBytes(fromHex(id.replaceAll('-', '')), new Uint8Array(header.buffer))
  })
  const contents = entries.map(([, certificate]) => Buffer.from(certificate))
  return concatBytes(...parts, new Uint8Array(24), ...contents)
}

const TABLE = certificateTable({
  'c0b406a4-a803-4952-9743-3fb6014cd0ae': 'ARK',
  '63da758d-e664-4564-adc5-f4b93be8accd': 'VCEK',
  '4ab7b379-bbac-4fe4-a02f-05aef327c782': 'ASK',
})
const VCEK_ASK_ARK = ['VCEK', 'ASK', 'ARK']

test("the chip's certificates come from the host's table, leaf first", () => {
  const text = (chain = readCertificateTable(TABLE)) =>
    chain?.certificates.map((certificate) => Buffer.from(certificate).toString())
  expect(text()).toEqual(VCEK_ASK_ARK)
  for (let length = 0; length < TABLE.length; length++)
    expect(readCertificateTable(TABLE.slice(0, length))).toBeUndefined()
})

test('a VLEK and a revocation list of the host go into the document', () => {
  const table = certificateTable({
    '92f81bc3-5811-4d3d-97ff-d19f88dc67ea': 'CRL',
    'c0b406a4-a803-4952-9743-3fb6014cd0ae': 'ARK',
    'a8074bc2-a25a-483e-aae6-39c045a0b8a1': 'VLEK',
    '4ab7b379-bbac-4fe4-a02f-05aef327c782': 'ASVK',
  })
  const { certificates, crl } = readCertificateTable(table) ?? { certificates: [] }
  expect(certificates.map((each) => Buffer.from(each).toString())).toEqual(['VLEK', 'ASVK', 'ARK'])
  expect(Buffer.from(crl ?? []).toString()).toBe('CRL')
})

test('evidence of SEV-SNP carries report and certificates', async () => {
  const made: Uint8Array[] = []
  const attester = openSnpAttester(undefined, async (data) => {
    made.push(data)
    return { provider: 'sev_guest', report: Uint8Array.of(7), auxiliary: TABLE }
  })
  const evidence = await attester.attest(subject)
  expect(evidence).toMatchObject({ level: 'hardware', format: 'amd-snp-v1' })
  expect(made).toEqual([reportData])
  const document = decodeSnpDocument(fromBase64(evidence.document) ?? new Uint8Array())
  expect(document.report).toEqual(Uint8Array.of(7))
  expect(document.certificates.map((part) => Buffer.from(part).toString())).toEqual(VCEK_ASK_ARK)
})

test('SEV-SNP without certificates, and another platform, are told apart', async () => {
  const bare = { provider: 'sev_guest', report: Uint8Array.of(7), auxiliary: new Uint8Array() }
  await expect(openSnpAttester(undefined, async () => bare).attest(subject)).rejects.toThrow(
    /does not provide the certificates/,
  )
  const tdx = { ...bare, provider: 'tdx_guest' }
  await expect(
    openSnpAttester({ certificates: [] }, async () => tdx).attest(subject),
  ).rejects.toThrow(/not an SEV-SNP guest/)
})

const collateral: IntelCollateral = {
  tcbInfo: '{}',
  tcbInfoSignature: Uint8Array.of(1),
  tcbInfoChain: [Uint8Array.of(2)],
  qeIdentity: '{}',
  qeIdentitySignature: Uint8Array.of(3),
  qeIdentityChain: [],
  rootCrl: Uint8Array.of(4),
  pckCrl: Uint8Array.of(5),
}

test('evidence of TDX carries quote and collateral', async () => {
  const attester = openTdxAttester(
    async () => collateral,
    async () => ({ provider: 'tdx_guest', report: Uint8Array.of(7), auxiliary: new Uint8Array() }),
  )
  const evidence = await attester.attest(subject)
  expect(evidence).toMatchObject({ level: 'hardware', format: 'intel-tdx-v1' })
  const document = decodeIntelDocument(fromBase64(evidence.document) ?? new Uint8Array())
  expect(document).toEqual({ quote: Uint8Array.of(7), collateral })
})

test('collateral that is none is refused with the name of its file', async () => {
  const file = join(folder, 'collateral.json')
  writeFileSync(file, '{"tcb_info": 1}')
  await expect(readCollateralFile(file)).rejects.toThrow(
    /collateral\.json is not valid Intel collateral/,
  )
})

/** A helper that answers any request with these bytes, and writes the request into a file. */
function helperThatAnswers(
  answer: CborValue,
  asked = join(folder, 'asked'),
): [string, ...string[]] {
  const hex = Buffer.from(encodeCbor(answer)).toString('hex')
  const program = `const fs = require('fs'); fs.writeFileSync(${JSON.stringify(asked)}, fs.readFileSync(0));
    process.stdout.write(Buffer.from('${hex}', 'hex'))`
  return [process.execPath, '-e', program]
}

test('evidence of Nitro is the document that the security module gives for hash and nonce', async () => {
  const asked = join(folder, 'asked')
  const answer = new Map([['Attestation', new Map([['document', Uint8Array.of(7, 8)]])]])
  const attester = openNitroAttester(helperThatAnswers(answer, asked), folder)
  expect(await attester.attest(subject)).toEqual({
    level: 'hardware',
    format: 'aws-nitro-v1',
    document: 'Bwg=',
  })
  expect(decodeCbor(new Uint8Array(readFileSync(asked)))).toEqual(
    new Map([
      [
        'Attestation',
        new Map<string, CborValue>([
          ['nonce', subject.nonce],
          ['user_data', subject.statementHash],
          ['public_key', null],
        ]),
      ],
    ]),
  )
})

test('what the security module or its helper refuses is passed on', async () => {
  const refuse = openNitroAttester(helperThatAnswers(new Map([['Error', 'InputTooLarge']])), folder)
  await expect(refuse.attest(subject)).rejects.toThrow(/InputTooLarge/)
  const fail = openNitroAttester(
    [process.execPath, '-e', 'console.error("no device"); process.exit(3)'],
    folder,
  )
  await expect(fail.attest(subject)).rejects.toThrow(/no device/)
  const missing = openNitroAttester([join(folder, 'no-such-program')], folder)
  await expect(missing.attest(subject)).rejects.toThrow(/ENOENT/)
})
