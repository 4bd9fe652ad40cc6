// The doors beside the API, at the origin: operators' callbacks, and what a load balancer asks.

import type { FastifyInstance } from 'fastify'
import { type CallbackDeps, receiveCallback } from '../attempts/receive-callback.ts'
import type { Readiness } from './readiness.ts'
import { addSecurityTxt, type SecurityTxtDeps } from './security-txt.ts'

export type DoorDeps = Readonly<{
  callbacks: CallbackDeps
  readiness: Readiness
  metrics: () => Promise<string>
  security: SecurityTxtDeps
}>

/** Adds them to a scope of their own, where bodies are read as the text that was signed. */
export function addDoors(app: FastifyInstance, deps: DoorDeps): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => body,
  )
  addCallbacks(app, deps.callbacks)
  addSecurityTxt(app, deps.security)
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const { ready, report } = await deps.readiness()
    return reply
      .status(ready ? 200 : 503)
      .send({ status: ready ? 'ready' : 'not ready', ...report })
  })
  app.get('/metrics', async (_request, reply) => {
    return reply.type('text/plain; version=0.0.4').send(await deps.metrics())
  })
}

type Named = { gateway: string; token?: string }

function addCallbacks(app: FastifyInstance, callbacks: CallbackDeps): void {
  for (const url of ['/callbacks/:gateway', '/callbacks/:gateway/:token']) {
    app.route<{ Params: Named; Body: string | null }>({
      method: ['POST', 'PUT'],
      url,
      handler: async (request, reply) => {
        const status = await receiveCallback(callbacks, {
          gateway_code: request.params.gateway,
          token: request.params.token ?? '',
          body: request.body ?? '',
          headers: plainHeaders(request.headers),
          request_id: request.id,
        })
        return reply
          .status(status)
          .send(status === 200 ? { status: 'received' } : { status: 'unknown' })
      },
    })
  }
}

function plainHeaders(headers: Record<string, string | string[] | undefined>) {
  const plain: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name] = [value].flat().join(', ')
  }
  return plain
}
