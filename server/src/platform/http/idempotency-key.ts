// The header Idempotency-Key (decisions 4.1): absent, or 1 to 255 characters.

import type { IncomingHttpHeaders } from 'node:http'
import { invalid } from '../errors.ts'

const length_max = 255

export function readKey(headers: Readonly<IncomingHttpHeaders>): string | undefined {
  const header = headers['idempotency-key']
  if (header === undefined) return undefined
  const key = [header].flat().join(', ')
  if (key.length > 0 && key.length <= length_max) return key
  throw invalid('Idempotency-Key', {
    en: `Must have 1 to ${length_max} characters.`,
    fr: `Doit avoir de 1 à ${length_max} caractères.`,
  })
}
