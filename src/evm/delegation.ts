/** EIP-7702: accounts that let another account's code run for them. */
import { bigintToBytes, concatBytes, equalBytes, EMPTY_BYTES } from '../base/bytes.ts'
import { keccak256 } from '../base/keccak.ts'
import { encodeRlp } from '../base/rlp.ts'
import { recoverSender } from './recover.ts'
import { AUTHORIZATION_REFUND } from './gas.ts'
import type { Overlay } from './overlay.ts'
import type { Authorization } from './transactable.ts'
import { EMPTY_CODE_HASH } from './types.ts'

const PREFIX = Uint8Array.of(0xef, 0x01, 0x00)
const MAGIC = Uint8Array.of(0x05)
const MAX_NONCE = 2n ** 64n - 1n

/** Whether code is a delegation designator: 0xef0100 and an address. */
export function isDelegation(code: Uint8Array): boolean {
  return code.length === 23 && equalBytes(code.subarray(0, 3), PREFIX)
}

/** The account whose code runs instead, when code is a delegation designator. */
export function delegationTarget(code: Uint8Array): Uint8Array | undefined {
  return isDelegation(code) ? code.subarray(3) : undefined
}

/** The digest that an authority signs. */
export function authorizationHash(
  authorization: Pick<Authorization, 'chainId' | 'address' | 'nonce'>,
): Uint8Array {
  const { chainId, address, nonce } = authorization
  return keccak256(
    concatBytes(MAGIC, encodeRlp([bigintToBytes(chainId), address, bigintToBytes(nonce)])),
  )
}

/** The account that signed an authorization, or undefined if its signature is invalid. */
export function authorityOf(authorization: Authorization): Uint8Array | undefined {
  const { yParity, r, s } = authorization
  return recoverSender(authorizationHash(authorization), yParity, r, s)
}

/** Result of processing an authorization list. */
export type Authorized = {
  /** Recovered authorities, which are warm from then on. */
  readonly authorities: readonly Uint8Array[]
  readonly gasRefund: bigint
}

/** Sets the delegations of valid tuples in the overlay; invalid tuples are skipped, as the EIP requires. */
export function applyAuthorizations(
  list: readonly Authorization[],
  chainId: bigint,
  world: Overlay,
): Authorized {
  const authorities: Uint8Array[] = []
  let gasRefund = 0n
  for (const authorization of list) {
    if (authorization.chainId !== 0n && authorization.chainId !== chainId) continue
    if (authorization.nonce >= MAX_NONCE) continue
    const authority = authorityOf(authorization)
    if (authority === undefined) continue
    authorities.push(authority)
    const account = world.account(authority)
    const code = account === undefined ? EMPTY_BYTES : world.code(account.codeHash)
    if (code.length > 0 && !isDelegation(code)) continue
    if ((account?.nonce ?? 0n) !== authorization.nonce) continue
    if (account !== undefined) gasRefund += AUTHORIZATION_REFUND
    const revokes = authorization.address.every((byte) => byte === 0)
    const designator = concatBytes(PREFIX, authorization.address)
    const next = {
      nonce: authorization.nonce + 1n,
      balance: account?.balance ?? 0n,
      codeHash: revokes ? EMPTY_CODE_HASH : keccak256(designator),
    }
    world.setAccount(authority, next, revokes ? undefined : designator)
  }
  return { authorities, gasRefund }
}
