// The README's walk through Assay in one go, against a running `npm start`: deploy a contract, transfer, read the log, look
// at the same block as CometBFT shows it, check a proof, submit a job and read its result.
//   node docs/walkthrough.mjs [path of up.json]
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import solc from 'solc'
import { createPublicClient, createWalletClient, defineChain, http, parseEventLogs } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const up = JSON.parse(
  fs.readFileSync(process.argv[2] ?? path.join(os.homedir(), '.assay', 'up.json'), 'utf8'),
)
const chain = defineChain({
  id: up.chainId,
  name: 'Assay',
  nativeCurrency: { name: 'Assay', symbol: 'ASSAY', decimals: 18 },
  rpcUrls: { default: { http: [up.ethereum] } },
})
const client = createPublicClient({ chain, transport: http(), pollingInterval: 50 })
const wallet = createWalletClient({
  chain,
  transport: http(),
  account: privateKeyToAccount(up.accounts[0].privateKey),
})

const source = `
pragma solidity ^0.8.0;
contract Points {
  event Transfer(address indexed from, address indexed to, uint256 value);
  mapping(address => uint256) public balanceOf;
  constructor() { balanceOf[msg.sender] = 1000; }
  function transfer(address to, uint256 value) external {
    balanceOf[msg.sender] -= value;
    balanceOf[to] += value;
    emit Transfer(msg.sender, to, value);
  }
}`
const compiled = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: 'Solidity',
      sources: { 'Points.sol': { content: source } },
      settings: { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
    }),
  ),
).contracts['Points.sol'].Points
const abi = compiled.abi

const deployment = await wallet.deployContract({
  abi,
  bytecode: `0x${compiled.evm.bytecode.object}`,
})
const { contractAddress: address } = await client.waitForTransactionReceipt({ hash: deployment })
console.log('contract  ', address)

const hash = await wallet.writeContract({
  address,
  abi,
  functionName: 'transfer',
  args: [up.accounts[1].address, 42n],
})
const receipt = await client.waitForTransactionReceipt({ hash })
const [log] = parseEventLogs({ abi, logs: receipt.logs })
console.log('log       ', log.eventName, log.args)

const comet = await (await fetch(`${up.comet}/block?height=${receipt.blockNumber}`)).json()
console.log('block     ', receipt.blockHash, '=', comet.result.block_id.hash)

const proof = await client.getProof({ address, storageKeys: [], blockNumber: receipt.blockNumber })
console.log(
  'proof     ',
  proof.accountProof.length,
  'nodes up to the state root of block',
  receipt.blockNumber,
)

const post = async (route, body) =>
  (
    await fetch(`${up.dispatcher}${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).json()
const submitted = await post('/api/job/submit', {
  from: up.project,
  verify: up.token,
  user: 'me',
  tag: '',
  job: {
    tag: 'opml',
    prompt: 'What is AI?',
    model: 'tiny.gguf',
    params: { temperature: 0, top_p: 1, max_tokens: 16 },
  },
})
console.log('job       ', submitted.result)
for (;;) {
  const { result } = await post('/api/job/result', { job_id: submitted.result })
  if (result.length > 0) {
    console.log('result    ', result[0])
    break
  }
  await sleep(50)
}
