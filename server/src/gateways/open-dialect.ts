// How the sandbox operator is asked for an imitation: it starts it where it does not run yet, and
// says by what an account with it is opened. Law: what is not as documented is not read.

import { isFields } from '../platform/json-fields.ts'
import type { Outbound } from '../platform/outbound/outbound.ts'
import type { OpenedDialect } from './dialects.ts'
import type { AttemptKey, FailureCode } from './gateway.ts'

export type OperatorAt = Readonly<{
  /** Where the operator listens; an imitation has a port of its own there. */
  base_url: () => string
  token: string
  outbound: Outbound
}>

/** A first start reads its code; seconds would be a machine that stands still. */
const startMaxMs = 5_000

/** Undefined where it is not to be had now. `callback_url`: where its callbacks come. */
export async function openDialect(
  { base_url, token, outbound }: OperatorAt,
  { dialect, callback_url }: Readonly<{ dialect: string; callback_url: string }>,
): Promise<OpenedDialect | undefined> {
  const operator = base_url()
  const result = await outbound.send({
    method: 'PUT',
    url: `${operator}/dialects/${encodeURIComponent(dialect)}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ callback_url }),
    timeout_ms: startMaxMs,
  })
  if (result.is !== 'answered' || result.status !== 200) return undefined
  return readOpened(result.body, operator)
}

export type Ending = Readonly<{ is: 'SUCCESS' } | { is: 'FAILED'; failure_code: FailureCode }>

/** `missing`: nothing of it is known there. `away`: nobody there has answered. */
export type Steering = 'steered' | 'missing' | 'away'

/** A test decides how what waits at an imitation ends; the imitation then says so on its wire. */
export async function resolveAtDialect(
  { base_url, token, outbound }: OperatorAt,
  dialect: string,
  { key, ending }: Readonly<{ key: AttemptKey & { is_refund: boolean }; ending: Ending }>,
): Promise<Steering> {
  const { direction, is_refund, our_key, external_reference } = key
  const known = external_reference === '' ? {} : { external_reference }
  const failed = ending.is === 'FAILED' ? { failure_code: ending.failure_code } : {}
  const asked = { direction, is_refund, our_key, ...known, outcome: ending.is, ...failed }
  const result = await outbound.send({
    method: 'POST',
    url: `${base_url()}/dialects/${encodeURIComponent(dialect)}/resolve`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(asked),
    timeout_ms: startMaxMs,
  })
  if (result.is !== 'answered') return 'away'
  if (result.status === 200) return 'steered'
  return result.status === 404 ? 'missing' : 'away'
}

function readOpened(body: string, operator: string): OpenedDialect | undefined {
  const read = readJson(body)
  if (!isFields(read)) return undefined
  const { port, settings, secrets } = read
  if (typeof port !== 'number' || !isTexts(settings) || !isTexts(secrets)) return undefined
  const { protocol, hostname } = new URL(operator)
  return { base_url: `${protocol}//${hostname}:${port}`, settings, secrets }
}

const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  isFields(value) && Object.values(value).every((one) => typeof one === 'string')

function readJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
