/** Tables that build/signatureTable.ts makes of lists of signatures. */
declare module '*.signatures' {
  export const SIGNATURES: Readonly<Record<string, string>>
}

/** Tables that build/contractTable.ts makes of lists of contracts. */
declare module '*.contracts' {
  export const CONTRACTS: Readonly<Record<string, { readonly name: string; readonly abi: unknown }>>
}
