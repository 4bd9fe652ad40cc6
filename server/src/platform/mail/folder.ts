// E-mails as files in a folder, where there is no mail server: a start on a developer's machine,
// and tests. Law: the files hold links that open accounts, so only the user of the process reads
// them.

import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import { assertNoTransaction } from '../db.ts'
import {
  type MailAddress,
  maskedAddress,
  messageIdOf,
  requireSendable,
  showMailAddress,
} from './address.ts'
import type { Mailer, Outgoing } from './mail.ts'

export type FolderDeps = Readonly<{ dir: string; from: MailAddress; log: Logger }>

/** Nothing is made before the first e-mail. Sending one again writes the same file again. */
export function folderMailer({ dir, from, log }: FolderDeps): Mailer {
  return {
    async send(mail) {
      assertNoTransaction()
      requireSendable(mail)
      await mkdir(dir, { recursive: true, mode: 0o700 })
      const file = path.join(dir, nameOf(mail))
      // A reader of the folder sees whole e-mails only.
      await writeFile(`${file}.part`, letterText(mail, from), { mode: 0o600 })
      await rename(`${file}.part`, file)
      log.info(`a letter to ${maskedAddress(mail.to)} is in ${file}`)
    },
    close: async () => undefined,
  }
}

/** Sorted by name they are sorted by time. */
const nameOf = ({ written_at, id }: Outgoing): string =>
  `${written_at.toISOString().replaceAll(':', '-')}-${id}.eml`

/** As mail is written, but not encoded, because a person reads it. */
function letterText(mail: Outgoing, from: MailAddress): string {
  const headers = [
    `From: ${showMailAddress(from)}`,
    `To: ${mail.to}`,
    `Subject: ${mail.subject}`,
    `Date: ${mail.written_at.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: ${messageIdOf(mail, from)}`,
    'Auto-Submitted: auto-generated',
    `Content-Language: ${mail.locale}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
  ]
  return `${headers.join('\n')}\n\n${mail.text}\n`
}
