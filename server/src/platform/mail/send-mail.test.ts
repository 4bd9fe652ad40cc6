// The outbox is emptied: every e-mail goes at least once, and nothing of an e-mail can be read in
// the database or the log.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts'
import { type Keyring, openKeyring } from '../crypto/seal.ts'
import { assertNoTransaction, type Db, inTransaction, openDb } from '../db.ts'
import { type Mail, type Outgoing, Unsendable, type Writer } from './mail.ts'
import { folderMailer, smtpMailer } from './open-mailer.ts'
import { deferEmail, queueMail } from './queue-mail.ts'
import { delayAfter, type SendMailDeps, sendMail } from './send-mail.ts'

let database: TestDatabase
let db: Db
const keyring: Keyring = openKeyring(randomBytes(32).toString('base64'))
let log_lines: string[]
let sent: Outgoing[]

const open = (name: string) =>
  openDb({
    ...database.options,
    role: 'pirogue_app',
    application_name: name,
    connections_max: 5,
    durable: false,
  })

beforeAll(async () => {
  database = await createTestDatabase()
  db = open('mail-test')
})
beforeEach(async () => {
  await database.owner`delete from mail_outbox`
  log_lines = []
  sent = []
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

const email: Mail = {
  to: 'awa@shop.example',
  subject: 'A letter',
  text: 'http://127.0.0.1/#the-token',
  locale: 'en',
}
const takeIt = async (mail: Outgoing) => void sent.push(mail)
const failing = (fault: object) => async () => {
  throw Object.assign(new Error('awa@shop.example is nobody here, nor is #the-token'), fault)
}

function depsWith(send: (mail: Outgoing) => Promise<void>, more: Partial<SendMailDeps> = {}) {
  const log = pino({}, { write: (line: string) => void log_lines.push(line) })
  const mailer = { send, close: async () => undefined }
  return { db, keyring, mailer, writers: {}, log, ...more }
}

/** A moment is kept in whole milliseconds: half of them are a little ahead. */
const isDue = () => database.owner`
  update mail_outbox set due_at = due_at - interval '2 ms'`

async function run(
  send: (mail: Outgoing) => Promise<void>,
  more: Partial<SendMailDeps> = {},
): Promise<'more' | 'rest'> {
  await isDue()
  return sendMail(depsWith(send, more)).run({ signal: new AbortController().signal })
}

/** Times to half a minute: a slow machine looks late. */
const rows = () => database.owner`
  select id, tries, last_error, leased_until > now() as is_leased,
         (round(extract(epoch from due_at - now()) / 30) * 30)::int as due_in_s
    from mail_outbox order by created_at`
const passTime = () => database.owner`
  update mail_outbox set due_at = now() - interval '1 second', leased_until = null`

describe('a letter', () => {
  it('goes once, and its row with it', async () => {
    await queueMail(db, keyring, email)
    expect(await run(takeIt)).toBe('rest')
    expect(await run(takeIt)).toBe('rest')
    expect(sent).toEqual([{ ...email, id: expect.any(String), written_at: expect.any(Date) }])
    expect(await rows()).toHaveLength(0)
  })

  it('is broken in French at no sign, whether it waited as itself or to be written', async () => {
    const text = 'Bonjour !\n\nVotre code « réel » : https://pay.example/a?b=1;c :'
    const french: Mail = { ...email, subject: 'Boutique : un code', text, locale: 'fr' }
    await queueMail(db, keyring, french)
    await queueMail(db, keyring, { ...french, locale: 'en' })
    await deferEmail(db, keyring, { writer: 'welcome', about: {} })
    await run(takeIt, { writers: { welcome: async () => french } })
    const unbroken = {
      subject: 'Boutique\u00a0: un code',
      text: 'Bonjour\u00a0!\n\nVotre code «\u00a0réel\u00a0»\u00a0: https://pay.example/a?b=1;c\u00a0:',
    }
    expect(sent).toHaveLength(3)
    for (const mail of sent) {
      expect(mail).toMatchObject(mail.locale === 'fr' ? unbroken : { text })
    }
  })

  it('is never carried inside a database transaction', async () => {
    const from = { name: '', address: 'mail@pay.example' }
    const server = { host: '127.0.0.1', port: 1, secure: false, auth: null }
    const outgoing = { ...email, id: 'one', written_at: new Date() }
    const { signal } = new AbortController()
    const { log } = depsWith(takeIt)
    for (const mailer of [
      smtpMailer({ server, from }),
      folderMailer({ dir: '/nowhere', from, log }),
    ]) {
      const inside = inTransaction(db, () => mailer.send(outgoing, signal))
      await expect(inside).rejects.toThrow('network call inside a database transaction')
    }
    const outside = async (mail: Outgoing) => {
      assertNoTransaction()
      await takeIt(mail)
    }
    await deferEmail(db, keyring, { writer: 'welcome', about: {} })
    await run(outside, { writers: { welcome: async () => email } })
    expect(sent).toHaveLength(1)
  })

  it('of a transaction that was taken back never goes', async () => {
    const taken = inTransaction(db, async (tx) => {
      await queueMail(tx, keyring, email)
      throw new Error('taken back')
    })
    await expect(taken).rejects.toThrow('taken back')
    await run(takeIt)
    expect(sent).toEqual([])
  })

  it('has a subject of one line, whatever name stands in it', async () => {
    await queueMail(db, keyring, { ...email, subject: 'Shop\r\nBcc: all@x.example' })
    await run(takeIt)
    expect(sent.map(({ subject }) => subject)).toEqual(['Shop Bcc: all@x.example'])
  })

  it('is sealed in the outbox', async () => {
    await queueMail(db, keyring, email)
    const [row] = await database.owner`select o::text as text, o.sealed from mail_outbox o`
    for (const word of ['awa@', 'the-token', 'A letter']) {
      expect(row?.['text']).not.toContain(word)
      expect(row?.['sealed'].toString('latin1')).not.toContain(word)
    }
  })
})

describe('many letters', () => {
  it('go a handful at a time, side by side', async () => {
    for (let i = 0; i < 12; i += 1) await queueMail(db, keyring, email)
    let together = 0
    let most = 0
    const slow = async (mail: Outgoing) => {
      most = Math.max(most, ++together)
      await sleep(30)
      together -= 1
      await takeIt(mail)
    }
    expect(await run(slow)).toBe('more')
    expect([sent.length, most]).toEqual([5, 5])
    expect(await run(slow)).toBe('more')
    expect(await run(slow)).toBe('rest')
    expect(new Set(sent.map(({ id }) => id)).size).toBe(12)
  })

  it('go once each, however many workers look', async () => {
    for (let i = 0; i < 60; i += 1) await queueMail(db, keyring, email)
    await isDue()
    const { signal } = new AbortController()
    const job = sendMail(depsWith(takeIt))
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(Array.from({ length: 5 }, () => job.run({ signal })))
    }
    expect(sent).toHaveLength(60)
    expect(new Set(sent.map(({ id }) => id)).size).toBe(60)
  })

  it('are not held up by one that does not go', async () => {
    await queueMail(db, keyring, { ...email, to: 'gone@shop.example' })
    await queueMail(db, keyring, email)
    await run((mail) => (mail.to.startsWith('gone') ? failing({ code: 'X' })() : takeIt(mail)))
    expect(sent.map(({ to }) => to)).toEqual([email.to])
    expect(await rows()).toMatchObject([{ tries: 1 }])
  })
})

describe('a failure', () => {
  it('is tried again after growing delays', async () => {
    expect([1, 2, 3, 4, 5, 6, 40].map(delayAfter)).toEqual([
      60, 300, 1_800, 7_200, 43_200, 43_200, 43_200,
    ])
    await queueMail(db, keyring, email)
    for (const [tries, due_in_s] of [60, 300, 1_800, 7_200, 43_200].entries()) {
      await run(failing({ code: 'ECONNREFUSED' }))
      const [row] = await rows()
      expect(row).toMatchObject({ tries: tries + 1, due_in_s, is_leased: null })
      await run(takeIt)
      expect(sent).toEqual([])
      await passTime()
    }
    await run(takeIt)
    expect(sent).toHaveLength(1)
  })

  it('leaves its codes in the row and the log, and nothing of the letter', async () => {
    await queueMail(db, keyring, email)
    await run(failing({ code: 'EENVELOPE', responseCode: 550, command: 'RCPT TO' }))
    const [row] = await rows()
    expect(row?.['last_error']).toBe('EENVELOPE 550 RCPT TO')
    await passTime()
    await run(failing({}))
    const logged = JSON.stringify(await rows()) + log_lines.join()
    expect(log_lines).toHaveLength(2)
    for (const word of ['awa@', 'shop.example', 'the-token']) expect(logged).not.toContain(word)
  })

  it('is given up after three days, and the log says so', async () => {
    await queueMail(db, keyring, email)
    await database.owner`
      update mail_outbox set created_at = now() - interval '2 days 23 hours', tries = 9`
    await run(failing({ code: 'ECONNREFUSED' }))
    expect(await rows()).toHaveLength(1)
    await database.owner`update mail_outbox set created_at = now() - interval '3 days'`
    await passTime()
    await run(failing({ code: 'ECONNREFUSED' }))
    expect(await rows()).toHaveLength(0)
    const { msg, level, mail } = JSON.parse(log_lines.at(-1) ?? '')
    expect({ msg, level }).toEqual({ msg: 'an e-mail was given up', level: 50 })
    expect(mail).toMatch(/^[0-9a-f-]{36}$/)
    expect(log_lines.join()).not.toContain('awa@')
  })

  it('that no later try can mend is given up at once', async () => {
    await queueMail(db, keyring, email)
    await run(() => Promise.reject(new Unsendable('no')))
    expect(await rows()).toHaveLength(0)
  })

  it('of the key is one too: the letter waits for the key that opens it', async () => {
    await queueMail(db, keyring, email)
    const other = openKeyring(randomBytes(32).toString('base64'))
    await run(takeIt, { keyring: other })
    expect(await rows()).toMatchObject([
      { tries: 1, last_error: 'sealed under a key that SECRET_KEY does not list' },
    ])
    await passTime()
    await run(takeIt)
    expect(sent).toHaveLength(1)
  })

  it('to end in time is one too', async () => {
    await queueMail(db, keyring, email)
    const mailer = {
      send: (_mail: Outgoing, signal: AbortSignal) =>
        new Promise<void>((_, no) => signal.addEventListener('abort', () => no(signal.reason))),
      close: async () => undefined,
    }
    await run(takeIt, { mailer, try_ms_max: 20 })
    expect(await rows()).toMatchObject([{ tries: 1, due_in_s: 60 }])
  })
})

describe('a worker that dies', () => {
  it('after a letter went and before its row did, has it sent again: the same letter', async () => {
    await queueMail(db, keyring, email)
    const doomed = open('doomed')
    const dying = run(
      async (mail) => {
        await takeIt(mail)
        await doomed.end({ timeout: 0 })
      },
      { db: doomed },
    )
    await expect(dying).rejects.toThrow()
    expect(await rows()).toMatchObject([{ tries: 1, is_leased: true }])
    await run(takeIt)
    expect(sent).toHaveLength(1)
    await database.owner`update mail_outbox set leased_until = now() - interval '1 second'`
    await run(takeIt)
    expect(sent).toHaveLength(2)
    expect(sent[1]).toEqual(sent[0])
    expect(await rows()).toHaveLength(0)
  })

  it('is not believed when it wakes: who has the letter now decides', async () => {
    await queueMail(db, keyring, email)
    await run(async () => {
      await database.owner`
        update mail_outbox set leased_until = now() - interval '1 second', tries = tries + 1`
      throw new Error('too late')
    })
    expect(await rows()).toMatchObject([{ tries: 2, last_error: '' }])
  })
})

describe('a deferred e-mail', () => {
  const about = { email: 'awa@shop.example' }
  let written: number
  const write: Writer = async () => {
    written += 1
    return { ...email, subject: `letter ${written}` }
  }
  beforeEach(() => {
    written = 0
  })

  it('is written once, and every try sends what was written', async () => {
    await deferEmail(db, keyring, { writer: 'welcome', about })
    const writers = { welcome: write }
    await run(failing({ code: 'X' }), { writers })
    await passTime()
    await run(takeIt, { writers })
    expect([written, sent.map(({ subject }) => subject)]).toEqual([1, ['letter 1']])
    expect(await rows()).toHaveLength(0)
  })

  it('for nobody sends nothing and is gone', async () => {
    await deferEmail(db, keyring, { writer: 'welcome', about })
    await run(takeIt, { writers: { welcome: async () => undefined } })
    expect(sent).toEqual([])
    expect(await rows()).toHaveLength(0)
    expect(log_lines).toEqual([])
  })

  it('that cannot be written waits, and what its writer had begun is undone', async () => {
    await deferEmail(db, keyring, { writer: 'welcome', about })
    const breaks: Writer = async (tx) => {
      await tx`update mail_outbox set last_error = 'begun'`
      throw new Error('no ink for awa@shop.example')
    }
    await run(takeIt, { writers: { welcome: breaks } })
    expect(await rows()).toMatchObject([{ tries: 1, last_error: 'no ink for ***' }])
    await passTime()
    await run(takeIt, { writers: {} })
    expect(await rows()).toMatchObject([{ tries: 2, last_error: 'bug: nobody writes welcome' }])
  })
})
