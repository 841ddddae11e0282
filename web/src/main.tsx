/** Entry point of the explorer's page. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App.tsx'
import { LiveContext } from './live/context.ts'
import { followPlaces } from './app/place.ts'
import { takeLogin } from './jobs/login.ts'
import { follow } from './live/follow.ts'
import { NodeContext } from './net/context.ts'
import { loadEndpoints } from './net/endpoints.ts'
import { caller } from './net/jsonRpc.ts'
import './style/tokens.css'
import './style/base.css'
import './style/shell.css'
import './style/parts.css'
import './style/now.css'
import './style/details.css'
import './style/forms.css'
import './style/jobs.css'
import './style/chat.css'
import './style/network.css'

async function start(root: HTMLElement): Promise<void> {
  const endpoints = await loadEndpoints()
  const node = { endpoints, ethereum: caller(endpoints.rpc), consensus: caller(endpoints.comet) }
  const live = follow(node, new AbortController().signal)
  createRoot(root).render(
    <StrictMode>
      <NodeContext value={node}>
        <LiveContext value={live}>
          <App />
        </LiveContext>
      </NodeContext>
    </StrictMode>,
  )
}

const root = document.getElementById('root')
// Before anything is kept of the address.
takeLogin()
window.addEventListener('hashchange', takeLogin)
followPlaces()
if (root !== null) void start(root)
