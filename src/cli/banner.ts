/** What `assay up` prints once it is ready. */
import { styleText } from 'node:util'
import { DEVELOPMENT_MNEMONIC } from '../accounts/development.ts'
import { TINY_MODEL } from '../inference/tinyModel.ts'
import type { UpFile } from './upFile.ts'

type Style = Parameters<typeof styleText>[0]

/** Maximum number of tokens of the example: what a generated model says is not worth more. */
const TOKENS = { generated: 16, real: 64 }

/** The model that examples ask: `preferred` if it is there, else one that is not generated, if there is any. */
export function exampleModel(models: readonly string[], preferred?: string): string {
  if (preferred !== undefined && models.includes(preferred)) return preferred
  return models.find((name) => name !== TINY_MODEL) ?? TINY_MODEL
}

/** A command that submits a job for a model. */
export function curl(up: UpFile, model: string): string {
  const body = {
    from: up.project,
    verify: up.token,
    user: 'me',
    tag: '',
    job: {
      tag: 'opml',
      prompt: 'What is AI?',
      model,
      params: {
        temperature: 0,
        top_p: 1,
        max_tokens: model === TINY_MODEL ? TOKENS.generated : TOKENS.real,
      },
    },
  }
  return `curl -s ${up.dispatcher}/api/job/submit -H 'content-type: application/json' -d '${JSON.stringify(body)}'`
}

/**
 * The page of jobs, for the project of the system. The token is in the fragment, which browsers send to no server, and the page
 * takes it out of the address at once (D168).
 */
export function consoleLink(explorer: string, { project, token }: UpFile): string {
  return `${explorer}/jobs#${new URLSearchParams({ project, token }).toString()}`
}

/** The banner's text; `colors` for a terminal. `missing` lists what is not running, and why. */
export function banner(
  up: UpFile,
  options: {
    readonly home: string
    readonly colors: boolean
    readonly missing: readonly string[]
    /** Model that the example asks if it is there. */
    readonly preferred?: string | undefined
    /** Command that fetches a real model, where there is none and none is on its way. */
    readonly realModel?: string | undefined
    /** What stops it, if not Ctrl-C. */
    readonly stop?: string
  },
): string {
  const style = (as: Style, text: string): string => (options.colors ? styleText(as, text) : text)
  const row = (name: string, value: string): string => `  ${name.padEnd(22)}${value}`
  return [
    '',
    style('bold', 'Assay is ready.'),
    '',
    row('Wallets and tools', `${style('green', up.ethereum)}  ${up.wsEthereum}`),
    row('Ethereum JSON-RPC', `${up.rpc}  ${up.ws}  (blocks with null proof-of-work fields)`),
    row('Consensus RPC', up.comet),
    row('Job API', up.dispatcher),
    ...(up.explorer === undefined ? [] : [row('Explorer', style('green', up.explorer))]),
    row('Operators connect to', up.operatorAddress),
    row('Chain id', String(up.chainId)),
    row('IPC socket', up.ipc),
    row('For scripts', `${options.home}/up.json`),
    row('Settings', `${options.home}/config/assay.toml`),
    row('Logs', `${options.home}/logs`),
    '',
    style('bold', 'Development accounts'),
    style(
      ['bold', 'red'],
      '  THESE KEYS ARE PUBLIC. Never send anything of value to them, on any chain.',
    ),
    `  10,000 ASSAY each, mnemonic: ${DEVELOPMENT_MNEMONIC}`,
    ...up.accounts.map(
      ({ address, privateKey }, index) => `  (${index}) ${address}  ${privateKey}`,
    ),
    '',
    style('bold', 'Submit a job'),
    row('Project', up.project),
    row('API token', up.token),
    ...(up.explorer === undefined ? [] : [row('In a browser', consoleLink(up.explorer, up))]),
    `  ${curl(up, exampleModel(up.models, options.preferred))}`,
    `  curl -s ${up.dispatcher}/api/job/result -H 'content-type: application/json' -d '{"job_id":"<id from above>"}'`,
    ...(options.realModel === undefined ? [] : [row('A real model', options.realModel)]),
    ...(options.missing.length > 0
      ? ['', ...options.missing.map((line) => style('yellow', `  ${line}`))]
      : []),
    '',
    `${options.stop ?? 'Ctrl-C'} stops everything; the next start resumes from here.`,
    '',
  ].join('\n')
}
