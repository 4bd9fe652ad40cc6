// Whose a number is at this operator: first whether it has an account, then its holder's name, and
// of all that is shown nothing else.

import { readFields, sentenceIn } from '../../platform/json-fields.ts'
import type { AccountEnvironment } from '../adapter.ts'
import type { Holder } from '../holder.ts'
import type { Caller } from './client.ts'
import { numberOnWire } from './test-numbers.ts'
import { codeOf, products } from './wire.ts'

type Asking = Readonly<{
  call: Caller
  environment: AccountEnvironment
  /** When all must have ended, by `performance.now()`. */
  until: number
}>

/** By the product that pays out, which is whom it is asked for. */
const pathOf = (msisdn: string, what: 'active' | 'basicuserinfo'): string =>
  `/${products.DISBURSE}/v1_0/accountholder/msisdn/${msisdn}/${what}`

/** Undefined where the operator does not say. */
export async function askHolder(
  { call, environment, until }: Asking,
  msisdn: string,
): Promise<Holder | undefined> {
  const number = numberOnWire(msisdn, environment)
  const get = (what: Parameters<typeof pathOf>[1]) =>
    call.send({ method: 'GET', product: products.DISBURSE, path: pathOf(number, what) }, until)
  const shown = await get('active')
  if (shown.is !== 'answered') return undefined
  const fields = readFields(shown.body)
  // Its own word, with a code: an address that is not there says nothing of the number.
  const isUnknown = shown.status === 404 && codeOf(fields) === 'RESOURCE_NOT_FOUND'
  if (isUnknown) return { active: false }
  const active = shown.status === 200 ? fields?.['result'] : undefined
  if (typeof active !== 'boolean') return undefined
  if (!active) return { active }
  const named = await get('basicuserinfo')
  const name = named.is === 'answered' && named.status === 200 ? nameIn(named.body) : ''
  return name === '' ? { active } : { active, name }
}

/** In the order in which it is spoken; empty where there is none. */
function nameIn(body: string): string {
  const fields = readFields(body) ?? {}
  const parts = [sentenceIn(fields, 'given_name'), sentenceIn(fields, 'family_name')]
  return parts
    .map((one) => one.trim())
    .filter(Boolean)
    .join(' ')
}
