/** A wallet for pages under test. */

/**
 * A script for the page: a wallet that announces itself (EIP-6963) and signs with the node's unlocked development accounts.
 * `switchAccount(address)` in the page has it show another one.
 */
export function testWallet(rpc: string, account: string): string {
  return `
    const ask = async (method, params = []) => {
      const response = await fetch(${JSON.stringify(rpc)}, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      const { result, error } = await response.json()
      if (error) throw error
      return result
    }
    let account = ${JSON.stringify(account)}
    const listeners = []
    const provider = {
      request: async ({ method, params }) =>
        method === 'eth_requestAccounts' ? [account] : ask(method, params),
      on: (_, listener) => listeners.push(listener),
    }
    window.switchAccount = (next) => {
      account = next
      for (const listener of listeners) listener([next])
    }
    const info = { uuid: 'b2d0a4d0-0000-4000-8000-000000000001', name: 'Test wallet <b>', icon: '', rdns: 'test' }
    window.addEventListener('eip6963:requestProvider', () =>
      window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) })))
  `
}
