// The jobs that ask operators about themselves, and not about payments: their public keys, what
// they hold for us, which sums they take and which networks work. What one of them does not answer
// is counted, and asked again.

import type { LiveGateways } from '../gateways/live-gateways.ts'
import { refreshKeys } from '../gateways/public-keys.ts'
import { readBalances } from '../gateways/read-balances.ts'
import {
  applyDueRules,
  type RuleAlarm,
  type RuleDeps,
  readOperatorRules,
} from '../gateways/read-operator-rules.ts'
import { readOperatorStates, type StateDeps } from '../gateways/read-operator-states.ts'
import type { Job } from '../platform/jobs/worker.ts'
import { countBalanceFault, countRuleAlarm, countStateFault } from './metrics.ts'
import { onRoomOf, type Parts } from './parts.ts'
import { periodic } from './periodic.ts'

export function operatorJobs(parts: Parts, gateways: LiveGateways): Job[] {
  const { db } = parts
  const rules = ruleDepsOf(parts, gateways)
  const states = stateDepsOf(parts, gateways)
  return [
    periodic('public-keys', 10_000, () => refreshKeys(keyDepsOf(parts, gateways))),
    periodic('read-balances', 30_000, () => readBalances(balanceDepsOf(parts, gateways))),
    periodic('read-operator-limits', 60_000, () => readOperatorRules(rules)),
    periodic('apply-operator-limits', 60_000, () => applyDueRules(db)),
    periodic('read-operator-states', 15_000, () => readOperatorStates(states)),
  ]
}

const keyDepsOf = ({ quick: db, log }: Parts, gateways: LiveGateways) => ({
  ...{ db, gateways, log },
  row_ids: gateways.row_ids,
})

const balanceDepsOf = (parts: Parts, gateways: LiveGateways) => ({
  ...{ db: parts.db, gateways },
  onRoom: onRoomOf(parts),
  row_ids: gateways.row_ids,
  onFault: (gateway: string, err: unknown) => {
    countBalanceFault(gateway)
    parts.log.warn({ gateway, err }, 'its balance could not be read; it will be')
  },
})

const alarmTexts = {
  UNREAD: 'what it takes of a payment could not be read; it will be',
  ODD: 'what it says that it takes of a payment cannot be meant, or is not what we send',
  NARROWER: 'an operator takes less than it did: that counts in a day, or when staff accept it',
} as const satisfies Record<RuleAlarm, string>

const ruleDepsOf = ({ db, log }: Parts, gateways: LiveGateways): RuleDeps => ({
  ...{ db, gateways },
  row_ids: gateways.row_ids,
  onAlarm: (gateway, alarm, about) => {
    countRuleAlarm(gateway, alarm)
    log.warn({ gateway, ...about }, alarmTexts[alarm])
  },
})

const stateDepsOf = ({ db, log }: Parts, gateways: LiveGateways): StateDeps => ({
  ...{ db, gateways },
  row_ids: gateways.row_ids,
  onFault: (gateway, err) => {
    countStateFault(gateway)
    log.warn({ gateway, err }, 'what works at it could not be read; it will be')
  },
})
