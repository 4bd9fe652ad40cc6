// Request `index` of a run: an operation of the document, filled in rightly, then spoiled in none
// to three ways; or an origin route, or bytes. Law: only the seed, the number and the document
// decide.

import { writeJson } from './json-text.ts'
import { type Made, makeOriginRequest } from './make-origin-request.ts'
import { makeRaw } from './make-raw.ts'
import { mutateText, mutateValue } from './mutate-body.ts'
import { mutateFraming, mutateHeaders, mutatePath, mutateQuery } from './mutate-head.ts'
import type { Contract, Operation } from './operations.ts'
import { type Random, randomOf } from './random.ts'
import { recipes } from './recipes.ts'
import type { FuzzRequest } from './request.ts'
import { validValue } from './valid-value.ts'

export function makeRequest(contract: Contract, seed: number, index: number): FuzzRequest {
  const random = randomOf(seed, index)
  const kind = random.next()
  if (kind < 0.1) return { index, ...makeOriginRequest(random) }
  if (kind < 0.16) return { index, ...makeRaw(random) }
  return { index, ...makeCall(random, contract) }
}

/** A call while it is spoiled. */
type Draft = {
  operation: Operation
  path: string
  query: readonly string[]
  headers: readonly (readonly [string, string])[]
  body: unknown
  bytes: Buffer | undefined
  framing: FuzzRequest['framing']
  labels: string[]
  address_changed: boolean
}

function makeCall(random: Random, contract: Contract): Made {
  const { operations } = contract
  // What takes a body has more to spoil.
  const [first, second] = [random.pick(operations), random.pick(operations)]
  const operation = first.body === undefined && random.chance(0.6) ? second : first
  const draft = fillIn(random, contract, operation)
  const changes = random.pick([0, 1, 1, 1, 1, 2, 2, 3] as const)
  for (let n = 0; n < changes; n += 1) spoil(random, draft)
  const { query, labels, path, headers, framing } = draft
  const target = query.length === 0 ? path : `${path}?${query.join('&')}`
  const label = `${operation.method} ${operation.path} (${labels.join('; ') || 'as documented'})`
  const body = draft.bytes ?? bytesOf(draft.body)
  const statuses = draft.address_changed ? {} : { statuses: operation.statuses }
  return { label, method: operation.method, target, headers, body, framing, ...statuses }
}

const bytesOf = (body: unknown) => (body === undefined ? undefined : Buffer.from(writeJson(body)))

const keyWords = [
  ...['key_payin', 'key_payout', 'key_stranger', 'key_suspended', 'key_revoked', 'key_live'],
] as const

function fillIn(random: Random, contract: Contract, operation: Operation): Draft {
  const who = random.chance(0.85) ? 'key_both' : random.pick(keyWords)
  const headers: (readonly [string, string])[] = [
    ['Host', '~host~'],
    ['Authorization', `Bearer ~${who}~`],
  ]
  if (operation.body !== undefined) headers.push(['Content-Type', 'application/json'])
  const takesKey = operation.parameters.some(({ name }) => name === 'Idempotency-Key')
  if (takesKey && random.chance(0.35)) {
    headers.push(['Idempotency-Key', `fuzz-${random.below(300)}`])
  }
  const path = operation.path.replace(/\{\w+\}/g, () => idFor(random, operation.path))
  return {
    operation,
    path: contract.prefix + path,
    query: queryOf(random, contract, operation),
    headers,
    body: bodyOf(random, contract, operation),
    bytes: undefined,
    framing: { is: 'length' },
    labels: [],
    address_changed: false,
  }
}

const idWords: readonly (readonly [string, string])[] = [
  ['/countries/', 'country'],
  ['/networks/', 'network'],
  ['/merchant-balances/', 'balance'],
  ['/merchant-webhooks/', 'webhook'],
  ['/transaction-attempts/', 'attempt'],
  ['/transaction-status-logs/', 'status_log'],
]

function idFor(random: Random, path: string): string {
  if (random.chance(0.1)) return random.pick(['~stranger~', '00000000-0000-4000-8000-000000000000'])
  const [, word = 'payment'] = idWords.find(([start]) => path.startsWith(start)) ?? []
  return `~${word}~`
}

/** Values that lead somewhere, where the schema alone does not say which. */
const queryWords: Readonly<Record<string, readonly string[]>> = {
  cursor: ['~cursor~'],
  from: ['XOF', 'GHS', 'USD'],
  to: ['XOF', 'XAF', 'EUR'],
  amount: ['1', '5000.00', '0.01'],
  transaction: ['~payment~'],
  country: ['BJ', 'GH'],
  created_at__gte: ['2026-01-01', '2026-01-01T00:00:00Z'],
}

function queryOf(random: Random, contract: Contract, { parameters }: Operation): string[] {
  return parameters
    .filter(({ place, required }) => place === 'query' && (required || random.chance(0.15)))
    .map(({ name, schema }) => {
      const known = random.chance(0.6) ? queryWords[name] : undefined
      const value = known ? random.pick(known) : String(validValue(random, contract, schema))
      return `${name}=${value.startsWith('~') ? value : encodeURIComponent(value)}`
    })
}

function bodyOf(random: Random, contract: Contract, { path, body }: Operation): unknown {
  if (body === undefined) return undefined
  const recipe = recipes[path]
  const kind = random.next()
  if (recipe !== undefined && kind < 0.65) return recipe(random)
  return kind < 0.75 ? body.example : validValue(random, contract, body.schema)
}

/** Changes one thing, most often in the body where there is one. */
function spoil(random: Random, draft: Draft): void {
  const kind = random.next()
  if (draft.body !== undefined && random.chance(0.65)) {
    spoilBody(random, draft)
  } else if (kind < 0.25) {
    const { path, label } = mutatePath(random, draft.path)
    Object.assign(draft, { path, address_changed: true })
    draft.labels.push(label)
  } else if (kind < 0.65) {
    const names = draft.operation.parameters
      .filter(({ place }) => place === 'query')
      .map(({ name }) => name)
    const { query, label } = mutateQuery(random, draft.query, names)
    draft.query = query
    draft.labels.push(label)
  } else {
    const { headers, label } = mutateHeaders(random, draft.headers)
    draft.headers = headers
    draft.labels.push(label)
  }
}

function spoilBody(random: Random, draft: Draft): void {
  const kind = random.next()
  if (kind < 0.8 && draft.bytes === undefined) {
    const { value, label } = mutateValue(random, draft.body)
    draft.body = value
    draft.labels.push(label)
  } else if (kind < 0.93) {
    const bytes = draft.bytes ?? bytesOf(draft.body) ?? Buffer.alloc(0)
    const { value, label } = mutateText(random, bytes)
    draft.bytes = value
    draft.labels.push(label)
  } else {
    draft.framing = mutateFraming(random)
    draft.labels.push(`framing: ${draft.framing.is}`)
  }
}
