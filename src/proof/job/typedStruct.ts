/** EIP-712 typed data of flat structs, as the records of the verification network are signed. */
import { bigintToFixedBytes, concatBytes, padLeft, utf8 } from '../../base/bytes.ts'
import { fromHex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'

/** Chain and dispatcher that a record is meant for. `dispatcher` is its address. */
export type RecordDomain = { readonly chainId: bigint; readonly dispatcher: string }

/** A field, in the form that viem and ethers accept. Addresses and bytes32 are 0x-hex, uint64 numbers. */
export type StructField = {
  readonly name: string
  readonly type: 'address' | 'bytes32' | 'string' | 'uint64'
}

const DOMAIN_TYPE =
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'

function encodeField(type: StructField['type'], value: unknown): Uint8Array {
  if (type === 'string') return keccak256(utf8(String(value)))
  if (type === 'uint64') return bigintToFixedBytes(BigInt(Number(value)), 32)
  const bytes = fromHex(String(value))
  if (bytes.length !== (type === 'address' ? 20 : 32))
    throw new SyntaxError(`a value of type ${type} has ${bytes.length} bytes`)
  return padLeft(bytes, 32)
}

function domainSeparator({ chainId, dispatcher }: RecordDomain, version: string): Uint8Array {
  return keccak256(
    concatBytes(
      keccak256(utf8(DOMAIN_TYPE)),
      keccak256(utf8('Assay')),
      keccak256(utf8(version)),
      bigintToFixedBytes(chainId, 32),
      encodeField('address', dispatcher),
    ),
  )
}

/**
 * The 66 bytes whose Keccak hash is signed: 19 01 || domain separator || hash of the struct. The domain is {name "Assay",
 * version, chainId, verifyingContract: dispatcher address}. Throws SyntaxError or RangeError when a value does not fit its type.
 */
export function structBytes(
  struct: { readonly name: string; readonly fields: readonly StructField[] },
  values: Readonly<Record<string, unknown>>,
  domain: RecordDomain,
  version: string,
): Uint8Array {
  const { name, fields } = struct
  const type = `${name}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`
  const encoded = fields.map((field) => encodeField(field.type, values[field.name]))
  const structHash = keccak256(concatBytes(keccak256(utf8(type)), ...encoded))
  return concatBytes(Uint8Array.of(0x19, 0x01), domainSeparator(domain, version), structHash)
}
