// Whether the node answers: exits with 0 where it listens. ASSAY_HEALTH_URL is its JSON-RPC address.
const url = process.env.ASSAY_HEALTH_URL ?? 'http://127.0.0.1:8545'
try {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'net_listening', params: [] }),
    signal: AbortSignal.timeout(4_000),
  })
  const { result } = await response.json()
  process.exit(result === true ? 0 : 1)
} catch (error) {
  process.stderr.write(`${url} does not respond: ${error.message}\n`)
  process.exit(1)
}
