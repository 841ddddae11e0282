// Whether a program answers: exits with 0 where it does. ASSAY_HEALTH_URL is a node's JSON-RPC address, which is asked whether it
// listens, or a page such as http://127.0.0.1:8549/readyz, which has to be there.
const url = process.env.ASSAY_HEALTH_URL ?? 'http://127.0.0.1:8545'
const isPage = new URL(url).pathname !== '/'
const question = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'net_listening', params: [] }),
}
try {
  const signal = AbortSignal.timeout(4_000)
  const response = await fetch(url, isPage ? { signal } : { ...question, signal })
  const isWell = isPage ? response.ok : (await response.json()).result === true
  if (!isWell) process.stderr.write(`${url} responds with ${response.status}\n`)
  process.exit(isWell ? 0 : 1)
} catch (error) {
  process.stderr.write(`${url} does not respond: ${error.message}\n`)
  process.exit(1)
}
