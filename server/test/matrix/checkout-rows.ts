// Sessions, links, what payers call, and customers.

import { randomUUID } from 'node:crypto'
import { paymentBody, sessionBody } from '../setup/payer-calls.ts'
import type { MatrixRow, MatrixRows, Scene } from './row.ts'

const customer = { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' }
const linkBody = {
  name: 'Tontine',
  description: '',
  amount_type: 'FIXED',
  amount: '1000',
  min_amount: null,
  currency: 'XOF',
  is_active: true,
  expires_at: null,
  usage_limit: null,
}

const made =
  (path: string, body: () => unknown, field: 'id' | 'slug' = 'id') =>
  async ({ owner }: Scene): Promise<Record<string, string>> => {
    const { data } = await owner.post(path, body())
    return { [field]: String(data[field]) }
  }

const session = made('/checkout-sessions/', sessionBody)
const link = made('/payment-links/', () => linkBody)
const person = made('/customers/', () => ({ email: `${randomUUID()}@matrix.example` }))
const sessionSlug = made('/checkout-sessions/', sessionBody, 'slug')
const linkSlug = made('/payment-links/', () => linkBody, 'slug')

/** A session whose payment waits for a code. */
async function codedSlug(scene: Scene): Promise<Record<string, string>> {
  const { slug = '' } = await sessionSlug(scene)
  const phone = `+22177${String(Date.now()).slice(-5)}10`
  await scene.owner.post(`/checkout/${slug}/pay/`, { network: 'wizall_sn', customer: { phone } })
  return { slug }
}

const reads = { access: 'any', status: 200 } as const
const sessions = { access: 'PAYIN', permission: 'checkout' } as const
const links = { access: 'PAYIN', permission: 'links' } as const
const customers = { access: 'any', permission: 'customers' } as const
const open = { access: 'public', status: 200 } as const

const publicRows: Record<string, MatrixRow> = {
  'GET /checkout/{slug}/': { ...open, params: sessionSlug },
  'GET /checkout/{slug}/networks/': { ...open, params: sessionSlug, query: '?country=BJ' },
  'GET /checkout/{slug}/status/': { ...open, params: sessionSlug },
  'POST /checkout/{slug}/pay/': {
    ...open,
    status: 201,
    params: sessionSlug,
    body: () => paymentBody(),
  },
  'POST /checkout/{slug}/confirm-otp/': {
    ...open,
    params: codedSlug,
    body: () => ({ otp: '123456' }),
  },
  'GET /payment-links/public/{slug}/': { ...open, params: linkSlug },
  'POST /payment-links/public/{slug}/checkout/': {
    ...open,
    status: 201,
    params: linkSlug,
    body: () => ({ customer }),
  },
}

export const checkoutRows: MatrixRows = {
  ...publicRows,
  'POST /checkout-sessions/': { ...sessions, status: 201, body: () => sessionBody() },
  'GET /checkout-sessions/': reads,
  'GET /checkout-sessions/{id}/': { ...reads, params: session },
  'GET /checkout-sessions/{id}/status/': { ...reads, params: session },
  'POST /checkout-sessions/{id}/cancel/': { ...sessions, status: 200, params: session },
  'POST /payment-links/': { ...links, status: 201, body: () => linkBody },
  'GET /payment-links/': reads,
  'GET /payment-links/export/': { ...reads, query: '?is_active=true' },
  'GET /payment-links/{id}/': { ...reads, params: link },
  'PATCH /payment-links/{id}/': { ...links, status: 200, params: link, body: () => linkBody },
  'PUT /payment-links/{id}/': { ...links, status: 200, params: link, body: () => linkBody },
  'DELETE /payment-links/{id}/': { ...links, status: 204, params: link },
  'GET /payment-links/{id}/transactions/': { ...reads, params: link },
  'GET /payment-links/{id}/qr/': { ...reads, params: link },
  'GET /payment-links/{id}/stats/': { ...reads, params: link },
  'GET /payment-links/{id}/poster/': { ...reads, params: link },
  'GET /customers/': reads,
  'POST /customers/': {
    ...customers,
    status: 201,
    body: () => ({ email: `${randomUUID()}@matrix.example` }),
  },
  'GET /customers/{id}/': { ...reads, params: person },
  'PATCH /customers/{id}/': {
    ...customers,
    status: 200,
    params: person,
    body: () => ({ first_name: 'Awa' }),
  },
  'DELETE /customers/{id}/': {
    ...customers,
    status: 204,
    params: person,
    second_factor: 'environment',
    live_keys: 'refused',
  },
  'GET /customers/{id}/erasure/': { ...reads, params: person },
  'GET /customers/{id}/transactions/': { ...reads, params: person },
}
