/** The operator's half of the login (protocol.ts): both sides prove their keys before anything else is sent. */
import { randomBytes } from 'node:crypto'
import { toHex } from '../../base/hex.ts'
import type { SelectionRange } from '../../proof/vrfSelection.ts'
import {
  commonProtocol,
  FEATURES,
  loginText,
  PROTOCOLS,
  type FromDispatcher,
  type FromOperator,
  type Protocol,
} from '../protocol.ts'
import { shortOffer, type Offer } from './offers.ts'
import { recoverSigner, signDigest, textDigest } from '../signature.ts'

/** Who logs in where. Addresses have 20 bytes, the key 32. */
export type Identity = {
  readonly address: Uint8Array
  readonly privateKey: Uint8Array
  readonly dispatcher: Uint8Array
}

type Message<Type> = Extract<FromDispatcher, { type: Type }>
type Hello = Extract<FromOperator, { type: 'hello' }>

/** The login did not succeed; the message says which side was rejected and why. */
export class LoginError extends Error {
  override readonly name = 'LoginError'
}

/** A login in progress: the message to send, and the check of the reply. */
export type Login = {
  readonly hello: Hello
  /** The newest version of the protocol that both sides speak. */
  readonly protocol: Protocol
  /** The range of the session. Throws LoginError when the dispatcher does not prove its address. */
  finish(welcome: Message<'welcome'>): SelectionRange
}

/**
 * Answers a challenge. `registered` is the operator's range in the registry: the dispatcher must assign the same.
 * Throws LoginError when it is from a different dispatcher, or when there is no common version of the protocol.
 */
export function beginLogin(
  challenge: Message<'challenge'>,
  identity: Identity,
  offer: Offer,
  registered?: SelectionRange,
): Login {
  const dispatcher = toHex(identity.dispatcher)
  const offered = challenge.protocols ?? [challenge.protocol]
  const protocol = commonProtocol(offered)
  if (protocol === undefined)
    throw new LoginError(
      `the dispatcher speaks protocol ${offered.join(', ')}, but this operator speaks ${PROTOCOLS.join(', ')}`,
    )
  if (challenge.dispatcher !== dispatcher)
    throw new LoginError(
      `dispatcher_address does not match the dispatcher, ${challenge.dispatcher}`,
    )
  const bound = {
    protocol,
    dispatcher,
    operator: toHex(identity.address),
    dispatcherNonce: challenge.nonce,
    operatorNonce: randomBytes(32).toString('hex'),
  }
  return {
    protocol,
    hello: {
      type: 'hello',
      protocol,
      operator: bound.operator,
      nonce: bound.operatorNonce,
      workers: [...offer.workers],
      ...shortOffer(offer, challenge.takesIdentities ?? false),
      slots: offer.slots,
      features: [...FEATURES],
      signature: signDigest(
        textDigest(loginText({ role: 'operator', ...bound })),
        identity.privateKey,
      ),
    },
    finish(welcome) {
      const signer = recoverSigner(
        textDigest(loginText({ role: 'dispatcher', ...bound })),
        welcome.signature,
      )
      if (signer !== dispatcher)
        throw new LoginError(`the dispatcher did not prove that it is ${dispatcher}`)
      const { start, end, max } = welcome.range
      if (start > end || end > max)
        throw new LoginError(`the dispatcher sent an invalid range: ${start} to ${end} of ${max}`)
      const own = registered ?? welcome.range
      if (start !== own.start || end !== own.end || max !== own.max)
        throw new LoginError(
          `the dispatcher sent the range ${start} to ${end} of ${max}, but the registry has ${own.start} to ${own.end} of ${own.max}`,
        )
      return welcome.range
    },
  }
}
