/** Rows of personal methods whose words no unit test has in full. */
import { privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { errorOf, expectMatch, ADDRESS, HASH, type Rows } from './world.ts'

export const PERSONAL: Rows = {
  async 'personal_importRawKey | [privkey: hex string without prefix, required; password: string, required] | address of new account; key stored encrypted with the password'({
    askPrivately,
  }) {
    const digits = '5e'.repeat(32)
    const { address } = privateKeyToAccount(`0x${digits}`)
    const given = await askPrivately('personal_importRawKey', digits, 'word')
    expect(given).toBe(address.toLowerCase())
    expect(await askPrivately('personal_unlockAccount', given, 'word', 1)).toBe(true)
    const wrong = askPrivately('personal_unlockAccount', given, 'other', 1)
    expect(await errorOf(wrong)).toMatchObject({ code: -32000 })
    expect(await errorOf(askPrivately('personal_importRawKey', digits))).toMatchObject({
      code: -32602,
    })
  },
  async 'personal_lockAccount | [address] | boolean'({ ask, askPrivately }) {
    const account = await askPrivately('personal_newAccount', 'word')
    await askPrivately('personal_unlockAccount', account, 'word', 0)
    expect(await askPrivately('personal_lockAccount', account)).toBe(true)
    expect(await errorOf(ask('eth_sign', account, '0x00'))).toMatchObject({ code: -32000 })
  },
  async 'personal_unlockAccount | [address, passphrase, duration in seconds] | boolean'({
    ask,
    askPrivately,
  }) {
    const account = await askPrivately('personal_newAccount', 'word')
    expectMatch(account, ADDRESS)
    expect(await askPrivately('personal_unlockAccount', account, 'word', 60)).toBe(true)
    expectMatch(await ask('eth_sign', account, '0x00'), /^0x/)
  },
  async 'personal_initializeWallet | [url: string, required] | new private key'({ askPrivately }) {
    const url = `keystore://specification-${process.pid}`
    expectMatch(await askPrivately('personal_initializeWallet', url), HASH)
    expect(await errorOf(askPrivately('personal_initializeWallet'))).toMatchObject({ code: -32602 })
  },
}
