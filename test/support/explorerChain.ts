/** Fills a chain with data to test the explorer's pages: a token with a hostile name, calls in calls, reverts. */
import { createRequire } from 'node:module'
import { encodeFunctionData, type Abi, type Hex } from 'viem'
import { eventually, rpc, type UpFile } from './assay.ts'

const require = createRequire(import.meta.url)

/** A name that is a script, a symbol that turns its direction, a memo of a million characters, and calls within calls. */
export const HOSTILE_SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Bell {
    event Rung(address from, string note);

    function ring(string calldata note) external payable {
        emit Rung(msg.sender, note);
    }
}

contract Hostile {
    string public name = "<script>window.hacked=1</script><img src=x onerror=alert(1)>";
    string public symbol = unicode"AG\\u202egnp\\u0000";
    uint8 public constant decimals = 6;
    uint256 public constant totalSupply = 1e12;
    mapping(address => uint256) public balanceOf;
    Bell public bell = new Bell();

    error Poor(address who, uint256 has, uint256 wants);
    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() payable {
        balanceOf[msg.sender] = 1e12;
        emit Transfer(address(0), msg.sender, 1e12);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        if (balanceOf[msg.sender] < value) revert Poor(msg.sender, balanceOf[msg.sender], value);
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function ring(string calldata note) external payable {
        bell.ring{value: msg.value / 2}(note);
        try this.transfer(address(1), type(uint256).max) {} catch {}
    }

    function memo() external pure returns (string memory text) {
        text = new string(1000000);
        for (uint256 at = 0; at < 1000000; at += 32) {
            assembly {
                mstore(add(add(text, 32), at), "<script>alert(1)</script>AAAAAAA")
            }
        }
    }
}
`

type Compiled = { readonly abi: Abi; readonly bytecode: Hex; readonly input: string }

/** The contract, and the standard-JSON input that it is compiled from. */
export function compileHostile(): Compiled {
  const solc = require('solc') as { compile(input: string): string }
  const input = JSON.stringify({
    language: 'Solidity',
    sources: { 'Hostile.sol': { content: HOSTILE_SOURCE } },
    settings: {
      evmVersion: 'prague',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  })
  const output = JSON.parse(solc.compile(input))
  const contract = output.contracts?.['Hostile.sol']?.Hostile
  if (contract === undefined) throw new Error(JSON.stringify(output.errors, null, 2))
  return { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}`, input }
}

type Receipt = {
  readonly transactionHash: Hex
  readonly contractAddress: Hex
  readonly blockNumber: Hex
}

/** Sends with an unlocked development account, and waits for the receipt. */
export async function send(
  up: UpFile,
  transaction: Readonly<Record<string, string>>,
): Promise<Receipt> {
  const sent = await rpc(up.rpc, 'eth_sendTransaction', [
    { from: up.accounts[0]?.address, gas: '0x4c4b40', ...transaction },
  ])
  if (sent.error !== undefined) throw new Error(sent.error.message)
  return await eventually(async () => {
    const { result } = await rpc(up.rpc, 'eth_getTransactionReceipt', [sent.result])
    return (result as Receipt | null) ?? undefined
  })
}

export type ExplorerChain = Compiled & {
  readonly token: Hex
  readonly transfer: Hex
  readonly transferBlock: number
  readonly reverted: Hex
  readonly nested: Hex
}

/** Deploys and uses the contract. */
export async function seedChain(up: UpFile): Promise<ExplorerChain> {
  const compiled = compileHostile()
  const { abi, bytecode } = compiled
  const [, second = { address: '0x' }, third = { address: '0x' }] = up.accounts
  const call = (functionName: string, args: readonly unknown[]): Hex =>
    encodeFunctionData({ abi, functionName, args })
  const { contractAddress: token } = await send(up, { data: bytecode, value: '0x64' })
  const moved = await send(up, { to: token, data: call('transfer', [second.address, 2_500_000n]) })
  const reverted = await send(up, {
    from: third.address,
    to: token,
    data: call('transfer', [second.address, 1n]),
  })
  const nested = await send(up, {
    to: token,
    value: '0x16345785d8a0000',
    data: call('ring', ['<b>bold</b> \u202e turned']),
  })
  return {
    ...compiled,
    token,
    transfer: moved.transactionHash,
    transferBlock: Number(moved.blockNumber),
    reverted: reverted.transactionHash,
    nested: nested.transactionHash,
  }
}
