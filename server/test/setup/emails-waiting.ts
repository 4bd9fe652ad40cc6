// The e-mails that wait in the outbox, opened: of an app without a worker (ROLE=api), which sends
// none of them.

import { openKeyring } from '../../src/platform/crypto/seal.ts'
import type { Mail } from '../../src/platform/mail/mail.ts'
import { mailBinding } from '../../src/platform/mail/queue-mail.ts'
import type { TestApp } from '../harness.ts'

/** The oldest first. */
export async function emailsWaiting({ owner, config }: TestApp): Promise<Mail[]> {
  const keyring = openKeyring(config.secret_key ?? '')
  const rows = await owner<{ id: string; sealed: Buffer }[]>`
    select id, sealed from mail_outbox order by id`
  return rows.map(({ id, sealed }) => JSON.parse(keyring.unseal(sealed, mailBinding(id))))
}
