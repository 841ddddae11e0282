/** Holds D115. The chart needs helm; the schemas of Kubernetes come with an npm package of their own. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { createHomes } from '../../src/cli/network/create.ts'
import { faultOf } from '../support/commandLine.ts'
import { DEPLOY, IMAGE, readDeploy } from '../support/deployFiles.ts'
import { install, requireFrom } from '../support/installed.ts'
import { hasTool } from '../support/tools.ts'

type Container = {
  readonly name: string
  readonly image: string
  readonly args?: readonly string[]
  readonly command?: readonly string[]
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly resources: { readonly requests: object; readonly limits: object }
  readonly securityContext: object
  readonly readinessProbe?: { readonly httpGet?: { readonly path: string; readonly port: string } }
}
type Pod = {
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly securityContext: object
  readonly automountServiceAccountToken: boolean
  readonly volumes: readonly { readonly secret?: { readonly secretName: string } }[]
}
type Manifest = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly replicas?: number
    readonly selector?: Readonly<Record<string, unknown>>
    readonly template?: { readonly metadata: { readonly labels: object }; readonly spec: Pod }
    readonly ports?: readonly { readonly targetPort?: string }[]
    readonly podSelector?: { readonly matchLabels: object }
  }
}

const chart = path.join(DEPLOY, 'helm', 'assay')
const hasHelm = hasTool('helm')
const flags = ['--kube-version=1.34.0', '--namespace=demo']
const helm = (...args: readonly string[]) => spawnSync('helm', args, { encoding: 'utf8' })

function render(...settings: readonly string[]): readonly Manifest[] {
  const sets = settings.map((each) => `--set=${each}`)
  const { status, stdout, stderr } = helm('template', 'assay', chart, ...flags, ...sets)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((each) => each !== null)
}

const podsOf = (manifests: readonly Manifest[]) =>
  manifests.flatMap(({ metadata, spec }) =>
    spec.template === undefined ? [] : [{ name: metadata.name, ...spec.template }],
  )

test('the defaults of the chart are what its schema describes, and the image is that of the compose files', () => {
  const values = parse(readDeploy('helm', 'assay', 'values.yaml')) as {
    readonly postgres: { readonly image: string }
  }
  const schema = JSON.parse(readDeploy('helm', 'assay', 'values.schema.json')) as {
    readonly properties: object
  }
  expect(
    Object.keys(schema.properties)
      .filter((key) => key !== 'global')
      .toSorted(),
  ).toEqual(Object.keys(values).toSorted())
  expect(values.postgres.image).toMatch(IMAGE)
  expect(readDeploy('docker', 'network.yaml')).toContain(values.postgres.image)
})

const VARIANTS = [
  [],
  ['podMonitor.enabled=true', 'models.existingClaim=models', 'dispatcher.hosts={jobs.example}'],
  ['postgres.bundled=false', 'postgres.host=db', 'worker.enabled=false', 'validators.count=1'],
  ['networkPolicy.peerCidrs={203.0.113.0/24}', 'networkPolicy.enabled=true', 'operators=null'],
  [
    `image.digest=sha256:${'0a'.repeat(32)}`,
    'storageAccessMode=ReadWriteOnce',
    'validators.count=0',
  ],
] as const

describe.runIf(hasHelm)('the chart', () => {
  test.each(VARIANTS.map((each) => [each]))('renders, and lints, with %j', (settings) => {
    expect(render(...settings).length).toBeGreaterThan(5)
    const sets = settings.map((each) => `--set=${each}`)
    const linted = helm('lint', '--strict', '--kube-version=1.34.0', chart, ...sets)
    expect(linted.status, linted.stdout + linted.stderr).toBe(0)
  })

  test.each([
    ['validators.number=4', 'validators'],
    ['fullNodes.replicas=0', 'replicas'],
    ['dispatcher.env.PATH=/bin', 'PATH'],
    ['postgres.bundled=false', 'postgres.host'],
  ])('refuses %s and names %s', (setting, word) => {
    const { status, stderr } = helm('template', 'assay', chart, ...flags, `--set=${setting}`)
    expect(status).not.toBe(0)
    expect(stderr).toContain(word)
  })

  test('runs commands of assay that exist, with variables that exist', () => {
    const known = fs.readFileSync(path.join(DEPLOY, '..', 'docs', 'config.md'), 'utf8')
    const ours = podsOf(render()).flatMap(({ spec }) =>
      spec.containers.filter(({ image }) => image.startsWith('assay:')),
    )
    expect(ours.length).toBe(4 + 1 + 1 + 2 + 1)
    for (const { args = [], env = [] } of ours) {
      expect(faultOf(args), args.join(' ')).toBeUndefined()
      for (const { name } of env)
        if (name.startsWith('ASSAY_')) expect(known).toContain(`\`${name}\``)
    }
  })

  test('every container is confined, unprivileged and bounded, and ours are stopped only when they do not answer', () => {
    for (const { name, spec } of podsOf(render())) {
      expect(spec.automountServiceAccountToken, name).toBe(false)
      expect(spec.securityContext, name).toMatchObject({
        runAsNonRoot: true,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
      })
      for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect(container.resources.requests).toHaveProperty('memory')
        expect(container.resources.limits).toHaveProperty('memory')
      }
      for (const container of spec.containers) {
        expect(container).toHaveProperty('startupProbe')
        expect(container).toHaveProperty('readinessProbe')
      }
    }
  })

  test('nodes are ready by /readyz of their JSON-RPC, and a validator is one pod with a Secret of its own', () => {
    const manifests = render()
    for (const { name, spec } of podsOf(manifests)) {
      if (!/validator|full/.test(name)) continue
      expect(spec.containers[0]?.readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'rpc' })
      const secrets = spec.volumes.flatMap(({ secret }) => secret?.secretName ?? [])
      expect(secrets).toEqual([name === 'assay-full' ? 'assay-full0' : name])
    }
    for (const { kind, metadata, spec } of manifests)
      if (kind === 'StatefulSet' && metadata.name.includes('validator'))
        expect(spec.replicas).toBe(1)
  })

  test('ports of Services and probes are named ports of the pods, and every selector selects pods', () => {
    const manifests = render('podMonitor.enabled=true')
    const pods = podsOf(manifests)
    const selects = (labels: object) =>
      pods.filter(({ metadata }) =>
        Object.entries(labels).every(
          ([key, value]) => (metadata.labels as Record<string, unknown>)[key] === value,
        ),
      )
    for (const { kind, metadata, spec } of manifests) {
      const labels =
        kind === 'Service'
          ? spec.selector
          : ((spec.selector?.['matchLabels'] as object | undefined) ??
            spec.podSelector?.matchLabels)
      const selected = selects(labels ?? {})
      expect(selected.length, `${kind} ${metadata.name}`).toBeGreaterThan(0)
      const names = selected[0]?.spec.containers.flatMap(({ ports = [] }) => ports) ?? []
      if (kind === 'Service')
        for (const { targetPort } of spec.ports ?? [])
          if (targetPort !== undefined) expect(names.map((port) => port.name)).toContain(targetPort)
    }
  })

  test('pods copy the Secrets of the guide into their homes, for nobody else to read, and keep keys at a later start', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-chart-'))
    try {
      createHomes(folder, {
        validators: 4,
        full: 1,
        blockInterval: '1s',
        snapshotInterval: 0,
        hosts: 'assay-%',
        at: '/home/assay/data',
        rpcHost: 'assay-rpc',
        fund: [],
        database: 'postgres://assay@assay-postgres:5432',
      })
      const manifests = render()
      const services = manifests.filter(({ kind }) => kind === 'Service')
      const names = services.map(({ metadata }) => metadata.name)
      const text = ['dispatcher/config/assay.toml', 'opml/operator.toml', 'tee/operator.toml']
        .map((file) => fs.readFileSync(path.join(folder, file), 'utf8'))
        .join('\n')
      for (const [, host = ''] of text.matchAll(/(?:\/\/|@|")(assay-[a-z0-9]+):\d/g))
        expect(names).toContain(host)
      for (const { name, spec } of podsOf(manifests)) {
        const script = spec.initContainers?.[0]?.args?.[0]
        if (script === undefined) continue
        const home = name.replace(/^assay-/, '').replace(/^full$/, 'full0')
        const secret = secretOf(folder, home)
        const own = path.join(folder, `pod-${home}`)
        fs.mkdirSync(own)
        const here = script.replaceAll('/secret/', `${secret}/`).replaceAll('/home/assay', own)
        const run = () => spawnSync('/bin/sh', ['-euc', here], { encoding: 'utf8' })
        expect(run(), home).toMatchObject({ status: 0, stderr: '' })
        const copied = filesIn(own)
        expect(copied.length, home).toBeGreaterThan(0)
        for (const file of copied) expect(fs.statSync(file).mode & 0o077, file).toBe(0)
        for (const file of copied)
          expect(fs.readFileSync(file)).toEqual(
            fs.readFileSync(path.join(secret, path.basename(file))),
          )
        // What a pod's later start finds stays, for keys; settings are copied again.
        const key = copied.find((file) => file.endsWith('priv_validator_key.json'))
        if (key !== undefined) fs.writeFileSync(key, 'another key')
        expect(run(), home).toMatchObject({ status: 0, stderr: '' })
        if (key !== undefined) expect(fs.readFileSync(key, 'utf8')).toBe('another key')
      }
    } finally {
      fs.rmSync(folder, { recursive: true })
    }
  })
})

describe.runIf(hasHelm)('the schemas of Kubernetes', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await install('kubernetes', { 'kubernetes-models': '4.5.1' })
  })
  /** Throws for what has a wrong type or lacks a part; returns the fields that the schema does not know. */
  function unknownFields(manifest: Manifest): readonly string[] {
    const models = requireFrom(folder, `kubernetes-models/${manifest.apiVersion}`) as Readonly<
      Record<string, { readonly prototype: { validate(this: object): void } }>
    >
    const Model = models[manifest.kind]
    if (Model === undefined) throw new Error(`no model of ${manifest.kind}`)
    const read = new Set<string>()
    // On the manifest itself: an instance would be a copy.
    Model.prototype.validate.call(watched(manifest, '', read))
    return pathsIn(manifest, '').filter((each) => !read.has(each))
  }

  test.each(VARIANTS.map((each) => [each]))(
    'take all fields that are rendered with %j',
    (settings) => {
      for (const manifest of render(...settings))
        if (!manifest.apiVersion.startsWith('monitoring.'))
          expect(unknownFields(manifest), `${manifest.kind} ${manifest.metadata.name}`).toEqual([])
    },
  )

  test('name a field that they do not know, and refuse one of a wrong type', () => {
    const set = render().find(({ kind }) => kind === 'StatefulSet')
    if (set === undefined) throw new Error('no StatefulSet')
    const misspelt = structuredClone(set) as unknown as { spec: { template: { spec: object } } }
    Object.assign(misspelt.spec.template.spec, { hostNetwrk: true })
    expect(unknownFields(misspelt as unknown as Manifest)).toEqual([
      '/spec/template/spec/hostNetwrk',
    ])
    const wrong = { ...set, spec: { ...set.spec, replicas: 'one' } } as unknown as Manifest
    expect(() => unknownFields(wrong)).toThrow(/replicas/)
  })
})

/** The value, which notes the path of each field that is read. */
function watched<T extends object>(value: T, at: string, read: Set<string>): T {
  return new Proxy(value, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name)
      if (typeof name === 'symbol') return found
      read.add(`${at}/${name}`)
      return typeof found === 'object' && found !== null
        ? watched(found, `${at}/${name}`, read)
        : found
    },
  })
}

/** The paths of all fields. */
function pathsIn(value: unknown, at: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => [
    `${at}/${name}`,
    ...pathsIn(each, `${at}/${name}`),
  ])
}

/** The files of the guide's Secret for a home, as a pod sees them: links to what its group may read. */
function secretOf(folder: string, home: string): string {
  const parts: Readonly<Record<string, readonly string[]>> = {
    dispatcher: ['config', 'dispatcher'],
    opml: ['operator.toml', 'models'],
    tee: ['operator.toml', 'models', 'worker'],
    worker: ['models', 'worker'],
  }
  const secret = path.join(folder, `secret-${home}`)
  const data = path.join(secret, '..data')
  fs.mkdirSync(data, { recursive: true })
  for (const part of parts[home] ?? ['config']) {
    const from = path.join(folder, home, part)
    const files = fs.statSync(from).isDirectory() ? filesIn(from) : [from]
    for (const file of files) {
      const name = path.basename(file)
      fs.copyFileSync(file, path.join(data, name))
      fs.chmodSync(path.join(data, name), 0o440)
      fs.symlinkSync(path.join('..data', name), path.join(secret, name))
    }
  }
  return secret
}

function filesIn(folder: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
}
