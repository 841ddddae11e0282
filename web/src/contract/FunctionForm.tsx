/** One function of a contract: its parameters as fields, and its result. */
import { useState, type FormEvent } from 'react'
import { Link } from '../app/Link.tsx'
import { paths } from '../app/routes.ts'
import { decodeRevert, selectorOf } from '../abi/book.ts'
import { decodeValues } from '../abi/decode.ts'
import { callData } from '../abi/encode.ts'
import { parseInput } from '../abi/input.ts'
import { itemsOf } from '../abi/store.ts'
import { AbiError, typeName, type AbiItem, type AbiValue } from '../abi/types.ts'
import { parseAmount } from '../format/amount.ts'
import { fieldOf } from '../format/form.ts'
import { hexToBytes } from '../format/hex.ts'
import { clip, oneLine, shorten } from '../format/text.ts'
import { useNode } from '../net/context.ts'
import { RpcError } from '../net/jsonRpc.ts'
import { DecodedView, Value } from '../parts/Values.tsx'
import { useWallets } from '../wallet/providers.ts'
import { sendWith } from '../wallet/send.ts'

type Outcome =
  | { readonly kind: 'values'; readonly values: readonly AbiValue[] }
  | { readonly kind: 'sent'; readonly hash: string }
  | { readonly kind: 'reverted'; readonly data: string; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }

function outcomeOf(error: unknown): Outcome {
  if (error instanceof RpcError && typeof error.data === 'string' && error.data.startsWith('0x'))
    return { kind: 'reverted', data: error.data, message: error.message }
  return { kind: 'failed', message: error instanceof Error ? error.message : String(error) }
}

function Outcomes({
  item,
  address,
  outcome,
}: {
  readonly item: AbiItem
  readonly address: string
  readonly outcome: Outcome
}) {
  switch (outcome.kind) {
    case 'values':
      return (
        <ul className="values">
          {outcome.values.map((value, index) => {
            const output = item.outputs[index]
            return output === undefined ? null : (
              // oxlint-disable-next-line react/no-array-index-key
              <li key={index}>
                <span className="soft">
                  <bdi>{oneLine(output.name, 40)}</bdi>{' '}
                  <code>{clip(typeName(output.type), 40)}</code>
                </span>{' '}
                <Value type={output.type} value={value} />
              </li>
            )
          })}
          {outcome.values.length === 0 && <li className="soft">No return value.</li>}
        </ul>
      )
    case 'sent':
      return (
        <p>
          Sent:{' '}
          <Link to={paths.transaction(outcome.hash)} className="hash">
            {shorten(outcome.hash)}
          </Link>
        </p>
      )
    case 'reverted': {
      const decoded = decodeRevert(itemsOf, address, outcome.data)
      return (
        <div className="verdict verdict-bad">
          <strong>Would revert</strong>
          {decoded === undefined ? (
            <p>{oneLine(outcome.message, 300)}</p>
          ) : (
            <DecodedView decoded={decoded} />
          )}
        </div>
      )
    }
    default:
      return (
        <p className="problem">
          <bdi>{oneLine(outcome.message, 300)}</bdi>
        </p>
      )
  }
}

/** The function, collapsed until it is opened. */
export function FunctionForm({
  address,
  item,
}: {
  readonly address: string
  readonly item: AbiItem
}) {
  const node = useNode()
  const wallets = useWallets()
  const [outcome, setOutcome] = useState<Outcome>()
  const [isBusy, setBusy] = useState(false)

  const run = async (form: FormData): Promise<Outcome> => {
    const types = item.inputs.map((input) => input.type)
    const values = types.map((type, index) => parseInput(type, fieldOf(form, `input-${index}`)))
    const data = callData(selectorOf(item), types, values)
    if (item.isView) {
      const answer = String(await node.ethereum('eth_call', [{ to: address, data }, 'latest']))
      return {
        kind: 'values',
        values: decodeValues(
          item.outputs.map((output) => output.type),
          hexToBytes(answer),
        ),
      }
    }
    const wallet = wallets.find(({ id }) => id === fieldOf(form, 'wallet')) ?? wallets[0]
    if (wallet === undefined) throw new AbiError('no wallet found')
    const value = item.isPayable ? parseAmount(fieldOf(form, 'value')) : 0n
    if (value === undefined) throw new AbiError('the value is not an amount')
    return {
      kind: 'sent',
      hash: await sendWith(wallet.provider, node, { to: address, data, value }),
    }
  }

  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    setBusy(true)
    setOutcome(undefined)
    run(new FormData(event.currentTarget))
      .catch(outcomeOf)
      .then((result) => {
        setOutcome(result)
        setBusy(false)
      })
      .catch(() => undefined)
  }

  const cannotSend = !item.isView && wallets.length === 0
  return (
    <details className="function">
      <summary>
        <code>
          <bdi>{oneLine(item.name, 60)}</bdi>
        </code>
      </summary>
      <form className="fields" onSubmit={submit}>
        {item.inputs.map((input, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <label key={index} className="wide">
            <span>
              <bdi>{oneLine(input.name === '' ? `#${index}` : input.name, 40)}</bdi>{' '}
              <code className="soft">{clip(typeName(input.type), 60)}</code>
            </span>
            <input name={`input-${index}`} className="hash" spellCheck={false} autoComplete="off" />
          </label>
        ))}
        {item.isPayable && (
          <label>
            Value, in whole units
            <input name="value" defaultValue="0" inputMode="decimal" />
          </label>
        )}
        {!item.isView && wallets.length > 1 && (
          <label>
            Wallet
            <select name="wallet">
              {wallets.map(({ id, name }) => (
                <option key={id} value={id}>
                  {oneLine(name, 60)}
                </option>
              ))}
            </select>
          </label>
        )}
        <button type="submit" className="button" disabled={isBusy || cannotSend}>
          {isBusy ? 'Working…' : item.isView ? 'Query' : 'Send'}
        </button>
        {cannotSend && <p className="soft">This requires a browser wallet (EIP-6963).</p>}
      </form>
      <div aria-live="polite">
        {outcome !== undefined && <Outcomes item={item} address={address} outcome={outcome} />}
      </div>
    </details>
  )
}
