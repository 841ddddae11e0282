/** The nodes of a local network: `localnet.json` in its folder. */
import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { writeFileAtomic } from '../../base/files.ts'
import { UserError } from '../../base/errors.ts'
import { homePaths, type Home } from '../../config/home.ts'
import { parseJsonFile } from '../../consensus/files/jsonFile.ts'

const port = z.int().min(1).max(65_535)

const node = z.object({
  /** node0, node1, … */
  name: z.string().regex(/^node\d+$/),
  kind: z.enum(['validator', 'full']),
  /** Its node id among CometBFT peers. */
  id: z.string().regex(/^[0-9a-f]{40}$/),
  /** On the loopback interface; the first node alone serves the explorer. */
  ports: z.object({ rpc: port, ws: port, comet: port, p2p: port, explorer: port.optional() }),
})

const plan = z.object({
  blockInterval: z.string(),
  /** Number of heights between two snapshots of the state. */
  snapshotInterval: z.int().min(0),
  nodes: z.array(node).min(1),
})

export type PlannedNode = Readonly<z.infer<typeof node>>
export type Plan = Readonly<z.infer<typeof plan>>

/** Paths of a network. */
export function localnetPaths(folder: string) {
  const at = (name: string) => path.join(folder, name)
  return {
    folder,
    plan: at('localnet.json'),
    lock: at('localnet.lock'),
    logs: at('logs'),
    supervisorLog: at('logs/localnet.log'),
    home: (name: string): Home => homePaths(at(name)),
  } as const
}

export type LocalnetPaths = ReturnType<typeof localnetPaths>

/** The plan of a network, or undefined if there is none yet. Throws UserError. */
export function findPlan({ plan: file }: LocalnetPaths): Plan | undefined {
  if (!fs.existsSync(file)) return undefined
  return parseJsonFile(file, fs.readFileSync(file, 'utf8'), plan)
}

/** The plan of a network. Throws UserError if there is none. */
export function requirePlan(paths: LocalnetPaths): Plan {
  const found = findPlan(paths)
  if (found !== undefined) return found
  throw new UserError(
    `${paths.folder} does not contain a network`,
    'Create one with: assay localnet start',
  )
}

/** Replaces the plan. */
export function writePlan({ plan: file }: LocalnetPaths, value: Plan): void {
  writeFileAtomic(file, `${JSON.stringify(value, undefined, 2)}\n`, 0o644)
}

/** A node by its number or name. Throws UserError that lists the existing ones. */
export function nodeOf({ nodes }: Plan, text: string): PlannedNode {
  const found = nodes.find(({ name }) => name === text || name === `node${text}`)
  if (found !== undefined) return found
  throw new UserError(
    `there is no node ${text}`,
    `The nodes are ${nodes.map(({ name }) => name).join(', ')}.`,
  )
}
