import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChatMessage } from './messages.ts'
import { renderTemplate, RENDERER, type RenderLimits } from './render.ts'

const CREATED_AT = Date.UTC(2026, 1, 3, 4, 5, 6) / 1000
const LIMITS: RenderLimits = { milliseconds: 60_000, megabytes: 64, characters: 1000 }
const { signal } = new AbortController()

function render(
  template: string,
  messages: readonly ChatMessage[] = [{ role: 'user', content: 'Hi' }],
  limits = LIMITS,
): Promise<string> {
  const request = { template, messages, bos: '<s>', eos: '</s>', createdAt: CREATED_AT }
  return renderTemplate(request, signal, limits)
}

const CHATML = `{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system
Be brief.<|im_end|>
' }}{% endif %}{{'<|im_start|>' + message['role'] + '
' + message['content'] + '<|im_end|>' + '
'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant
' }}{% endif %}`

const ENDLESS = '{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}'

const message = fc.record({
  role: fc.constantFrom('system', 'user', 'assistant' as const),
  content: fc.string({ unit: 'grapheme', maxLength: 40 }),
})

test('a ChatML template gives the text that its format describes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 5 }), async (messages) => {
      const turn = (role: string, content: string): string =>
        `<|im_start|>${role}\n${content}<|im_end|>\n`
      const first = messages[0]?.role === 'system' ? '' : turn('system', 'Be brief.')
      const turns = messages.map(({ role, content }) => turn(role, content)).join('')
      expect(await render(CHATML, messages)).toBe(`${first}${turns}<|im_start|>assistant\n`)
    }),
    { numRuns: 20 },
  )
})

// Holds D120.
test('the only clock of a template is the time of the job, in UTC and English', async () => {
  expect(await render("{{ strftime_now('%d %b %Y %H:%M:%S %A %B %y %%') }}")).toBe(
    '03 Feb 2026 04:05:06 Tuesday February 26 %',
  )
})

// Holds D120.
test('texts are stripped of what Python takes for space', async () => {
  const python =
    '\t\n\v\f\r\u001c\u001d\u001e\u001f \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000'
  const content = `${python}\ufeff${python}a${python}\u200b${python}`
  const messages: readonly ChatMessage[] = [{ role: 'user', content }]
  const inside = `\ufeff${python}a${python}\u200b`
  expect(await render('{{ messages[0].content | trim }}', messages)).toBe(inside)
  expect(await render('{{ messages[0].content.strip() }}', messages)).toBe(inside)
  expect(await render('{{ messages[0].content.lstrip() }}', messages)).toBe(inside + python)
  expect(await render('{{ messages[0].content.rstrip() }}', messages)).toBe(python + inside)
})

// Holds D120.
test.each([
  ["{{ '\\n a \\n'.strip('\\n') }}", ' a '],
  ["{{ '  \\n a'.split('x')[-1].lstrip('\\n') }}", '  \n a'],
  ["{{ 'a .,.'.rstrip('.,') + '|' }}", 'a |'],
  ["{{ ('  ' + missing | trim) + '|' }}", '  |'],
  ["{{ '🦊a🦊' | trim('🦊') }}", 'a'],
  ["{{ (' a ' ~ 1).strip() }}", 'a 1'],
  ["{{ ' b '.strip(none) }}", 'b'],
])('%s is %j', async (template, text) => {
  expect(await render(template)).toBe(text)
})

test('tokens that begin and end a sequence have their names', async () => {
  expect(await render('{{ bos_token }}{{ messages[0].content }}{{ eos_token }}')).toBe('<s>Hi</s>')
})

// Holds D120.
test.each([
  ['never ends', ENDLESS, 'takes longer than 1 s'],
  ['refuses a conversation', "{{ raise_exception('no system messages') }}", 'no system messages'],
  ['counts too far', '{{ range(2000000) }}', 'more than 1000000 numbers'],
  ['is no template', '{% for %}', 'the chat template of the model cannot be used'],
  ['makes too much', '{% for i in range(2000) %}x{% endfor %}', 'more than 1000 characters'],
])('a template that %s is an error that says so', async (_name, template, reason) => {
  const milliseconds = template === ENDLESS ? 1000 : 60_000
  await expect(render(template, undefined, { ...LIMITS, milliseconds })).rejects.toMatchObject({
    code: 'unsupported-model',
    message: expect.stringContaining(reason) as string,
  })
})

// Holds D120.
test('a template that takes all memory ends its own thread alone', async () => {
  const template =
    "{% set ns = namespace(list=['x']) %}{% for i in range(1000) %}{% set ns.list = ns.list + ns.list %}{% endfor %}"
  await expect(render(template)).rejects.toMatchObject({
    code: 'unsupported-model',
    message: expect.stringMatching(/memory/) as string,
  })
})

test('a rendering stops when its job is cancelled', async () => {
  const controller = new AbortController()
  const request = { template: ENDLESS, messages: [] }
  const rendering = renderTemplate(
    { ...request, bos: '', eos: '', createdAt: 0 },
    controller.signal,
    LIMITS,
  )
  controller.abort(new Error('cancelled'))
  await expect(rendering).rejects.toThrow('cancelled')
})

test('the renderer is stated with the version that is installed', () => {
  const manifest = path.resolve('node_modules', '@huggingface', 'jinja', 'package.json')
  const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string }
  expect(RENDERER).toBe(`jinja/${version}+1`)
})
