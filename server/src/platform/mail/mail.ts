// Mail: a letter is written into the outbox with the change that it tells of, sealed, and sent
// after the commit by a job. Law: no token that opens anything stands readable in the database.

import type { Tx } from '../db.ts'
import type { Locale } from '../errors.ts'

export type Mail = Readonly<{
  to: string
  subject: string
  /** Plain text: lines as they are to be read. */
  text: string
  locale: Locale
}>

/**
 * A letter that is written when its turn comes, by the writer of this name: so that the answer of
 * whoever asked for it is the same, and takes as long, whether there is anybody to write to.
 */
export type DeferredEmail = Readonly<{ errand: string; about: Readonly<Record<string, string>> }>

/** Undefined: there is nobody to write to. Runs once, in the transaction that keeps the letter. */
export type Writer = (tx: Tx, about: DeferredEmail['about']) => Promise<Mail | undefined>

/** A letter on its way. Its id and time are the same at each try. */
export type Outgoing = Mail & Readonly<{ id: string; written_at: Date }>

/** Whatever carries letters. `send` returns when the next one in line has taken it over. */
export type Mailer = Readonly<{
  send(mail: Outgoing, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}>
