// The header Idempotency-Key (contract 4.1): absent, or 1 to 255 characters.

import type { IncomingHttpHeaders } from 'node:http'
import type { FieldErrors } from '../errors.ts'

const length_max = 255

type Headers = Readonly<IncomingHttpHeaders>

/** The key of an `idempotent` route, whose header has passed the check. */
export function readKey(headers: Headers): string | undefined {
  const header = headers['idempotency-key']
  return header === undefined ? undefined : [header].flat().join(', ')
}

/** The errors of the header, by its name; empty when it is absent or valid. */
export function keyErrors(headers: Headers): FieldErrors {
  const length = readKey(headers)?.length ?? 1
  if (length > 0 && length <= length_max) return {}
  return {
    'Idempotency-Key': [
      {
        en: `Must have 1 to ${length_max} characters.`,
        fr: `Doit avoir de 1 à ${length_max} caractères.`,
      },
    ],
  }
}
