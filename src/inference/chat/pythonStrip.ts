/**
 * Stripping as in Python, for which chat templates are written (D120): `@huggingface/jinja` 0.5 strips what JavaScript takes for space, and
 * ignores which characters a template asks for.
 */

/** Code points that `str.strip` takes for space, and JavaScript does not. */
const ALSO_SPACE: ReadonlySet<number> = new Set([0x1c, 0x1d, 0x1e, 0x1f, 0x85])

/** What `str.strip` takes for space. U+FEFF is none there. */
function isSpace(character: string): boolean {
  return (
    ALSO_SPACE.has(character.codePointAt(0) ?? 0) ||
    (/\s/.test(character) && character !== '\ufeff')
  )
}

const SIDES: Readonly<Record<string, readonly [start: boolean, end: boolean]>> = {
  strip: [true, true],
  lstrip: [true, false],
  rstrip: [false, true],
}

/** The global function that `rewriteStrips` calls. */
export const STRIP = '__python_strip'

/**
 * A text without space, or without any of `characters`, on both sides or one: `sides` is the name of Python's method. Undefined is an
 * empty text, as the filter has it.
 */
export function pythonStrip(value: unknown, sides: unknown, characters?: unknown): string {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
  const all = Array.from(text)
  const [start, end] = SIDES[String(sides)] ?? [true, true]
  const chosen = typeof characters === 'string' ? new Set(characters) : undefined
  const isStripped = (character: string): boolean =>
    chosen === undefined ? isSpace(character) : chosen.has(character)
  const kept = (character: string): boolean => !isStripped(character)
  const first = start ? all.findIndex(kept) : 0
  if (first < 0) return ''
  return all.slice(first, end ? all.findLastIndex(kept) + 1 : all.length).join('')
}

/** A node of a parsed template, as far as it is read here. */
type Node = Record<string, unknown>

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null
}

function identifier(value: string): Node {
  return { type: 'Identifier', value }
}

function nameOf(node: unknown): string | undefined {
  if (!isNode(node) || node.type !== 'Identifier') return undefined
  return typeof node.value === 'string' ? node.value : undefined
}

/** The text that a node strips, the sides, and the arguments; undefined for other nodes. */
function stripOf(node: Node): { text: unknown; sides: string; args: unknown[] } | undefined {
  const listed = (args: unknown): unknown[] => (Array.isArray(args) ? (args as unknown[]) : [])
  if (node.type === 'CallExpression' && isNode(node.callee)) {
    const { type, computed, object, property } = node.callee
    const sides = nameOf(property) ?? ''
    if (type === 'MemberExpression' && computed !== true && Object.hasOwn(SIDES, sides))
      return { text: object, sides, args: listed(node.args) }
  }
  if (node.type === 'FilterExpression' && isNode(node.filter)) {
    const { callee, args } = node.filter
    if (nameOf(node.filter) === 'trim' || nameOf(callee) === 'trim')
      return { text: node.operand, sides: 'strip', args: listed(args) }
  }
  return undefined
}

/** Makes every filter `trim` and every method that strips, anywhere in a parsed template, a call of `STRIP`. */
export function rewriteStrips(tree: unknown): void {
  if (!isNode(tree)) return
  const found = stripOf(tree)
  if (found !== undefined)
    Object.assign(tree, {
      type: 'CallExpression',
      callee: identifier(STRIP),
      args: [found.text, { type: 'StringLiteral', value: found.sides }, ...found.args],
    })
  for (const child of Object.values(tree)) rewriteStrips(child)
}
