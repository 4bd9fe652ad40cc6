// Puts a letter into the outbox, in the transaction of what it tells of. After the commit the
// caller rings `send-mail`; who does not is served by the job's next look.

import type { Keyring } from '../crypto/seal.ts'
import type { Sql } from '../db.ts'
import { newId } from '../ids.ts'
import { oneLine } from './address.ts'
import type { Mail } from './mail.ts'
import { insertMail } from './store.ts'

/** What a sealed letter is bound to: its own row. */
export const mailBinding = (id: string): string => `mail_outbox:${id}:sealed`

/** A subject is one line from here on, whoever's name stands in it. */
export async function queueMail(sql: Sql, keyring: Keyring, mail: Mail): Promise<void> {
  const id = newId()
  const email: Mail = { ...mail, subject: oneLine(mail.subject) }
  await insertMail(sql, id, keyring.seal(JSON.stringify(email), mailBinding(id)))
}
