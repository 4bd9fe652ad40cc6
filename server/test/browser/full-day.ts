// A shop late on a busy day: hours of payments and payouts in every country that is open, failures
// of several kinds, the same weekday a week before, and one of each thing that is to do or waits.

import { expect } from 'vitest'
import { type Json, newPayer, type SignedInCaller } from '../harness.ts'
import { makePast } from '../setup/past.ts'
import { plantIncident } from '../setup/transaction-rows.ts'
import type { BrowserFixture } from './fixture.ts'

const days = 9
const payments_a_day = 300
/** One more than Home shows. */
const waiting = 6
/** By the shop's own clocks, whenever this runs. */
const hour_of_day = 22

/** Of a shop in which nothing has moved yet. */
export async function makeFullDay(fixture: BrowserFixture, owner: SignedInCaller): Promise<void> {
  const { app, shop } = fixture
  const { merchant_id } = shop
  await app.owner`
    insert into merchant_time_zones (merchant_id, from_day, from_at, zone)
    values (${merchant_id}, '0001-01-01', '0001-01-01 00:00:00+00', ${zoneWhereItIsLate()})`
  await makePast(app, merchant_id, [{ transactions: days * payments_a_day, days }])
  for (const magic of ['01', '02', ...Array<string>(waiting).fill('04')]) {
    const { data } = await shop.pay({ customer: newPayer(magic), amount: '9900' })
    if (magic !== '04') await shop.becomes(data.id, 'FAILED')
  }
  await leaveToDo(fixture, owner)
}

/** `Etc/GMT-9` is nine hours ahead of UTC. */
function zoneWhereItIsLate(): string {
  const ahead = hour_of_day - new Date().getUTCHours()
  const offset = ahead > 14 ? ahead - 24 : ahead
  return offset === 0 ? 'Etc/GMT' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`
}

async function leaveToDo({ app, shop }: BrowserFixture, owner: SignedInCaller): Promise<void> {
  const { merchant_id } = shop
  const limits = { per_payout: '500000', per_day: '1000000', approval_above: '100' }
  await ok(owner.post('/merchant-payout-limits/', { country: 'BJ', ...limits }))
  await ok(
    owner.post('/payouts/initialize/', {
      ...{ amount: '1500', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: '+2290197000010' },
    }),
  )
  const attempts = await app.owner<{ id: string; of: string }[]>`
    select distinct on (t.transaction_type) a.id, t.id as of
      from transactions t
      join attempts a on a.merchant_id = t.merchant_id and a.transaction_id = t.id
     where t.merchant_id = ${merchant_id} and t.transaction_type in ('PAIEMENT', 'RETRAIT')
       and t.status <> 'PENDING'
     order by t.transaction_type, t.created_at desc`
  expect(attempts).toHaveLength(2)
  for (const { id, of } of attempts) {
    const type = 'AMOUNT_MISMATCH'
    await plantIncident(app.owner, { merchant_id, id: of }, { merchant_id, id }, { type })
  }
  await ok(owner.post('/merchant-webhooks/', { url: 'https://hooks.example.com/down' }))
  await app.owner`
    update webhooks set failing_since = now() - interval '3 hours'
     where merchant_id = ${merchant_id}`
}

async function ok(calling: Promise<{ status: number; body: Json }>): Promise<void> {
  const { status, body } = await calling
  expect(status, JSON.stringify(body)).toBe(201)
}
