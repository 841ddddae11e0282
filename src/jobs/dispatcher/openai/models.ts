/** Models in the form of OpenAI's API. */
import { z } from 'zod'
import { jobType } from '../../../proof/job/shapes.ts'
import type { ModelEntry } from '../schemas.ts'

/** One model. */
export const modelObject = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int().describe('Always 0: when a model was made is not known.'),
  owned_by: z.string(),
  assay: z.object({
    types: z.array(jobType).describe('Types of operators that serve it.'),
    slots: z.int().describe('Maximum number of jobs that they hold at a time.'),
  }),
})

/** All models. */
export const modelList = z.object({ object: z.literal('list'), data: z.array(modelObject) })

/** Entries by name: a model that several types of operators serve is one. */
export function modelsOf(entries: readonly ModelEntry[]): z.infer<typeof modelObject>[] {
  return [...new Set(entries.map(({ model }) => model))].map((id) => {
    const own = entries.filter(({ model }) => model === id)
    return {
      id,
      object: 'model',
      created: 0,
      owned_by: 'assay',
      assay: {
        types: own.map(({ job_type: type }) => type),
        slots: own.reduce((sum, { slots }) => sum + slots, 0),
      },
    }
  })
}
