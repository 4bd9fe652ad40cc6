// What a long history has besides payments: links, sessions, refunds and settlements, each a part
// of the payments that are there, as if they had come with them. Rows alone: no event, no booking.

import type { Db } from '../../server/src/platform/db.ts'

/** One of each in so many payments. */
const every = { link: 2_000, of_link: 20, session: 10, refund: 50, settlement: 200 } as const

/** In the SANDBOX of a merchant whose payments are made up. */
export async function makeOtherRows(db: Db, merchant_id: string): Promise<void> {
  await makeLinks(db, merchant_id)
  await makeSessions(db, merchant_id)
  await makeRefunds(db, merchant_id)
  await makeSettlements(db, merchant_id)
}

/** Each has its share of the payments that came by a link. */
async function makeLinks(db: Db, merchant_id: string): Promise<void> {
  await db`
    with made as (
      insert into payment_links (merchant_id, id, environment, name, amount_type, currency, slug,
        usage_count, created_at, updated_at)
      select t.merchant_id, gen_random_uuid(), t.environment, 'Lien ' || t.reference, 'FREE',
             t.currency, replace(gen_random_uuid()::text, '-', ''), 1, t.created_at, t.created_at
        from transactions t
       where t.merchant_id = ${merchant_id} and abs(hashtext(t.id::text)) % ${every.link} = 0
      returning merchant_id, id)
    insert into payment_link_forms (merchant_id, id) select merchant_id, id from made`
  await db`
    with links as (
      select array_agg(id) as ids, count(*)::int as count
        from payment_links where merchant_id = ${merchant_id})
    update transactions t
       set payment_link = l.ids[1 + abs(hashtext(t.reference)) % l.count]
      from links l
     where t.merchant_id = ${merchant_id} and t.transaction_type = 'PAIEMENT'
       and abs(hashtext(t.id::text)) % ${every.of_link} = 0`
}

async function makeSessions(db: Db, merchant_id: string): Promise<void> {
  await db`
    insert into checkout_sessions (merchant_id, id, environment, slug, amount, currency,
      description, country, customer_email, customer_name, merchant_reference, status,
      transaction_id, paid_by, payment_link, paid_at, created_at, updated_at, payments)
    select t.merchant_id, gen_random_uuid(), t.environment,
           replace(gen_random_uuid()::text, '-', ''), t.requested_amount, t.currency,
           'Deux sacs de riz', t.country_code, t.customer_email,
           t.customer_first_name || ' ' || t.customer_last_name, 'order-' || t.reference, 'PAID',
           t.id, t.id, t.payment_link, t.updated_at, t.created_at, t.updated_at, 1
      from transactions t
     where t.merchant_id = ${merchant_id} and t.transaction_type = 'PAIEMENT'
       and t.status = 'SUCCESS' and abs(hashtext(t.id::text)) % ${every.session} = 0`
}

async function makeRefunds(db: Db, merchant_id: string): Promise<void> {
  await db`
    insert into refunds (merchant_id, id, environment, payment_id, status, country_code, amount,
      currency, held_amount, method, refund_of, network_code, reason, reference, settled_attempt,
      request_id, created_at, updated_at, ended_at)
    select t.merchant_id, gen_random_uuid(), t.environment, t.id,
           case when hashtext(t.id::text) % 4 = 0 then 'FAILED' else 'SUCCESS' end,
           t.country_code, 100, t.currency, 100, 'OPERATOR', t.settled_attempt, t.network_code,
           'Article abîmé', 'R-' || t.reference,
           case when hashtext(t.id::text) % 4 = 0 then null else t.settled_attempt end,
           'generated', t.created_at, t.updated_at, t.updated_at
      from transactions t
     where t.merchant_id = ${merchant_id} and t.transaction_type = 'PAIEMENT'
       and t.status = 'SUCCESS' and abs(hashtext(t.reference)) % ${every.refund} = 0`
}

async function makeSettlements(db: Db, merchant_id: string): Promise<void> {
  const [method] = await db<{ id: string }[]>`
    insert into payout_methods (merchant_id, id, country, type, bank_name, account_number)
    values (${merchant_id}, gen_random_uuid(), 'BJ', 'BANK_ACCOUNT', 'Banque', '1')
    returning id`
  await db`
    insert into settlements (merchant_id, id, environment, reference, payout_method, country,
      requested_amount, fee_charge_mode, client_fee, gateway_fee, platform_fee, debited_amount,
      net_amount, currency, status, request_id, approved_at, completed_at, created_at, updated_at)
    select t.merchant_id, gen_random_uuid(), t.environment, 'S' || t.reference, ${method?.id ?? ''},
           t.country_code, 100, 'ADD_ON', 0, 0, 0, 100, 100, t.currency,
           case when hashtext(t.id::text) % 8 = 0 then 'FAILED' else 'SUCCESS' end,
           'generated', t.created_at, t.updated_at, t.created_at, t.updated_at
      from transactions t
     where t.merchant_id = ${merchant_id} and abs(hashtext(t.reference)) % ${every.settlement} = 7`
}
