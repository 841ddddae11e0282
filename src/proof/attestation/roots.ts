/** Roots of the hardware vendors, pinned by the SHA-256 of their DER certificates, in hex digits. All are public. */

/** "aws.nitro-enclaves", published by AWS as AWS_NitroEnclaves_Root-G1.zip (Nitro Enclaves user guide, "Verifying the root of trust"). */
export const AWS_NITRO_ROOTS: readonly string[] = [
  '641a0321a3e244efe456463195d606317ed7cdcc3c1756e09893f3c68f79bb5b',
]

/** "Intel SGX Root CA", published by Intel as Intel_SGX_Provisioning_Certification_RootCA.cer; also the root for TDX. */
export const INTEL_ROOTS: readonly string[] = [
  '44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3',
]

/** "ARK-Milan", "ARK-Genoa" and "ARK-Turin", published by AMD's key distribution service (/vcek/v1/{product}/cert_chain). */
export const AMD_ROOTS: readonly string[] = [
  '69d063b45344d26a2e94e1f4210de49ef555308287d4c174445c95639a540bcd',
  '4c6598d19c18719c5dfd4a7d335f674e5bfe1d8f800cea2cf270c10d103db2f1',
  '1f084161a44bb6d93778a904877d4819cafa5d05ef4193b2ded9dd9c73dd3f6a',
]
