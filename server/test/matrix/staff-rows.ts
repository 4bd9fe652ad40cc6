// Staff: how they log in and look after their own accounts, who manages them, and what they do to
// merchants and balances.

import { randomUUID } from 'node:crypto'
import { newId } from '../../src/platform/ids.ts'
import type { MatrixRow, MatrixRows, Scene } from './row.ts'

const own = { access: 'staff', staff: 'self' } as const

/** Who is enrolled and who is not are answered apart; past the door a body is missed by all. */
const withoutBody: MatrixRow = { ...own, status: 400, body: () => ({}) }

const ofStaff = { access: 'staff', staff: 'staff' } as const
const looks = { access: 'staff', staff: 'read', status: 200 } as const
const reason = () => ({ reason: 'a test' })

/** A merchant made for the call. */
const ofShop = async ({ app }: Scene) => ({ id: (await app.shop()).merchant_id })

const renamed_at = '2026-11-20T08:00:00.000Z'

/** A merchant whose new name waits. */
async function ofRenamed(scene: Scene): Promise<Record<string, string>> {
  const { id } = await ofShop(scene)
  await scene.app.owner`
    update merchants
       set reviewed_name = 'Before', reviewed_brand_name = '', reviewed_logo_key = '',
           name_review_since = ${renamed_at}
     where id = ${id}`
  return { id }
}

async function ofBalance({ app }: Scene): Promise<Record<string, string>> {
  const shop = await app.shop()
  const funded = await shop.post('/sandbox/balances/', { country: 'BJ', amount: '1000' })
  return { id: String(funded.data.id) }
}

const documents = new WeakMap<Scene, Promise<Record<string, string>>>()

/** One document for all calls: a merchant may not have many. */
function ofDocument(scene: Scene): Promise<Record<string, string>> {
  const known = documents.get(scene) ?? upload(scene)
  documents.set(scene, known)
  return known
}

async function upload({ owner }: Scene): Promise<Record<string, string>> {
  const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n%%EOF\n')
  const sent = await owner.call('POST', '/kyc/documents/?kind=TAX&file_name=tax.pdf', {
    body: new Uint8Array(pdf),
    headers: { 'content-type': 'application/pdf' },
  })
  return { id: owner.merchant_id, doc_id: String(sent.data.id) }
}

const identity: MatrixRows = {
  'POST /admin/auth/login/': {
    access: 'public',
    status: 200,
    body: async ({ app }) => {
      const { email, password } = await app.staff({ demo: true })
      return { email, password }
    },
  },
  'POST /admin/auth/logout/': { ...own, status: 204 },
  'POST /admin/auth/logout/all/': { ...own, status: 200 },
  'GET /admin/auth/me/': { ...own, status: 200 },
  'GET /admin/auth/sessions/': { ...own, status: 200 },
  'DELETE /admin/auth/sessions/{id}/': {
    ...own,
    status: 404,
    params: async () => ({ id: randomUUID() }),
    record: 'everybody',
  },
  'POST /admin/auth/totp/enrol/': withoutBody,
  'POST /admin/auth/totp/enroll/': withoutBody,
  'POST /admin/auth/totp/confirm/': withoutBody,
  'POST /admin/auth/totp/verify/': withoutBody,
  'GET /admin/auth/totp/recovery-codes/': { ...own, status: 200 },
  'POST /admin/auth/totp/recovery-codes/': withoutBody,
  'POST /admin/auth/totp/disable/': withoutBody,
}

const accounts: MatrixRows = {
  'GET /admin/staff/': { ...ofStaff, status: 200 },
  'POST /admin/staff/': {
    ...ofStaff,
    status: 202,
    demo_status: 201,
    body: () => ({ email: `${randomUUID()}@matrix.example`, role: 'SUPPORT' }),
  },
  'GET /admin/staff/{id}/': {
    ...ofStaff,
    status: 200,
    params: async ({ staff }) => ({ id: staff.person_id }),
  },
  'PATCH /admin/staff/{id}/': {
    ...ofStaff,
    status: 200,
    params: async ({ app }) => ({ id: (await app.staff({ demo: true })).person_id }),
    body: () => ({ first_name: 'Awa' }),
  },
  'POST /admin/staff/{id}/reset-second-factor/': {
    ...ofStaff,
    status: 200,
    params: async ({ app }) => ({ id: (await app.staff({ demo: true })).person_id }),
  },
}

let proposed = 0
/** A rate that another has proposed, for the call. */
async function ofProposal({ app }: Scene): Promise<Record<string, string>> {
  const { person_id } = await app.staff()
  const id = newId()
  proposed += 1
  const content = { base: 'EUR', quote: 'GNF', rate: String(10_000 + proposed) }
  await app.owner`
    insert into staff_proposals (id, kind, subject, content, proposed_by, expires_at)
    values (${id}, 'EXCHANGE_RATE', ${id}, ${JSON.stringify(content)}::text::jsonb,
      ${person_id}, now() + interval '1 hour')`
  return { id }
}

const decides: MatrixRow = {
  access: 'staff',
  staff: 'rates',
  demo: 'refused',
  status: 200,
  params: ofProposal,
  record: 'everybody',
}

const proposals: MatrixRows = {
  'GET /admin/proposals/': { ...looks, record: 'everybody' },
  'GET /admin/proposals/{id}/': { ...looks, params: ofProposal, record: 'everybody' },
  'POST /admin/proposals/{id}/confirm/': decides,
  'POST /admin/proposals/{id}/withdraw/': decides,
}

/** A member with a second factor; what was asked for them before is over. */
const enrolled =
  (status?: 'ASKED' | 'CONFIRMED') =>
  async ({ app }: Scene): Promise<Record<string, string>> => {
    const { person_id } = await app.member({ second_factor: 'STALE' })
    if (status !== undefined) {
      // The first of two must still have the right.
      const [{ person_id: other }, third] = [await app.staff(), randomUUID()]
      await app.owner`
        insert into factor_resets (id, person_id, reason, asked_by, confirmed_by, due_at, status)
        values (${randomUUID()}, ${person_id}, 'lost', ${other},
          ${status === 'ASKED' ? null : third}, now() + interval '1 hour', ${status})`
    }
    return { id: person_id }
  }

const helps = { access: 'staff', staff: 'merchants', status: 200 } as const

const membersHelped: MatrixRows = {
  'GET /admin/members/{id}/': { ...looks, params: enrolled() },
  'POST /admin/members/{id}/disable/': { ...helps, params: enrolled(), body: reason },
  'POST /admin/members/{id}/enable/': { ...helps, params: enrolled() },
  'POST /admin/members/{id}/end-sessions/': { ...helps, params: enrolled() },
  'POST /admin/members/{id}/reset-second-factor/': { ...helps, params: enrolled(), body: reason },
  'POST /admin/members/{id}/reset-second-factor/confirm/': {
    ...helps,
    params: enrolled('ASKED'),
  },
  'POST /admin/members/{id}/reset-second-factor/cancel/': {
    ...helps,
    params: enrolled('CONFIRMED'),
  },
}

const merchants: MatrixRows = {
  'GET /admin/merchants/': looks,
  'GET /admin/merchants/{id}/': { ...looks, params: ofShop },
  'PATCH /admin/merchants/{id}/': {
    access: 'staff',
    staff: 'merchants',
    status: 200,
    params: ofShop,
    body: () => ({ rate_limit_per_minute: 1200 }),
  },
  'POST /admin/merchants/{id}/approve-name/': {
    access: 'staff',
    staff: 'kyc',
    status: 200,
    params: ofRenamed,
    body: () => ({ since: renamed_at }),
  },
  'POST /admin/merchants/{id}/reject-name/': {
    access: 'staff',
    staff: 'kyc',
    status: 200,
    params: ofRenamed,
    body: () => ({ since: renamed_at, ...reason() }),
  },
  'POST /admin/merchants/{id}/approve/': {
    access: 'staff',
    staff: 'kyc',
    status: 200,
    params: ofShop,
  },
  'POST /admin/merchants/{id}/reject/': {
    access: 'staff',
    staff: 'kyc',
    status: 200,
    params: ofShop,
    body: reason,
  },
  'POST /admin/merchants/{id}/suspend/': {
    access: 'staff',
    staff: 'merchants',
    status: 200,
    params: ofShop,
    body: reason,
  },
  'POST /admin/merchants/{id}/restore/': {
    access: 'staff',
    staff: 'merchants',
    status: 200,
    params: ofShop,
  },
  'GET /admin/merchants/{id}/documents/': {
    access: 'staff',
    staff: 'kyc',
    status: 200,
    params: ofShop,
  },
  'GET /admin/merchants/{id}/documents/{doc_id}/file/': {
    access: 'staff',
    staff: 'kyc',
    status: 200,
    params: ofDocument,
  },
  'POST /admin/merchants/{id}/documents/{doc_id}/review/': {
    access: 'staff',
    staff: 'kyc',
    status: 200,
    params: ofDocument,
    body: () => ({ status: 'APPROVED' }),
  },
}

const balances: MatrixRows = {
  'GET /admin/balances/': looks,
  'POST /admin/balances/{id}/freeze/': {
    access: 'staff',
    staff: 'balances',
    status: 200,
    params: ofBalance,
    body: reason,
  },
  'POST /admin/balances/{id}/unfreeze/': {
    access: 'staff',
    staff: 'balances',
    status: 200,
    params: ofBalance,
    body: reason,
  },
}

export const staffRows: MatrixRows = {
  ...identity,
  ...accounts,
  ...proposals,
  ...membersHelped,
  ...merchants,
  ...balances,
}
