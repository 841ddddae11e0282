/**
 * The application's responses as JSON. CometBFT has two serialisers: one writes every field, the other drops fields
 * with zero values. Which one applies depends on where a value occurs, so both forms exist here.
 */
import type {
  ApplicationEvent,
  CheckTxResponse,
  ConsensusParams,
  ExecTxResult,
  FinalizeBlockResponse,
  InfoResponse,
  QueryResponse,
  ValidatorUpdate,
} from '../../consensus/application.ts'
import { base64, decimal, omitEmpty } from './primitive.ts'

/** An event; attributes keep all their fields in both forms. */
export function encodeEvent({ type, attributes }: ApplicationEvent): object {
  return {
    type,
    attributes: attributes.map(({ key, value, index }) => ({ key, value, index })),
  }
}

function resultFields(result: ExecTxResult): Record<string, unknown> {
  return {
    code: result.code,
    data: base64(result.data),
    log: result.log,
    info: result.info,
    gas_wanted: decimal(result.gasWanted),
    gas_used: decimal(result.gasUsed),
    events: result.events.map(encodeEvent),
    codespace: result.codespace,
  }
}

/** The full form: `tx`, `block_results`, `broadcast_tx_commit`, and inside NewBlock events. */
export function encodeTxResult(result: ExecTxResult): object {
  return resultFields(result)
}

/** The short form: inside Tx events. */
export function encodeTxResultShort(result: ExecTxResult): object {
  return omitEmpty(resultFields(result))
}

/** The result of a transaction that was never executed. */
export const NO_TX_RESULT: ExecTxResult = {
  code: 0,
  data: new Uint8Array(0),
  log: '',
  info: '',
  gasWanted: 0n,
  gasUsed: 0n,
  events: [],
  codespace: '',
}

/** The response to CheckTx, in full. */
export function encodeCheckTx(response: CheckTxResponse): object {
  return {
    code: response.code,
    data: base64(response.data),
    log: response.log,
    info: '',
    gas_wanted: decimal(response.gasWanted),
    gas_used: decimal(response.gasUsed),
    events: [],
    codespace: response.codespace,
  }
}

/** The response to Query, in full. */
export function encodeQuery(response: QueryResponse): object {
  return {
    code: response.code,
    log: response.log,
    info: response.info,
    index: decimal(response.index),
    key: base64(response.key),
    value: base64(response.value),
    proofOps: null,
    height: decimal(response.height),
    codespace: response.codespace,
  }
}

/** The response to Info, in the short form. */
export function encodeInfo(response: InfoResponse): object {
  return omitEmpty({
    data: response.data,
    version: response.version,
    app_version: decimal(response.appVersion),
    last_block_height: decimal(response.lastBlockHeight),
    last_block_app_hash: base64(response.lastBlockAppHash),
  })
}

/** A change of a validator's power, in the short form. */
export function encodeValidatorUpdate({ publicKey, power }: ValidatorUpdate): object {
  return omitEmpty({
    pub_key: {
      Sum: { type: 'tendermint.crypto.PublicKey_Ed25519', value: { ed25519: base64(publicKey) } },
    },
    power: decimal(power),
  })
}

/** The consensus parameters that the application changed; null when it changed none. */
export function encodeConsensusParamUpdates(params: ConsensusParams | undefined): object | null {
  if (params === undefined) return null
  const { block, evidence, validator, version, abci } = params
  return {
    block: omitEmpty({ max_bytes: decimal(block.maxBytes), max_gas: decimal(block.maxGas) }),
    evidence: {
      ...omitEmpty({ max_age_num_blocks: decimal(evidence.maxAgeNumBlocks) }),
      max_age_duration: decimal(evidence.maxAgeDurationNs),
      ...omitEmpty({ max_bytes: decimal(evidence.maxBytes) }),
    },
    validator: omitEmpty({ pub_key_types: validator.publicKeyTypes }),
    version: omitEmpty({ app: decimal(version.app) }),
    abci: omitEmpty({
      vote_extensions_enable_height: decimal(abci.voteExtensionsEnableHeight),
    }),
  }
}

/** `result_finalize_block` of NewBlock events: in the short form, with full transaction results. */
export function encodeFinalizeBlock(response: FinalizeBlockResponse): object {
  return {
    ...omitEmpty({
      events: response.events.map(encodeEvent),
      tx_results: response.txResults.map(encodeTxResult),
    }),
    validator_updates: response.validatorUpdates.map(encodeValidatorUpdate),
    ...omitEmpty({
      consensus_param_updates: encodeConsensusParamUpdates(response.consensusParamUpdates),
      app_hash: base64(response.appHash),
    }),
  }
}
