// A browser as the API sees one: a jar of cookies, and the headers that a page of ours sends with
// each call. Every header can be left out or forged, which `fetch` would not let us do.

import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import type { Json } from '../harness.ts'

export type Heard = Readonly<{
  status: number
  headers: IncomingHttpHeaders
  text: string
  data: Json
  error: Json
}>

/** Null leaves a header out. */
export type Sent = Readonly<{ body?: unknown; headers?: Record<string, string | null> }>

export type BrowserCalls = Readonly<{
  /** Name and value. */
  jar: Map<string, string>
  call(method: string, path: string, sent?: Sent): Promise<Heard>
  /** An address as it stands, with no header of our pages: a link that is followed. */
  follow(url: string): Promise<Heard>
}>

/** `origin`: of the page; that of the API unless told otherwise. */
export function browserAt(url: string, origin = url): BrowserCalls {
  const jar = new Map<string, string>()
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const keep = (heard: Heard) => {
    for (const text of heard.headers['set-cookie'] ?? []) keepIn(jar, text)
    return heard
  }
  return {
    jar,
    async call(method, path, { body, headers = {} } = {}) {
      const usual = {
        'x-requested-with': 'pirogue',
        'sec-fetch-site': 'same-origin',
        ...(method === 'GET' ? {} : { origin }),
        ...(jar.size === 0 ? {} : { cookie: cookies() }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      }
      const text = body === undefined ? undefined : JSON.stringify(body)
      return keep(await send(`${url}/api/v1${path}`, method, { headers: usual, text }))
    },
    follow: (address) => send(address, 'GET', { headers: { cookie: cookies() }, text: undefined }),
  }
}

function keepIn(jar: Map<string, string>, text: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
  if (/; Max-Age=0(;|$)/.test(text)) jar.delete(name)
  else jar.set(name, value)
}

type Sending = { headers: Record<string, string | null>; text: string | undefined }

export function send(url: string, method: string, { headers, text }: Sending): Promise<Heard> {
  const given: OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(headers)) if (value !== null) given[name] = value
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: given, agent: false }, (reply) => {
      const parts: Buffer[] = []
      reply.on('data', (part: Buffer) => parts.push(part))
      reply.on('error', reject)
      reply.on('end', () => {
        const heard = Buffer.concat(parts).toString()
        const isJson = reply.headers['content-type']?.includes('json') ?? false
        const body: Json = isJson && heard !== '' ? JSON.parse(heard) : undefined
        const { statusCode: status = 0, headers } = reply
        resolve({ status, headers, text: heard, data: body?.data, error: body?.error })
      })
    })
    sent.on('error', reject)
    sent.end(text)
  })
}
