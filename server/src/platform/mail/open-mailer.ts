// The mailer that the configuration names: a mail server where there is one, else a folder.

import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createTransport } from 'nodemailer'
import type { Logger } from 'pino'
import { assertNoTransaction } from '../db.ts'
import type { Safety } from '../settings/production.ts'
import { htmlOf, type MailLook } from './html-part.ts'
import {
  type MailAddress,
  type Mailer,
  maskedAddress,
  messageIdOf,
  type Outgoing,
  requireSendable,
  showMailAddress,
} from './mail.ts'
import type { SmtpServer } from './smtp-url.ts'

type MailConfig = Readonly<{
  /** Null: a folder in `data_dir`. */
  smtp: SmtpServer | null
  mail_from: MailAddress
  data_dir: string
  embedded: boolean
  role: 'all' | 'api' | 'worker'
  safety: Safety
  public_url: string
  dashboard_url: string | null
}>

/** Warns where real people wait for e-mails that nothing will send to them. */
export function openMailer(config: MailConfig, log: Logger): Mailer {
  const { smtp, mail_from: from, data_dir, embedded, role, safety } = config
  const { public_url, dashboard_url } = config
  const look = { from, public_url, dashboard_url }
  const always_encrypt = safety.posture === 'production' && !safety.exceptions.has('mail')
  if (smtp !== null) return smtpMailer({ ...look, server: smtp, always_encrypt })
  const dir = path.join(path.resolve(data_dir), 'outbox')
  if (!embedded && role !== 'api') {
    log.warn(`SMTP_URL is not set: e-mails are written to ${dir} and nobody gets them`)
  }
  return folderMailer({ ...look, dir, log })
}

// E-mails by SMTP: a few connections that are kept, and a limit to every wait. Law: a password or a
// certificate that is not right is an error, never a reason to continue in the clear.

/** As many as the job sends at once. */
const connections_max = 5
const waits = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
} as const

const isLoopback = (host: string) => /^(localhost|127(\.\d+){3}|::1)$/.test(host)

/** A password leaves this machine encrypted or not at all; in production an e-mail too. */
export const mustEncrypt = ({ auth, secure, host }: SmtpServer, always = false): boolean =>
  (always || auth !== null) && !secure && !isLoopback(host)

export type SmtpDeps = MailLook &
  Readonly<{
    server: SmtpServer
    /** Encrypt e-mails even where no password is sent. */
    always_encrypt?: boolean
    /** For tests: certificates that are trusted instead of the usual ones. */
    ca?: string
  }>

export function smtpMailer({ server, always_encrypt, ca, ...look }: SmtpDeps): Mailer {
  const { from } = look
  const { host, port, secure, auth } = server
  const transport = createTransport({
    pool: true,
    maxConnections: connections_max,
    ...waits,
    host,
    port,
    secure,
    requireTLS: mustEncrypt(server, always_encrypt),
    ...(ca === undefined ? {} : { tls: { ca } }),
    ...(auth === null ? {} : { auth }),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send(mail, signal) {
      assertNoTransaction()
      requireSendable(mail)
      await transport.sendMail({
        from,
        // As an object, so that nothing in it is read as a list of addresses.
        to: { name: '', address: mail.to },
        envelope: { from: from.address, to: [mail.to] },
        subject: mail.subject,
        text: mail.text,
        html: htmlOf(mail, look),
        date: mail.written_at,
        messageId: messageIdOf(mail, from),
        xMailer: false,
        headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': mail.locale },
        signal,
      })
    },
    async close() {
      transport.close({ force: true })
    },
  }
}

// E-mails as files in a folder, where there is no mail server: a start on a developer's machine,
// and tests. Law: the files hold links that open accounts, so only the user of the process reads
// them.

export type FolderDeps = MailLook & Readonly<{ dir: string; log: Logger }>

/** Nothing is made before the first e-mail. Sending one again writes the same file again. */
export function folderMailer({ dir, log, ...look }: FolderDeps): Mailer {
  return {
    async send(mail) {
      assertNoTransaction()
      requireSendable(mail)
      await mkdir(dir, { recursive: true, mode: 0o700 })
      const file = path.join(dir, nameOf(mail))
      // A reader of the folder sees whole e-mails only.
      await writeFile(`${file}.part`, emailText(mail, look), { mode: 0o600 })
      await rename(`${file}.part`, file)
      log.info(`an e-mail to ${maskedAddress(mail.to)} is in ${file}`)
    },
    close: async () => undefined,
  }
}

/** Sorted by name they are sorted by time. */
const nameOf = ({ written_at, id }: Outgoing): string =>
  `${written_at.toISOString().replaceAll(':', '-')}-${id}.eml`

/** As mail is written, but not encoded, because a person reads it. */
function emailText(mail: Outgoing, look: MailLook): string {
  const { from } = look
  const headers = [
    `From: ${showMailAddress(from)}`,
    `To: ${mail.to}`,
    `Subject: ${mail.subject}`,
    `Date: ${mail.written_at.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: ${messageIdOf(mail, from)}`,
    'Auto-Submitted: auto-generated',
    `Content-Language: ${mail.locale}`,
    'MIME-Version: 1.0',
    `Content-Type: multipart/alternative; boundary="${mail.id}"`,
  ]
  const parts = [
    ['plain', `${mail.text}\n`],
    ['html', htmlOf(mail, look)],
  ].map(
    ([type = '', text = '']) =>
      `--${mail.id}\nContent-Type: text/${type}; charset=utf-8\n` +
      `Content-Transfer-Encoding: 8bit\n\n${text}`,
  )
  return `${headers.join('\n')}\n\n${parts.join('')}--${mail.id}--\n`
}
