import { expect, test } from 'vitest'
import { METHODS } from './table.ts'
import { compileArguments } from '../wire/arguments.ts'

const ADDRESS = `0x${'11'.repeat(20)}`

// go-ethereum 1.17.7 says these (D12).
test.each([
  [
    'eth_getBalance',
    [5],
    0,
    'json: cannot unmarshal non-string into Go value of type common.Address',
  ],
  ['eth_getBalance', ['0x12'], 0, 'hex string has length 2, want 40 for common.Address'],
  [
    'eth_getBalance',
    ['zz'],
    0,
    'json: cannot unmarshal hex string without 0x prefix into Go value of type common.Address',
  ],
  ['eth_getBalance', [ADDRESS, 5], 1, 'json: cannot unmarshal number into Go value of type string'],
  [
    'eth_getBalance',
    [ADDRESS, true],
    1,
    'json: cannot unmarshal bool into Go value of type string',
  ],
  ['eth_getBalance', [ADDRESS, {}], 1, 'must specify either BlockHash or BlockNumber'],
  ['eth_getBalance', [ADDRESS, '5'], 1, 'hex string without 0x prefix'],
  ['eth_getBlockByNumber', [{}, true], 0, 'hex string without 0x prefix'],
  ['eth_getBlockByNumber', ['0x', true], 0, 'hex string "0x"'],
  [
    'eth_getBlockByNumber',
    ['0x0', 'x'],
    1,
    'json: cannot unmarshal string into Go value of type bool',
  ],
  [
    'eth_getTransactionByBlockNumberAndIndex',
    ['0x0', 5],
    1,
    'json: cannot unmarshal non-string into Go value of type hexutil.Uint',
  ],
  [
    'eth_call',
    [5],
    0,
    'json: cannot unmarshal number into Go value of type ethapi.TransactionArgs',
  ],
  [
    'eth_call',
    [{ from: 5 }],
    0,
    'json: cannot unmarshal non-string into Go struct field TransactionArgs.from of type common.Address',
  ],
  [
    'eth_call',
    [{ gas: '5' }],
    0,
    'json: cannot unmarshal hex string without 0x prefix into Go struct field TransactionArgs.gas of type hexutil.Uint64',
  ],
  [
    'eth_call',
    [{ data: '0x1' }],
    0,
    'json: cannot unmarshal hex string of odd length into Go struct field TransactionArgs.data of type hexutil.Bytes',
  ],
  ['eth_call', [{ to: '0x12' }], 0, 'hex string has length 2, want 40 for common.Address'],
  [
    'eth_getProof',
    [ADDRESS, 'x'],
    1,
    'json: cannot unmarshal string into Go value of type []string',
  ],
  ['eth_getProof', [ADDRESS, [5]], 1, 'json: cannot unmarshal number into Go value of type string'],
  ['eth_getLogs', [{ address: 5 }], 0, 'invalid addresses in query'],
  ['eth_getLogs', [{ address: [5] }], 0, 'non-string address at index 0'],
  [
    'eth_getLogs',
    [{ address: ['0x1'] }],
    0,
    'invalid address at index 0: hex string of odd length',
  ],
  ['eth_getLogs', [{ topics: [5] }], 0, 'invalid topic(s)'],
  [
    'eth_getLogs',
    [{ topics: [['0x12']] }],
    0,
    'hex has invalid length 1 after decoding; expected 32 for topic',
  ],
  [
    'eth_sendRawTransaction',
    [5],
    0,
    'json: cannot unmarshal non-string into Go value of type hexutil.Bytes',
  ],
])('%s %j: argument %i: %s', (name, params, position, message) => {
  const read = compileArguments(METHODS[name]?.params ?? {})
  expect(() => read(params)).toThrow(`invalid argument ${position}: ${message}`)
})
