// Routes beside the API, at the origin: operators' callbacks, and what a load balancer needs. An
// address that is not ours is refused before its body is read.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { judgeSender } from '../attempts/callback-sender.ts'
import {
  type CallbackDeps,
  callback_bytes_max,
  probeIn,
  readAddress,
  receiveCallback,
} from '../attempts/receive-callback.ts'
import type { Received } from '../gateways/gateway.ts'
import { refuse } from '../platform/errors.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { isLoopback } from '../platform/settings/addresses.ts'
import type { Readiness } from './readiness.ts'

export type OriginRouteDeps = Readonly<{
  callbacks: CallbackDeps
  /** The host that operators call us by, as configured; its port where that is not standard. */
  callback_authority: string
  readiness: Readiness
  metrics: () => Promise<string>
  watching: Watching
  security: SecurityTxtDeps
}>

/** Who may read the inside: everybody where `open`, otherwise callers with the token. */
export type Watching = Readonly<{ open: boolean; token: string | null }>

/** Adds them to a scope of their own, where bodies are read as the bytes that were signed. */
export function addOriginRoutes(app: FastifyInstance, deps: OriginRouteDeps): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer) => body,
  )
  addCallbacks(app, deps)
  addSecurityTxt(app, deps.security)
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (request, reply) => {
    const { ready, report } = await deps.readiness()
    const details = mayLook(deps.watching, request) || isNeighbour(request) ? report : {}
    return reply
      .status(ready ? 200 : 503)
      .send({ status: ready ? 'ready' : 'not ready', ...details })
  })
  app.get('/metrics', async (request, reply) => {
    if (!mayLook(deps.watching, request)) throw refuse(transportErrors.not_found)
    return reply.type('text/plain; version=0.0.4').send(await deps.metrics())
  })
}

const digest = (text: string) => createHash('sha256').update(text).digest()

function mayLook({ open, token }: Watching, { headers }: FastifyRequest): boolean {
  if (token === null) return open
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  return timingSafeEqual(digest(given), digest(token))
}

/** A caller on this machine, and not one that a proxy on it has let through. */
function isNeighbour({ raw, headers }: FastifyRequest): boolean {
  const passedOn = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'].some(
    (name) => headers[name] !== undefined,
  )
  return !passedOn && isLoopback(raw.socket.remoteAddress ?? '')
}

type Named = { gateway: string; token?: string }

function addCallbacks(
  app: FastifyInstance,
  { callbacks, callback_authority }: Pick<OriginRouteDeps, 'callbacks' | 'callback_authority'>,
): void {
  for (const url of ['/callbacks/:gateway', '/callbacks/:gateway/:token']) {
    app.route<{ Params: Named; Body: Buffer | null }>({
      method: ['POST', 'PUT'],
      url,
      bodyLimit: callback_bytes_max,
      onRequest: async (request, reply) => {
        const named = namedIn(request.params)
        const address = readAddress(callbacks, named)
        if (address !== undefined) {
          return judgeSender(callbacks, address.gateway, request.facts?.ip ?? '')
        }
        if (probeIn(callbacks, named) !== undefined) return
        return reply.status(404).send({ status: 'unknown' })
      },
      handler: async (request, reply) => {
        const named = namedIn(request.params)
        const nonce = probeIn(callbacks, named)
        if (nonce !== undefined) {
          await callbacks.probed?.(nonce)
          return reply.status(200).send({ status: 'received' })
        }
        const status = await receiveCallback(callbacks, {
          ...named,
          received: receivedAt(callback_authority, request, callbacks.now_ms?.() ?? Date.now()),
          request_id: request.id,
          ip: request.facts?.ip ?? '',
        })
        return reply
          .status(status)
          .send(status === 200 ? { status: 'received' } : { status: 'unknown' })
      },
    })
  }
}

function receivedAt(
  authority: string,
  request: FastifyRequest<{ Body: Buffer | null }>,
  at_ms: number,
): Received {
  const [path = '', ...query] = request.url.split('?')
  return {
    ...{ method: request.method, authority, path, query: query.join('?') },
    headers: plainHeaders(request.headers),
    body: request.body ?? Buffer.alloc(0),
    at_ms,
  }
}

const namedIn = ({ gateway, token = '' }: Named) => ({ gateway_code: gateway, token })

function plainHeaders(headers: Record<string, string | string[] | undefined>) {
  const plain: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name] = [value].flat().join(', ')
  }
  return plain
}

// `/.well-known/security.txt` (RFC 9116): where a weakness of this installation is reported. It is
// served only where the operator has set SECURITY_CONTACT: we cannot answer for an installation
// that others run.

const path = '/.well-known/security.txt'
const day_ms = 86_400_000
/** RFC 9116, 2.5.5: less than a year ahead. */
const good_for_days = 180

export type SecurityTxtDeps = Readonly<{
  contact: string | null
  /** Without a slash at its end. */
  public_url: string
}>

function securityTxt({ contact, public_url }: SecurityTxtDeps, now_ms: number): string | undefined {
  if (contact === null) return undefined
  // Rounded to the day, so that the answer stays the same for that long.
  const expires = new Date(Math.floor(now_ms / day_ms) * day_ms + good_for_days * day_ms)
  const lines = [
    `Contact: ${contact}`,
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en, fr',
    // RFC 9116, 2.5.2: https, or it is left out.
    ...(public_url.startsWith('https:') ? [`Canonical: ${public_url}${path}`] : []),
  ]
  return `${lines.join('\n')}\n`
}

function addSecurityTxt(app: FastifyInstance, deps: SecurityTxtDeps): void {
  app.get(path, async (_request, reply) => {
    const text = securityTxt(deps, Date.now())
    if (text === undefined) throw refuse(transportErrors.not_found)
    return reply.type('text/plain; charset=utf-8').send(text)
  })
}
