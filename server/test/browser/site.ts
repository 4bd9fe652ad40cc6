// A merchant's own site, to which payers are led back: it remembers who came and how.

import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Site = Readonly<{
  url: string
  /** Who came: path with query, and the headers that came with it. */
  visits: { path: string; headers: IncomingMessage['headers'] }[]
  stop(): Promise<void>
}>

/** Whoever asks for `/stay` remains on the page he comes from. */
export async function startSite(): Promise<Site> {
  const visits: Site['visits'] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/stay')) return response.writeHead(204).end()
    if (path !== '/favicon.ico') visits.push({ path, headers: request.headers })
    response.setHeader('content-type', 'text/html')
    return response.end('<!doctype html><link rel="icon" href="data:,"><h1>Chez Awa</h1>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    visits,
    async stop() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
