/** Decoded values of calls, events and errors. */
import type { AbiType, AbiValue } from '../abi/types.ts'
import { typeName } from '../abi/types.ts'
import type { Decoded } from '../abi/book.ts'
import { clip, oneLine } from '../format/text.ts'
import { Badge } from './Badge.tsx'
import { AddressLink } from './Names.tsx'
import { Untrusted, UntrustedText } from './Untrusted.tsx'

const MAX_LISTED = 50
const MAX_HEX = 400
const LONG_TEXT = 120

/** One value of a type. */
export function Value({ type, value }: { readonly type: AbiType; readonly value: AbiValue }) {
  if (Array.isArray(value)) return <List type={type} values={value as readonly AbiValue[]} />
  if (type.kind === 'address' && typeof value === 'string')
    return <AddressLink address={value} isWhole />
  if (type.kind === 'string' && typeof value === 'string')
    return value.length > LONG_TEXT ? (
      <UntrustedText text={value} label="Text" />
    ) : (
      <q className="text-value">
        <Untrusted text={value} limit={LONG_TEXT} />
      </q>
    )
  return <span className="hash whole">{clip(String(value), MAX_HEX)}</span>
}

function List({ type, values }: { readonly type: AbiType; readonly values: readonly AbiValue[] }) {
  const typeAt = (index: number): AbiType | undefined =>
    type.kind === 'tuple' ? type.fields[index]?.type : type.kind === 'array' ? type.item : undefined
  if (values.length === 0) return <span className="soft">none</span>
  return (
    <ol className="values" start={0}>
      {values.slice(0, MAX_LISTED).map((value, index) => {
        const inner = typeAt(index)
        return (
          // The place in the list is all that a value has of a name.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index}>{inner === undefined ? null : <Value type={inner} value={value} />}</li>
        )
      })}
      {values.length > MAX_LISTED && (
        <li className="soft">and {values.length - MAX_LISTED} more</li>
      )}
    </ol>
  )
}

/** A name with its values, and whether it is a guess. */
export function DecodedView({ decoded }: { readonly decoded: Decoded }) {
  const { item, inputs, values, isGuess } = decoded
  return (
    <div className="decoded">
      <p>
        <code className="decoded-name">
          <bdi>{oneLine(item.name, 60)}</bdi>
        </code>
        {isGuess && (
          <>
            {' '}
            <Badge tone="warn">guessed</Badge>{' '}
            <span className="soft">
              from a well-known signature; this contract has no known ABI
            </span>
          </>
        )}
      </p>
      {inputs.length > 0 && (
        <table className="rows arguments">
          <thead className="visually-hidden">
            <tr>
              <th scope="col">Parameter</th>
              <th scope="col">Type</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {inputs.map((input, index) => (
              // oxlint-disable-next-line react/no-array-index-key
              <tr key={index}>
                <td>
                  <bdi>{oneLine(input.name === '' ? `#${index}` : input.name, 40)}</bdi>
                </td>
                <td className="soft">
                  <code>{clip(typeName(input.type), 60)}</code>
                </td>
                <td>
                  <Value type={input.type} value={values[index] ?? ''} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}

/** Bytes that nothing is known of. */
export function Bytes({ hex, label }: { readonly hex: string; readonly label: string }) {
  return hex.length > MAX_HEX ? (
    <UntrustedText text={hex} label={label} />
  ) : (
    <span className="hash whole">{hex}</span>
  )
}
