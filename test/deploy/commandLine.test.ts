import { expect, test } from 'vitest'
import { faultOf } from '../support/commandLine.ts'

test.each([
  ['node --json-rpc.address=0.0.0.0:8545'],
  ['operator -c operator.toml'],
  ['operator --init=postgres://a@b/c --config=file'],
  ['worker --address 127.0.0.1:8551'],
  ['localnet kill node0 node1'],
  ['network create homes --full=2'],
  ['job watch ID'],
])('assay %s exists', (line) => expect(faultOf(line.split(' '))).toBeUndefined())

test.each([
  ['nodes', 'has no such command'],
  ['node --json-rpc.port=1', 'no option --json-rpc.port'],
  ['node --json-rpc.address=here', '--json-rpc.address: '],
  ['network create', 'expects 1 arguments'],
  ['job watch ID ID', 'got 2 arguments'],
  ['localnet stop now', 'got 1 arguments'],
  ['worker --address', 'has no value'],
])('assay %s does not exist: %s', (line, fault) =>
  expect(faultOf(line.split(' '))).toContain(fault),
)
