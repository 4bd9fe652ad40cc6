// The routes of this operator: a transaction or payout is made first, without money; then a token
// is had and the payer asked, or the payout started. Nothing here remembers a caller's key.

import { createHash } from 'node:crypto'
import { languageOf, type PageReply } from '../../page-frame.ts'
import { alteredBy, faultOf, lateBy, slownessOf } from '../chaos.ts'
import {
  currencies,
  movedAmount,
  scenarioFor,
  show,
  showCurrencyOf,
  stateOf,
  type Thing,
} from './books.ts'
import { announce, type OperatorDeps, subjectOf, tokenOf, withToken } from './operator.ts'
import { servePage } from './page.ts'
import type { Kind, MoneyAnswer } from './scenarios.ts'

export type Reply =
  | Readonly<{ is: 'json'; status: number; body: unknown }>
  | PageReply
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

const pagePath = /^\/pay\/(tok_\w+)$/

export async function answer(deps: OperatorDeps, incoming: Incoming): Promise<Reply> {
  const [, id] = pagePath.exec(incoming.path) ?? []
  if (id !== undefined) {
    const { method, body, headers } = incoming
    return servePage(deps, { method, id, body, language: languageOf(headers['accept-language']) })
  }
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

/** For as long as its answer is on the way, which is mostly no time. */
const slowly = ({ chaos, speed }: OperatorDeps, subject: string, step: string): Promise<void> =>
  lateBy(slownessOf(chaos, { subject, step }, speed))

async function create(deps: OperatorDeps, { body }: Incoming, word: string): Promise<Reply> {
  const kind: Kind = word === 'payout' ? 'payout' : 'transaction'
  const fields = fieldsOf(body)
  const { amount } = fields
  const isWhole = typeof amount === 'number' && Number.isSafeInteger(amount) && amount > 0
  if (!isWhole) return fault(422, 'Le montant est invalide', { amount: ['is not an integer'] })
  const currency = textOf(partOf(fields, 'currency'), 'iso')
  if (currencies[currency] === undefined) return fault(422, 'La devise est invalide')
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
  await slowly(deps, subject, 'create')
  return chance === 'lost' ? { is: 'lost' } : shown(deps, thing, 200, false)
}

const shown = (deps: OperatorDeps, thing: Thing, status: number, with_currency: boolean): Reply =>
  json(status, { [`v1/${thing.kind}`]: show(thing, deps, deps.now(), with_currency) })

function find({ books }: OperatorDeps, path: string): Thing | undefined {
  const [series = '', id = ''] = path.split('/')
  return books.things.get(`${series.slice(0, -1)} ${Number(id)}`)
}

async function showOne(deps: OperatorDeps, { query }: Incoming, path: string): Promise<Reply> {
  const known = find(deps, path)
  if (known === undefined) return fault(404, 'Ressource introuvable')
  const subject = subjectOf(known)
  const chance = chanceOf(deps, 'ask', subject, ['error', 'lost'])
  await slowly(deps, subject, `ask ${deps.asked.get(`ask ${subject}`) ?? 0}`)
  const thing = find(deps, path) ?? known
  if (chance === 'error') return fault(500, 'Erreur interne')
  if (chance === 'lost') return { is: 'lost' }
  return shown(deps, thing, 200, (query.get('include') ?? '').includes('currency'))
}

function createToken(deps: OperatorDeps, _: Incoming, path: string): Reply {
  const thing = find(deps, path)
  if (thing === undefined) return fault(404, 'Ressource introuvable')
  const token = tokenOf(thing)
  return json(200, { token, url: `${deps.url()}/pay/${token}` })
}

async function charge(deps: OperatorDeps, { body }: Incoming, mode: string): Promise<Reply> {
  const fields = fieldsOf(body)
  const token = textOf(fields, 'token')
  const thing = withToken(deps, token)
  if (thing === undefined) return fault(404, 'Jeton invalide')
  const number = textOf(partOf(fields, 'phone_number'), 'number')
  if (!/^\+\d{8,15}$/.test(number)) return fault(422, 'Numéro invalide')
  if (thing.asked_at > 0) return fault(422, 'Cette transaction est déjà en cours')
  return takeMoney(deps, { ...thing, mode, number }, () => ({ message: 'success' }))
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
  return takeMoney(deps, started, (taken) => ({
    'v1/payouts': [show(taken, deps, taken.asked_at, false)],
  }))
}

const moneyFaults = ['lost_before', 'lost', 'error', 'garbled'] as const

async function takeMoney(
  deps: OperatorDeps,
  thing: Thing,
  bodyOf: (taken: Thing) => unknown,
): Promise<Reply> {
  const scenario = scenarioFor(thing, deps)
  const chance = chanceOf(deps, 'money', subjectOf(thing), moneyFaults)
  if (chance === 'lost_before') return { is: 'lost' }
  if (chance === 'error') return fault(500, 'Erreur interne')
  const how: MoneyAnswer = chance ?? scenario.answer
  if (how === 'refused') return fault(422, 'Opérateur indisponible')
  if (scenario.takes_nothing) return fault(500, 'Erreur interne')
  const altered = alteredBy(deps.chaos, subjectOf(thing))
  const taken: Thing = { ...thing, asked_at: deps.now(), ...(altered && { altered }) }
  deps.books.keep({ thing: taken })
  const announced = announce(deps, taken)
  if (how === 'after_event') await announced
  await slowly(deps, subjectOf(thing), 'money')
  if (how === 'lost') return { is: 'lost' }
  return how === 'garbled' ? { is: 'garbled' } : json(200, bodyOf(taken))
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
  const iso = Object.keys(currencies).find((one) => currencies[one]?.id === Number(id))
  if (iso === undefined) return fault(404, 'Ressource introuvable')
  return json(200, { 'v1/currency': showCurrencyOf(iso) })
}
