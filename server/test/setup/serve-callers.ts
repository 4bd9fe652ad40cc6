// A server over some routes for several known callers, each with a token: authentication answers
// with the token's caller, everything else is real.

import { pino } from 'pino'
import { refuse } from '../../src/platform/errors.ts'
import type { RequestFacts } from '../../src/platform/http/admission.ts'
import type { Caller, ServedRoute } from '../../src/platform/http/route.ts'
import { buildServer } from '../../src/platform/http/server.ts'
import { accessErrors } from '../../src/platform/http/transport-errors.ts'
import { someCaller } from './serve-routes.ts'

export type Got = { status: number; body: unknown; text: string }

export type ServedCallers = Readonly<{
  /** GETs a path below `/api/v1`, or a link that an answer held; `as: null` sends no credential. */
  get(path: string, how?: { as?: string | null; headers?: Record<string, string> }): Promise<Got>
  close(): Promise<void>
}>

const origin = 'https://pay.example.org'

/** The first of `callers` is meant where a request names none. Answers have no envelope. */
export async function serveCallers(
  routes: readonly ServedRoute[],
  callers: Readonly<Record<string, Partial<Caller>>>,
): Promise<ServedCallers> {
  const [usual = ''] = Object.keys(callers)
  const server = await buildServer({
    routes,
    log: pino({ level: 'silent' }),
    config: {
      default_locale: 'en',
      envelope: 'off',
      public_url: origin,
      trust_proxy: { is: 'nobody' },
    },
    authenticate: async ({ authorization, ip, request_id, locale }: RequestFacts) => {
      const known = callers[authorization?.replace('Bearer ', '') ?? '']
      if (known === undefined) throw refuse(accessErrors.not_authenticated)
      return {
        caller: { ...someCaller, ...known, ip, request_id, locale },
        rate: { limit: 300, remaining: 299, reset_s: 30 },
      }
    },
  })
  return {
    async get(path, { as = usual, headers = {} } = {}) {
      const reply = await server.inject({
        method: 'GET',
        url: path.startsWith(origin) ? path.slice(origin.length) : `/api/v1${path}`,
        headers: as === null ? headers : { ...headers, authorization: `Bearer ${as}` },
      })
      return { status: reply.statusCode, body: reply.json(), text: reply.body }
    },
    close: () => server.close(),
  }
}
