// Every column of the schema that says that a row is open, or when it is due, and who ends it: the
// worlds, which ask afterwards what is left; another test; or nobody, because nothing waits. A
// test holds the list complete, so that a new one cannot be forgotten.

import { homeOf } from '../../src/platform/places/places.ts'
import type { OwnerSql } from '../setup/database.ts'

/** Names of columns that tell of an open state or a time that comes. */
const reports =
  '(status|state|outcome|due_at|lapses_at|expires_at|ends_at|again_at|next_at|_until|deadline' +
  '|effective_at|usable_from|review_since)$|^(pending_|next_|reserved$|is_empty$|seq$)'

/** Of the rows that a world makes: which of them nobody has ended. In SQL, of one merchant. */
const inWorlds: Readonly<Record<string, Readonly<{ columns: readonly string[]; left: string }>>> = {
  transactions: {
    columns: ['status', 'return_state'],
    left: "status = 'PENDING' or return_state = 'ASKED'",
  },
  payout_reversals: {
    columns: ['status', 'due_at', 'look_again_at'],
    left: "status = 'PENDING' or look_again_at is not null",
  },
  attempts: {
    columns: ['status', 'due_at', 'leased_until', 'asking_until', 'send_deadline', 'next_action'],
    // One that its operator never ends is queried for its time, then daily for 30 days. It counts
    // as ended when people were told by an incident, or have booked it; or when it is a payin
    // whose payment failed: a success that comes after all opens an incident then.
    left: `due_at is not null or leased_until > now()
           or (status in ('PENDING', 'UNKNOWN')
               and not (asking_until < now()
                        and (booked_by is not null
                             or (direction = 'COLLECT' and exists (
                                   select 1 from transactions t
                                    where t.merchant_id = o.merchant_id and t.id = o.transaction_id
                                      and t.status = 'FAILED'))
                             or exists (
                                   select 1 from incidents i
                                    where i.merchant_id = o.merchant_id and i.attempt_id = o.id
                                      and i.type = 'OUTCOME_UNKNOWN'))))`,
  },
  incidents: { columns: ['status'], left: "status = 'OPEN'" },
  // What the worlds' own holds are promised to is in no table.
  holds: {
    columns: [],
    left: `not exists (select 1 from hold_ends n
                        where n.merchant_id = o.merchant_id and n.hold_id = o.id)
           and not (cause_kind = 'SETTLEMENT' and not exists (
             select 1 from settlements s
              where s.merchant_id = o.merchant_id and s.id = o.cause_id))`,
  },
  payout_approvals: {
    columns: ['status', 'lapses_at', 'lapse_again_at'],
    left: "status = 'REQUIRED'",
  },
  payout_waits: { columns: ['due_at'], left: 'true' },
  settlements: {
    columns: ['status', 'send_again_at', 'waits_until'],
    left: "status in ('PENDING', 'APPROVED', 'PROCESSING')",
  },
  refunds: {
    columns: ['status', 'lapses_at', 'lapse_again_at', 'send_again_at'],
    left: "status = 'PENDING'",
  },
  wallet_transfers: { columns: ['status', 'lapses_at'], left: "status = 'PENDING'" },
  adjustments: { columns: ['status'], left: "status = 'PENDING'" },
  checkout_sessions: {
    columns: ['status', 'due_at', 'expires_at', 'pending_payment'],
    left: "status = 'PENDING' or due_at is not null or pending_payment is not null",
  },
  payment_links: { columns: ['reserved', 'expires_at'], left: 'reserved <> 0' },
  idempotency_keys: {
    columns: ['leased_until', 'expires_at', 'status'],
    left: 'status is null and leased_until > now()',
  },
  gateway_callbacks: { columns: ['due_at', 'outcome'], left: 'due_at is not null' },
}

/** Rows that worlds do not make, by the test in which they end. */
const inTests: Readonly<Record<string, readonly string[]>> = {
  'server/src/webhooks/deliver.test.ts': [
    'deliveries.status',
    'deliveries.due_at',
    'webhook_lanes.due_at',
    'webhook_lanes.leased_until',
  ],
  'server/test/stories/one-change-is-one-event-whoever-dies.test.ts': [
    'availability_changes.previous_status',
    'availability_changes.status',
  ],
  'server/src/webhooks/sequence-events.test.ts': ['events.seq', 'delivery_marks.seq'],
  'server/test/stories/a-looser-limit-waits-for-its-owners.test.ts': [
    'merchants.cooling_off_next_at',
    'payout_limits.next_at',
    'payout_limits.next_by',
    'payout_limits.next_per_payout',
    'payout_limits.next_per_day',
    'payout_limits.next_approval_above',
    'payout_limits.next_wait_h',
  ],
  'server/test/stories/an-operator-says-what-it-takes.test.ts': [
    'operator_rules.next_at',
    'operator_rules.next_least',
    'operator_rules.next_most',
  ],
  'server/test/stories/a-shop-sees-its-months.test.ts': ['counting_marks.due_at'],
  // NEXT waits for people, or for others that take its place.
  'server/test/stories/former-secrets-end-by-time.test.ts': ['gateway_secrets.state'],
  'server/src/platform/mail/send-mail.test.ts': ['mail_outbox.due_at', 'mail_outbox.leased_until'],
  'server/test/stories/a-live-name-is-one-that-staff-have-seen.test.ts': [
    'merchants.name_review_since',
  ],
  'server/test/stories/staff-decide-on-a-merchant.test.ts': [
    'kyc_documents.status',
    'merchants.kyc_status',
  ],
  'server/test/stories/staff-help-a-member-back.test.ts': [
    'factor_resets.due_at',
    'factor_resets.status',
  ],
  'server/test/stories/two-of-the-staff-are-two-people.test.ts': [
    'staff_proposals.status',
    'staff_proposals.expires_at',
  ],
}

/** Columns at which nothing waits: why. */
const nothingWaits: Readonly<Record<string, readonly string[]>> = {
  'read at its moment: it holds or does not': [
    'api_keys.expires_at',
    'download_tickets.expires_at',
    'exchange_rates.effective_at',
    'gateway_closings.ends_at',
    'gateway_pace.former_until',
    'gateway_pace.lease_until',
    'gateway_tokens.expires_at',
    'gateway_tokens.lease_until',
    'invitations.expires_at',
    'leases.leased_until',
    'operator_states.state',
    'payout_methods.usable_from',
    'person_tokens.expires_at',
    'route_health.skip_until',
    'sessions.ends_at',
    'throttle_windows.ends_at',
    'webhooks.overlap_until',
  ],
  'a switch that people turn; what waits for it has an end of its own': [
    'gateway_floats.is_empty',
    'ip_whitelist.status',
    'merchants.status',
  ],
  'a record of what has ended, or how': [
    'availability_states.previous_status',
    'availability_states.status',
    'counted_days.status',
    'counted_later.status',
    'counted_links.status',
    'deliveries.http_status',
    'delivery_tries.http_status',
    'transaction_search.status',
    'transaction_search_marks.seq',
    'transaction_status_logs.from_status',
    'transaction_status_logs.to_status',
  ],
}

const declared = (): string[] => [
  ...Object.entries(inWorlds).flatMap(([table, { columns }]) =>
    columns.map((column) => `${table}.${column}`),
  ),
  ...Object.values(inTests).flat(),
  ...Object.values(nothingWaits).flat(),
]

export const endingTests = Object.keys(inTests)

/** Columns without a line above, and lines without a column. */
export async function undeclared(owner: OwnerSql): Promise<string[]> {
  const rows = await owner<{ name: string }[]>`
    select c.relname || '.' || a.attname as name
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition and a.attname ~ ${reports}`
  const known = declared()
  const there = rows.map(({ name }) => name)
  return [
    ...there.filter((name) => !known.includes(name)),
    ...known.filter((name, at) => !there.includes(name) || known.indexOf(name) !== at),
  ].sort()
}

/** Text once made: each connection plans it once. */
const leftSql = Object.entries(inWorlds)
  .map(
    ([table, { left }]) =>
      `select '${table}' as "table", to_jsonb(o)::text as row
         from ${table} o where o.merchant_id = $1 and (${left})`,
  )
  .join(' union all ')

export type Left = Readonly<{ table: string; row: string }>

/** What nobody has ended of one merchant's. */
export const listLeft = (owner: OwnerSql, merchant_id: string): Promise<Left[]> =>
  homeOf(owner, merchant_id).unsafe<Left[]>(leftSql, [merchant_id], { prepare: true })
