/** Edits of the state, each in a block of its own, and impersonated accounts. */
import { z } from 'zod'
import { padLeft } from '../../../base/bytes.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { address, data } from '../../../wire/schema.ts'
import { decodeStorageKey, storageKey } from '../../parameters/storageKey.ts'
import { amount, doneResult, type DevelopmentParts } from './method.ts'

export const setBalance = method({
  summary: 'Sets the balance of an account.',
  params: { address, balance: amount },
  result: doneResult,
  handler: ({ development }: DevelopmentParts, { address, balance }) =>
    development.edit({ address, balance }),
})

export const addBalance = method({
  summary: 'Adds to the balance of an account.',
  params: { address, amount },
  result: doneResult,
  handler: ({ development, chain }: DevelopmentParts, { address, amount: more }) => {
    const present = chain.stateAt(chain.latestHeight()).account(address)?.balance ?? 0n
    return development.edit({ address, balance: present + more })
  },
})

export const setNonce = method({
  summary: 'Sets the nonce of an account.',
  params: { address, nonce: amount },
  result: doneResult,
  handler: ({ development }: DevelopmentParts, { address, nonce }) =>
    development.edit({ address, nonce }),
})

export const setCode = method({
  summary: 'Sets the code of an account.',
  params: { address, code: data },
  result: doneResult,
  handler: ({ development }: DevelopmentParts, { address, code }) =>
    development.edit({ address, code }),
})

export const setStorageAt = method({
  summary: 'Sets a storage slot of an account.',
  params: { address, slot: storageKey, value: data },
  result: doneResult,
  handler: ({ development, chain }: DevelopmentParts, { address, slot, value }) => {
    if (value.length > 32) throw new RpcError('invalidParams', 'a value has at most 32 bytes')
    const present = chain.stateAt(chain.latestHeight()).account(address)
    return development.edit({
      address,
      // An account with nothing but storage would be deleted when first touched (EIP-161).
      ...(present === undefined && { nonce: 1n }),
      slots: [[decodeStorageKey(slot), padLeft(value, 32)]],
    })
  },
})

export const impersonateAccount = method({
  summary: 'Lets anyone send transactions from an account without its key.',
  params: { address },
  result: doneResult,
  handler: ({ development }: DevelopmentParts, { address }) =>
    development.setImpersonated(address, true),
})

export const stopImpersonatingAccount = method({
  summary: 'Stops the impersonation of an account.',
  params: { address },
  result: doneResult,
  handler: ({ development }: DevelopmentParts, { address }) =>
    development.setImpersonated(address, false),
})

export const autoImpersonateAccount = method({
  summary: 'Turns the impersonation of all accounts on or off.',
  params: { isOn: z.boolean() },
  result: doneResult,
  handler: ({ development }: DevelopmentParts, { isOn }) => development.setAllImpersonated(isOn),
})
