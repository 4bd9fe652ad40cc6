// The three kinds of failure, kept apart: a Refusal (the caller can act on it), an Invalid body
// (400, by field), and a bug (`assert`, which ends the request with 500 and nothing else). Only
// `platform/http/errors.ts` turns these into an answer; nothing else sets a status.

export type Locale = 'en' | 'fr'

/** A message for a person, in each of our languages. Codes never change, texts may. */
export type Text = Readonly<Record<Locale, string>>

/** In French these signs stay on the line of the word before them. */
export const typeset = (text: string, locale: Locale): string =>
  locale === 'fr' ? text.replace(/ ([:;?!»])/g, '\u00a0$1').replaceAll('« ', '«\u00a0') : text

/** One row of a feature's error table (contract 1.3). */
export type ErrorRow = Readonly<{
  code: string
  status: number
  message: Text
  /** True when the very same call may succeed later (contract 1.3); sends `Retry-After`. */
  retryable: boolean
  /**
   * True when something that passes stands in the way, though the same call need not succeed after
   * it: sends `Retry-After` as a retryable row does, and says nothing of `retryable`.
   */
  waits?: boolean
  /** What it names where something was made before it was refused: an example for the document. */
  names?: Readonly<Record<string, unknown>>
}>

type ErrorInput = { status: number; message: Text; retryable?: boolean; waits?: boolean }

/** Turns a feature's table into rows that carry their own code. */
export function defineErrors<T extends Record<string, ErrorInput>>(
  table: T,
): { readonly [K in keyof T]: ErrorRow } {
  const rows: Record<string, ErrorRow> = {}
  for (const [code, row] of Object.entries(table)) {
    rows[code] = { code, retryable: false, ...row }
  }
  return rows as { readonly [K in keyof T]: ErrorRow }
}

export type RefusalDetail = {
  /** Replaces the row's message, where the message must carry data (a dial code, a limit). */
  message?: Text
  /** More keys beside `message` and `code` in the public error, e.g. `transaction`. */
  extra?: Readonly<Record<string, unknown>>
  /** For the log only; never shown. */
  note?: string
  /** Seconds for `Retry-After`; meaningful on rows that are retryable or wait (default 1). */
  retry_after_s?: number
}

/** A business error: the caller may read its code and act. */
export class Refusal extends Error {
  readonly row: ErrorRow
  readonly detail: RefusalDetail

  constructor(row: ErrorRow, detail: RefusalDetail = {}) {
    super(detail.note ? `${row.code}: ${detail.note}` : row.code)
    this.row = row
    this.detail = detail
  }

  /** `retryable` is never set when a transaction is in the error (contract 4.3). */
  get retryable(): boolean {
    return this.row.retryable && this.detail.extra?.['transaction'] === undefined
  }
}

export function refuse(row: ErrorRow, detail: RefusalDetail = {}): Refusal {
  return new Refusal(row, detail)
}

export type FieldErrors = Readonly<Record<string, readonly Text[]>>

/** A 400 by field: every invalid field at once, nested ones dotted, headers by their name. */
export class Invalid extends Error {
  readonly fields: FieldErrors

  constructor(fields: FieldErrors) {
    super(`invalid: ${Object.keys(fields).join(', ')}`)
    this.fields = fields
  }
}

export function invalid(field: string, message: Text): Invalid {
  return new Invalid({ [field]: [message] })
}

/** A bug if it does not hold: the request ends with 500, and the process goes on. */
export function assert(condition: unknown, message = 'assertion failed'): asserts condition {
  if (!condition) throw new Error(`bug: ${message}`)
}

/** For exhaustive matches: a case that the types exclude. */
export function never(value: never): never {
  throw new Error(`bug: unexpected ${JSON.stringify(value)}`)
}
