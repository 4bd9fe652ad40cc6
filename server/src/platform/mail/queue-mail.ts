// Puts an e-mail into the outbox, in the transaction of the change that it reports. After the
// commit the caller wakes `send-mail`; without that, the job's next poll sends it.

import type { Keyring } from '../crypto/seal.ts'
import type { Sql } from '../db.ts'
import { newId } from '../ids.ts'
import { type DeferredEmail, type KeptDeferredEmail, type Mail, oneLine } from './mail.ts'
import { insertMail } from './store.ts'

/** A sealed e-mail is bound to its own row. */
export const mailBinding = (id: string): string => `mail_outbox:${id}:sealed`

/** A subject is one line from here on, whatever name is in it. */
export async function queueMail(sql: Sql, keyring: Keyring, mail: Mail): Promise<void> {
  const id = newId()
  const email: Mail = { ...mail, subject: oneLine(mail.subject) }
  await insertMail(sql, id, keyring.seal(JSON.stringify(email), mailBinding(id)))
}

// Puts an e-mail that is still to be written into the outbox: one insert, whether or not there is
// an addressee.

export async function deferEmail(
  sql: Sql,
  keyring: Keyring,
  { writer, about }: DeferredEmail,
): Promise<void> {
  const id = newId()
  const kept: KeptDeferredEmail = { errand: writer, about }
  await insertMail(sql, id, keyring.seal(JSON.stringify(kept), mailBinding(id)))
}
