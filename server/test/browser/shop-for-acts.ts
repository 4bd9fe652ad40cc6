// A shop in which every act of a member can be done, each once, with the member who does them: more
// waits there for a second person, for an operator or for its moment than a shop that is looked at
// has. Beside it a shop of theirs in which nothing has happened yet.

import type { Page } from 'playwright-core'
import type { Role } from '../../src/merchants/roles.ts'
import type { Shop, SignedInCaller } from '../harness.ts'
import { plantPhone } from '../setup/settling.ts'
import { openFor, signInAs } from './dashboard-hands.ts'
import type { BrowserFixture } from './fixture.ts'
import { type FullShop, fillShop, ok } from './full-shop.ts'

export type ShopForActs = FullShop &
  Readonly<{
    /** The other shop. */
    elsewhere: string
    /** As the member, whose changes and everybody's are old enough from then on. */
    signIn(page: Page): Promise<void>
  }>

type Making = Readonly<{ fixture: BrowserFixture; owner: SignedInCaller }>

export async function fillForActs(
  fixture: BrowserFixture,
  role: Role = 'OWNER',
): Promise<ShopForActs> {
  const { app, shop } = fixture
  const { merchant_id } = shop
  const filled = await fillShop(fixture)
  const making: Making = { fixture, owner: filled.owner }
  const ids = {
    ...filled.ids,
    ...(await waitForSecond({ shop, owner: filled.owner })),
    ...(await waitForOperator(making)),
    stranger: await stranger(filled.owner),
  }
  await waitForTheirMoment(making)
  // The first whose role may be changed: not the one who acts.
  await app.member({ merchant_id, role: 'VIEWER' })
  // Another one than who asked for what is to be decided.
  const member = await app.member({ merchant_id, role })
  const elsewhere = await inEmptyShop(making, { role, member })
  const signIn = async (page: Page): Promise<void> => {
    await openFor(page, app.url, merchant_id, '')
    await signInAs(page, member)
    await growOld(making, member)
  }
  return { ...filled, ids, elsewhere, signIn }
}

type Waiting = Readonly<{ shop: Shop; owner: SignedInCaller }>

/** Payouts and refunds above what one person decides alone, and a refund that is sent. */
export async function waitForSecond({ shop, owner }: Waiting) {
  const payout = async (amount: string): Promise<string> =>
    (
      await ok(
        owner.post('/payouts/initialize/', {
          ...{ amount, currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
          recipient: { msisdn: '+2290197000010' },
        }),
      )
    ).id
  const [second, third] = [await payout('120000'), await payout('130000')]
  const { id: returned } = await ok(shop.pay({ amount: '500000' }))
  await shop.becomes(returned, 'SUCCESS')
  for (const amount of ['1000', '110000', '120000', '130000']) {
    // Its operator waits with each until it is told.
    await ok(owner.post(`/payments/${returned}/refunds/`, { amount, reason: 'sandbox:04' }))
  }
  return { second, third, returned }
}

/** A payment until its payer's code is there, a settlement until its operator is told. */
async function waitForOperator({ fixture: { app, shop }, owner }: Making) {
  const customer = { first_name: 'Awa', email: 'awa@example.com', phone: '+221771234510' }
  const coded = await ok(shop.pay({ country: 'SN', network: 'wizall_sn', customer }))
  const payout_method = await plantPhone(app, owner.merchant_id, '04')
  const asked = { country: 'BJ', requested_amount: '3000', payout_method }
  const { id: sent } = await ok(owner.post('/settlements/', asked))
  const staff = await app.staff()
  await ok(staff.post(`/admin/settlements/${sent}/approve/`))
  return { coded: coded.id, sent }
}

/** They have paid nothing: nothing holds up that they are forgotten. */
export const stranger = async (owner: SignedInCaller): Promise<string> =>
  (await ok(owner.post('/customers/', { first_name: 'Kofi', phone: '+2290197000022' }))).id

/** Two looser limits, a shorter cooling-off. */
async function waitForTheirMoment(making: Making): Promise<void> {
  const { fixture, owner } = making
  for (const country of ['CI', 'TG']) {
    await ok(owner.post('/merchant-payout-limits/', { country, per_payout: '500000' }))
  }
  await fixture.app.owner`
    update payout_limits
       set next_per_payout = per_payout * 2, next_at = now() + interval '1 day', next_wait_h = 24,
           next_by = ${owner.person_id}
     where merchant_id = ${owner.merchant_id} and country in ('CI', 'TG')`
  await shortenCoolingOff(making, owner.merchant_id)
}

async function shortenCoolingOff({ fixture, owner }: Making, merchant_id: string): Promise<void> {
  await fixture.app.owner`
    update merchants
       set cooling_off_next = 24, cooling_off_next_at = now() + interval '1 day',
           cooling_off_wait_h = 24, cooling_off_next_by = ${owner.person_id}
     where id = ${merchant_id}`
}

type Acting = Readonly<{ role: Role; member: SignedInCaller }>

async function inEmptyShop(making: Making, { role, member }: Acting): Promise<string> {
  const { app } = making.fixture
  const { merchant_id } = await app.shop()
  await app.owner`
    insert into memberships (merchant_id, person_id, role)
    values (${merchant_id}, ${member.person_id}, ${role})`
  await shortenCoolingOff(making, merchant_id)
  return merchant_id
}

/**
 * All in the shop, and both with a second factor, for longer than what the one asked for and the
 * other confirms must wait. Whoever had it would have been asked for a code at the door.
 */
async function growOld({ fixture: { app }, owner }: Making, member: SignedInCaller): Promise<void> {
  await app.owner`
    update people
       set sealed_totp = '\\x00', totp_enrolled_at = now() - interval '100 hours'
     where id = any(${[owner.person_id, member.person_id]}::uuid[])`
  await app.owner`
    update memberships set created_at = now() - interval '100 hours',
           updated_at = now() - interval '100 hours'
     where merchant_id = ${owner.merchant_id}`
}
