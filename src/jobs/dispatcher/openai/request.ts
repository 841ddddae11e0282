/** Bodies of requests to /v1, as OpenAI's API documents them, and what they may say besides (D63, D139). */
import { z } from 'zod'
import { OWN, text, within } from '../../../base/boundedSchema.ts'
import { BOUNDS } from '../../../base/bounds.ts'
import { jobType, reviewTag, stopTexts } from '../../../proof/job/shapes.ts'
import { agreement, LONGEST_DEADLINE_S } from '../schemas.ts'

/** What only this API has: which verification is asked for. */
const assayOptions = z
  .strictObject({
    type: jobType
      .optional()
      .describe('Type of operator: opml by default, tee where only tee operators serve the model.'),
    agree: agreement.optional(),
    tag: reviewTag.optional().describe('Tag of the job: why its user is watched.'),
    user: text(BOUNDS.scalar).optional().describe('User or device to verify; default: user.'),
    priority: z.int().min(-100).max(100).optional(),
    deadline: z.int().min(1).max(LONGEST_DEADLINE_S).optional().describe('Seconds.'),
  })
  .describe('Which verification is asked for.')

const texts = stopTexts.unwrap().element

/** What both kinds of completion take. */
const common = {
  model: text(BOUNDS.scalar).describe('Name of the model.'),
  temperature: z.number().min(0).max(2).nullish().describe('Default 1.'),
  top_p: z.number().gt(0).max(1).nullish().describe('Default 1.'),
  stop: z
    .union([texts, stopTexts])
    .nullish()
    .describe('The output ends before the first of these.'),
  seed: z.int().nullish().describe('Seeds the sampler.'),
  stream: z.boolean().nullish().describe('Server-sent events, as the text is generated.'),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  user: text(BOUNDS.scalar).nullish(),
  safety_identifier: text(BOUNDS.scalar).nullish(),
  assay: assayOptions.optional(),
}

const contentPart = z.looseObject({ type: z.string(), text: z.string().optional() })

/** Body of /v1/chat/completions. */
export const chatBody = within(
  z.looseObject({
    ...common,
    messages: z
      .array(
        z.looseObject({
          role: z.string().describe('system, developer, user or assistant.'),
          content: z.union([z.string(), z.array(contentPart)]).nullish(),
        }),
      )
      .min(1),
    max_tokens: z.int().min(1).nullish().describe('Default: until the end of the context.'),
    max_completion_tokens: z.int().min(1).nullish().describe('The same; it comes first.'),
  }),
  OWN,
)

/** Body of /v1/completions. */
export const completionBody = within(
  z.looseObject({
    ...common,
    prompt: z.union([z.string(), z.array(z.string()), z.array(z.unknown())]),
    max_tokens: z.int().min(1).nullish().describe('Default 16.'),
  }),
  OWN,
)

/** Body of /v1/embeddings, which no engine computes. */
export const embeddingBody = within(z.looseObject({ model: z.string().optional() }), OWN)

export type ChatBody = z.infer<typeof chatBody>
export type CompletionBody = z.infer<typeof completionBody>
