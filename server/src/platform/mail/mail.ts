// Mail: a letter is written into the outbox with the change that it tells of, sealed, and sent
// after the commit by a job. Law: no token that opens anything stands readable in the database.

import type { Locale } from '../errors.ts'

export type Mail = Readonly<{
  to: string
  subject: string
  /** Plain text: lines as they are to be read. */
  text: string
  locale: Locale
}>
