/** The functions of a module that have a name, or get one from where they stand. */
import {
  parseSync,
  type ArrowFunctionExpression,
  type Comment,
  type Expression,
  type Function as FunctionNode,
  type Node,
  type ObjectExpression,
  type Program,
} from 'oxc-parser'

export type NamedFunction = {
  /** Names from the outermost of what it stands in to its own: `createPool`, `add`. */
  readonly path: readonly string[]
  /** Its name inside of the innermost function around it: `add`, or `eth_call.handler` in a value `eth_call`. */
  readonly name: string
  readonly node: FunctionNode | ArrowFunctionExpression
  /** Where what names it begins, a statement or a property: its docstring stands before that. */
  readonly start: number
  /** The `summary` of the object that it belongs to, as methods and routes have one. */
  readonly summary: string | undefined
  /** The functions around it, the innermost first. */
  readonly around: readonly (FunctionNode | ArrowFunctionExpression)[]
}

export type Syntax = {
  readonly program: Program
  readonly comments: readonly Comment[]
  readonly functions: readonly NamedFunction[]
}

type Place = {
  readonly path: readonly string[]
  /** How many names of the path lead to the innermost function. */
  readonly depth: number
  readonly around: NamedFunction['around']
  readonly summary: string | undefined
  /** What a function at this place is called, if anything. */
  readonly name: string | undefined
  readonly start: number
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** Calls `visit` for the children of a node, in the order of the text. */
export function eachChild(node: Node, visit: (child: Node) => void): void {
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child)
}

/** The name of a property or a variable. */
export function nameOf(key: Node): string | undefined {
  if (key.type === 'Identifier') return key.name
  if (key.type === 'PrivateIdentifier') return `#${key.name}`
  return textOf(key)
}

function textOf(node: Node): string | undefined {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}

function property(object: ObjectExpression, name: string): Expression | undefined {
  for (const each of object.properties)
    if (each.type === 'Property' && nameOf(each.key) === name) return each.value
  return undefined
}

function summaryOf(object: ObjectExpression): string | undefined {
  const schema = property(object, 'schema')
  const summary =
    property(object, 'summary') ??
    (schema?.type === 'ObjectExpression' ? property(schema, 'summary') : undefined)
  return summary && textOf(summary)
}

/** What names a function that is handed to a call beside a text: `on('message')`. */
function callName(callee: Node, first: Node | undefined): string | undefined {
  const text = first && textOf(first)
  const name = nameOf(callee.type === 'MemberExpression' ? callee.property : callee)
  return text === undefined || name === undefined ? undefined : `${name}('${text}')`
}

/** What names a route: its method and URL. */
function routeName(object: ObjectExpression): string | undefined {
  const [method, url] = ['method', 'url'].map((name) => property(object, name))
  return method && url && `${textOf(method)} ${textOf(url)}`
}

/** Reads a module, with types or without. Throws SyntaxError. */
export function readFunctions(file: string, text: string): Syntax {
  const { program, comments, errors } = parseSync(file, text)
  const [error] = errors
  if (error !== undefined) throw new SyntaxError(`${file}: ${error.message}`)
  const functions: NamedFunction[] = []

  function within(place: Place, name: string | undefined): Place {
    return name === undefined ? place : { ...place, path: [...place.path, name] }
  }

  function enter(node: FunctionNode | ArrowFunctionExpression, place: Place): void {
    const own = node.type === 'ArrowFunctionExpression' ? undefined : node.id?.name
    const name = own ?? place.name
    const { start, summary, depth, around } = place
    const { path } = within(place, name)
    if (name !== undefined && node.body !== null)
      functions.push({ path, name: path.slice(depth).join('.'), node, start, summary, around })
    const inner =
      name === undefined
        ? place
        : { ...place, path, depth: path.length, around: [node, ...around], summary: undefined }
    walkChildren(node, inner)
  }

  function walkChildren(node: Node, place: Place): void {
    eachChild(node, (child) => walk(child, { ...place, name: undefined, start: child.start }))
  }

  function walk(node: Node, place: Place): void {
    const named = (child: Node, name: string | undefined, start = place.start): void =>
      walk(child, { ...place, name, start })
    switch (node.type) {
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        return enter(node, place)
      case 'ExportNamedDeclaration':
        if (node.declaration !== null) named(node.declaration, undefined)
        return
      case 'VariableDeclaration':
        for (const { id, init } of node.declarations)
          if (init !== null) named(init, id.type === 'Identifier' ? id.name : undefined)
        return
      case 'AssignmentExpression': {
        const target = node.left.type === 'MemberExpression' ? node.left.property : node.left
        return named(node.right, nameOf(target))
      }
      case 'ClassDeclaration':
      case 'ClassExpression':
        return walkChildren(node.body, within(place, node.id?.name ?? place.name))
      case 'MethodDefinition':
        return named(node.value, node.kind === 'method' ? nameOf(node.key) : undefined)
      case 'PropertyDefinition':
        if (node.value !== null) named(node.value, nameOf(node.key))
        return
      case 'ObjectExpression':
        return walkObject(node, place)
      case 'CallExpression':
        named(node.callee, undefined)
        for (const argument of node.arguments)
          named(
            argument,
            argument.type === 'ObjectExpression'
              ? (place.name ?? routeName(argument))
              : callName(node.callee, node.arguments[0]),
          )
        return
      case 'ParenthesizedExpression':
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
        return named(node.expression, place.name)
      default:
        walkChildren(node, place)
    }
  }

  function walkObject(node: ObjectExpression, place: Place): void {
    const inner = { ...within(place, place.name), summary: summaryOf(node) ?? place.summary }
    for (const each of node.properties)
      if (each.type === 'Property') {
        const name = each.kind === 'init' ? nameOf(each.key) : undefined
        walk(each.value, { ...inner, name, start: each.start })
      } else walk(each.argument, { ...inner, name: undefined, start: each.start })
  }

  walk(program, {
    path: [],
    depth: 0,
    around: [],
    summary: undefined,
    name: undefined,
    start: 0,
  })
  return { program, comments, functions }
}
