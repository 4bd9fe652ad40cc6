// Members of a merchant and their invitations, as stories write, follow and end them.

import { expect } from 'vitest'
import type { Role } from '../../src/merchants/roles.ts'
import {
  type Json,
  type MemberOptions,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  type TestApp,
} from '../harness.ts'
import { emailsWaiting } from './emails-waiting.ts'

export const codeOf = ({ status, error }: Reply) => [status, error?.code]

export const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {}).sort()]

export const nobody = (app: TestApp) => shopWith(app.url, '', '')

export const password = 'a long pass phrase'

let emails = 0

export const newEmail = () => {
  emails += 1
  return `guest${emails}@shop.example`
}

export const patch = (by: Shop, id: string, body: unknown) =>
  by.call('PATCH', `/merchant-members/${id}/`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

export const remove = (by: Shop, id: string) => by.call('DELETE', `/merchant-members/${id}/`)

export const uninvite = (by: Shop, id: string) => by.call('DELETE', `/merchant-invitations/${id}/`)

/** More members of the first one's merchant. */
export const beside = (
  app: TestApp,
  { merchant_id }: SignedInCaller,
  role: Role,
  more: MemberOptions = {},
) => app.member({ merchant_id, role, ...more })

/** A shop of its own that the member reads, beside the one that they came from. */
export async function inAnotherShop(app: TestApp, { person_id }: SignedInCaller): Promise<Shop> {
  const other = await app.shop()
  await app.owner`
    insert into memberships (merchant_id, person_id, role)
    values (${other.merchant_id}, ${person_id}, 'VIEWER')`
  return other
}

export const rolesOf = async (app: TestApp, merchant_id: string) =>
  Object.fromEntries(
    (
      await app.owner<{ person_id: string; role: Role }[]>`
        select person_id, role from memberships where merchant_id = ${merchant_id}`
    ).map(({ person_id, role }) => [person_id, role]),
  )

export const acts = (app: TestApp, merchant_id: string, prefix: string) => app.owner<Json[]>`
  select action, actor_kind, actor_id, actor_role, target_id, before, after from audit_logs
   where merchant_id = ${merchant_id} and action like ${`${prefix}.%`} order by id`

export async function emailTo(
  app: TestApp,
  email: string,
): Promise<{ text: string; subject: string; token: string }> {
  const sent = (await emailsWaiting(app)).filter(({ to }) => to === email)
  const { text = '', subject = '' } = sent.at(-1) ?? {}
  return { text, subject, token: /#(\S+)/.exec(text)?.[1] ?? '' }
}

export async function invite(app: TestApp, by: Shop, role: Role = 'VIEWER', email = newEmail()) {
  const reply = await by.post('/merchant-invitations/', { email, role })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return { id: String(reply.data.id), email, token: (await emailTo(app, email)).token }
}

export const preview = (app: TestApp, token: unknown) =>
  nobody(app).post('/auth/invitations/preview/', { token })

export const names = { first_name: 'Kofi', last_name: 'Mensah' }

export const accept = (app: TestApp, token: unknown, changes: Record<string, unknown> = {}) =>
  nobody(app).post('/auth/invitations/accept/', { token, password, ...names, ...changes })

export const login = async (app: TestApp, email: string, pass = password) => {
  const { status, data } = await nobody(app).post('/auth/login/', { email, password: pass })
  return { status, token: String(data?.token), merchants: data?.merchants ?? [] }
}
