// One bad request and its refusal, as data. `{name}` in a path stands for an id or cursor of the
// world beside this file.

import { softpay } from '../harness.ts'
import type { Who } from './world.ts'

export type Refused = Readonly<{
  status: number
  /** The invalid fields of a 400, all of them and no others. */
  fields?: readonly string[]
  /** The code of a business error. */
  code?: string
  /** Found in what is said of the first field, or in the message. */
  says?: RegExp
  /** The `Allow` header of a 405. */
  allow?: string
}>

export type Row = Readonly<{
  name: string
  /** Who calls; the ordinary shop unless told otherwise. */
  as?: Who
  /** POST where there is a body, else GET. */
  method?: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: unknown
  /** The body byte for byte. */
  raw?: string | Uint8Array<ArrayBuffer>
  refused: Refused
}>

export const wrong = (...fields: string[]): Refused => ({ status: 400, fields })
export const refused = (status: number, code: string): Refused => ({ status, code })

export const malformed = refused(400, 'malformed_json')
export const notFound = refused(404, 'not_found')

export const softpayPath = '/payments/softpay/initialize/'

/** A call with this body. */
export const post = (name: string, path: string, body: unknown, refusal: Refused): Row => ({
  name,
  path,
  body,
  refused: refusal,
})

/** A softpay call that is right but for these changes; undefined leaves a field out. */
export const softpayWith = (
  name: string,
  changes: Record<string, unknown>,
  refusal: Refused,
): Row => ({ name, path: softpayPath, body: softpay(changes), refused: refusal })

/** A GET of this address. */
export const query = (path: string, refusal: Refused): Row => ({
  name: path,
  path,
  refused: refusal,
})

/** A value as a test's name shows it. */
export function shown(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value)
  const text = JSON.stringify(value)
  return text.length > 40 ? `${text.slice(0, 30)}… (${text.length})` : text
}
