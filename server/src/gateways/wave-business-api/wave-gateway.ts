// The adapter of Wave Business, over HTTP: redirect collections, payouts that end at once, refunds
// in full. Law: one create is one request, never repeated here. A question ends nothing that a
// payer can pay, but for pages beside the one that is followed.

import { assert } from '../../platform/errors.ts'
import { type Account, type AdapterModule, type AdapterTools, onPage } from '../adapter.ts'
import type {
  Cancels,
  Checks,
  Collects,
  Direction,
  GatewayOrder,
  GatewayReply,
  Pays,
  Refunds,
  Reverses,
} from '../gateway.ts'
import { bothPurposes, type ReportsBalance } from '../wallet.ts'
import { askAbout, askRefund, cancelSession, deadline, refundSession, replyOf } from './ask.ts'
import { readWaveCallback } from './callback.ts'
import { checkAccount } from './check.ts'
import { type Call, newCaller } from './client.ts'
import { readCreated } from './read-answer.ts'
import { reversePayout } from './reverse-payout.ts'
import { facts, refund_facts, settings } from './settings.ts'
import { paths, payoutBody, readBalance, sessionBody } from './wire.ts'

export type WaveGateway = Collects & Pays & Cancels & Refunds & Reverses & ReportsBalance & Checks

export const waveAdapter: AdapterModule = {
  adapter: 'wave',
  name: 'Wave Business',
  settings,
  does: ['COLLECT', 'DISBURSE', 'REFUND', 'REVERSAL', 'BALANCE'],
  confirms: [onPage],
  ends_waiting: true,
  tests: {
    numbers: [],
    about: {
      en: 'Wave has no public sandbox: there are none',
      fr: 'aucun : Wave n’a pas de bac à sable public',
    },
  },
  imitates: ({ code, currency, flow }) =>
    code.startsWith('wave_') && currency === 'XOF' && flow === 'redirect',
  usual: () => facts,
  open: (account, tools) => waveGateway(account, tools),
}

/** The gateway of one account. */
export function waveGateway(account: Account, tools: AdapterTools): WaveGateway {
  const call = newCaller(account, tools)
  const webhook_secrets = [account.secrets, account.former_secrets].map(
    (all) => all?.['webhook_secret'] ?? '',
  )
  const restrict_payer = account.settings['restrict_payer'] === 'yes'
  const context = () => ({ note: tools.note, now_ms: tools.clock() })
  const talk = { call, context }

  async function create(order: GatewayOrder, direction: Direction): Promise<GatewayReply> {
    assert(order.direction === direction, `${order.direction} given to ${direction}`)
    const wanted: Call =
      direction === 'COLLECT'
        ? { method: 'POST', path: paths.createSession, body: sessionBody(order, restrict_payer) }
        : {
            ...{ method: 'POST', path: paths.createPayout, body: payoutBody(order) },
            idempotency_key: order.our_key,
          }
    const result = await call(wanted, deadline())
    const answer = result.is === 'answered' ? readCreated(order, result, context()) : result
    return replyOf(answer, result)
  }

  return {
    code: account.code,
    facts,
    refund_facts,
    collect: (order) => create(order, 'COLLECT'),
    pay: (order) => create(order, 'DISBURSE'),
    query: (attempt) => askAbout(talk, attempt, deadline()),
    cancel: (attempt) => cancelSession(talk, attempt),
    refund: (order) => refundSession(talk, order),
    reverse: (payout) => reversePayout(talk, payout),
    askRefund: (key) => askRefund(talk, key, tools.clock()),
    readCallback: (received) => readWaveCallback({ webhook_secrets, note: tools.note }, received),
    async balances() {
      const result = await call({ method: 'GET', path: paths.balance }, deadline())
      const shown = result.is === 'answered' ? readBalance(result) : undefined
      return shown === undefined ? [] : [{ wallet: 'business', ...shown, purposes: bothPurposes }]
    },
    check: () => checkAccount(account, call, tools),
  }
}
