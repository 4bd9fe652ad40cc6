// E-mails by SMTP against a real server on loopback: what arrives, and what is never waited for.

import { afterEach, describe, expect, it } from 'vitest'
import {
  type MailServer,
  type MailServerOptions,
  startMailServer,
} from '../../../test/mail-server.ts'
import { makeCertificate } from '../../../test/setup/certificate.ts'
import { type Mailer, type Outgoing, Unsendable } from './mail.ts'
import { mustEncrypt, smtpMailer } from './open-mailer.ts'
import { parseSmtpUrl } from './smtp-url.ts'

let stand: MailServer | undefined
let mailer: Mailer | undefined
afterEach(async () => {
  await mailer?.close()
  await stand?.close()
})

const email: Outgoing = {
  id: '01981f3a-0000-7000-8000-00000000d001',
  written_at: new Date('2026-11-21T08:00:00.000Z'),
  to: 'awa@shop.example',
  subject: 'Réinitialisation : « à faire »',
  text: `Bonjour Awa,\n\nhttp://127.0.0.1/dashboard/${'long/'.repeat(20)}reset#token\n.\nÀ bientôt`,
  locale: 'fr',
}

type Trust = { user?: string; ca?: string }

async function open(options: MailServerOptions = {}, { user = '', ca }: Trust = {}) {
  stand = await startMailServer(options)
  const server = parseSmtpUrl(stand.url.replace('://127.0.0.1', `://${user}localhost`))
  if (server === undefined) throw new Error('no address')
  const from = { name: 'Pirogue à Dakar', address: 'mail@pay.example' }
  mailer = smtpMailer({ server, from, ...(ca === undefined ? {} : { ca }) })
  return { stand, mailer }
}

const never = new AbortController().signal

describe('a letter by SMTP', () => {
  it('arrives as it was written, with the headers of a machine that wants no answer', async () => {
    const { stand, mailer } = await open()
    await mailer.send(email, never)
    const [got] = stand.received
    expect(got?.envelope_to).toEqual([email.to])
    expect(got?.text.trimEnd()).toBe(email.text)
    expect(got?.html).toContain('<h1 ')
    expect(got?.headers).toMatchObject({
      from: 'Pirogue à Dakar <mail@pay.example>',
      to: email.to,
      subject: email.subject,
      date: 'Sat, 21 Nov 2026 08:00:00 +0000',
      'message-id': `<${email.id}@pay.example>`,
      'auto-submitted': 'auto-generated',
      'content-language': 'fr',
    })
    expect(Object.keys(got?.headers ?? {})).not.toContain('x-mailer')
  })

  it('goes to nobody else, whatever stands in its address or subject', async () => {
    const { stand, mailer } = await open()
    for (const change of [
      { to: 'awa@shop.example\r\nRCPT TO:<all@x.example>' },
      { to: 'awa@shop.example, all@x.example' },
      { subject: 'Hello\r\nBcc: all@x.example' },
    ]) {
      await expect(mailer.send({ ...email, ...change }, never)).rejects.toThrow(Unsendable)
    }
    expect(stand.seen()).toBe(0)
  })

  it('is an error when the recipient is refused, and the next one still goes', async () => {
    const { stand, mailer } = await open({ refuses: (address) => address.startsWith('gone') })
    const refused = mailer.send({ ...email, to: 'gone@shop.example' }, never)
    await expect(refused).rejects.toMatchObject({ code: 'EENVELOPE', responseCode: 550 })
    await mailer.send(email, never)
    expect(stand.received).toHaveLength(1)
  })

  it('is an error when nobody is there', async () => {
    const { stand, mailer } = await open()
    await stand.close()
    await expect(mailer.send(email, never)).rejects.toMatchObject({ code: 'ESOCKET' })
  })

  it('is given up when its time is over, though the server only hesitates', async () => {
    let release = () => {}
    const hesitation = new Promise<void>((ok) => {
      release = ok
    })
    const { mailer } = await open({ hold: () => hesitation })
    // The server goes on only after this: to wait for it would be to wait for ever.
    await expect(mailer.send(email, AbortSignal.timeout(300))).rejects.toThrow()
    release()
  })
})

describe('who we are to the server', () => {
  const onAuth: NonNullable<MailServerOptions['server']>['onAuth'] = (auth, _session, done) =>
    auth.username === 'alice@pay' && auth.password === 'p:w/'
      ? done(null, { user: 'alice' })
      : done(new Error('wrong password'))
  const login: MailServerOptions = {
    server: { authOptional: false, allowInsecureAuth: true, onAuth },
  }

  it('is proved by user and password', async () => {
    const { stand, mailer } = await open(login, { user: 'alice%40pay:p%3Aw%2F@' })
    await mailer.send(email, never)
    expect(stand.received).toHaveLength(1)
  })

  it('is an error when it is not believed, without the password in it', async () => {
    const { mailer } = await open(login, { user: 'alice%40pay:hunter2@' })
    const failed = await mailer.send(email, never).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'EAUTH', responseCode: 535 })
    expect(String(failed)).not.toContain('hunter2')
  })
})

describe('encryption', () => {
  const own = makeCertificate('localhost')
  const kinds: [string, MailServerOptions['server']][] = [
    ['smtps', { ...own, secure: true }],
    ['smtp where the server offers STARTTLS', { ...own, disabledCommands: [] }],
  ]

  it.each(kinds)('by %s: a letter goes where the certificate is right', async (_, server) => {
    const { stand, mailer } = await open({ server: server ?? {} }, { ca: own.cert })
    await mailer.send(email, never)
    expect(stand.received.map(({ secure }) => secure)).toEqual([true])
  })

  it.each(kinds)('by %s: none goes where it is not', async (_, server) => {
    const { stand, mailer } = await open({ server: server ?? {} })
    await expect(mailer.send(email, never)).rejects.toThrow(/certificate/)
    expect(stand.seen()).toBe(0)
  })

  it('is a must wherever a password would leave this machine', () => {
    const must = (url: string) => {
      const server = parseSmtpUrl(url)
      return server && mustEncrypt(server)
    }
    expect(must('smtp://app:pw@mail.example')).toBe(true)
    expect(must('smtp://app:pw@10.0.0.1')).toBe(true)
    expect(must('smtp://mail.example')).toBe(false)
    expect(must('smtp://app:pw@127.0.0.1')).toBe(false)
  })

  it('in production a letter is sent encrypted too, with or without a password', () => {
    const always = (url: string) => {
      const server = parseSmtpUrl(url)
      return server && mustEncrypt(server, true)
    }
    expect(always('smtp://mail.example')).toBe(true)
    // From its first byte it is; and nothing leaves the machine.
    expect(always('smtps://mail.example')).toBe(false)
    expect(always('smtp://127.0.0.1')).toBe(false)
  })
})
