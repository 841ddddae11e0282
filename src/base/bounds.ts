/**
 * Maximum sizes of what strangers send, over all servers (D70). They are larger than what any client needs: where
 * go-ethereum has a smaller limit with an error of its own, the handler gives that one first.
 */
export const BOUNDS = {
  /** Elements of a list, or members of a record, that has no other maximum. */
  list: 1024,
  /**
   * Characters of a number, address, hash, name, id or token. Valid ones are shorter; what is a little too long gets the
   * error of its own kind.
   */
  scalar: 1024,
  /** Characters of a passphrase. */
  passphrase: 4096,
  /** Characters of DATA and of messages to sign: 0x and 4 MiB. */
  data: 2 + 2 * 4 * 1024 * 1024,
  /** Characters of a tracer in JavaScript. */
  script: 256 * 1024,
  /** Addresses and storage keys of an access list: a transaction of 128 KiB has place for 5,700 of them. */
  accessList: 8192,
  /** Authorizations of a call: a transaction of 128 KiB has place for 1,300. */
  authorizations: 2048,
  /** Slots of one account in state overrides. */
  slots: 8192,
  /** Storage keys of eth_getProof and eth_getStorageValues; go-ethereum's own limit is 1,024. */
  storageKeys: 4096,
  /** Addresses of a log filter or trace filter, and topics at one position; go-ethereum's. */
  filterChoices: 1000,
  /** Calls of eth_simulateV1, over all its blocks. */
  simulatedCalls: 5000,
  /** Calls of trace_callMany. */
  tracedCalls: 1000,
  /** Types of typed data, and fields over all of them. */
  typedDataTypes: 64,
  typedDataFields: 512,
  /** Characters of the name of such a field, and of its type. */
  fieldName: 128,
  /** Values of an object whose members are the caller's own: typed data, options of a tracer, a job. */
  ownValues: 10_000,
  /** Characters of all texts in such an object. */
  ownText: 16 * 1024 * 1024,
  /** Characters of a prompt, and of an answer. */
  prompt: 16 * 1024 * 1024,
  /** Characters of the evidence of an enclave. */
  evidence: 1024 * 1024,
} as const
