// A server over some routes for one known caller: authentication answers what the test gives,
// everything else is real.

import { pino } from 'pino'
import { refuse } from '../../src/platform/errors.ts'
import type { RequestFacts } from '../../src/platform/http/admission.ts'
import type { Caller, ServedRoute } from '../../src/platform/http/route.ts'
import { buildServer, type HttpServer } from '../../src/platform/http/server.ts'
import { accessErrors } from '../../src/platform/http/transport-errors.ts'

export type Served = Readonly<{
  /** GETs a path below `/api/v1` as the caller; `anyone` sends no credential. */
  get(path: string, who?: 'caller' | 'anyone'): Promise<{ status: number; body: unknown }>
  close(): Promise<void>
}>

export const someCaller: Omit<Caller, 'ip' | 'request_id' | 'locale'> = {
  merchant_id: '01981f3a-0000-7000-8000-00000000a001',
  environment: 'SANDBOX',
  via: 'KEY',
  scope: 'BOTH',
  api_key_id: '01981f3a-0000-7000-8000-00000000a002',
  member_id: null,
  session: null,
  suspended: false,
  fee_charge_mode_locked: null,
  allowed_countries: null,
  catalogue_version: 1n,
}

/** Bare payloads: no envelope, so that a test reads what the route answered. */
export async function serveRoutes(
  routes: readonly ServedRoute[],
  caller: () => Partial<Caller>,
): Promise<Served> {
  const server: HttpServer = await buildServer({
    routes,
    log: pino({ level: 'silent' }),
    config: {
      default_locale: 'en',
      envelope: 'off',
      public_url: 'https://pay.example.org',
      trust_proxy: { is: 'nobody' },
    },
    authenticate: async (facts: RequestFacts) => {
      if (facts.authorization === undefined) throw refuse(accessErrors.not_authenticated)
      const { ip, request_id, locale } = facts
      return {
        caller: { ...someCaller, ...caller(), ip, request_id, locale },
        rate: { limit: 300, remaining: 299, reset_s: 30 },
      }
    },
  })
  return {
    async get(path, who = 'caller') {
      const headers: Record<string, string> =
        who === 'caller' ? { authorization: 'Bearer sk_test_of_a_test' } : {}
      const reply = await server.inject({ method: 'GET', url: `/api/v1${path}`, headers })
      return { status: reply.statusCode, body: reply.json() }
    },
    close: () => server.close(),
  }
}
