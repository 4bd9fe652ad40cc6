// Requests that go deep: what the schema cannot say of a payment that is really made. Without them
// nearly every fuzzed request would end at the first check.

import type { JsonObject } from './json-text.ts'
import type { Random } from './random.ts'

const places = [
  { currency: 'XOF', country: 'BJ', network: 'mtn_bj', phone: '+22901970' },
  { currency: 'XOF', country: 'BJ', network: 'moov_bj', phone: '+22901950' },
  { currency: 'XOF', country: 'SN', network: 'wizall_sn', phone: '+2217712' },
  { currency: 'XOF', country: 'SN', network: 'wave_sn', phone: '+2217712' },
  { currency: 'GHS', country: 'GH', network: 'mtn_gh', phone: '+2332442' },
  { currency: 'XAF', country: 'CM', network: 'mtn_cm', phone: '+2376701' },
] as const

/** Last digits of the payer's number: what the sandbox operator then does. */
const magic = ['10', '10', '10', '10', '01', '02', '03', '04', '07', '08', '09'] as const

export const amounts = [
  '200',
  '5000',
  '5000.00',
  '100000',
  '1',
  '200.5',
  '999999999',
  5000,
] as const

/** A payment that a client could mean. */
export function payment(random: Random): JsonObject {
  const { phone, ...place } = random.pick(places)
  const digits = String(1_000 + random.below(1_000)).slice(1)
  const customer = {
    email: 'awa@example.com',
    first_name: 'Awa',
    last_name: 'Diop',
    phone: `${phone}${digits}${random.pick(magic)}`,
  }
  const more = {
    ...(random.chance(0.3) ? { merchant_reference: `ORDER-${random.below(50)}` } : {}),
    ...(random.chance(0.2) ? { metadata: { cart: random.below(9), note: 'é' } } : {}),
    ...(random.chance(0.2) ? { fee_charge_mode: random.pick(['ADD_ON', 'DEDUCTED']) } : {}),
    ...(random.chance(0.2) ? { return_url: 'https://shop.invalid/back' } : {}),
  }
  return { amount: random.pick(amounts), ...place, customer, ...more }
}

/** Bodies by the end of the path, for operations whose example leads nowhere. */
export const recipes: Readonly<Record<string, (random: Random) => JsonObject>> = {
  '/payments/softpay/initialize/': payment,
  '/payments/softpay/': payment,
  '/payments/{payment_id}/confirm-otp/': (random) => ({
    otp: random.pick(['123456', '000000', '999999']),
  }),
  '/payments/{payment_id}/retry/': (random) =>
    random.chance(0.5) ? {} : { methods: [random.pick(['mtn_bj', 'moov_bj', 'celtiis_bj'])] },
  '/sandbox/balances/': (random) => ({ country: 'BJ', amount: random.pick(['100', '100000']) }),
  '/sandbox/transactions/{id}/resolve/': (random) => ({
    outcome: random.pick(['SUCCESS', 'FAILED']),
  }),
  '/merchant-webhooks/': (random) => ({
    url: random.pick(['https://hook.invalid/a', 'http://127.0.0.1:9/hook']),
    events: ['transaction.failed'],
  }),
  '/merchant-webhooks/{id}/': (random) => ({
    is_active: random.chance(0.5),
    url: 'https://hook.invalid/b',
  }),
}
