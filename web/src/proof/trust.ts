/** The header that this browser trusts: proofs begin with it. */

export type Trust = {
  readonly height: number
  /** 64 hex digits. */
  readonly hash: string
  /** How it came to be trusted: the user named it, or it was the first one that this browser saw. */
  readonly origin: 'named' | 'first seen'
}

const PREFIX = 'assay.trust.'

/** What is trusted of a chain. */
export function readTrust(chainId: string): Trust | undefined {
  try {
    const trust = JSON.parse(localStorage.getItem(PREFIX + chainId) ?? 'null') as Trust | null
    const isGood =
      trust !== null && Number.isSafeInteger(trust.height) && /^[0-9A-F]{64}$/.test(trust.hash)
    return isGood ? trust : undefined
  } catch {
    return undefined
  }
}

/** Keeps it in this browser. */
export function writeTrust(chainId: string, trust: Trust): void {
  localStorage.setItem(PREFIX + chainId, JSON.stringify(trust))
}

/** The next proof starts from scratch. */
export function forgetTrust(chainId: string): void {
  localStorage.removeItem(PREFIX + chainId)
}
