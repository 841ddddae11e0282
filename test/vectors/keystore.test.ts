/** KeyStoreTests of ethereum/tests: key files of other wallets, with their passphrases and keys. */
import { expect, test } from 'vitest'
import { decryptKeyFile, parseKeyFile } from '../../src/accounts/keyFile.ts'
import { toHexDigits } from '../../src/base/hex.ts'
import { vectorFiles } from '../support/vectors.ts'

type Case = { readonly json: object; readonly password: string; readonly priv: string }

const cases = vectorFiles('ethereum-tests/KeyStoreTests', '.json').flatMap(({ content }) =>
  Object.entries(JSON.parse(content.toString()) as Record<string, Case>),
)
if (cases.length > 0) console.log(`key store: ${cases.length} cases`)

test.each(cases)('the key file %s opens with its passphrase only', async (_, vector) => {
  const file = parseKeyFile(JSON.stringify(vector.json))
  if (file === undefined) throw new Error('not recognised as a key file')
  expect(toHexDigits(await decryptKeyFile(file, vector.password))).toBe(vector.priv)
  await expect(decryptKeyFile(file, `${vector.password}?`)).rejects.toMatchObject({
    code: 'wrong-passphrase',
  })
})
