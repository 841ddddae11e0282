/**
 * What the methods take and give on the wire. Made by scripts/docs.mjs from src/rpc/table.ts: as long as the table has methods.
 */

/** QUANTITY or DATA. */
export type Hex = `0x${string}`

/** A height, a tag, a block hash, or an EIP-1898 object. */
export type BlockSelector =
  | Hex
  | 'latest'
  | 'pending'
  | 'earliest'
  | 'safe'
  | 'finalized'
  | { readonly blockNumber?: Hex; readonly blockHash?: Hex; readonly requireCanonical?: boolean }

/** Parameters, by position, and results. */
export type Methods = {
  /** Name and version of this program, its platform and its toolchain. */
  web3_clientVersion: { params: []; result: string }
  /** Keccak-256 (not the standardized SHA3-256) of the bytes. */
  web3_sha3: { params: [input: Hex]; result: Hex }
  /** Network id, in decimal; it equals the chain id. */
  net_version: { params: []; result: string }
  /** Number of connected peers, as a JSON number (D8); 0 with the embedded engine. */
  net_peerCount: { params: []; result: number }
  /** Whether the node listens for connections: always true (D49). */
  net_listening: { params: []; result: boolean }
  /** Version of the Ethereum wire protocol that the answers follow: 0x41 (D49). */
  eth_protocolVersion: { params: []; result: Hex }
  /** Chain id that signatures bind to (EIP-155, EIP-695). */
  eth_chainId: { params: []; result: Hex }
  /** The fork that is active, the next one and the last one that is decided (EIP-7910, D19). */
  eth_config: {
    params: []
    result: {
      current: {
        activationTime: number | null
        activationHeight?: number
        blobSchedule: { target: number; max: number; baseFeeUpdateFraction: number }
        chainId: Hex
        forkId: Hex
        precompiles: Readonly<Record<string, Hex>>
        systemContracts: Readonly<Record<string, Hex>>
      }
      next: {
        activationTime: number | null
        activationHeight?: number
        blobSchedule: { target: number; max: number; baseFeeUpdateFraction: number }
        chainId: Hex
        forkId: Hex
        precompiles: Readonly<Record<string, Hex>>
        systemContracts: Readonly<Record<string, Hex>>
      } | null
      last: {
        activationTime: number | null
        activationHeight?: number
        blobSchedule: { target: number; max: number; baseFeeUpdateFraction: number }
        chainId: Hex
        forkId: Hex
        precompiles: Readonly<Record<string, Hex>>
        systemContracts: Readonly<Record<string, Hex>>
      } | null
    }
  }
  /** false when the node has caught up, else how far it is. */
  eth_syncing: {
    params: []
    result: false | { startingBlock: Hex; currentBlock: Hex; highestBlock: Hex }
  }
  /** Height of the latest block. */
  eth_blockNumber: { params: []; result: Hex }
  /** Gas price for the next blocks: base fee plus the suggested tip, at least the minimum. */
  eth_gasPrice: { params: []; result: Hex }
  /** Tip per gas that recent blocks suggest (EIP-1559). */
  eth_maxPriorityFeePerGas: { params: []; result: Hex }
  /** Base fees, fullness and tips at the given percentiles of up to 1024 blocks, and the next base fee. */
  eth_feeHistory: {
    params: [
      blockCount: number | Hex,
      newestBlock: BlockSelector,
      rewardPercentiles?: readonly number[] | null | undefined,
    ]
    result: {
      oldestBlock: Hex
      baseFeePerGas: readonly Hex[]
      gasUsedRatio: readonly number[]
      reward?: readonly (readonly Hex[])[]
    }
  }
  /** Addresses whose keys this node holds. */
  eth_accounts: { params: []; result: readonly Hex[] }
  /** Address that receives this node's rewards (D48). */
  eth_coinbase: { params: []; result: Hex }
  /** Balance of an account, in the smallest unit. */
  eth_getBalance: { params: [address: Hex, block?: BlockSelector | undefined]; result: Hex }
  /** Code of a contract; 0x for an account without code. */
  eth_getCode: { params: [address: Hex, block?: BlockSelector | undefined]; result: Hex }
  /** Value of a storage slot, always 32 bytes (D9). */
  eth_getStorageAt: {
    params: [address: Hex, position: string | number, block?: BlockSelector | undefined]
    result: Hex
  }
  /** Nonce of an account; with pending, the nonce after its pool's executable transactions. */
  eth_getTransactionCount: {
    params: [address: Hex, block?: BlockSelector | undefined]
    result: Hex
  }
  /** Merkle-Patricia proof of an account and of slots against a block's state root (EIP-1186). */
  eth_getProof: {
    params: [address: Hex, keys: readonly string[], block?: BlockSelector | undefined]
    result: {
      address: Hex
      accountProof: readonly Hex[]
      balance: Hex
      codeHash: Hex
      nonce: Hex
      storageHash: Hex
      storageProof: readonly { key: string; value: Hex; proof: readonly Hex[] }[]
    }
  }
  /** Executes a message on the state of a block, under overrides, and gives what it returns; nothing is stored. */
  eth_call: {
    params: [
      call: {
        from?: Hex | null
        to?: Hex | null
        gas?: Hex | null
        gasLimit?: Hex | null
        gasPrice?: Hex | null
        maxFeePerGas?: Hex | null
        maxPriorityFeePerGas?: Hex | null
        value?: Hex | null
        data?: Hex | null
        input?: Hex | null
        nonce?: Hex | null
        chainId?: Hex | null
        accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[] | null
        authorizationList?:
          | readonly { chainId: Hex; address: Hex; nonce: Hex; yParity: Hex; r: Hex; s: Hex }[]
          | null
        blobVersionedHashes?: readonly Hex[] | null
      },
      block?: BlockSelector | undefined,
      stateOverrides?:
        | Readonly<
            Record<
              string,
              {
                balance?: Hex | null
                nonce?: Hex | null
                code?: Hex | null
                state?: Readonly<Record<string, Hex>> | null
                stateDiff?: Readonly<Record<string, Hex>> | null
                movePrecompileToAddress?: Hex | null
              }
            >
          >
        | null
        | undefined,
      blockOverrides?:
        | {
            number?: Hex | null
            time?: Hex | null
            gasLimit?: Hex | null
            feeRecipient?: Hex | null
            coinbase?: Hex | null
            prevRandao?: Hex | null
            random?: Hex | null
            baseFeePerGas?: Hex | null
            baseFee?: Hex | null
            blobBaseFee?: Hex | null
          }
        | null
        | undefined,
    ]
    result: Hex
  }
  /** Gas limit with which a transaction would succeed on the state of a block, under overrides. */
  eth_estimateGas: {
    params: [
      call: {
        from?: Hex | null
        to?: Hex | null
        gas?: Hex | null
        gasLimit?: Hex | null
        gasPrice?: Hex | null
        maxFeePerGas?: Hex | null
        maxPriorityFeePerGas?: Hex | null
        value?: Hex | null
        data?: Hex | null
        input?: Hex | null
        nonce?: Hex | null
        chainId?: Hex | null
        accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[] | null
        authorizationList?:
          | readonly { chainId: Hex; address: Hex; nonce: Hex; yParity: Hex; r: Hex; s: Hex }[]
          | null
        blobVersionedHashes?: readonly Hex[] | null
      },
      block?: BlockSelector | undefined,
      stateOverrides?:
        | Readonly<
            Record<
              string,
              {
                balance?: Hex | null
                nonce?: Hex | null
                code?: Hex | null
                state?: Readonly<Record<string, Hex>> | null
                stateDiff?: Readonly<Record<string, Hex>> | null
                movePrecompileToAddress?: Hex | null
              }
            >
          >
        | null
        | undefined,
      blockOverrides?:
        | {
            number?: Hex | null
            time?: Hex | null
            gasLimit?: Hex | null
            feeRecipient?: Hex | null
            coinbase?: Hex | null
            prevRandao?: Hex | null
            random?: Hex | null
            baseFeePerGas?: Hex | null
            baseFee?: Hex | null
            blobBaseFee?: Hex | null
          }
        | null
        | undefined,
    ]
    result: Hex
  }
  /** A block by height or tag, with hashes or whole transactions; null for an unknown one. */
  eth_getBlockByNumber: {
    params: [block: BlockSelector, full: boolean]
    result: {
      number: Hex
      hash: Hex
      parentHash: Hex
      stateRoot: Hex
      transactionsRoot: Hex
      receiptsRoot: Hex
      logsBloom: Hex
      miner: Hex
      timestamp: Hex
      gasLimit: Hex
      gasUsed: Hex
      extraData: Hex
      mixHash: Hex
      baseFeePerGas: Hex
      difficulty: '0x0' | null
      nonce: '0x0000000000000000' | null
      sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347' | null
      totalDifficulty: '0x0' | null
      size: Hex
      transactions:
        | readonly Hex[]
        | readonly {
            blockHash: Hex | null
            blockNumber: Hex | null
            blockTimestamp: Hex | null
            transactionIndex: Hex | null
            hash: Hex
            type: '0x0' | '0x1' | '0x2' | '0x4'
            from: Hex
            to: Hex | null
            nonce: Hex
            value: Hex
            input: Hex
            gas: Hex
            gasPrice: Hex
            maxFeePerGas?: Hex
            maxPriorityFeePerGas?: Hex
            chainId?: Hex
            accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[]
            authorizationList?: readonly {
              chainId: Hex
              address: Hex
              nonce: Hex
              yParity: Hex
              r: Hex
              s: Hex
            }[]
            v: Hex
            r: Hex
            s: Hex
            yParity?: Hex
          }[]
      uncles: readonly []
    } | null
  }
  /** A block by its hash, with hashes or whole transactions; null for an unknown one. */
  eth_getBlockByHash: {
    params: [blockHash: Hex, full: boolean]
    result: {
      number: Hex
      hash: Hex
      parentHash: Hex
      stateRoot: Hex
      transactionsRoot: Hex
      receiptsRoot: Hex
      logsBloom: Hex
      miner: Hex
      timestamp: Hex
      gasLimit: Hex
      gasUsed: Hex
      extraData: Hex
      mixHash: Hex
      baseFeePerGas: Hex
      difficulty: '0x0' | null
      nonce: '0x0000000000000000' | null
      sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347' | null
      totalDifficulty: '0x0' | null
      size: Hex
      transactions:
        | readonly Hex[]
        | readonly {
            blockHash: Hex | null
            blockNumber: Hex | null
            blockTimestamp: Hex | null
            transactionIndex: Hex | null
            hash: Hex
            type: '0x0' | '0x1' | '0x2' | '0x4'
            from: Hex
            to: Hex | null
            nonce: Hex
            value: Hex
            input: Hex
            gas: Hex
            gasPrice: Hex
            maxFeePerGas?: Hex
            maxPriorityFeePerGas?: Hex
            chainId?: Hex
            accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[]
            authorizationList?: readonly {
              chainId: Hex
              address: Hex
              nonce: Hex
              yParity: Hex
              r: Hex
              s: Hex
            }[]
            v: Hex
            r: Hex
            s: Hex
            yParity?: Hex
          }[]
      uncles: readonly []
    } | null
  }
  /** Receipts of all transactions of a block, in order; null for an unknown block. */
  eth_getBlockReceipts: {
    params: [block?: BlockSelector | undefined]
    result:
      | readonly {
          transactionHash: Hex
          transactionIndex: Hex
          blockHash: Hex
          blockNumber: Hex
          from: Hex
          to: Hex | null
          contractAddress: Hex | null
          gasUsed: Hex
          cumulativeGasUsed: Hex
          effectiveGasPrice: Hex
          logs: readonly {
            address: Hex
            topics: readonly Hex[]
            data: Hex
            blockNumber: Hex
            blockHash: Hex
            blockTimestamp: Hex
            transactionHash: Hex
            transactionIndex: Hex
            logIndex: Hex
            removed: boolean
          }[]
          logsBloom: Hex
          status: '0x0' | '0x1'
          type: Hex
        }[]
      | null
  }
  /** Number of transactions in a block, as a QUANTITY (D8); null for an unknown block. */
  eth_getBlockTransactionCountByNumber: { params: [block: BlockSelector]; result: Hex | null }
  /** Number of transactions in a block; null for an unknown hash. */
  eth_getBlockTransactionCountByHash: { params: [blockHash: Hex]; result: Hex | null }
  /** Number of uncles of a block: 0x0, or null for an unknown block. */
  eth_getUncleCountByBlockNumber: { params: [block: BlockSelector]; result: Hex | null }
  /** Number of uncles of a block: 0x0, or null for an unknown hash. */
  eth_getUncleCountByBlockHash: { params: [blockHash: Hex]; result: Hex | null }
  /** A transaction by its hash, in a block or still pending; null for an unknown one. */
  eth_getTransactionByHash: {
    params: [transactionHash: Hex]
    result: {
      blockHash: Hex | null
      blockNumber: Hex | null
      blockTimestamp: Hex | null
      transactionIndex: Hex | null
      hash: Hex
      type: '0x0' | '0x1' | '0x2' | '0x4'
      from: Hex
      to: Hex | null
      nonce: Hex
      value: Hex
      input: Hex
      gas: Hex
      gasPrice: Hex
      maxFeePerGas?: Hex
      maxPriorityFeePerGas?: Hex
      chainId?: Hex
      accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[]
      authorizationList?: readonly {
        chainId: Hex
        address: Hex
        nonce: Hex
        yParity: Hex
        r: Hex
        s: Hex
      }[]
      v: Hex
      r: Hex
      s: Hex
      yParity?: Hex
    } | null
  }
  /** The transaction at an index of a block; null when block or index is unknown. */
  eth_getTransactionByBlockHashAndIndex: {
    params: [blockHash: Hex, index: Hex]
    result: {
      blockHash: Hex | null
      blockNumber: Hex | null
      blockTimestamp: Hex | null
      transactionIndex: Hex | null
      hash: Hex
      type: '0x0' | '0x1' | '0x2' | '0x4'
      from: Hex
      to: Hex | null
      nonce: Hex
      value: Hex
      input: Hex
      gas: Hex
      gasPrice: Hex
      maxFeePerGas?: Hex
      maxPriorityFeePerGas?: Hex
      chainId?: Hex
      accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[]
      authorizationList?: readonly {
        chainId: Hex
        address: Hex
        nonce: Hex
        yParity: Hex
        r: Hex
        s: Hex
      }[]
      v: Hex
      r: Hex
      s: Hex
      yParity?: Hex
    } | null
  }
  /** The transaction at an index of a block; null when block or index is unknown. */
  eth_getTransactionByBlockNumberAndIndex: {
    params: [block: BlockSelector, index: Hex]
    result: {
      blockHash: Hex | null
      blockNumber: Hex | null
      blockTimestamp: Hex | null
      transactionIndex: Hex | null
      hash: Hex
      type: '0x0' | '0x1' | '0x2' | '0x4'
      from: Hex
      to: Hex | null
      nonce: Hex
      value: Hex
      input: Hex
      gas: Hex
      gasPrice: Hex
      maxFeePerGas?: Hex
      maxPriorityFeePerGas?: Hex
      chainId?: Hex
      accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[]
      authorizationList?: readonly {
        chainId: Hex
        address: Hex
        nonce: Hex
        yParity: Hex
        r: Hex
        s: Hex
      }[]
      v: Hex
      r: Hex
      s: Hex
      yParity?: Hex
    } | null
  }
  /** What became of an included transaction; null while it is pending or unknown. */
  eth_getTransactionReceipt: {
    params: [transactionHash: Hex]
    result: {
      transactionHash: Hex
      transactionIndex: Hex
      blockHash: Hex
      blockNumber: Hex
      from: Hex
      to: Hex | null
      contractAddress: Hex | null
      gasUsed: Hex
      cumulativeGasUsed: Hex
      effectiveGasPrice: Hex
      logs: readonly {
        address: Hex
        topics: readonly Hex[]
        data: Hex
        blockNumber: Hex
        blockHash: Hex
        blockTimestamp: Hex
        transactionHash: Hex
        transactionIndex: Hex
        logIndex: Hex
        removed: boolean
      }[]
      logsBloom: Hex
      status: '0x0' | '0x1'
      type: Hex
    } | null
  }
  /** Logs by range of blocks or block hash, address and topics (EIP-234). */
  eth_getLogs: {
    params: [
      filter: {
        fromBlock?: BlockSelector | null
        toBlock?: BlockSelector | null
        blockHash?: Hex | null
        blockhash?: Hex | null
        address?: unknown
        topics?: readonly unknown[] | null
      },
    ]
    result: readonly {
      address: Hex
      topics: readonly Hex[]
      data: Hex
      blockNumber: Hex
      blockHash: Hex
      blockTimestamp: Hex
      transactionHash: Hex
      transactionIndex: Hex
      logIndex: Hex
      removed: boolean
    }[]
  }
  /** Installs a filter that reports new logs when it is polled. */
  eth_newFilter: {
    params: [
      filter: {
        fromBlock?: BlockSelector | null
        toBlock?: BlockSelector | null
        blockHash?: Hex | null
        blockhash?: Hex | null
        address?: unknown
        topics?: readonly unknown[] | null
      },
    ]
    result: Hex
  }
  /** Installs a filter that reports hashes of new blocks when it is polled. */
  eth_newBlockFilter: { params: []; result: Hex }
  /** Installs a filter that reports new pending transactions when it is polled: hashes, or whole ones. */
  eth_newPendingTransactionFilter: { params: [full?: boolean | null | undefined]; result: Hex }
  /** Removes a filter; false when there is none with this id. */
  eth_uninstallFilter: { params: [id: string]; result: boolean }
  /** What a filter has to report since the last poll: logs, hashes, or transactions. */
  eth_getFilterChanges: {
    params: [id: string]
    result:
      | readonly Hex[]
      | readonly {
          address: Hex
          topics: readonly Hex[]
          data: Hex
          blockNumber: Hex
          blockHash: Hex
          blockTimestamp: Hex
          transactionHash: Hex
          transactionIndex: Hex
          logIndex: Hex
          removed: boolean
        }[]
      | readonly {
          blockHash: Hex | null
          blockNumber: Hex | null
          blockTimestamp: Hex | null
          transactionIndex: Hex | null
          hash: Hex
          type: '0x0' | '0x1' | '0x2' | '0x4'
          from: Hex
          to: Hex | null
          nonce: Hex
          value: Hex
          input: Hex
          gas: Hex
          gasPrice: Hex
          maxFeePerGas?: Hex
          maxPriorityFeePerGas?: Hex
          chainId?: Hex
          accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[]
          authorizationList?: readonly {
            chainId: Hex
            address: Hex
            nonce: Hex
            yParity: Hex
            r: Hex
            s: Hex
          }[]
          v: Hex
          r: Hex
          s: Hex
          yParity?: Hex
        }[]
  }
  /** All logs that a log filter matches; an error for other filters. */
  eth_getFilterLogs: {
    params: [id: string]
    result: readonly {
      address: Hex
      topics: readonly Hex[]
      data: Hex
      blockNumber: Hex
      blockHash: Hex
      blockTimestamp: Hex
      transactionHash: Hex
      transactionIndex: Hex
      logIndex: Hex
      removed: boolean
    }[]
  }
  /** Follows newHeads, logs or newPendingTransactions over WebSocket or IPC; notifications carry the id that this answers (D45). */
  eth_subscribe: { params: [name: string, options?: unknown]; result: Hex }
  /** Ends a subscription of this connection; false when there is none with the id (D45). */
  eth_unsubscribe: { params: [id: string]; result: boolean }
  /** Signs a message, with the prefix of EIP-191 before it, by an unlocked account (D11). */
  eth_sign: { params: [address: Hex, message: string]; result: Hex }
  /** Signs a transaction by an unlocked account and takes it into the pool. */
  eth_sendTransaction: {
    params: [
      transaction: {
        from: Hex
        to?: Hex | null
        gas?: Hex | null
        gasLimit?: Hex | null
        gasPrice?: Hex | null
        maxFeePerGas?: Hex | null
        maxPriorityFeePerGas?: Hex | null
        value?: Hex | null
        data?: Hex | null
        input?: Hex | null
        nonce?: Hex | null
        chainId?: Hex | null
        accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[] | null
        authorizationList?:
          | readonly { chainId: Hex; address: Hex; nonce: Hex; yParity: Hex; r: Hex; s: Hex }[]
          | null
        blobVersionedHashes?: readonly Hex[] | null
      },
    ]
    result: Hex
  }
  /** Takes a signed transaction (EIP-2718 bytes) into the pool and gives its hash. */
  eth_sendRawTransaction: { params: [transaction: Hex]; result: Hex }
  /** A header by height or tag; null for an unknown one. */
  eth_getHeaderByNumber: {
    params: [block: BlockSelector]
    result: {
      number: Hex
      hash: Hex
      parentHash: Hex
      stateRoot: Hex
      transactionsRoot: Hex
      receiptsRoot: Hex
      logsBloom: Hex
      miner: Hex
      timestamp: Hex
      gasLimit: Hex
      gasUsed: Hex
      extraData: Hex
      mixHash: Hex
      baseFeePerGas: Hex
      difficulty: '0x0' | null
      nonce: '0x0000000000000000' | null
      sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347' | null
      totalDifficulty: '0x0' | null
      size: Hex
    } | null
  }
  /** A header by its hash; null for an unknown one. */
  eth_getHeaderByHash: {
    params: [blockHash: Hex]
    result: {
      number: Hex
      hash: Hex
      parentHash: Hex
      stateRoot: Hex
      transactionsRoot: Hex
      receiptsRoot: Hex
      logsBloom: Hex
      miner: Hex
      timestamp: Hex
      gasLimit: Hex
      gasUsed: Hex
      extraData: Hex
      mixHash: Hex
      baseFeePerGas: Hex
      difficulty: '0x0' | null
      nonce: '0x0000000000000000' | null
      sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347' | null
      totalDifficulty: '0x0' | null
      size: Hex
    } | null
  }
  /** The EIP-2718 bytes of a transaction, in a block or pending; 0x for an unknown one. */
  eth_getRawTransactionByHash: { params: [transactionHash: Hex]; result: Hex }
  /** The EIP-2718 bytes of the transaction at an index of a block; 0x when there is none. */
  eth_getRawTransactionByBlockHashAndIndex: { params: [blockHash: Hex, index: Hex]; result: Hex }
  /** The EIP-2718 bytes of the transaction at an index of a block; 0x when there is none. */
  eth_getRawTransactionByBlockNumberAndIndex: {
    params: [block: BlockSelector, index: Hex]
    result: Hex
  }
  /** Always null: blocks have no uncles. */
  eth_getUncleByBlockHashAndIndex: { params: [blockHash: Hex, index: Hex]; result: null }
  /** Always null: blocks have no uncles. */
  eth_getUncleByBlockNumberAndIndex: { params: [block: BlockSelector, index: Hex]; result: null }
  /** Logs of one transaction; empty while it is pending or unknown. */
  eth_getTransactionLogs: {
    params: [transactionHash: Hex]
    result: readonly {
      address: Hex
      topics: readonly Hex[]
      data: Hex
      blockNumber: Hex
      blockHash: Hex
      blockTimestamp: Hex
      transactionHash: Hex
      transactionIndex: Hex
      logIndex: Hex
      removed: boolean
    }[]
  }
  /** Base fee of a block made now (D18). */
  eth_baseFee: { params: []; result: Hex }
  /** Always 0x1, the least there can be: blocks carry no blobs (D19). */
  eth_blobBaseFee: { params: []; result: Hex }
  /** Executable transactions of the pool whose senders are accounts of this node. */
  eth_pendingTransactions: {
    params: []
    result: readonly {
      blockHash: Hex | null
      blockNumber: Hex | null
      blockTimestamp: Hex | null
      transactionIndex: Hex | null
      hash: Hex
      type: '0x0' | '0x1' | '0x2' | '0x4'
      from: Hex
      to: Hex | null
      nonce: Hex
      value: Hex
      input: Hex
      gas: Hex
      gasPrice: Hex
      maxFeePerGas?: Hex
      maxPriorityFeePerGas?: Hex
      chainId?: Hex
      accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[]
      authorizationList?: readonly {
        chainId: Hex
        address: Hex
        nonce: Hex
        yParity: Hex
        r: Hex
        s: Hex
      }[]
      v: Hex
      r: Hex
      s: Hex
      yParity?: Hex
    }[]
  }
  /** Values of many storage slots of many accounts at once. */
  eth_getStorageValues: {
    params: [slots: Readonly<Record<string, readonly Hex[]>>, block?: BlockSelector | undefined]
    result: Readonly<Record<string, readonly Hex[]>>
  }
  /** Signs a transaction by an unlocked account and does not send it; gas, fees and nonce must be given. */
  eth_signTransaction: {
    params: [
      transaction: {
        from: Hex
        to?: Hex | null
        gas?: Hex | null
        gasLimit?: Hex | null
        gasPrice?: Hex | null
        maxFeePerGas?: Hex | null
        maxPriorityFeePerGas?: Hex | null
        value?: Hex | null
        data?: Hex | null
        input?: Hex | null
        nonce?: Hex | null
        chainId?: Hex | null
        accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[] | null
        authorizationList?:
          | readonly { chainId: Hex; address: Hex; nonce: Hex; yParity: Hex; r: Hex; s: Hex }[]
          | null
        blobVersionedHashes?: readonly Hex[] | null
      },
    ]
    result: {
      raw: Hex
      tx: {
        blockHash: Hex | null
        blockNumber: Hex | null
        blockTimestamp: Hex | null
        transactionIndex: Hex | null
        hash: Hex
        type: '0x0' | '0x1' | '0x2' | '0x4'
        from: Hex
        to: Hex | null
        nonce: Hex
        value: Hex
        input: Hex
        gas: Hex
        gasPrice: Hex
        maxFeePerGas?: Hex
        maxPriorityFeePerGas?: Hex
        chainId?: Hex
        accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[]
        authorizationList?: readonly {
          chainId: Hex
          address: Hex
          nonce: Hex
          yParity: Hex
          r: Hex
          s: Hex
        }[]
        v: Hex
        r: Hex
        s: Hex
        yParity?: Hex
      }
    }
  }
  /** Completes a transaction with nonce, gas and fees, for the caller to sign (D10). */
  eth_fillTransaction: {
    params: [
      transaction: {
        from?: Hex | null
        to?: Hex | null
        gas?: Hex | null
        gasLimit?: Hex | null
        gasPrice?: Hex | null
        maxFeePerGas?: Hex | null
        maxPriorityFeePerGas?: Hex | null
        value?: Hex | null
        data?: Hex | null
        input?: Hex | null
        nonce?: Hex | null
        chainId?: Hex | null
        accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[] | null
        authorizationList?:
          | readonly { chainId: Hex; address: Hex; nonce: Hex; yParity: Hex; r: Hex; s: Hex }[]
          | null
        blobVersionedHashes?: readonly Hex[] | null
      },
    ]
    result: {
      raw: Hex
      tx: {
        blockHash: Hex | null
        blockNumber: Hex | null
        blockTimestamp: Hex | null
        transactionIndex: Hex | null
        hash: Hex
        type: '0x0' | '0x1' | '0x2' | '0x4'
        from: Hex
        to: Hex | null
        nonce: Hex
        value: Hex
        input: Hex
        gas: Hex
        gasPrice: Hex
        maxFeePerGas?: Hex
        maxPriorityFeePerGas?: Hex
        chainId?: Hex
        accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[]
        authorizationList?: readonly {
          chainId: Hex
          address: Hex
          nonce: Hex
          yParity: Hex
          r: Hex
          s: Hex
        }[]
        v: Hex
        r: Hex
        s: Hex
        yParity?: Hex
      }
    }
  }
  /** Replaces an own transaction of the pool by the same one at another gas price or limit. */
  eth_resend: {
    params: [
      transaction: {
        from: Hex
        to?: Hex | null
        gas?: Hex | null
        gasLimit?: Hex | null
        gasPrice?: Hex | null
        maxFeePerGas?: Hex | null
        maxPriorityFeePerGas?: Hex | null
        value?: Hex | null
        data?: Hex | null
        input?: Hex | null
        nonce?: Hex | null
        chainId?: Hex | null
        accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[] | null
        authorizationList?:
          | readonly { chainId: Hex; address: Hex; nonce: Hex; yParity: Hex; r: Hex; s: Hex }[]
          | null
        blobVersionedHashes?: readonly Hex[] | null
      },
      gasPrice?: Hex | null | undefined,
      gasLimit?: Hex | null | undefined,
    ]
    result: Hex
  }
  /** Signs typed data (EIP-712) by an unlocked account. */
  eth_signTypedData: { params: [address: Hex, data: unknown]; result: Hex }
  /** Signs typed data (EIP-712) by an unlocked account. */
  eth_signTypedData_v4: { params: [address: Hex, data: unknown]; result: Hex }
  /** Takes a signed transaction into the pool, waits until a block has it, and gives its receipt (EIP-7966). */
  eth_sendRawTransactionSync: {
    params: [transaction: Hex, timeout?: number | null | undefined]
    result: {
      transactionHash: Hex
      transactionIndex: Hex
      blockHash: Hex
      blockNumber: Hex
      from: Hex
      to: Hex | null
      contractAddress: Hex | null
      gasUsed: Hex
      cumulativeGasUsed: Hex
      effectiveGasPrice: Hex
      logs: readonly {
        address: Hex
        topics: readonly Hex[]
        data: Hex
        blockNumber: Hex
        blockHash: Hex
        blockTimestamp: Hex
        transactionHash: Hex
        transactionIndex: Hex
        logIndex: Hex
        removed: boolean
      }[]
      logsBloom: Hex
      status: '0x0' | '0x1'
      type: Hex
    } | null
  }
  /** The accounts and slots that a message touches (EIP-2930), and the gas that it uses when they are listed. */
  eth_createAccessList: {
    params: [
      call: {
        from?: Hex | null
        to?: Hex | null
        gas?: Hex | null
        gasLimit?: Hex | null
        gasPrice?: Hex | null
        maxFeePerGas?: Hex | null
        maxPriorityFeePerGas?: Hex | null
        value?: Hex | null
        data?: Hex | null
        input?: Hex | null
        nonce?: Hex | null
        chainId?: Hex | null
        accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[] | null
        authorizationList?:
          | readonly { chainId: Hex; address: Hex; nonce: Hex; yParity: Hex; r: Hex; s: Hex }[]
          | null
        blobVersionedHashes?: readonly Hex[] | null
      },
      block?: BlockSelector | undefined,
      stateOverrides?:
        | Readonly<
            Record<
              string,
              {
                balance?: Hex | null
                nonce?: Hex | null
                code?: Hex | null
                state?: Readonly<Record<string, Hex>> | null
                stateDiff?: Readonly<Record<string, Hex>> | null
                movePrecompileToAddress?: Hex | null
              }
            >
          >
        | null
        | undefined,
    ]
    result: {
      accessList: readonly { address: Hex; storageKeys: readonly Hex[] }[]
      gasUsed: Hex
      error?: string
    }
  }
  /** Runs blocks of calls that build on each other, under overrides, on top of a block; nothing is stored. */
  eth_simulateV1: {
    params: [
      payload: {
        blockStateCalls: readonly {
          blockOverrides?: {
            number?: Hex | null
            time?: Hex | null
            gasLimit?: Hex | null
            feeRecipient?: Hex | null
            coinbase?: Hex | null
            prevRandao?: Hex | null
            random?: Hex | null
            baseFeePerGas?: Hex | null
            baseFee?: Hex | null
            blobBaseFee?: Hex | null
          } | null
          stateOverrides?: Readonly<
            Record<
              string,
              {
                balance?: Hex | null
                nonce?: Hex | null
                code?: Hex | null
                state?: Readonly<Record<string, Hex>> | null
                stateDiff?: Readonly<Record<string, Hex>> | null
                movePrecompileToAddress?: Hex | null
              }
            >
          > | null
          calls?:
            | readonly {
                from?: Hex | null
                to?: Hex | null
                gas?: Hex | null
                gasLimit?: Hex | null
                gasPrice?: Hex | null
                maxFeePerGas?: Hex | null
                maxPriorityFeePerGas?: Hex | null
                value?: Hex | null
                data?: Hex | null
                input?: Hex | null
                nonce?: Hex | null
                chainId?: Hex | null
                accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[] | null
                authorizationList?:
                  | readonly {
                      chainId: Hex
                      address: Hex
                      nonce: Hex
                      yParity: Hex
                      r: Hex
                      s: Hex
                    }[]
                  | null
                blobVersionedHashes?: readonly Hex[] | null
              }[]
            | null
        }[]
        traceTransfers?: boolean | null
        validation?: boolean | null
        returnFullTransactions?: boolean | null
      },
      block?: BlockSelector | undefined,
    ]
    result: readonly {
      number: Hex
      hash: Hex
      parentHash: Hex
      stateRoot: Hex
      transactionsRoot: Hex
      receiptsRoot: Hex
      logsBloom: Hex
      miner: Hex
      timestamp: Hex
      gasLimit: Hex
      gasUsed: Hex
      extraData: Hex
      mixHash: Hex
      baseFeePerGas: Hex
      difficulty: '0x0' | null
      nonce: '0x0000000000000000' | null
      sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347' | null
      totalDifficulty: '0x0' | null
      size: Hex
      transactions:
        | readonly Hex[]
        | readonly {
            blockHash: Hex | null
            blockNumber: Hex | null
            blockTimestamp: Hex | null
            transactionIndex: Hex | null
            hash: Hex
            type: '0x0' | '0x1' | '0x2' | '0x4'
            from: Hex
            to: Hex | null
            nonce: Hex
            value: Hex
            input: Hex
            gas: Hex
            gasPrice: Hex
            maxFeePerGas?: Hex
            maxPriorityFeePerGas?: Hex
            chainId?: Hex
            accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[]
            authorizationList?: readonly {
              chainId: Hex
              address: Hex
              nonce: Hex
              yParity: Hex
              r: Hex
              s: Hex
            }[]
            v: Hex
            r: Hex
            s: Hex
            yParity?: Hex
          }[]
      uncles: readonly []
      calls: readonly {
        returnData: Hex
        logs: readonly {
          address: Hex
          topics: readonly Hex[]
          data: Hex
          blockNumber: Hex
          blockHash: Hex
          blockTimestamp: Hex
          transactionHash: Hex
          transactionIndex: Hex
          logIndex: Hex
          removed: boolean
        }[]
        gasUsed: Hex
        maxUsedGas: Hex
        status: '0x0' | '0x1'
        error?: { code: number; message: string; data?: Hex }
      }[]
    }[]
  }
  /** Stores a private key (hex digits without 0x) encrypted under a passphrase and gives its address (D43). */
  personal_importRawKey: { params: [privateKey: string, passphrase: string]; result: Hex }
  /** Addresses whose keys this node holds. */
  personal_listAccounts: { params: []; result: readonly Hex[] }
  /** Forgets the key of an unlocked account; true even when it was locked already (D43). */
  personal_lockAccount: { params: [address: Hex]; result: boolean }
  /** Makes a key, stores it encrypted under a passphrase, and gives its address. The account is locked. */
  personal_newAccount: { params: [passphrase: string]; result: Hex }
  /** Holds the key of an account in memory, so that eth_sign and eth_sendTransaction may use it, for a time (D14, D43). */
  personal_unlockAccount: {
    params: [address: Hex, passphrase: string, duration?: unknown]
    result: boolean
  }
  /** Signs a transaction with a key under its passphrase, for this transaction only, and takes it into the pool. */
  personal_sendTransaction: {
    params: [
      transaction: {
        from: Hex
        to: Hex | null
        gas?: Hex | null
        gasLimit?: Hex | null
        gasPrice?: Hex | null
        maxFeePerGas?: Hex | null
        maxPriorityFeePerGas?: Hex | null
        value?: Hex | null
        data?: Hex | null
        input?: Hex | null
        nonce?: Hex | null
        chainId?: Hex | null
        accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[] | null
        authorizationList?:
          | readonly { chainId: Hex; address: Hex; nonce: Hex; yParity: Hex; r: Hex; s: Hex }[]
          | null
        blobVersionedHashes?: readonly Hex[] | null
      },
      passphrase: string,
    ]
    result: Hex
  }
  /** Signs a transaction with a key under its passphrase and does not send it. */
  personal_signTransaction: {
    params: [
      transaction: {
        from: Hex
        to: Hex | null
        gas?: Hex | null
        gasLimit?: Hex | null
        gasPrice?: Hex | null
        maxFeePerGas?: Hex | null
        maxPriorityFeePerGas?: Hex | null
        value?: Hex | null
        data?: Hex | null
        input?: Hex | null
        nonce?: Hex | null
        chainId?: Hex | null
        accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[] | null
        authorizationList?:
          | readonly { chainId: Hex; address: Hex; nonce: Hex; yParity: Hex; r: Hex; s: Hex }[]
          | null
        blobVersionedHashes?: readonly Hex[] | null
      },
      passphrase: string,
    ]
    result: {
      raw: Hex
      tx: {
        blockHash: Hex | null
        blockNumber: Hex | null
        blockTimestamp: Hex | null
        transactionIndex: Hex | null
        hash: Hex
        type: '0x0' | '0x1' | '0x2' | '0x4'
        from: Hex
        to: Hex | null
        nonce: Hex
        value: Hex
        input: Hex
        gas: Hex
        gasPrice: Hex
        maxFeePerGas?: Hex
        maxPriorityFeePerGas?: Hex
        chainId?: Hex
        accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[]
        authorizationList?: readonly {
          chainId: Hex
          address: Hex
          nonce: Hex
          yParity: Hex
          r: Hex
          s: Hex
        }[]
        v: Hex
        r: Hex
        s: Hex
        yParity?: Hex
      }
    }
  }
  /** Signs a message, with the prefix of EIP-191 before it, with a key under its passphrase (D11). */
  personal_sign: { params: [message: string, address: Hex, passphrase: string]; result: Hex }
  /** Address whose key made a signature of personal_sign or eth_sign. */
  personal_ecRecover: { params: [message: string, signature: Hex]; result: Hex }
  /** Makes a software wallet with a new key, and gives the private key, this once (D15). */
  personal_initializeWallet: { params: [url: string]; result: Hex }
  /** Pairs a wallet again, or gives a wallet that has none its pairing password (D15). */
  personal_openWallet: { params: [url: string, password: string]; result: null }
  /** Deletes the pairing of a wallet with this node: its account is locked and no longer listed (D15). */
  personal_unpair: { params: [url: string, password: string]; result: null }
  /** Runs a transaction again, behind those before it in its block, and gives what a tracer saw (D16). */
  debug_traceTransaction: {
    params: [
      transactionHash: Hex,
      config?:
        | {
            tracer?: string | null
            tracerConfig?: Readonly<Record<string, unknown>> | null
            timeout?: string | null
            enableMemory?: boolean | null
            disableStack?: boolean | null
            disableStorage?: boolean | null
            enableReturnData?: boolean | null
            limit?: number | null
          }
        | null
        | undefined,
    ]
    result: unknown
  }
  /** Runs all transactions of a block again, by height or tag, and gives what a tracer saw of each (D16). */
  debug_traceBlockByNumber: {
    params: [
      block: BlockSelector,
      config?:
        | {
            tracer?: string | null
            tracerConfig?: Readonly<Record<string, unknown>> | null
            timeout?: string | null
            enableMemory?: boolean | null
            disableStack?: boolean | null
            disableStorage?: boolean | null
            enableReturnData?: boolean | null
            limit?: number | null
          }
        | null
        | undefined,
    ]
    result: readonly { txHash: Hex; result: unknown }[]
  }
  /** Runs all transactions of a block of this chain again, given as RLP (debug_getRawBlock), and gives what a tracer saw of each (D16). */
  debug_traceBlock: {
    params: [
      blockRlp: Hex,
      config?:
        | {
            tracer?: string | null
            tracerConfig?: Readonly<Record<string, unknown>> | null
            timeout?: string | null
            enableMemory?: boolean | null
            disableStack?: boolean | null
            disableStorage?: boolean | null
            enableReturnData?: boolean | null
            limit?: number | null
          }
        | null
        | undefined,
    ]
    result: readonly { txHash: Hex; result: unknown }[]
  }
  /** Runs all transactions of a block again, by its hash, and gives what a tracer saw of each (D16). */
  debug_traceBlockByHash: {
    params: [
      blockHash: Hex,
      config?:
        | {
            tracer?: string | null
            tracerConfig?: Readonly<Record<string, unknown>> | null
            timeout?: string | null
            enableMemory?: boolean | null
            disableStack?: boolean | null
            disableStorage?: boolean | null
            enableReturnData?: boolean | null
            limit?: number | null
          }
        | null
        | undefined,
    ]
    result: readonly { txHash: Hex; result: unknown }[]
  }
  /** Runs a call on the state of a block, under overrides, and gives what a tracer saw (D16). */
  debug_traceCall: {
    params: [
      call: {
        from?: Hex | null
        to?: Hex | null
        gas?: Hex | null
        gasLimit?: Hex | null
        gasPrice?: Hex | null
        maxFeePerGas?: Hex | null
        maxPriorityFeePerGas?: Hex | null
        value?: Hex | null
        data?: Hex | null
        input?: Hex | null
        nonce?: Hex | null
        chainId?: Hex | null
        accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[] | null
        authorizationList?:
          | readonly { chainId: Hex; address: Hex; nonce: Hex; yParity: Hex; r: Hex; s: Hex }[]
          | null
        blobVersionedHashes?: readonly Hex[] | null
      },
      block?: BlockSelector | undefined,
      config?:
        | {
            tracer?: string | null
            tracerConfig?: Readonly<Record<string, unknown>> | null
            timeout?: string | null
            enableMemory?: boolean | null
            disableStack?: boolean | null
            disableStorage?: boolean | null
            enableReturnData?: boolean | null
            limit?: number | null
            stateOverrides?: Readonly<
              Record<
                string,
                {
                  balance?: Hex | null
                  nonce?: Hex | null
                  code?: Hex | null
                  state?: Readonly<Record<string, Hex>> | null
                  stateDiff?: Readonly<Record<string, Hex>> | null
                  movePrecompileToAddress?: Hex | null
                }
              >
            > | null
            blockOverrides?: {
              number?: Hex | null
              time?: Hex | null
              gasLimit?: Hex | null
              feeRecipient?: Hex | null
              coinbase?: Hex | null
              prevRandao?: Hex | null
              random?: Hex | null
              baseFeePerGas?: Hex | null
              baseFee?: Hex | null
              blobBaseFee?: Hex | null
            } | null
          }
        | null
        | undefined,
    ]
    result: unknown
  }
  /** A header as RLP in the shape of Ethereum; its Keccak hash is not the hash of the block (D6). */
  debug_getRawHeader: { params: [block?: BlockSelector | undefined]; result: Hex }
  /** A block as RLP: header, transactions, no uncles. */
  debug_getRawBlock: { params: [block?: BlockSelector | undefined]; result: Hex }
  /** The receipts of a block as EIP-2718 bytes, over which its receiptsRoot is. */
  debug_getRawReceipts: { params: [block?: BlockSelector | undefined]; result: readonly Hex[] }
  /** The EIP-2718 bytes of a transaction, in a block or pending; 0x for an unknown one. */
  debug_getRawTransaction: { params: [transactionHash: Hex]; result: Hex }
  /** Always empty: a block that this node refuses is never decided. */
  debug_getBadBlocks: { params: []; result: readonly [] }
  /** Slots of a contract before a transaction of a block, in the order of their hashes, a page at a time (D16a). */
  debug_storageRangeAt: {
    params: [
      block: BlockSelector | undefined,
      transactionIndex: number,
      address: Hex,
      start: Hex,
      limit: number,
    ]
    result: { storage: Readonly<Record<string, { key: Hex; value: Hex }>>; nextKey: Hex | null }
  }
  /** Accounts after a block, in the order of the hashes of their addresses, a page at a time (D16a). */
  debug_accountRange: {
    params: [
      block: BlockSelector | undefined,
      start: Hex,
      limit: number,
      noCode?: boolean | null | undefined,
      noStorage?: boolean | null | undefined,
      incompletes?: boolean | null | undefined,
    ]
    result: {
      root: string
      accounts: Readonly<
        Record<
          string,
          {
            balance: string
            nonce: number
            root: Hex
            codeHash: Hex
            code?: Hex
            storage?: Readonly<Record<string, string>>
            address: Hex
            key: Hex
          }
        >
      >
      next?: string
    }
  }
  /** The state root after each transaction of a block within the proof window (D6); what the block does at its end comes behind. */
  debug_intermediateRoots: {
    params: [
      blockHash: Hex,
      config?:
        | {
            tracer?: string | null
            tracerConfig?: Readonly<Record<string, unknown>> | null
            timeout?: string | null
            enableMemory?: boolean | null
            disableStack?: boolean | null
            disableStorage?: boolean | null
            enableReturnData?: boolean | null
            limit?: number | null
          }
        | null
        | undefined,
    ]
    result: readonly Hex[]
  }
  /** Flat traces of all transactions of a block; null for an unknown one. */
  trace_block: {
    params: [block: BlockSelector]
    result:
      | readonly {
          action: Readonly<Record<string, unknown>>
          result: Readonly<Record<string, unknown>> | null
          error?: string
          subtraces: number
          traceAddress: readonly number[]
          type: 'call' | 'create' | 'suicide'
        }[]
      | null
  }
  /** Flat traces of a transaction; null for an unknown one. */
  trace_transaction: {
    params: [transactionHash: Hex]
    result:
      | readonly {
          action: Readonly<Record<string, unknown>>
          result: Readonly<Record<string, unknown>> | null
          error?: string
          subtraces: number
          traceAddress: readonly number[]
          type: 'call' | 'create' | 'suicide'
        }[]
      | null
  }
  /** The trace at a place in the tree of calls of a transaction; null when there is none. */
  trace_get: {
    params: [transactionHash: Hex, traceAddress: readonly Hex[]]
    result: {
      action: Readonly<Record<string, unknown>>
      result: Readonly<Record<string, unknown>> | null
      error?: string
      subtraces: number
      traceAddress: readonly number[]
      type: 'call' | 'create' | 'suicide'
    } | null
  }
  /** Flat traces of a range of up to 1000 blocks, by sender and recipient. */
  trace_filter: {
    params: [
      filter: {
        fromBlock?: BlockSelector | null
        toBlock?: BlockSelector | null
        fromAddress?: readonly Hex[] | null
        toAddress?: readonly Hex[] | null
        after?: number | null
        count?: number | null
      },
    ]
    result:
      | readonly {
          action: Readonly<Record<string, unknown>>
          result: Readonly<Record<string, unknown>> | null
          error?: string
          subtraces: number
          traceAddress: readonly number[]
          type: 'call' | 'create' | 'suicide'
        }[]
      | null
  }
  /** Runs a call on the state of a block and shows its traces and what it would change. */
  trace_call: {
    params: [
      call: {
        from: Hex | null
        to?: Hex | null
        gas?: Hex | null
        gasLimit?: Hex | null
        gasPrice?: Hex | null
        maxFeePerGas?: Hex | null
        maxPriorityFeePerGas?: Hex | null
        value?: Hex | null
        data?: Hex | null
        input?: Hex | null
        nonce?: Hex | null
        chainId?: Hex | null
        accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[] | null
        authorizationList?:
          | readonly { chainId: Hex; address: Hex; nonce: Hex; yParity: Hex; r: Hex; s: Hex }[]
          | null
        blobVersionedHashes?: readonly Hex[] | null
      },
      types: readonly ('trace' | 'stateDiff' | 'vmTrace')[],
      block?: BlockSelector | undefined,
    ]
    result: {
      output: string
      trace: readonly {
        action: Readonly<Record<string, unknown>>
        result: Readonly<Record<string, unknown>> | null
        error?: string
        subtraces: number
        traceAddress: readonly number[]
        type: 'call' | 'create' | 'suicide'
      }[]
      stateDiff: unknown
      vmTrace: {
        code: Hex
        ops: readonly {
          pc: number
          cost: number
          ex: {
            used: number
            push: readonly Hex[]
            mem: { off: number; data: Hex } | null
            store: { key: Hex; val: Hex } | null
          } | null
          sub: { code: Hex; ops: readonly Readonly<Record<string, unknown>>[] } | null
        }[]
      } | null
      transactionHash?: string
    }
  }
  /** Runs calls one after the other, each on what the ones before left, and shows their traces and changes. */
  trace_callMany: {
    params: [
      calls: readonly (readonly [
        {
          from?: Hex | null
          to?: Hex | null
          gas?: Hex | null
          gasLimit?: Hex | null
          gasPrice?: Hex | null
          maxFeePerGas?: Hex | null
          maxPriorityFeePerGas?: Hex | null
          value?: Hex | null
          data?: Hex | null
          input?: Hex | null
          nonce?: Hex | null
          chainId?: Hex | null
          accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[] | null
          authorizationList?:
            | readonly { chainId: Hex; address: Hex; nonce: Hex; yParity: Hex; r: Hex; s: Hex }[]
            | null
          blobVersionedHashes?: readonly Hex[] | null
        },
        readonly ('trace' | 'stateDiff' | 'vmTrace')[],
      ])[],
      block?: BlockSelector | undefined,
    ]
    result: readonly {
      output: string
      trace: readonly {
        action: Readonly<Record<string, unknown>>
        result: Readonly<Record<string, unknown>> | null
        error?: string
        subtraces: number
        traceAddress: readonly number[]
        type: 'call' | 'create' | 'suicide'
      }[]
      stateDiff: unknown
      vmTrace: {
        code: Hex
        ops: readonly {
          pc: number
          cost: number
          ex: {
            used: number
            push: readonly Hex[]
            mem: { off: number; data: Hex } | null
            store: { key: Hex; val: Hex } | null
          } | null
          sub: { code: Hex; ops: readonly Readonly<Record<string, unknown>>[] } | null
        }[]
      } | null
      transactionHash?: string
    }[]
  }
  /** Runs a transaction again and shows its traces and what it changed. */
  trace_replayTransaction: {
    params: [transactionHash: Hex, types: readonly ('trace' | 'stateDiff' | 'vmTrace')[]]
    result: {
      output: string
      trace: readonly {
        action: Readonly<Record<string, unknown>>
        result: Readonly<Record<string, unknown>> | null
        error?: string
        subtraces: number
        traceAddress: readonly number[]
        type: 'call' | 'create' | 'suicide'
      }[]
      stateDiff: unknown
      vmTrace: {
        code: Hex
        ops: readonly {
          pc: number
          cost: number
          ex: {
            used: number
            push: readonly Hex[]
            mem: { off: number; data: Hex } | null
            store: { key: Hex; val: Hex } | null
          } | null
          sub: { code: Hex; ops: readonly Readonly<Record<string, unknown>>[] } | null
        }[]
      } | null
      transactionHash?: string
    }
  }
  /** Runs all transactions of a block again and shows their traces and what they changed. */
  trace_replayBlockTransactions: {
    params: [
      block: BlockSelector | undefined,
      types: readonly ('trace' | 'stateDiff' | 'vmTrace')[],
    ]
    result: readonly {
      output: string
      trace: readonly {
        action: Readonly<Record<string, unknown>>
        result: Readonly<Record<string, unknown>> | null
        error?: string
        subtraces: number
        traceAddress: readonly number[]
        type: 'call' | 'create' | 'suicide'
      }[]
      stateDiff: unknown
      vmTrace: {
        code: Hex
        ops: readonly {
          pc: number
          cost: number
          ex: {
            used: number
            push: readonly Hex[]
            mem: { off: number; data: Hex } | null
            store: { key: Hex; val: Hex } | null
          } | null
          sub: { code: Hex; ops: readonly Readonly<Record<string, unknown>>[] } | null
        }[]
      } | null
      transactionHash?: string
    }[]
  }
  /** Always the number 0: nobody mines. */
  miner_getHashrate: { params: []; result: number }
  /** Unsupported: always an error. Blocks carry no extra data (D12, D48). */
  miner_setExtra: { params: [extra: string]; result: boolean }
  /** Writes the minimum gas price of this node into its configuration file; it acts after a restart (D48). */
  miner_setGasPrice: { params: [gasPrice: Hex]; result: boolean }
  /** Unsupported: always an error (D12). */
  miner_start: { params: [threads?: unknown]; result: boolean }
  /** Does nothing. */
  miner_stop: { params: []; result: null }
  /** Unsupported: always false. The gas limit of blocks is a genesis value (D18). */
  miner_setGasLimit: { params: [gasLimit: Hex]; result: boolean }
  /** Sets the account that receives the rewards of this validator, by a transaction of its reward key (D48). */
  miner_setEtherbase: { params: [address: Hex]; result: boolean }
  /** What there is to know of this node: its id, name, address and chain. */
  admin_nodeInfo: {
    params: []
    result: {
      id: string
      name: string
      listenAddr: string
      protocols: { eth: { network: number; genesis: string; head: string } }
    }
  }
  /** Peers of this node: those of its CometBFT, none with the embedded engine. They speak no Ethereum protocol. */
  admin_peers: {
    params: []
    result: readonly {
      id: string
      name: string
      caps: readonly []
      network: { localAddress: string; remoteAddress: string; inbound: boolean }
      protocols: Readonly<Record<string, unknown>>
    }[]
  }
  /** The home folder of this node. */
  admin_datadir: { params: []; result: string }
  /** All transactions of the pool, by group, sender and nonce. */
  txpool_content: {
    params: []
    result: {
      pending: Readonly<
        Record<
          string,
          Readonly<
            Record<
              string,
              {
                blockHash: Hex | null
                blockNumber: Hex | null
                blockTimestamp: Hex | null
                transactionIndex: Hex | null
                hash: Hex
                type: '0x0' | '0x1' | '0x2' | '0x4'
                from: Hex
                to: Hex | null
                nonce: Hex
                value: Hex
                input: Hex
                gas: Hex
                gasPrice: Hex
                maxFeePerGas?: Hex
                maxPriorityFeePerGas?: Hex
                chainId?: Hex
                accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[]
                authorizationList?: readonly {
                  chainId: Hex
                  address: Hex
                  nonce: Hex
                  yParity: Hex
                  r: Hex
                  s: Hex
                }[]
                v: Hex
                r: Hex
                s: Hex
                yParity?: Hex
              }
            >
          >
        >
      >
      queued: Readonly<
        Record<
          string,
          Readonly<
            Record<
              string,
              {
                blockHash: Hex | null
                blockNumber: Hex | null
                blockTimestamp: Hex | null
                transactionIndex: Hex | null
                hash: Hex
                type: '0x0' | '0x1' | '0x2' | '0x4'
                from: Hex
                to: Hex | null
                nonce: Hex
                value: Hex
                input: Hex
                gas: Hex
                gasPrice: Hex
                maxFeePerGas?: Hex
                maxPriorityFeePerGas?: Hex
                chainId?: Hex
                accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[]
                authorizationList?: readonly {
                  chainId: Hex
                  address: Hex
                  nonce: Hex
                  yParity: Hex
                  r: Hex
                  s: Hex
                }[]
                v: Hex
                r: Hex
                s: Hex
                yParity?: Hex
              }
            >
          >
        >
      >
    }
  }
  /** Transactions of one sender in the pool, by group and nonce. */
  txpool_contentFrom: {
    params: [address: Hex]
    result: {
      pending: Readonly<
        Record<
          string,
          {
            blockHash: Hex | null
            blockNumber: Hex | null
            blockTimestamp: Hex | null
            transactionIndex: Hex | null
            hash: Hex
            type: '0x0' | '0x1' | '0x2' | '0x4'
            from: Hex
            to: Hex | null
            nonce: Hex
            value: Hex
            input: Hex
            gas: Hex
            gasPrice: Hex
            maxFeePerGas?: Hex
            maxPriorityFeePerGas?: Hex
            chainId?: Hex
            accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[]
            authorizationList?: readonly {
              chainId: Hex
              address: Hex
              nonce: Hex
              yParity: Hex
              r: Hex
              s: Hex
            }[]
            v: Hex
            r: Hex
            s: Hex
            yParity?: Hex
          }
        >
      >
      queued: Readonly<
        Record<
          string,
          {
            blockHash: Hex | null
            blockNumber: Hex | null
            blockTimestamp: Hex | null
            transactionIndex: Hex | null
            hash: Hex
            type: '0x0' | '0x1' | '0x2' | '0x4'
            from: Hex
            to: Hex | null
            nonce: Hex
            value: Hex
            input: Hex
            gas: Hex
            gasPrice: Hex
            maxFeePerGas?: Hex
            maxPriorityFeePerGas?: Hex
            chainId?: Hex
            accessList?: readonly { address: Hex; storageKeys: readonly Hex[] }[]
            authorizationList?: readonly {
              chainId: Hex
              address: Hex
              nonce: Hex
              yParity: Hex
              r: Hex
              s: Hex
            }[]
            v: Hex
            r: Hex
            s: Hex
            yParity?: Hex
          }
        >
      >
    }
  }
  /** All transactions of the pool as lines of text, by group, sender and nonce. */
  txpool_inspect: {
    params: []
    result: {
      pending: Readonly<Record<string, Readonly<Record<string, string>>>>
      queued: Readonly<Record<string, Readonly<Record<string, string>>>>
    }
  }
  /** How many transactions the pool holds, by group. */
  txpool_status: { params: []; result: { pending: Hex; queued: Hex } }
  /** The namespaces that this node serves, each with its version. */
  rpc_modules: { params: []; result: Readonly<Record<string, string>> }
  /** All methods as an OpenRPC document. */
  'rpc.discover': {
    params: []
    result: { openrpc: string; methods: readonly Readonly<Record<string, unknown>>[] }
  }
}

/** The names of all methods. */
export const METHOD_NAMES: readonly (keyof Methods)[] = [
  'web3_clientVersion',
  'web3_sha3',
  'net_version',
  'net_peerCount',
  'net_listening',
  'eth_protocolVersion',
  'eth_chainId',
  'eth_config',
  'eth_syncing',
  'eth_blockNumber',
  'eth_gasPrice',
  'eth_maxPriorityFeePerGas',
  'eth_feeHistory',
  'eth_accounts',
  'eth_coinbase',
  'eth_getBalance',
  'eth_getCode',
  'eth_getStorageAt',
  'eth_getTransactionCount',
  'eth_getProof',
  'eth_call',
  'eth_estimateGas',
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByNumber',
  'eth_getBlockTransactionCountByHash',
  'eth_getUncleCountByBlockNumber',
  'eth_getUncleCountByBlockHash',
  'eth_getTransactionByHash',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionReceipt',
  'eth_getLogs',
  'eth_newFilter',
  'eth_newBlockFilter',
  'eth_newPendingTransactionFilter',
  'eth_uninstallFilter',
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_subscribe',
  'eth_unsubscribe',
  'eth_sign',
  'eth_sendTransaction',
  'eth_sendRawTransaction',
  'eth_getHeaderByNumber',
  'eth_getHeaderByHash',
  'eth_getRawTransactionByHash',
  'eth_getRawTransactionByBlockHashAndIndex',
  'eth_getRawTransactionByBlockNumberAndIndex',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
  'eth_getTransactionLogs',
  'eth_baseFee',
  'eth_blobBaseFee',
  'eth_pendingTransactions',
  'eth_getStorageValues',
  'eth_signTransaction',
  'eth_fillTransaction',
  'eth_resend',
  'eth_signTypedData',
  'eth_signTypedData_v4',
  'eth_sendRawTransactionSync',
  'eth_createAccessList',
  'eth_simulateV1',
  'personal_importRawKey',
  'personal_listAccounts',
  'personal_lockAccount',
  'personal_newAccount',
  'personal_unlockAccount',
  'personal_sendTransaction',
  'personal_signTransaction',
  'personal_sign',
  'personal_ecRecover',
  'personal_initializeWallet',
  'personal_openWallet',
  'personal_unpair',
  'debug_traceTransaction',
  'debug_traceBlockByNumber',
  'debug_traceBlock',
  'debug_traceBlockByHash',
  'debug_traceCall',
  'debug_getRawHeader',
  'debug_getRawBlock',
  'debug_getRawReceipts',
  'debug_getRawTransaction',
  'debug_getBadBlocks',
  'debug_storageRangeAt',
  'debug_accountRange',
  'debug_intermediateRoots',
  'trace_block',
  'trace_transaction',
  'trace_get',
  'trace_filter',
  'trace_call',
  'trace_callMany',
  'trace_replayTransaction',
  'trace_replayBlockTransactions',
  'miner_getHashrate',
  'miner_setExtra',
  'miner_setGasPrice',
  'miner_start',
  'miner_stop',
  'miner_setGasLimit',
  'miner_setEtherbase',
  'admin_nodeInfo',
  'admin_peers',
  'admin_datadir',
  'txpool_content',
  'txpool_contentFrom',
  'txpool_inspect',
  'txpool_status',
  'rpc_modules',
  'rpc.discover',
]
