// An environment as a caller names it: in any case, and answered in upper case (contract 8.9).

import { Type } from 'typebox'
import { assert } from '../errors.ts'
import type { Environment } from './route.ts'

export const EnvironmentInput = Type.String({
  pattern: '^([Ss][Aa][Nn][Dd][Bb][Oo][Xx]|[Ll][Ii][Vv][Ee])$',
  description: 'SANDBOX or LIVE, case-insensitive.',
  'x-message': { en: 'Must be SANDBOX or LIVE.', fr: 'Doit être SANDBOX ou LIVE.' },
})

/** Undefined where the text names none. */
export function environmentNamed(text: string): Environment | undefined {
  const name = text.trim().toUpperCase()
  return name === 'SANDBOX' || name === 'LIVE' ? name : undefined
}

/** From a body that the schema has checked. */
export function environmentOf(text: string): Environment {
  const environment = environmentNamed(text)
  assert(environment !== undefined, 'the body was checked')
  return environment
}
