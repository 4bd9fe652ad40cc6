// What `gateway check` finds of how an account has fared: the last success, the last callback, and
// how many payments were called back. It reads only what is in the database.

import { countCalledBack, listSeen, listSeenCallbacks } from '../attempts/seen-statements.ts'
import type { FoundGateway } from '../gateways/account-store.ts'
import type { Finding } from '../gateways/gateway.ts'
import { type Db, isLockTimeout, isTooSlow, type Sql } from '../platform/db.ts'
import { Refusal } from '../platform/errors.ts'
import { turnsOf } from '../platform/turns.ts'

const seen_days = 180
const counted_days = 7
/** Fewer say nothing about an operator's callbacks. */
const telling_least = 5

const kinds = {
  COLLECT: 'payment',
  PAY_OUT: 'payout',
  REFUND: 'refund',
  REVERSAL: 'reversal',
} as const

type Watched = Pick<FoundGateway, 'id' | 'code'>

export async function usageFindings(db: Sql, { id, code }: Watched): Promise<readonly Finding[]> {
  // One after the other: they read whole tables, and take one connection for that.
  const seen = await listSeen(db, id, seen_days)
  const callbacks = await listSeenCallbacks(db, id, seen_days)
  const counted = await countCalledBack(db, id, counted_days)
  const successes = [...seen].map(([kind, { finished_at }]) => `${kinds[kind]} ${at(finished_at)}`)
  const last = [...callbacks].map(([proof, { created_at }]) => `${proof} ${at(created_at)}`)
  const { ended, called_back } = counted
  const isSilent = ended >= telling_least && called_back === 0
  const failing = ended >= telling_least && successes.length === 0
  return [
    finding('last success', successes.join(', ') || noneYet, failing && look(code)),
    finding('last callback', last.join(', ') || noneYet, isSilent && probe(code)),
    finding('payments called back', shareOf(counted), isSilent && probe(code)),
  ]
}

const looks = turnsOf({ at_once: 1, waiting: 20, wait_ms: 10_000 })

/**
 * The same where staff ask over HTTP: on the connections of lists, one account at a time, so that
 * no payment waits for it. What cannot be read in time keeps nobody from the rest of the check.
 */
export async function usageInTime(reads: Db, account: Watched): Promise<readonly Finding[]> {
  try {
    return await looks('', () => usageFindings(reads, account))
  } catch (error) {
    if (!(error instanceof Refusal || isTooSlow(error) || isLockTimeout(error))) throw error
    const command = `npm run cli -- gateway check ${account.code}`
    return [
      finding('usage', 'could not be read in time', `It takes as long as it takes: ${command}`),
    ]
  }
}

const noneYet = `none within ${seen_days} days`

/** To the minute, in UTC. */
const at = (moment: Date): string => `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`

type Counted = Awaited<ReturnType<typeof countCalledBack>>

function shareOf({ ended, called_back, decided }: Counted): string {
  if (ended === 0) return `none has ended within ${counted_days} days`
  const percent = (part: number) => `${part} (${Math.round((100 * part) / ended)} %)`
  return (
    `${percent(called_back)} of ${ended} that ended within ${counted_days} days; ` +
    `${percent(decided)} were decided by the callback itself`
  )
}

const look = (code: string) => `See how they have failed: npm run cli -- gateway steps ${code}`
const probe = (code: string) =>
  'Compare the callback address at the operator, then: ' +
  `npm run cli -- gateway check ${code} --probe-callback`

/** `fix`: what to do, or nothing. */
const finding = (what: string, found: string, fix: string | false): Finding => ({
  ...{ what, found },
  is: fix === false ? 'PASS' : 'WARN',
  fix: fix === false ? '' : fix,
})
