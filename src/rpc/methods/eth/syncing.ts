import { z } from 'zod'
import { method, type Result } from '../../../wire/method.ts'
import { encodeProgress, progressShape } from '../../encode/progress.ts'
import type { World, SyncProgress } from '../../world.ts'

const syncingResult: Result<SyncProgress | undefined> = {
  schema: z.union([z.literal(false), progressShape]),
  encode: (progress) => progress !== undefined && encodeProgress(progress),
}

export const eth_syncing = method({
  summary: 'false when the node has caught up, otherwise its progress.',
  params: {},
  result: syncingResult,
  handler: ({ syncing }: Pick<World, 'syncing'>) => syncing(),
})
