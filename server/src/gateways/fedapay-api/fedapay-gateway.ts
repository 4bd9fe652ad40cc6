// The adapter of FedaPay: its reference is made first, without money; then the money is asked for,
// once. Law: that second call is never repeated, and what it left is asked about by its reference.

import { createHash } from 'node:crypto'
import { readFields } from '../../platform/json-fields.ts'
import {
  type Account,
  type AdapterModule,
  type AdapterTools,
  isAskedByPhone,
  onPage,
  onPhone,
} from '../adapter.ts'
import type {
  Answer,
  AttemptKey,
  CallbackReading,
  Checks,
  Collects,
  GatewayOrder,
  GatewayReply,
  Pays,
  Prepared,
  Prepares,
  Received,
} from '../gateway.ts'
import { hasTimedSignature } from '../timed-signature.ts'
import { bothPurposes, type ReportsBalance, type WalletBalance } from '../wallet.ts'
import { checkAccount } from './check.ts'
import { type Caller, type CallResult, newCaller } from './client.ts'
import { answerOf, type Note, readPrepared, readRefusal, readUnshown } from './read-answer.ts'
import { facts, settings } from './settings.ts'
import { modeOf } from './statuses.ts'
import {
  amountOffWire,
  chargeBody,
  currencyIn,
  idIn,
  isTaken,
  prepareBody,
  preparePath,
  readEvent,
  readOne,
  readStarted,
  readToken,
  referenceOf,
  type Shown,
  showPath,
  startBody,
} from './wire.ts'

export type FedapayGateway = Collects & Pays & Prepares & ReportsBalance & Checks

export const fedapayAdapter: AdapterModule = {
  adapter: 'fedapay',
  name: 'FedaPay',
  settings,
  does: ['COLLECT', 'DISBURSE', 'BALANCE'],
  confirms: [onPhone, onPage],
  tests: {
    numbers: [],
    about: {
      en: 'none that FedaPay itself was seen to publish: ask it',
      fr: 'aucun que FedaPay ait publié à notre connaissance : renseignez-vous auprès de FedaPay',
    },
  },
  // A sandbox leads no payer to the page of the imitation, which counts in XOF alone.
  imitates: (network, direction) =>
    network.currency === 'XOF' &&
    network.flow === 'push' &&
    modeOf(network.code) !== undefined &&
    isAskedByPhone(network, direction),
  usual: () => facts,
  open: (account, tools) => fedapayGateway(account, tools),
}

type Asking = Readonly<{
  call: Caller
  note: Note
  /** Its currencies by their numbers, as far as it has named them. */
  currencies: Map<number, string>
}>

const deadline = (): number => performance.now() + facts.call_timeout_ms

/** The gateway of one account. */
export function fedapayGateway(account: Account, tools: AdapterTools): FedapayGateway {
  const call = newCaller(account, tools)
  const { note } = tools
  const asking: Asking = { call, note, currencies: new Map() }
  return {
    code: account.code,
    facts,
    prepare: (order) => prepare(asking, order),
    collect: (order) => collect(asking, order),
    pay: (order) => pay(asking, order),
    query: (attempt) => askOne(asking, attempt),
    readCallback: (received) => readCallback(received, account, note),
    async balances() {
      const result = await call({ method: 'GET', path: '/v1/balances' }, deadline())
      return walletsIn(asking, result)
    },
    check: () =>
      checkAccount(account, call, {
        clock: tools.clock,
        walletsIn: (result) => walletsIn(asking, result),
      }),
  }
}

/** One for each of its modes: what is collected by it and paid out by it. */
async function walletsIn(asking: Asking, result: CallResult): Promise<WalletBalance[]> {
  if (result.is !== 'answered' || result.status !== 200) return []
  const all = readFields(result.body)?.['v1/balances']
  const shown = (Array.isArray(all) ? all : []).map(async ({ mode, amount, currency_id }) => {
    const currency = await currencyOf(asking, Number(currency_id), deadline())
    const sum = amount === 0 ? 0n : amountOffWire(amount)
    const isRead = sum !== undefined && currency !== '' && typeof mode === 'string'
    return isRead ? [{ wallet: mode, currency, amount: sum, purposes: bothPurposes }] : []
  })
  return (await Promise.all(shown)).flat()
}

type PreparedReply = Readonly<{ answer: Prepared; hash: Buffer }>

async function prepare({ call, note }: Asking, order: GatewayOrder): Promise<PreparedReply> {
  const { direction, currency, amount, network_code, flow } = order
  const mode = modeOf(network_code)
  const needsMode = direction === 'DISBURSE' || flow === 'push'
  if (needsMode && mode === undefined) return prepared(unfit(`no mode for ${network_code}`))
  if (!isTaken(currency, amount)) return prepared(unfit('not a whole amount'))
  const path = preparePath(direction)
  const result = await call({ method: 'POST', path, body: prepareBody(order, mode) }, deadline())
  return prepared(result.is === 'answered' ? readPrepared(order, result, note) : result, result)
}

const prepared = (answer: Prepared, result?: CallResult): PreparedReply => ({
  answer,
  hash: hashOf(result ?? answer),
})

const unfit = (detail: string): Extract<Prepared, { is: 'refused' }> => ({
  ...{ is: 'refused', by: 'gateway', failure_code: 'GATEWAY_REFUSED' },
  ...{ detail, external_reference: '', alarm: 'CONFIGURATION' },
})

const unprepared: Answer = { is: 'never_sent', because: 'not prepared' }

async function collect(asking: Asking, order: GatewayOrder): Promise<GatewayReply> {
  const { call, note } = asking
  const until = deadline()
  const { external_reference } = order
  if (idIn('COLLECT', external_reference) === undefined) return replyOf(unprepared)
  const opened = await call({ method: 'POST', path: `/v1/${external_reference}/token` }, until)
  // Until the money is asked for nothing is taken, whatever became of this call.
  if (opened.is !== 'answered') return replyOf(notOpened(opened.because), opened)
  const page = readToken(opened.status === 200 ? readFields(opened.body) : undefined)
  if (page === undefined) {
    const refusal = readRefusal(opened, 'token', note)
    return replyOf(refusal.is === 'unknown' ? notOpened(refusal.because) : refusal, opened)
  }
  if (order.flow === 'redirect') {
    if (page.url === '') return replyOf(notOpened('no page'), opened)
    return replyOf({ is: 'waiting', external_reference, next: { redirect_to: page.url } }, opened)
  }
  const path = `/v1/${modeOf(order.network_code) ?? ''}`
  const result = await call({ method: 'POST', path, body: chargeBody(order, page.token) }, until)
  if (result.is !== 'answered') return replyOf(result, result)
  const isAsked = result.status === 200 && readFields(result.body) !== undefined
  const waiting: Answer = { is: 'waiting', external_reference, next: 'payer' }
  return replyOf(isAsked ? waiting : readRefusal(result, 'charge', note), result)
}

const notOpened = (because: string): Answer => ({ is: 'never_sent', because: `token: ${because}` })

async function pay(asking: Asking, order: GatewayOrder): Promise<GatewayReply> {
  const { call, note } = asking
  const until = deadline()
  const id = idIn('DISBURSE', order.external_reference)
  if (id === undefined) return replyOf(unprepared)
  const body = startBody(order, id)
  const result = await call({ method: 'PUT', path: '/v1/payouts/start', body }, until)
  if (result.is !== 'answered') return replyOf(result, result)
  const shown = result.status === 200 ? readStarted(readFields(result.body), id) : undefined
  if (shown === undefined) return replyOf(readRefusal(result, 'start', note), result)
  return replyOf(await answerWithCurrency(asking, order, shown, until), result)
}

/** Nothing is asked of what was never prepared: no call of ours could have taken money. */
async function askOne(asking: Asking, attempt: AttemptKey): Promise<GatewayReply> {
  const { direction, external_reference } = attempt
  if (idIn(direction, external_reference) === undefined) return replyOf({ is: 'not_found' })
  const until = deadline()
  const result = await asking.call({ method: 'GET', path: showPath(external_reference) }, until)
  if (result.is !== 'answered') return replyOf(result, result)
  const shown = result.status === 200 ? readOne(direction, readFields(result.body)) : undefined
  if (shown === undefined || referenceOf(direction, shown.id) !== external_reference) {
    // It made this one itself, so "not found" contradicts it: an alarm, and proof of nothing.
    asking.note(`question ${result.status}`)
    return replyOf(readUnshown(result), result)
  }
  return replyOf(await answerWithCurrency(asking, attempt, shown, until), result)
}

async function answerWithCurrency(
  asking: Asking,
  attempt: AttemptKey,
  shown: Shown,
  until: number,
): Promise<Answer> {
  const currency = shown.currency || (await currencyOf(asking, shown.currency_id, until))
  return answerOf(attempt, shown, currency, asking.note)
}

async function currencyOf(
  { call, currencies }: Asking,
  id: number,
  until: number,
): Promise<string> {
  const known = currencies.get(id)
  if (known !== undefined || !(id >= 1)) return known ?? ''
  const result = await call({ method: 'GET', path: `/v1/currencies/${id}` }, until)
  const isShown = result.is === 'answered' && result.status === 200
  const iso = isShown ? currencyIn(readFields(result.body)) : ''
  if (iso !== '') currencies.set(id, iso)
  return iso
}

function readCallback(
  received: Received,
  account: Pick<Account, 'secrets' | 'former_secrets'>,
  note: Note,
): CallbackReading {
  const event = readEvent(readFields(received.body.toString()))
  if (event === undefined) {
    return { proof: 'UNSIGNED', key: '', answer: { is: 'unknown', because: 'unreadable' } }
  }
  const secrets = [account.secrets, account.former_secrets].map(
    (all) => all?.['webhook_secret'] ?? '',
  )
  const header = 'x-fedapay-signature'
  const isSigned = hasTimedSignature(received, { header, scheme: 's', secrets })
  const { direction, shown } = event
  return {
    proof: isSigned ? 'SIGNED' : 'UNSIGNED',
    key: referenceOf(direction, shown.id),
    // What anybody sends is no news of the operator's.
    answer: answerOf({ direction }, shown, shown.currency, isSigned ? note : () => undefined),
  }
}

const replyOf = (answer: Answer, result?: CallResult): GatewayReply => ({
  answer,
  hash: hashOf(result ?? answer),
})

/** What the answer rests on: the status and raw body, or what happened instead of one. */
function hashOf(shown: CallResult | Answer | Prepared): Buffer {
  const words = shown.is === 'answered' ? `${shown.status} ${shown.body}` : JSON.stringify(shown.is)
  return createHash('sha256').update(words).digest()
}
