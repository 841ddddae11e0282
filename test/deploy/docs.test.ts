import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { faultOf } from '../support/commandLine.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const markdownIn = (folder: string) =>
  fs
    .readdirSync(path.join(root, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.join(folder, file))
const pages = [
  'README.md',
  'deploy/README.md',
  ...markdownIn('docs'),
  ...markdownIn('docs/tutorials'),
]

/** The command lines of the page's shell blocks: continued lines joined, substitutions apart, cut where another one begins. */
function commandsOf(text: string): readonly string[] {
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block)
  return blocks
    .flatMap((block) => block.replace(/\\\n\s*/g, ' ').split('\n'))
    .map((line) => line.replace(/(?:^|\s)#.*$/, ''))
    .flatMap((line) => {
      const inner = [...line.matchAll(/\$\(([^()]*)\)/g)].map(([, command = '']) => command)
      return [line.replaceAll(/\$\([^()]*\)/g, '$VALUE'), ...inner]
    })
    .flatMap((line) => line.split(/\||&&|;|&\s*$/))
}

/** The words of a command of assay; undefined for any other command. */
function assayWords(command: string): readonly string[] | undefined {
  const plain = command.replace(/^\s*(?:sudo (?:-u assay )?|until |if )?(?:[A-Z_]+=\S+ )*/, '')
  const words = plain.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  if (words[0] !== 'assay') return undefined
  const end = words.findIndex((word) => /^\d?[<>]/.test(word))
  return words.slice(1, end === -1 ? undefined : end).map((word) => word.replaceAll(/["']/g, ''))
}

test.each(pages)('every command of assay in %s exists, with its options', (page) => {
  const text = fs.readFileSync(path.join(root, page), 'utf8')
  for (const command of commandsOf(text)) {
    const words = assayWords(command)
    if (words !== undefined) expect(faultOf(words), command).toBeUndefined()
  }
  // In a sentence, a command may stand without its arguments.
  for (const [, span = ''] of text.matchAll(/`assay ([a-z][^`…]*)`/g)) {
    const fault = faultOf(span.split(/\s+/)) ?? ''
    expect(fault.replace(/.* expects \d+ arguments.*/, ''), `assay ${span}`).toBe('')
  }
})

test.each(pages)(
  'every link of %s to a file of ours leads somewhere, and so does its anchor',
  (page) => {
    const text = fs.readFileSync(path.join(root, page), 'utf8')
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)) {
      const [file = '', anchor] = target.split('#')
      const place = file === '' ? path.join(root, page) : path.join(root, path.dirname(page), file)
      expect(fs.existsSync(place), target).toBe(true)
      if (anchor === undefined || !place.endsWith('.md')) continue
      const anchors = [...fs.readFileSync(place, 'utf8').matchAll(/^#+ (.*)$/gm)].map(
        ([, title = '']) =>
          title
            .toLowerCase()
            .replaceAll(/[^\w\s-]/g, '')
            .replaceAll(' ', '-'),
      )
      expect(anchors, target).toContain(anchor)
    }
  },
)

test('every page of docs is linked from another one', () => {
  const linked = new Set(
    [...pages, 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'].flatMap((page) =>
      [...fs.readFileSync(path.join(root, page), 'utf8').matchAll(/\]\(([^)#\s]+)/g)]
        .map(([, target = '']) => path.join(path.dirname(page), target))
        .filter((target) => target !== page),
    ),
  )
  for (const page of pages) if (page.startsWith('docs/')) expect([...linked]).toContain(page)
})
