// The mailer that the configuration names: a mail server where there is one, else a folder.

import path from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { folderMailer } from './folder.ts'
import type { Mailer } from './mail.ts'
import { smtpMailer } from './smtp.ts'

type MailConfig = Pick<Config, 'smtp' | 'mail_from' | 'data_dir' | 'embedded' | 'role' | 'safety'>

/** Warns where real people wait for e-mails that nothing will send to them. */
export function openMailer(config: MailConfig, log: Logger): Mailer {
  const { smtp, mail_from: from, data_dir, embedded, role, safety } = config
  const always_encrypt = safety.posture === 'production' && !safety.exceptions.has('mail')
  if (smtp !== null) return smtpMailer({ server: smtp, from, always_encrypt })
  const dir = path.join(path.resolve(data_dir), 'outbox')
  if (!embedded && role !== 'api') {
    log.warn(`SMTP_URL is not set: letters are written to ${dir} and nobody gets them`)
  }
  return folderMailer({ dir, from, log })
}
