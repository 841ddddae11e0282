import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEvidencePolicy } from './evidencePolicy.ts'

const file = join(mkdtempSync(join(tmpdir(), 'assay-policy-')), 'policy.json')

function read(policy: unknown) {
  writeFileSync(file, JSON.stringify(policy))
  return readEvidencePolicy(file)
}

const PCR = 'ab'.repeat(48)

test('a policy names kinds of hardware, what may run there, and how good firmware must be', () => {
  const policy = {
    nitro: { measurements: [{ pcr0: PCR, pcr8: PCR }] },
    tdx: { measurements: [{ mrtd: PCR }], tcbStatuses: ['UpToDate', 'SWHardeningNeeded'] },
    snp: {
      measurements: [{ measurement: PCR }],
      maxVmpl: 1,
      vlekProviders: ['AWS'],
      requireCrl: true,
    },
    sgx: { measurements: [{ mrsigner: PCR }], isvProdId: 1, minimumIsvSvn: 3 },
  }
  expect(read(policy)).toEqual(policy)
  expect(read({})).toEqual({})
})

test.each([
  ['an unknown kind', { trustzone: {} }, /trustzone/],
  ['no measurement', { nitro: { measurements: [] } }, /measurements/],
  ['an entry without registers', { nitro: { measurements: [{}] } }, /names no register/],
  ['an unknown register', { nitro: { measurements: [{ pcr32: PCR }] } }, /register|pcr32/],
  [
    'a signer of SGX without product and version',
    { sgx: { measurements: [{ mrsigner: PCR }], isvProdId: 1 } },
    /minimumIsvSvn/,
  ],
  [
    'upper-case digits',
    { snp: { measurements: [{ measurement: 'AB'.repeat(48) }] } },
    /hex digits/,
  ],
  [
    'an unknown state',
    { tdx: { measurements: [{ mrtd: PCR }], tcbStatuses: ['Fine'] } },
    /tcbStat/,
  ],
])('%s is refused by name', (_name, policy, reason) => {
  expect(() => read(policy)).toThrow(reason)
})

test('a file that is missing is named', () => {
  expect(() => readEvidencePolicy(`${file}.missing`)).toThrow(/policy\.json\.missing/)
})
