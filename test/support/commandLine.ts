/** Whether a command line of ours exists: its command, its options, and the values of options that are configuration keys. */
import type { Command, Option } from 'commander'
import { createProgram } from '../../src/cli/program.ts'
import { dispatcherKeys } from '../../src/config/dispatcher.ts'
import type { KeyTable } from '../../src/config/key.ts'
import { nodeKeys } from '../../src/config/node.ts'

const keys: KeyTable = { ...nodeKeys, ...dispatcherKeys }

function findOption(command: Command, flag: string): Option | undefined {
  const own = command.options.find(({ long, short }) => long === flag || short === flag)
  return own ?? (command.parent === null ? undefined : findOption(command.parent, flag))
}

/**
 * What is wrong with the words after `assay`; undefined if nothing is. Words with shell variables stand for any value.
 */
export function faultOf(words: readonly string[]): string | undefined {
  let command: Command = createProgram()
  let values = 0
  const rest = [...words]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word.startsWith('-') && word !== '-') {
      const [flag = '', given] = word.split(/=(.*)/s)
      if (flag === '--help' || flag === '--version') continue
      const option = findOption(command, flag)
      if (option === undefined) return `${command.name()} has no option ${flag}`
      if (option.isBoolean() || option.optional) continue
      const value = given ?? rest.shift()
      if (value === undefined) return `${flag} has no value`
      const key = keys[flag.slice(2)]
      if (key === undefined || value.includes('$')) continue
      try {
        key.type.parse(value)
      } catch (error) {
        return `${flag}: ${String(error)}`
      }
      continue
    }
    const child = command.commands.find((each) => each.name() === word)
    if (child !== undefined && values === 0) command = child
    else values += 1
  }
  return faultOfValues(command, values)
}

function faultOfValues(command: Command, count: number): string | undefined {
  const { registeredArguments: wanted } = command
  const least = wanted.filter(({ required }) => required).length
  const isOpen = wanted.some(({ variadic }) => variadic)
  const isGroup = command.commands.length > 0 && wanted.length === 0
  if (isGroup && count > 0) return `${command.name()} has no such command`
  if (count < least) return `${command.name()} expects ${least} arguments, got ${count}`
  if (!isOpen && count > wanted.length) return `${command.name()} got ${count} arguments`
  return undefined
}
