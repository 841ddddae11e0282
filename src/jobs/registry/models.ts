/** The registry of models (contracts/ModelRegistry.sol) over a chain's JSON-RPC (D147). */
import { equalBytes, utf8 } from '../../base/bytes.ts'
import { fromHex, toHex, type Hex } from '../../base/hex.ts'
import { isModelName } from '../../base/modelName.ts'
import { decodeInteger, decodeWords, encodeCall } from '../onchain/abi.ts'
import type { EvmChain } from '../onchain/chain.ts'
import type { KnownModel } from '../otherFile.ts'

const WORD = 32
const NAME_WORDS = 8
/** Maximum length of a name there, in bytes of UTF-8. */
export const MAX_NAME_BYTES = NAME_WORDS * WORD
const ZERO = new Uint8Array(WORD)
const SET = 'set(bytes32[8],bytes32,bytes32,bytes32,bytes32)'

/** An entry; undefined `model`: not registered any more. */
export type ChainModel = { readonly name: string; readonly model: KnownModel | undefined }

/** Call data that sets an entry of the sender's list; without a model the name is not registered any more. Throws RangeError. */
export function setModelCall(name: string, model: KnownModel | undefined): Uint8Array {
  const bytes = utf8(name)
  if (!isModelName(name) || bytes.length > MAX_NAME_BYTES)
    throw new RangeError(
      `a name on the chain has at most ${MAX_NAME_BYTES} bytes of UTF-8, and neither pin nor control characters`,
    )
  const padded = new Uint8Array(MAX_NAME_BYTES)
  padded.set(bytes)
  const words = Array.from({ length: NAME_WORDS }, (_, at) =>
    padded.subarray(at * WORD, (at + 1) * WORD),
  )
  const hash = (value: string | null | undefined): Uint8Array =>
    value === undefined || value === null ? ZERO : fromHex(value)
  const { sha256, modelRoot, templateHash, tokenListHash } = model ?? {}
  return encodeCall(SET, ...words, ...[sha256, modelRoot, templateHash, tokenListHash].map(hash))
}

/** How often a registrar has changed its list. Rejects with RangeError where there is no such contract. */
export async function modelsVersion(
  chain: EvmChain,
  contract: Uint8Array,
  registrar: Uint8Array,
): Promise<bigint> {
  return decodeInteger(await chain.view(contract, encodeCall('versions(address)', registrar)))
}

/** The list of a registrar, at most `limit` entries; those whose names no job could have are left out. */
export async function readChainModels(
  chain: EvmChain,
  contract: Uint8Array,
  registrar: Uint8Array,
  limit: number,
): Promise<readonly ChainModel[]> {
  const count = decodeInteger(await chain.view(contract, encodeCall('countOf(address)', registrar)))
  const models: ChainModel[] = []
  for (let at = 0; at < Math.min(Number(count), limit); at++) {
    const call = encodeCall('modelAt(address,uint256)', registrar, at)
    const words = decodeWords(await chain.view(contract, call), NAME_WORDS + 4)
    const entry = entryOf(words)
    if (entry !== undefined) models.push(entry)
  }
  return models
}

function entryOf(words: readonly Uint8Array[]): ChainModel | undefined {
  const bytes = Buffer.concat(words.slice(0, NAME_WORDS))
  const end = bytes.indexOf(0)
  const name = bytes.subarray(0, end === -1 ? bytes.length : end).toString()
  // What is not UTF-8 is another name when it is written again.
  if (!isModelName(name) || !equalBytes(utf8(name), bytes.subarray(0, utf8(name).length)))
    return undefined
  const [sha256, modelRoot, templateHash, tokenListHash] = words
    .slice(NAME_WORDS)
    .map((word): Hex | undefined => (equalBytes(word, ZERO) ? undefined : toHex(word)))
  const model =
    sha256 === undefined ? undefined : { sha256, modelRoot, templateHash, tokenListHash }
  return { name, model }
}
