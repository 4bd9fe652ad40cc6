// The routes of this operator: a transaction or payout is made first, without money; then a token
// is had and the payer asked, or the payout started. Nothing here remembers a caller's key.

import { createHash } from 'node:crypto'
import { type Chaos, faultOf } from '../chaos.ts'
import type { Events } from '../signed-events.ts'
import {
  type Books,
  begunAt,
  keyOf,
  movedAmount,
  type Pace,
  scenarioFor,
  show,
  stateOf,
  type Thing,
} from './books.ts'
import type { Kind, MoneyAnswer } from './scenarios.ts'

export type Reply =
  | Readonly<{ is: 'json'; status: number; body: unknown }>
  | Readonly<{ is: 'garbled' }>
  | Readonly<{ is: 'lost' }>

export type Incoming = Readonly<{
  method: string
  path: string
  query: URLSearchParams
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  body: string
}>

export type OperatorDeps = Pace &
  Readonly<{
    books: Books
    events: Events
    /** Whose key it takes; absent: that of any account. */
    secret_key?: string | undefined
    chaos: Chaos | undefined
    asked: Map<string, number>
    /** Payouts that are started now wait in its queue. */
    queues: { payouts: boolean }
    url: () => string
    now: () => number
    /** The number of something new; `about`: what its maker calls it. */
    idFor(kind: Kind, about: string): number
  }>

type Handler = (deps: OperatorDeps, incoming: Incoming, part: string) => Reply | Promise<Reply>

const modes = ['mtn_open', 'moov', 'sbin', 'moov_tg', 'togocel', 'mtn_open_gn', 'mtn_ci']
const allModes = [...modes, 'airtel_ne', 'free_sn']

const routes: readonly Readonly<{ method: string; path: RegExp; handler: Handler }>[] = [
  { method: 'POST', path: /^\/v1\/(transaction|payout)s$/, handler: create },
  { method: 'GET', path: /^\/v1\/(transactions\/\d+|payouts\/\d+)$/, handler: showOne },
  { method: 'POST', path: /^\/v1\/(transactions\/\d+)\/token$/, handler: createToken },
  { method: 'PUT', path: /^\/v1\/payouts\/start$/, handler: startPayout },
  { method: 'GET', path: /^\/v1\/balances$/, handler: showBalances },
  { method: 'GET', path: /^\/v1\/currencies\/(\d+)$/, handler: showCurrency },
  { method: 'POST', path: new RegExp(`^/v1/(${allModes.join('|')})$`), handler: charge },
]

const json = (status: number, body: unknown): Reply => ({ is: 'json', status, body })
const fault = (status: number, message: string, errors: object = {}): Reply =>
  json(status, { message, errors })

export async function answer(deps: OperatorDeps, incoming: Incoming): Promise<Reply> {
  const isKnown = /^Bearer sk_sandbox_[\w-]{8,}$/.test(incoming.headers['authorization'] ?? '')
  const isOther = incoming.headers['authorization'] !== `Bearer ${deps.secret_key}`
  if (!isKnown || (deps.secret_key !== undefined && isOther))
    return fault(401, 'Erreur d’authentification')
  for (const { method, path, handler } of routes) {
    const found = method === incoming.method ? path.exec(incoming.path) : null
    if (found !== null) return handler(deps, incoming, found[1] ?? '')
  }
  return fault(404, 'Page introuvable')
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(body: string): Fields {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

const partOf = (fields: Fields, name: string): Fields => {
  const value = fields[name]
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

const textOf = (fields: Fields, name: string): string => String(fields[name] ?? '')

/** By its caller's reference: its number says who came first, and a story must not. */
const subjectOf = (thing: Thing): string => thing.merchant_reference ?? keyOf(thing)

/** Each time that a thing is asked for is a draw of its own. */
function chanceOf<const T extends string>(
  { asked, chaos }: OperatorDeps,
  what: string,
  subject: string,
  faults: readonly T[],
): T | undefined {
  const name = `${what} ${subject}`
  const times = asked.get(name) ?? 0
  if (chaos !== undefined) asked.set(name, times + 1)
  return faultOf(chaos, { subject, step: `${what} ${times}` }, faults)
}

const currencies = ['XOF', 'GNF', 'XAF']

function create(deps: OperatorDeps, { body }: Incoming, word: string): Reply {
  const kind: Kind = word === 'payout' ? 'payout' : 'transaction'
  const fields = fieldsOf(body)
  const { amount } = fields
  const isWhole = typeof amount === 'number' && Number.isSafeInteger(amount) && amount > 0
  if (!isWhole) return fault(422, 'Le montant est invalide', { amount: ['is not an integer'] })
  const currency = textOf(partOf(fields, 'currency'), 'iso')
  if (!currencies.includes(currency)) return fault(422, 'La devise est invalide')
  const mode = textOf(fields, 'mode') || null
  if (kind === 'payout' && !allModes.includes(mode ?? '')) return fault(422, 'Mode invalide')
  if (kind === 'transaction' && textOf(fields, 'description') === '') {
    return fault(422, 'La description est obligatoire')
  }
  const merchant_reference = textOf(fields, 'merchant_reference') || null
  const subject = merchant_reference ?? body
  const chance = chanceOf(deps, 'create', subject, ['lost_before', 'lost', 'error'])
  if (chance === 'lost_before') return { is: 'lost' }
  if (chance === 'error') return fault(500, 'Erreur interne')
  const id = deps.idFor(kind, subject)
  const reference = `trx_${createHash('sha256').update(`${kind} ${id}`).digest('hex').slice(0, 6)}`
  const thing: Thing = {
    ...{ kind, id, reference, merchant_reference, amount, currency, mode },
    description: textOf(fields, 'description'),
    callback_url: textOf(fields, 'callback_url') || null,
    created_at: deps.now(),
    asked_at: 0,
    number: '',
  }
  deps.books.keep({ thing })
  return chance === 'lost' ? { is: 'lost' } : shown(deps, thing, 200, false)
}

const shown = (deps: OperatorDeps, thing: Thing, status: number, with_currency: boolean): Reply =>
  json(status, { [`v1/${thing.kind}`]: show(thing, deps, deps.now(), with_currency) })

function find({ books }: OperatorDeps, path: string): Thing | undefined {
  const [series = '', id = ''] = path.split('/')
  return books.things.get(`${series.slice(0, -1)} ${Number(id)}`)
}

function showOne(deps: OperatorDeps, { query }: Incoming, path: string): Reply {
  const thing = find(deps, path)
  if (thing === undefined) return fault(404, 'Ressource introuvable')
  const chance = chanceOf(deps, 'ask', subjectOf(thing), ['error', 'lost'])
  if (chance === 'error') return fault(500, 'Erreur interne')
  if (chance === 'lost') return { is: 'lost' }
  return shown(deps, thing, 200, (query.get('include') ?? '').includes('currency'))
}

const tokenOf = (thing: Thing): string =>
  `tok_${thing.id}_${createHash('sha256').update(keyOf(thing)).digest('hex').slice(0, 24)}`

function createToken(deps: OperatorDeps, _: Incoming, path: string): Reply {
  const thing = find(deps, path)
  if (thing === undefined) return fault(404, 'Ressource introuvable')
  const token = tokenOf(thing)
  return json(200, { token, url: `${deps.url()}/pay/${token}` })
}

async function charge(deps: OperatorDeps, { body }: Incoming, mode: string): Promise<Reply> {
  const fields = fieldsOf(body)
  const token = textOf(fields, 'token')
  const all = [...deps.books.things.values()].filter(({ kind }) => kind === 'transaction')
  const thing = all.find((one) => tokenOf(one) === token)
  if (thing === undefined) return fault(404, 'Jeton invalide')
  const number = textOf(partOf(fields, 'phone_number'), 'number')
  if (!/^\+\d{8,15}$/.test(number)) return fault(422, 'Numéro invalide')
  if (thing.asked_at > 0) return fault(422, 'Cette transaction est déjà en cours')
  return takeMoney(deps, { ...thing, mode, number }, { message: 'success' })
}

async function startPayout(deps: OperatorDeps, { body }: Incoming): Promise<Reply> {
  const { payouts } = fieldsOf(body)
  const [first, ...others] = Array.isArray(payouts) ? payouts : []
  if (first === undefined || others.length > 0) return fault(422, 'Un dépôt à la fois')
  const fields: Fields = { ...first }
  const thing = deps.books.things.get(`payout ${Number(fields['id'])}`)
  if (thing === undefined) return fault(404, 'Ressource introuvable')
  const number = textOf(partOf(fields, 'phone_number'), 'number')
  if (!/^\+\d{8,15}$/.test(number)) return fault(422, 'Numéro invalide')
  if (thing.asked_at > 0) return fault(422, 'Ce dépôt est déjà lancé')
  const started: Thing = {
    ...{ ...thing, number },
    ...(deps.queues.payouts ? { scheduled: true as const } : {}),
  }
  const begun = show({ ...started, asked_at: deps.now() }, deps, deps.now(), false)
  return takeMoney(deps, started, { 'v1/payouts': [begun] })
}

const moneyFaults = ['lost_before', 'lost', 'error', 'garbled'] as const

async function takeMoney(deps: OperatorDeps, thing: Thing, body: unknown): Promise<Reply> {
  const scenario = scenarioFor(thing, deps)
  const chance = chanceOf(deps, 'money', subjectOf(thing), moneyFaults)
  if (chance === 'lost_before') return { is: 'lost' }
  if (chance === 'error') return fault(500, 'Erreur interne')
  const how: MoneyAnswer = chance ?? scenario.answer
  if (how === 'refused') return fault(422, 'Opérateur indisponible')
  if (scenario.takes_nothing) return fault(500, 'Erreur interne')
  const taken = { ...thing, asked_at: deps.now() }
  deps.books.keep({ thing: taken })
  const announced = announce(deps, taken)
  if (how === 'after_event') await announced
  if (how === 'lost') return { is: 'lost' }
  return how === 'garbled' ? { is: 'garbled' } : json(200, body)
}

/** The events of its ends; resolves with the last of them. */
export async function announce(deps: OperatorDeps, thing: Thing): Promise<void> {
  const { turns: played, events: how } = scenarioFor(thing, deps)
  const { resolved, scheduled, released_at } = thing
  if (scheduled === true && released_at === undefined && resolved === undefined) return
  const turns = resolved === undefined ? played : [{ ...resolved, after_ms: 0 }]
  const targets = [...deps.books.webhooks.values()]
  await Promise.all(
    turns.map(({ status, after_ms }) => {
      const type = `${thing.kind}.${status}`
      const object = () => show(thing, deps, deps.now(), true)
      const at = resolved?.at ?? begunAt(thing) + after_ms / deps.speed
      return deps.events.schedule({ type, subject: subjectOf(thing), at, object, how }, targets)
    }),
  )
}

/** The event of what it is now, at once. */
export function announceNow(deps: OperatorDeps, thing: Thing): Promise<void> {
  const { status } = stateOf(thing, deps, deps.now())
  const event = {
    ...{ type: `${thing.kind}.${status}`, subject: subjectOf(thing), at: deps.now() },
    ...{ object: () => show(thing, deps, deps.now(), true), how: 'once' as const },
  }
  return deps.events.schedule(event, [...deps.books.webhooks.values()])
}

function showBalances(deps: OperatorDeps): Reply {
  const sums = new Map(allModes.map((mode) => [mode, 0]))
  for (const thing of deps.books.things.values()) {
    const { status } = stateOf(thing, deps, deps.now())
    const sign = status.startsWith('approved') ? 1 : status === 'sent' ? -1 : 0
    const mode = thing.mode ?? ''
    sums.set(mode, (sums.get(mode) ?? 0) + sign * movedAmount(thing, deps))
  }
  const all = [...sums].filter(([mode]) => mode !== '')
  const balances = all.map(([mode, amount], at) => ({
    ...{ klass: 'v1/balance', id: at + 1, currency_id: 1, account_id: 1, amount, mode },
  }))
  return json(200, { 'v1/balances': balances })
}

function showCurrency(_: OperatorDeps, __: Incoming, id: string): Reply {
  if (id !== '1') return fault(404, 'Ressource introuvable')
  return json(200, { 'v1/currency': { klass: 'v1/currency', id: 1, iso: 'XOF', name: 'FCFA' } })
}
