/**
 * The validator's key at a signer elsewhere, such as TMKMS or Horcrux, for the embedded engine (D98). What it returns is
 * checked: the signature is the validator's, over what was asked for.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { backOff } from '../../base/backOff.ts'
import { verifyEd25519 } from '../../base/ed25519.ts'
import { UserError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { sha256 } from '../../base/sha256.ts'
import { equalBlockIds } from '../../proof/comet/blockId.ts'
import { addressOfPublicKey } from '../../proof/comet/validators.ts'
import { voteSignBytes, type Vote } from '../../proof/comet/vote.ts'
import type { BlockSigner } from '../embedded/sign.ts'
import type { WireVote } from './messages.ts'
import type { Signed } from './signRules.ts'
import {
  SigningStoppedError,
  startSignerListener,
  type SignerAddress,
  type SignerListener,
} from './signerListener.ts'

const NOTHING = new Uint8Array(0)

export type RemoteSignerOptions = {
  /** Where the signer connects. */
  readonly address: SignerAddress
  readonly chainId: string
  readonly log: Log
  /** Ends every wait for the signer. */
  readonly signal: AbortSignal
}

export type RemoteSigner = BlockSigner & {
  /** Where it listens, with the actual port. */
  readonly url: string
  /** Whether the signer is connected. Nothing is signed while it is away. */
  isConnected(): boolean
  close(): Promise<void>
}

async function askKey(listener: SignerListener, chainId: string): Promise<Uint8Array> {
  const { answer } = await listener.ask({ type: 'pubKeyRequest', chainId }, 'pubKeyResponse')
  if ('error' in answer)
    throw new UserError(
      `the remote signer does not give its public key: ${answer.error.description}`,
      `Configure it for chain ${chainId}.`,
    )
  return answer.publicKey
}

/** Why a returned vote is not the one that was asked for; undefined if it is. */
function faultOf(
  wanted: Vote,
  got: WireVote,
  chainId: string,
  publicKey: Uint8Array,
): string | undefined {
  const isSame =
    got.type === wanted.type &&
    got.height === wanted.height &&
    got.round === wanted.round &&
    equalBlockIds(got.blockId, wanted.blockId)
  if (!isSame) return 'it returned another vote than it was asked to sign'
  const signBytes = voteSignBytes(chainId, { ...wanted, timeNs: got.timeNs })
  return verifyEd25519(publicKey, signBytes, got.signature)
    ? undefined
    : "its signature is not one of the validator's key"
}

/**
 * Listens, and resolves once a signer has told its public key. Rejects with UserError, or with SigningStoppedError when
 * the node stops before.
 */
export async function openRemoteSigner(options: RemoteSignerOptions): Promise<RemoteSigner> {
  const { chainId, log, signal } = options
  const listener = await startSignerListener(options.address, log, signal)
  let publicKey: Uint8Array
  try {
    publicKey = await askKey(listener, chainId)
  } catch (error) {
    await listener.close()
    throw error
  }
  const address = addressOfPublicKey(sha256, publicKey)

  async function attempt(vote: Vote): Promise<Signed | string> {
    const request: WireVote = {
      ...vote,
      validatorAddress: address,
      validatorIndex: 0,
      signature: NOTHING,
      extension: NOTHING,
      extensionSignature: NOTHING,
    }
    const { answer } = await listener.ask(
      { type: 'signVoteRequest', vote: request, chainId },
      'signedVoteResponse',
    )
    if ('error' in answer) return answer.error.description
    const fault = faultOf(vote, answer.vote, chainId, publicKey)
    if (fault === undefined)
      return { signature: Uint8Array.from(answer.vote.signature), timeNs: answer.vote.timeNs }
    listener.drop(fault)
    return fault
  }

  return {
    publicKey,
    address,
    isRemote: true,
    url: listener.url,
    isConnected: listener.isConnected,
    async sign(vote) {
      let last = ''
      for (let tries = 0; ; tries++) {
        const result = await attempt(vote)
        if (typeof result !== 'string') return result
        if (result !== last)
          log.error(
            { height: vote.height, reason: result },
            `the remote signer does not sign block ${vote.height}: ${result}. The chain waits; if another node signs with this key, stop one of them.`,
          )
        last = result
        await sleep(backOff(tries), undefined, { signal }).catch(() => {
          throw new SigningStoppedError('the node is stopping')
        })
      }
    },
    close: () => listener.close(),
  }
}
