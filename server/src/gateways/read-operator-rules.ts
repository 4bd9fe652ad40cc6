// What operators say that they take of one payment is read about once a day, and kept beside what
// staff set. Law: no payment waits for a reading; an answer that cannot be meant changes nothing
// and is an alarm; and what would refuse sums that are taken now counts a day later, which is one
// too.

import { type Actor, systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { publishCatalogue } from '../catalogue/extend-catalogue.ts'
import { platformMerchant } from '../ledger/account.ts'
import { formatAmount } from '../money/format.ts'
import { type Db, inTransaction, type Tx } from '../platform/db.ts'
import type { Direction, Gateways } from './gateway.ts'
import {
  type Bounds,
  countingAt,
  faultOfRule,
  isOtherStep,
  isSame,
  judgeRule,
  type KeptRule,
} from './judge-rule.ts'
import {
  claimRules,
  type DueRules,
  deleteGoneRules,
  listDueRules,
  lockRules,
  markRulesFault,
  markRulesRead,
  type RuleRow,
  upsertRule,
} from './operator-rule-statements.ts'
import { type AmountRule, type PublishesRules, publishesRules } from './published.ts'

/** `UNREAD`: nothing could be used; `ODD`: a part could not; `NARROWER`: it counts a day later. */
export type RuleAlarm = 'UNREAD' | 'ODD' | 'NARROWER'

export type RuleDeps = Readonly<{
  db: Db
  gateways: Gateways
  /** The row of each gateway, by its code. */
  row_ids: ReadonlyMap<string, string>
  /** Called once for each thing that people must see; `err`: what was thrown, where that was it. */
  onAlarm: (
    code: string,
    alarm: RuleAlarm,
    about: Readonly<{ what: string; err?: unknown }>,
  ) => void
}>

const ages = { every_s: 24 * 3600, again_s: 3600 } as const

/** Asks what is due. Of several, a slow or broken one keeps no other from being read. */
export async function readOperatorRules(deps: RuleDeps): Promise<void> {
  const all = deps.gateways.all().filter(publishesRules)
  const ids = all.flatMap(({ code }) => deps.row_ids.get(code) ?? [])
  if (ids.length === 0) return
  const claimed = await claimRules(deps.db, ids, ages)
  await Promise.all(
    claimed.map((due) => {
      const gateway = all.find(({ code }) => deps.row_ids.get(code) === due.id)
      return gateway === undefined ? undefined : readOne(deps, gateway, due)
    }),
  )
}

async function readOne(deps: RuleDeps, gateway: PublishesRules, due: DueRules): Promise<void> {
  try {
    const published = await gateway.rules()
    if (published === undefined || published.length === 0) {
      const what = published === undefined ? 'could not be read' : 'it named no network of ours'
      deps.onAlarm(gateway.code, 'UNREAD', { what })
      return
    }
    const { odd, narrower } = await keepRules(deps, due, published)
    for (const [of, why] of odd) deps.onAlarm(gateway.code, 'ODD', { what: `${of}: ${why}` })
    for (const what of narrower) deps.onAlarm(gateway.code, 'NARROWER', { what })
  } catch (err) {
    deps.onAlarm(gateway.code, 'UNREAD', { what: 'could not be read', err })
  }
}

/** What people must see of one reading, a line for each network and direction. */
type Seen = Readonly<{ odd: ReadonlyMap<string, string>; narrower: readonly string[] }>

/** What was published, and what counts of it. */
export function keepRules(
  { db }: Pick<RuleDeps, 'db'>,
  due: DueRules,
  published: readonly AmountRule[],
): Promise<Seen> {
  return inTransaction(db, async (tx) => {
    const rows = await lockRules(tx, due.id)
    // A later answer than this one was kept meanwhile.
    if (!(await markRulesRead(tx, due))) return { odd: new Map(), narrower: [] }
    const odd = new Map<string, string>()
    const narrower: string[] = []
    let changes = 0
    for (const row of rows) {
      const rule = publishedOf(published, row)
      if (rule === undefined) continue
      const fault = rule === 'TWICE' ? 'named twice' : faultOfRule(rule)
      const isUsed = row.amount_step !== null
      if (rule === 'TWICE' || fault !== undefined) {
        if (isUsed) odd.set(nameOf(row), fault ?? '')
        continue
      }
      if (isUsed && isOtherStep(row.amount_step, rule.step)) odd.set(nameOf(row), otherStep)
      const kept = await keepOne(tx, { due, row, rule })
      if (kept.is_news) narrower.push(nameOf(row))
      if (kept.is_change) changes += 1
    }
    changes += await deleteGoneRules(tx, due)
    if (changes > 0) await publishCatalogue(tx)
    await markRulesFault(tx, due.id, [...odd.keys()].join(', '))
    return { odd, narrower }
  })
}

const otherStep = 'not what amount_step of its route is a multiple of'

const nameOf = ({ network_code, direction }: Pick<RuleRow, 'network_code' | 'direction'>) =>
  `${network_code} ${direction}`

/** Of two of the same network and direction it means one: neither is believed. */
function publishedOf(
  published: readonly AmountRule[],
  row: RuleRow,
): AmountRule | 'TWICE' | undefined {
  const { network_code, direction, currency } = row
  const found = published.filter(
    (one) =>
      one.network_code === network_code && one.direction === direction && one.currency === currency,
  )
  return found.length > 1 ? 'TWICE' : found[0]
}

const keptIn = (row: RuleRow): KeptRule | undefined =>
  row.as_of === null
    ? undefined
    : {
        ...{ least: row.least, most: row.most },
        next:
          row.next_at === null
            ? null
            : { least: row.next_least, most: row.next_most, at: row.next_at },
      }

type ToKeep = Readonly<{ due: DueRules; row: RuleRow; rule: AmountRule }>

async function keepOne(
  tx: Tx,
  { due, row, rule: published }: ToKeep,
): Promise<Readonly<{ is_news: boolean; is_change: boolean }>> {
  const was = keptIn(row)
  const is_used = row.amount_step !== null
  const { rule, is_news } = judgeRule(was, { published, at: due.asked_at, is_used })
  const { network_id, direction } = row
  const to = { gateway_id: due.id, network_id, direction, rule, step: published.step }
  await upsertRule(tx, { ...to, as_of: due.asked_at })
  const before = was ?? { least: null, most: null }
  const is_change = !isSame(before, rule)
  if (is_change && is_used) await recordRule(tx, due, { row, before, now: rule })
  if (is_news && rule.next !== null) {
    const { at, ...now } = rule.next
    await recordRule(tx, due, { row, before: rule, now, counts_from: at })
  }
  return { is_news, is_change }
}

type RuleAct = Readonly<{
  row: Readonly<{ network_code: string; direction: Direction }>
  before: Bounds
  now: Bounds
  counts_from?: Date
}>

type Account = Pick<DueRules, 'id' | 'environment'> & Readonly<{ actor?: Actor }>

/** A line of the audit log in the transaction of the change. */
export async function recordRule(tx: Tx, account: Account, act: RuleAct): Promise<void> {
  const { environment, id, actor = systemActor } = account
  const { row, before, now, counts_from } = act
  const of = { network: row.network_code, direction: row.direction }
  await recordAct(tx, {
    ...{ merchant_id: platformMerchant[environment], environment, actor },
    action: counts_from === undefined ? 'operator_limits.changed' : 'operator_limits.narrowed',
    ...{ target_kind: 'gateway', target_id: id, before: { ...of, ...shown(before) } },
    after: {
      ...{ ...of, ...shown(now) },
      ...(counts_from === undefined ? {} : { counts_from: counts_from.toISOString() }),
    },
  })
}

/** As the API shows them. */
export const shown = ({ least, most }: Bounds) => ({
  least: least === null ? null : formatAmount(least),
  most: most === null ? null : formatAmount(most),
})

/** What was published to count from now on does, also where its operator has gone silent since. */
export async function applyDueRules(db: Db): Promise<void> {
  for (const due of await listDueRules(db)) {
    await inTransaction(db, async (tx) => {
      for (const row of await lockRules(tx, due.id)) {
        const was = keptIn(row)
        const rule = was === undefined ? undefined : countingAt(was, due.asked_at)
        if (was === undefined || rule === undefined || rule.next === was.next) continue
        const { network_id, direction, step } = row
        const as_of = row.as_of ?? due.asked_at
        await upsertRule(tx, { gateway_id: due.id, network_id, direction, rule, step, as_of })
        await recordRule(tx, due, { row, before: was, now: rule })
        await publishCatalogue(tx)
      }
    })
  }
}
