// Builds the explorer's page into dist/web: bundles it, compresses each file, and writes the manifest that the explorer's
// server goes by (src/explorer/assets.ts). scripts/build.mjs runs it when something that it reads has changed.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'
import { build } from 'vite'

const root = path.resolve(import.meta.dirname, '..')
const folder = path.join(root, 'dist', 'web')

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
}

function compress(file, content) {
  const forms = {
    gzip: ['.gz', zlib.gzipSync(content, { level: 9 })],
    br: ['.br', zlib.brotliCompressSync(content)],
  }
  const encodings = []
  for (const [encoding, [suffix, bytes]] of Object.entries(forms)) {
    if (bytes.length >= content.length) continue
    fs.writeFileSync(file + suffix, bytes)
    encodings.push(encoding)
  }
  return encodings
}

// React has another form for tests and development, which names the files that it was made from.
process.env.NODE_ENV = 'production'
await build({ configFile: path.join(root, 'web', 'vite.config.ts') })
// For the verification of contracts: loaded by a worker, when somebody asks for it.
fs.cpSync(path.join(root, '.setup', 'solc'), path.join(folder, 'solc'), { recursive: true })

/** A file of which there is a compressed form alone is sent like that, or unpacked by the server. */
function contentOf(file) {
  const packed = file.endsWith('.br')
  const bytes = fs.readFileSync(file)
  return {
    packed,
    name: packed ? file.slice(0, -3) : file,
    content: packed ? zlib.brotliDecompressSync(bytes) : bytes,
  }
}

const files = fs
  .readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.join(entry.parentPath, entry.name))
  .sort()
const assets = files.map((file) => {
  const { packed, name, content } = contentOf(file)
  const type = TYPES[path.extname(name)]
  if (type === undefined) throw new Error(`${file} has no content type: add it to scripts/web.mjs`)
  const url = `/${path.relative(folder, name).split(path.sep).join('/')}`
  return {
    path: url,
    type,
    size: content.length,
    digest: createHash('sha256').update(content).digest('hex'),
    // The bundler puts a hash of the content into these names.
    immutable: url.startsWith('/assets/'),
    ...(packed ? { only: 'br', encodings: ['br'] } : { encodings: compress(file, content) }),
  }
})
fs.writeFileSync(
  path.join(folder, 'manifest.json'),
  `${JSON.stringify({ assets }, undefined, 2)}\n`,
)
