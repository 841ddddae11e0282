/** Passphrases for commands: from a file, from a hidden prompt, or from the first line of a pipe. Never from an argument. */
import fs from 'node:fs'
import { messageOf, UserError } from '../base/errors.ts'

const ENTER = new Set(['\r', '\n', '\u0004'])
const BACKSPACE = new Set(['\u007f', '\b'])
const INTERRUPT = '\u0003'

/** The first line of a string. */
function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? ''
}

/** A line that is typed without echo. Rejects with UserError on Ctrl-C. */
function readHidden(terminal: NodeJS.ReadStream, prompt: string): Promise<string> {
  process.stderr.write(prompt)
  terminal.setRawMode(true)
  terminal.setEncoding('utf8')
  terminal.resume()
  return new Promise<string>((resolve, reject) => {
    const typed: string[] = []
    const end = (): void => {
      terminal.off('data', read)
      terminal.setRawMode(false)
      terminal.pause()
      process.stderr.write('\n')
    }
    const read = (chunk: string): void => {
      for (const character of chunk) {
        if (ENTER.has(character)) {
          end()
          return resolve(typed.join(''))
        }
        if (character === INTERRUPT) {
          end()
          return reject(new UserError('interrupted'))
        }
        if (BACKSPACE.has(character)) typed.pop()
        else typed.push(character)
      }
    }
    terminal.on('data', read)
  })
}

async function readPiped(input: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of input) chunks.push(Buffer.from(chunk as Uint8Array))
  return firstLine(Buffer.concat(chunks).toString('utf8'))
}

export type PassphraseSource = {
  /** A file whose first line is the passphrase. */
  readonly passwordFile?: string | undefined
  /** Ask twice, for a new passphrase. */
  readonly isNew?: boolean
  readonly prompt?: string
}

/** Reads a passphrase. Throws UserError when the file can't be read, or two entries differ. */
export async function readPassphrase(source: PassphraseSource): Promise<string> {
  const { passwordFile, isNew = false, prompt = 'Passphrase: ' } = source
  if (passwordFile !== undefined) {
    try {
      return firstLine(fs.readFileSync(passwordFile, 'utf8'))
    } catch (error) {
      throw new UserError(`--password-file: ${messageOf(error)}`)
    }
  }
  if (!process.stdin.isTTY) return await readPiped(process.stdin)
  const passphrase = await readHidden(process.stdin, prompt)
  if (isNew && (await readHidden(process.stdin, 'Repeat passphrase: ')) !== passphrase)
    throw new UserError('the passphrases do not match')
  return passphrase
}
