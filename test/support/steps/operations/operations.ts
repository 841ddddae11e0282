/** Every operation of the integer engine. */
import { ATTENTION } from './attention.ts'
import { CHOICE } from './choice.ts'
import type { Operation } from './operation.ts'
import { ROWS } from './rows.ts'
import { SINGLES } from './singles.ts'
import { TABLES } from './tables.ts'
import { VECTORS } from './vectors.ts'

export const OPERATIONS: readonly Operation[] = [
  ...SINGLES,
  ...VECTORS,
  ...ROWS,
  ...ATTENTION,
  ...CHOICE,
  ...TABLES,
]
