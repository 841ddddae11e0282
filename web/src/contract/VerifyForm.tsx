/** Placeholder replaced below. */
export function VerifyForm(_: { readonly address: string; readonly code: string }) {
  return null
}
