// What stands on loopback around an operator's documents: a wire that keeps what passes, an address
// that keeps what an operator calls, and an operator that answers what a test gives it.

import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { serveHttp } from '../../../server/test/setup/loopback.ts'
import type { Exchange } from './held.ts'

const flat = (headers: NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

export type Recorded = Readonly<{ url: string; exchanges: readonly Exchange[] }>

/** Between a caller and an operator: what passes is passed on, and kept. */
export async function recordBetween(operator_url: string): Promise<Recorded> {
  const exchanges: Exchange[] = []
  const server = await serveHttp(async (request, response) => {
    const { method = '', url: path = '' } = request
    const { host: _, connection: __, 'content-length': ___, ...own } = request.headers
    const body = await text(request)
    const headers = flat(own)
    const sent = { headers, body }
    const init = { method, headers, redirect: 'manual', ...(body === '' ? {} : { body }) } as const
    const reply = await fetch(operator_url + path, init)
    const type = reply.headers.get('content-type') ?? ''
    const answered = await reply.text()
    exchanges.push({ method, path, sent, status: reply.status, type, body: answered })
    response.writeHead(reply.status, type === '' ? {} : { 'content-type': type })
    response.end(answered)
  })
  onTestFinished(server.close)
  return { url: server.url, exchanges }
}

export type Called = Readonly<{
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  body: string
}>

/** Whatever an operator calls here, as it came. */
export async function openAddress(): Promise<Readonly<{ url: string; calls: readonly Called[] }>> {
  const calls: Called[] = []
  const server = await serveHttp(async (request, response) => {
    const { method = '', url: path = '' } = request
    calls.push({ method, path, headers: flat(request.headers), body: await text(request) })
    response.end()
  })
  onTestFinished(server.close)
  return { url: server.url, calls }
}

export type Given = Readonly<{ status?: number; body: unknown }>

/** An operator of documents alone: it answers each call as a test decides. A text goes as it is. */
export async function answeringWith(answer: (method: string, path: string) => Given) {
  const server = await serveHttp(async (request, response) => {
    await text(request)
    const { status = 200, body } = answer(request.method ?? '', request.url ?? '')
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  onTestFinished(server.close)
  return server.url
}
