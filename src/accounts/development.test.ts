import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { expect, test } from 'vitest'
import { DEVELOPMENT_MNEMONIC, developmentKeys } from './development.ts'

// Holds D40.
test('the keys are the first ten of the Ethereum path of the mnemonic', () => {
  const parent = HDKey.fromMasterSeed(mnemonicToSeedSync(DEVELOPMENT_MNEMONIC)).derive(
    "m/44'/60'/0'/0",
  )
  const derived = Array.from({ length: 10 }, (_, index) => parent.deriveChild(index).privateKey)
  expect(developmentKeys()).toEqual(derived)
})

test('a caller that wipes a key harms nobody else', () => {
  developmentKeys()[0]!.fill(0)
  expect(developmentKeys()[0]).not.toEqual(new Uint8Array(32))
})
