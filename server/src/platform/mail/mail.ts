// Mail: an e-mail is written into the outbox with the change that it reports, sealed, and sent
// after the commit by a job. Law: no token that opens anything is readable in the database.

import type { Tx } from '../db.ts'
import type { Locale } from '../errors.ts'

export type Mail = Readonly<{
  to: string
  subject: string
  /** Plain text, in the lines in which it is read. */
  text: string
  locale: Locale
}>

/**
 * An e-mail that is written when its turn comes, by the writer of this name. The answer to its
 * request is then the same, and takes as long, whether or not there is an addressee.
 */
export type DeferredEmail = Readonly<{ errand: string; about: Readonly<Record<string, string>> }>

/** Undefined when there is no addressee. Runs once, in the transaction that stores the e-mail. */
export type Writer = (tx: Tx, about: DeferredEmail['about']) => Promise<Mail | undefined>

/** An e-mail on its way. Its id and time are the same at each try. */
export type Outgoing = Mail & Readonly<{ id: string; written_at: Date }>

/** What sends e-mails. `send` returns when the next server has taken it over. */
export type Mailer = Readonly<{
  send(mail: Outgoing, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}>
