// What happens in a world: each event starts lines of work, as merchants, payers, operators,
// pollers and forgers would.

import { actAsOperator, callBack, rush } from './callback-acts.ts'
import { expire, pass, poll } from './due-acts.ts'
import { endHolds, fund, hold } from './hold-acts.ts'
import { runJob } from './job-acts.ts'
import { adjust, onAdjustment, onSettlement, onTransfer, settle, transfer } from './moving-acts.ts'
import type { MovingEvent } from './moving-world.ts'
import { cancel, initialize, onPayment } from './payment-acts.ts'
import { askBack, freeze, onPayout, payOut, setFloat, setPrices } from './payout-acts.ts'
import { onRefund, type RefundEvent, refund } from './refund-acts.ts'
import type { OnRefund } from './refund-world.ts'
import type { Scene } from './scene.ts'
import { cancelASession, paySessions } from './session-acts.ts'
import { resolveRefunds, type StaffEvent } from './staff-acts.ts'
import type { Event } from './world.ts'

function initializeOne(scene: Scene, event: Extract<Event, { is: 'initialize' }>): void {
  if (event.payment >= scene.world.payments.length) return
  initialize(scene, event.payment, event.crash)
}

/** Begins an event; what it needs to know beforehand is read while nothing else is under way. */
export async function begin(scene: Scene, event: Event): Promise<void> {
  switch (event.is) {
    case 'initialize':
      return initializeOne(scene, event)
    case 'retry':
    case 'confirm':
    case 'verify':
    case 'resolve':
      return onPayment(scene, event)
    case 'cancel':
      return cancel(scene, event)
    case 'poll':
      return poll(scene, event.crash)
    case 'age':
      return pass(scene, event.seconds)
    case 'expire':
      return expire(scene, event)
    case 'operator':
      return actAsOperator(scene, event)
    case 'callback':
      return callBack(scene, event)
    case 'rush':
      return rush(scene, event)
    case 'fund':
      return fund(scene, event)
    case 'hold':
      return hold(scene, event)
    case 'end_hold':
      return endHolds(scene, event)
    case 'pay_out':
      return payOut(scene, event.payout, event.times, event.crash)
    case 'verify_payout':
    case 'resolve_payout':
    case 'decide':
      return onPayout(scene, event)
    case 'ask_back':
      return askBack(scene, event)
    case 'freeze':
      return freeze(scene, event.frozen)
    case 'pay_session':
      return paySessions(scene, event)
    case 'cancel_session':
      return cancelASession(scene, event)
    case 'job':
      return runJob(scene, event.job, event.crash)
    case 'lapse':
    case 'expire_sessions':
    case 'start_waiting':
    case 'take_back':
      return runJob(scene, event.is, event.crash)
    case 'float':
      return setFloat(scene, event)
    case 'prices':
      return setPrices(scene, event)
    default:
      return beginMoving(scene, event)
  }
}

type Moving = Extract<Event, MovingEvent | RefundEvent | OnRefund | StaffEvent>

/** Money of the merchant's own, and what goes back to payers. */
function beginMoving(scene: Scene, event: Exclude<Moving, { is: 'job' }>): void | Promise<void> {
  switch (event.is) {
    case 'settle':
      return settle(scene, event)
    case 'on_settlement':
      return onSettlement(scene, event)
    case 'transfer':
      return transfer(scene, event)
    case 'on_transfer':
      return onTransfer(scene, event)
    case 'refund':
      return refund(scene, event)
    case 'on_refund':
      return onRefund(scene, event)
    case 'staff':
      return resolveRefunds(scene, event)
    case 'adjust':
      return adjust(scene, event)
    case 'on_adjustment':
      return onAdjustment(scene, event)
  }
}
