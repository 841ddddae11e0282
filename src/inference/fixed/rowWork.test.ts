import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import type { FailingRowThreadData } from '../../../test/support/failingRowThread.ts'
import { moduleFile } from '../../base/moduleFile.ts'
import { createControl, multiplyTogether, type Product, type RowKernels } from './rowWork.ts'

const PRODUCT: Product = {
  memory: 0,
  matrix: { form: 0, rows: 64, blocks: 1, planes: [0] },
  activations: 0,
  count: 1,
  target: 0,
  scratch: 0,
}

/** Kernels that begin only when another thread has taken a part. */
function waitingKernels(control: Int32Array, parts: number): RowKernels {
  let done = 0
  return {
    multiplyMatrix() {
      done++
      // The number of parts left is in the lowest bits of the first word.
      while (((control[0] as number) & 0xffff) > parts - done - 1)
        Atomics.wait(control, 0, Atomics.load(control, 0), 1)
    },
    addMinima: () => undefined,
  }
}

function startThread(control: Int32Array, end: boolean): void {
  const data: FailingRowThreadData = { control, end }
  const thread = new Worker(
    moduleFile(new URL('../../../test/support/failingRowThread', import.meta.url)),
    { workerData: data },
  )
  onTestFinished(async () => void (await thread.terminate()))
}

// Holds D134.
test('a product throws when another thread cannot compute its part', () => {
  const control = createControl()
  startThread(control, false)
  expect(() => multiplyTogether(control, [waitingKernels(control, 4)], PRODUCT, 16)).toThrow(
    /of the 4 parts of a product could not be computed/,
  )
})

// Holds D134.
test('a product throws when another thread ends within its part', () => {
  const control = createControl()
  startThread(control, true)
  expect(() => multiplyTogether(control, [waitingKernels(control, 4)], PRODUCT, 16, 50)).toThrow(
    /a thread that computes products ended/,
  )
})

test('a product whose own part throws waits for the others before it does', () => {
  const control = createControl()
  const fail = (): never => {
    throw new Error('no such instruction')
  }
  expect(() =>
    multiplyTogether(control, [{ multiplyMatrix: fail, addMinima: fail }], PRODUCT, 16),
  ).toThrow('4 of the 4 parts of a product could not be computed; submit the job again')
  const done = { multiplyMatrix: () => undefined, addMinima: () => undefined }
  expect(() => multiplyTogether(control, [done], PRODUCT, 16)).not.toThrow()
})
