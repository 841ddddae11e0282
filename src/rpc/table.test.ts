import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { METHODS } from './table.ts'

const methods = Object.entries(METHODS)

const folder = path.join(import.meta.dirname, 'methods')

test.each(methods)('%s has a file of its name with a test beside it', (name) => {
  const [namespace = '', ...rest] = name.split(/[_.]/)
  for (const ending of ['.ts', '.test.ts']) {
    const file = `${namespace}/${rest.join('_')}${ending}`
    expect(fs.existsSync(path.join(folder, file)), `write src/rpc/methods/${file}`).toBe(true)
  }
})

test('every method that a file exports is in the table', () => {
  const listed = new Set(methods.map(([name]) => name.replace('.', '_')))
  const unlisted = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const text = fs.readFileSync(path.join(folder, file), 'utf8')
      return [...text.matchAll(/^export const ([a-z0-9]+_\w+) = method\(/gm)]
        .filter(([, name = '']) => !listed.has(name))
        .map(([, name]) => `add ${name} of src/rpc/methods/${file} to src/rpc/table.ts`)
    })
  expect(unlisted).toEqual([])
})

test.each(methods)(
  '%s says what it does, takes and gives',
  (_name, { summary, params, result }) => {
    expect(summary).toMatch(/^\S.*[.)]$/)
    for (const schema of [...Object.values(params), result])
      expect(() => z.toJSONSchema(schema, { io: 'input' })).not.toThrow()
  },
)

test('every method of interface.md, part A, is there', () => {
  const names = new Set(Object.keys(METHODS))
  const missing = [
    'web3_clientVersion web3_sha3 net_version net_peerCount net_listening',
    'eth_protocolVersion eth_syncing eth_gasPrice eth_accounts eth_blockNumber eth_getBalance eth_getStorageAt',
    'eth_getTransactionCount eth_getBlockTransactionCountByNumber eth_getBlockTransactionCountByHash eth_getCode',
    'eth_call eth_estimateGas eth_getBlockByNumber eth_getBlockByHash eth_getTransactionByHash',
    'eth_getTransactionByBlockHashAndIndex eth_getTransactionReceipt eth_getLogs eth_coinbase eth_getProof',
    'eth_sign eth_sendTransaction eth_sendRawTransaction eth_newFilter eth_newBlockFilter',
    'eth_newPendingTransactionFilter eth_uninstallFilter eth_getFilterChanges eth_getFilterLogs',
    'eth_subscribe eth_unsubscribe',
    'personal_importRawKey personal_listAccounts personal_lockAccount personal_newAccount personal_unlockAccount',
    'personal_sendTransaction personal_sign personal_ecRecover personal_initializeWallet personal_unpair',
    'debug_traceTransaction debug_traceBlockByNumber',
    'miner_getHashrate miner_setExtra miner_setGasPrice miner_start miner_stop miner_setGasLimit miner_setEtherbase',
    'txpool_content txpool_inspect txpool_status',
  ]
    .flatMap((line) => line.split(' '))
    .filter((name) => !names.has(name))
  expect(missing).toEqual([])
})
