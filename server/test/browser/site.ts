// A merchant's own site, to which payers are led back: it remembers who came and how.

import type { IncomingMessage } from 'node:http'
import { serveHttp } from '../setup/loopback.ts'

export type Site = Readonly<{
  url: string
  /** Who came: path with query, and the headers that came with it. */
  visits: { path: string; headers: IncomingMessage['headers'] }[]
  stop(): Promise<void>
}>

/** Whoever asks for `/stay` remains on the page they come from. */
export async function startSite(): Promise<Site> {
  const visits: Site['visits'] = []
  const server = await serveHttp((request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/stay')) return response.writeHead(204).end()
    if (path !== '/favicon.ico') visits.push({ path, headers: request.headers })
    response.setHeader('content-type', 'text/html')
    return response.end('<!doctype html><link rel="icon" href="data:,"><h1>Chez Awa</h1>')
  })
  return { url: server.url, visits, stop: server.close }
}
