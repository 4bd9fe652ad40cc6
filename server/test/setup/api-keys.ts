// API keys as members make them in the dashboard, and what a call with one is answered.

import { expect } from 'vitest'
import {
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  type TestApp,
} from '../harness.ts'

export const path = '/merchant-api-keys/'

export const sandbox = { environment: 'SANDBOX' }

export const liveKey = { environment: 'LIVE', scope: 'PAYIN' }

export const codeOf = ({ status, error }: Reply) => [status, error?.code]

export const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {})]

export async function make(member: Shop, body: object = {}): Promise<Json> {
  const reply = await member.post(path, { ...sandbox, ...body })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.data
}

/** What a call with this key is answered, by this process. */
export async function knock(app: TestApp, key: string, url = app.url) {
  const reply = await shopWith(url, '', key).get('/merchant-balances/')
  return reply.error?.code ?? reply.status
}

export const actsOn = (app: TestApp, id: string) => app.owner`
  select actor_kind, actor_id, actor_role, environment, action, before, after, ip from audit_logs
   where target_kind = 'api_key' and target_id = ${id} order by id`

/** A member of a merchant who has no key yet; approved when `live`. */
export async function newMember(
  app: TestApp,
  { live = false, ...options }: Parameters<TestApp['member']>[0] & { live?: boolean } = {},
): Promise<SignedInCaller> {
  const merchant_id = options.merchant_id ?? (await app.shop({ live })).merchant_id
  if (options.merchant_id === undefined) {
    await app.owner`delete from api_keys where merchant_id = ${merchant_id}`
  }
  return app.member({ ...options, merchant_id })
}
