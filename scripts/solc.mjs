// Takes the Solidity compiler of npm solc apart for the explorer's page: the script, and the WebAssembly module that the script
// carries as text, in LZ4 and base64. Brotli makes the module itself less than half as large as that text.
import fs from 'node:fs'
import path from 'node:path'
import vm from 'node:vm'
import zlib from 'node:zlib'

const root = path.resolve(import.meta.dirname, '..')
const source = path.join(root, 'node_modules', 'solc', 'soljson.js')

/** The first statement unpacks the module; what follows is emscripten's, and takes `Module.wasmBinary` if there is one. */
const FIRST = /^var Module = Module \|\| \{\};\nModule\["wasmBinary"\] = /

/** Higher qualities take minutes for a few percent. */
const QUALITY = 9
const WINDOW = 24

/** Writes soljson.js and soljson.wasm.br into a folder. Throws where solc is packed differently. */
export function takeSolcApart(folder) {
  const text = fs.readFileSync(source, 'latin1')
  const end = text.indexOf(');\n', text.indexOf('\n})("')) + 3
  if (!FIRST.test(text) || end < 3) throw new Error('npm solc is not packed as before')
  const scope = { Module: {}, atob, Uint8Array }
  vm.runInNewContext(text.slice(0, end), scope)
  const module = Buffer.from(scope.Module.wasmBinary)
  if (!WebAssembly.validate(module)) throw new Error('npm solc carries no WebAssembly module')
  const packed = zlib.brotliCompressSync(module, {
    params: {
      [zlib.constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [zlib.constants.BROTLI_PARAM_LGWIN]: WINDOW,
      [zlib.constants.BROTLI_PARAM_SIZE_HINT]: module.length,
    },
  })
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'soljson.js'), text.slice(end), 'latin1')
  fs.writeFileSync(path.join(folder, 'soljson.wasm.br'), packed)
}
