/** What a quote says about the enclave or the trust domain: REPORTBODY of SGX and TD REPORT of TDX 1.0 and 1.5. */
import { readUint } from '../littleEndian.ts'

/** An SGX report body of 384 bytes (Intel SDM, volume 3D, table 38-21). */
export type SgxBody = {
  readonly type: 'sgx'
  readonly miscSelect: Uint8Array
  readonly attributes: Uint8Array
  readonly mrEnclave: Uint8Array
  readonly mrSigner: Uint8Array
  readonly isvProdId: number
  readonly isvSvn: number
  readonly reportData: Uint8Array
}

/** A TD report body (TDX DCAP Quoting Library API, A.3.2); version 1.5 only adds fields at the end. */
export type TdxBody = {
  readonly type: 'tdx'
  readonly teeTcbSvn: Uint8Array
  readonly mrSignerSeam: Uint8Array
  readonly seamAttributes: Uint8Array
  readonly tdAttributes: Uint8Array
  readonly mrTd: Uint8Array
  /** RTMR0 to RTMR3. */
  readonly runtime: readonly Uint8Array[]
  readonly reportData: Uint8Array
}

export const SGX_BODY_LENGTH = 384
export const TDX_10_BODY_LENGTH = 584
export const TDX_15_BODY_LENGTH = 648

/** Reads a body of SGX_BODY_LENGTH bytes. */
export function readSgxBody(bytes: Uint8Array): SgxBody {
  return {
    type: 'sgx',
    miscSelect: bytes.subarray(16, 20),
    attributes: bytes.subarray(48, 64),
    mrEnclave: bytes.subarray(64, 96),
    mrSigner: bytes.subarray(128, 160),
    isvProdId: readUint(bytes, 256, 2),
    isvSvn: readUint(bytes, 258, 2),
    reportData: bytes.subarray(320, 384),
  }
}

/** Reads a body of TDX_10_BODY_LENGTH or TDX_15_BODY_LENGTH bytes. */
export function readTdxBody(bytes: Uint8Array): TdxBody {
  return {
    type: 'tdx',
    teeTcbSvn: bytes.subarray(0, 16),
    mrSignerSeam: bytes.subarray(64, 112),
    seamAttributes: bytes.subarray(112, 120),
    tdAttributes: bytes.subarray(120, 128),
    mrTd: bytes.subarray(136, 184),
    runtime: [0, 1, 2, 3].map((i) => bytes.subarray(328 + i * 48, 376 + i * 48)),
    reportData: bytes.subarray(520, 584),
  }
}
