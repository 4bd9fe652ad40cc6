// E-mails by SMTP: a few connections that are kept, and a limit to every wait. Law: a password or a
// certificate that is not right is an error, never a reason to continue in the clear.

import { createTransport } from 'nodemailer'
import { assertNoTransaction } from '../db.ts'
import { type MailAddress, messageIdOf, requireSendable } from './address.ts'
import type { Mailer } from './mail.ts'
import type { SmtpServer } from './smtp-url.ts'

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

export type SmtpDeps = Readonly<{
  server: SmtpServer
  from: MailAddress
  /** Encrypt e-mails even where no password is sent. */
  always_encrypt?: boolean
  /** For tests: certificates that are trusted instead of the usual ones. */
  ca?: string
}>

export function smtpMailer({ server, from, always_encrypt, ca }: SmtpDeps): Mailer {
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
