/** State variables of a contract in solc's storage layout: genesis fills a contract without running it. */
import { bigintToFixedBytes, bytesToBigint, concatBytes, padLeft } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'

type Place = {
  readonly label: string
  /** Of the variable, or within its struct. */
  readonly slot: string
  /** Bytes from the low end of the slot. */
  readonly offset: number
  readonly type: string
}

type LayoutType = {
  readonly encoding: string
  readonly numberOfBytes: string
  readonly members?: readonly Place[]
  /** Of a mapping. */
  readonly value?: string
  /** Of an array. */
  readonly base?: string
}

/** `storageLayout` of solc's output. */
export type StorageLayout = {
  readonly storage: readonly Place[]
  readonly types: Readonly<Record<string, LayoutType>>
}

/** A word, the elements of a dynamic array, the entries of a mapping (keys of up to 32 bytes), or the members of a struct. */
export type StorageValue =
  | bigint
  | readonly StorageValue[]
  | ReadonlyMap<Uint8Array, StorageValue>
  | { readonly [member: string]: StorageValue }

const word = (value: bigint): Uint8Array => bigintToFixedBytes(value, 32)

/** The 32-byte slots of these variables by 64 hex digits. Throws RangeError for variables that the layout does not have. */
export function solidityStorage(
  layout: StorageLayout,
  variables: Readonly<Record<string, StorageValue>>,
): ReadonlyMap<string, Uint8Array> {
  const slots = new Map<string, bigint>()

  function put(slot: bigint, offset: number, value: bigint): void {
    const key = toHexDigits(word(slot))
    slots.set(key, (slots.get(key) ?? 0n) | (value << BigInt(8 * offset)))
  }

  function writePlaces(
    places: readonly Place[],
    at: bigint,
    values: Readonly<Record<string, StorageValue>>,
  ): void {
    for (const [label, value] of Object.entries(values)) {
      const place = places.find((each) => each.label === label)
      if (place === undefined) throw new RangeError(`the contract has no variable ${label}`)
      write(place.type, at + BigInt(place.slot), place.offset, value)
    }
  }

  function write(name: string, slot: bigint, offset: number, value: StorageValue): void {
    const type = layout.types[name]
    if (type === undefined) throw new RangeError(`the layout has no type ${name}`)
    if (typeof value === 'bigint') {
      if (value >> (8n * BigInt(type.numberOfBytes)) !== 0n)
        throw new RangeError(`${value} does not fit into ${name}`)
      put(slot, offset, value)
    } else if (value instanceof Map) {
      for (const [key, entry] of value)
        write(
          type.value ?? '',
          bytesToBigint(keccak256(concatBytes(padLeft(key, 32), word(slot)))),
          0,
          entry,
        )
    } else if (Array.isArray(value)) {
      const size = BigInt(Math.ceil(Number(layout.types[type.base ?? '']?.numberOfBytes) / 32))
      const first = bytesToBigint(keccak256(word(slot)))
      put(slot, 0, BigInt(value.length))
      for (const [index, element] of value.entries())
        write(type.base ?? '', first + BigInt(index) * size, 0, element)
    } else {
      writePlaces(type.members ?? [], slot, value as Readonly<Record<string, StorageValue>>)
    }
  }

  writePlaces(layout.storage, 0n, variables)
  return new Map([...slots].map(([key, value]) => [key, word(value)]))
}
