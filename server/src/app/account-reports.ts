// What accounts with operators report while they are used: each thing is counted, and logged where
// somebody can do something about it. Law: a report never fails the call that it is about.

import type { SenderSeen } from '../attempts/callback-sender.ts'
import type { ClockApart } from '../gateways/adapters.ts'
import { type Alarm, newAlarmRest, raiseAlarm } from '../gateways/alarms.ts'
import { newTally } from '../platform/throttle/throttle.ts'
import {
  countCallbackSender,
  countClockApart,
  countGatewayAlarm,
  countGatewayNote,
  countPaceFault,
  countPaceRefusal,
} from './metrics.ts'
import type { Parts } from './parts.ts'

/** What the gateways of accounts are opened with. */
export const accountReports = ({ db, log }: Pick<Parts, 'db' | 'log'>) => ({
  note: (gateway: string, what: string) => {
    countGatewayNote(gateway)
    log.warn({ gateway, what }, 'an answer that the operator’s sheet does not list')
  },
  noPlace: countPaceRefusal,
  paceFault: (gateway: string, err: unknown) => {
    countPaceFault(gateway)
    log.warn({ gateway, err }, 'no share of the operator’s pace could be claimed; it will be')
  },
  clockApart: clockAlarmOf({ db, log }),
})

/** Half of what makes its signatures prove nothing is an alarm; whoever called does not wait. */
function clockAlarmOf({ db, log }: Pick<Parts, 'db' | 'log'>) {
  const isToWrite = newAlarmRest(() => performance.now())
  return ({ gateway_id, code: gateway, apart_s, max_skew_s }: ClockApart): void => {
    countClockApart(gateway)
    const alarm = { gateway_id, kind: 'CLOCK', call: 'ANY' } as const
    if (max_skew_s === undefined || Math.abs(apart_s) <= max_skew_s / 2) return
    if (!isToWrite(alarm)) return
    log.warn({ gateway, apart_s, max_skew_s }, alarmLines.CLOCK)
    raiseAlarm(db, alarm).catch((err: unknown) => {
      log.error({ ...alarm, err }, 'an alarm was not written')
    })
  }
}

/** So many lines a minute of an account: whoever sends many fills no log. */
const sender_lines_most = 10

/** Whose callbacks come from where; what comes from elsewhere is logged. */
export function senderReports({ log }: Pick<Parts, 'log'>) {
  const lines = newTally()
  return ({ gateway, outcome, ip }: SenderSeen): void => {
    countCallbackSender(gateway, outcome)
    if (outcome === 'known' || !lines.take(gateway, sender_lines_most)) return
    log.warn({ gateway, outcome, ip }, 'a callback from an address that is not the operator’s')
  }
}

const alarmLines = {
  CREDENTIAL: 'an operator refuses us for who we are there',
  CONFIGURATION: 'an operator refuses us for how we are set up there',
  CLOCK: 'an operator’s clock is far from the database’s',
  CONTRADICTION: 'an operator contradicts itself or us: what it says so stays unknown',
  GIVEN_BACK: 'a part of a payment was given back at its operator, and how much is not said',
} as const satisfies Record<Alarm['kind'], string>

/** What an answer raised an alarm for is counted, and written where it is not one of many. */
export function alarmOf({ db, log }: Pick<Parts, 'db' | 'log'>) {
  const isToWrite = newAlarmRest(() => performance.now())
  return async (alarm: Alarm): Promise<void> => {
    countGatewayAlarm(alarm)
    if (!isToWrite(alarm)) return
    try {
      const isOff = await raiseAlarm(db, alarm)
      log.warn(alarm, alarmLines[alarm.kind])
      if (isOff) log.error(alarm, 'our credentials are refused: the account is switched off')
    } catch (err) {
      log.error({ ...alarm, err }, 'an alarm was not written')
    }
  }
}
