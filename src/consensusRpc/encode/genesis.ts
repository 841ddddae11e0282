/**
 * The genesis document as CometBFT serves it: genesis.json without white space, and with the defaults that it omits.
 */
import { toUpperHexDigits } from '../../base/hex.ts'
import type { ConsensusReader } from '../../consensus/engine.ts'
import { paramsJson, parseGenesis } from '../../consensus/files/genesis.ts'
import { publicKeyJson } from '../../consensus/files/keys.ts'
import { formatTime } from '../../proof/comet/time.ts'
import { decimal } from './primitive.ts'

function documentOf(text: string): string {
  const genesis = parseGenesis('genesis.json', text)
  const json = JSON.parse(text) as {
    readonly validators: readonly { readonly name?: string }[]
    readonly app_state?: unknown
  }
  return JSON.stringify({
    genesis_time: formatTime(genesis.timeNs),
    chain_id: genesis.chainId,
    initial_height: decimal(genesis.initialHeight),
    consensus_params: paramsJson(genesis.params),
    // A single validator (D20), so its order cannot differ.
    validators: genesis.validators.map(({ address, publicKey, power }, at) => ({
      address: toUpperHexDigits(address),
      pub_key: publicKeyJson(publicKey),
      power: decimal(power),
      name: json.validators[at]?.name ?? '',
    })),
    app_hash: toUpperHexDigits(genesis.appHash),
    ...(json.app_state === undefined ? {} : { app_state: json.app_state }),
  })
}

const documents = new WeakMap<object, string>()

/** JSON text of a node's genesis document, which never changes. */
export function genesisDocumentText(reader: Pick<ConsensusReader, 'genesisJson'>): string {
  let document = documents.get(reader)
  if (document === undefined) {
    document = documentOf(reader.genesisJson())
    documents.set(reader, document)
  }
  return document
}
