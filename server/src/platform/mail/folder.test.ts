// E-mails as files: whole, readable, and for nobody else to read.

import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { emailsIn } from '../../../test/mail-server.ts'
import { type Outgoing, Unsendable } from './mail.ts'
import { folderMailer } from './open-mailer.ts'

let data_dir: string
let dir: string
let lines: string[]

beforeEach(async () => {
  data_dir = await mkdtemp(path.join(tmpdir(), 'pirogue-mail-'))
  dir = path.join(data_dir, 'outbox')
  lines = []
})
afterEach(() => rm(data_dir, { recursive: true, force: true }))

const email: Outgoing = {
  id: '01981f3a-0000-7000-8000-00000000d001',
  written_at: new Date('2026-11-21T08:00:00.123Z'),
  to: 'awa@shop.example',
  subject: 'Réinitialisation',
  text: 'Bonjour Awa,\n\nhttp://127.0.0.1/dashboard/reset-password#token',
  locale: 'fr',
}

const mailer = (from = { name: 'Pirogue', address: 'no-reply@pay.example' }) =>
  folderMailer({ dir, from, log: pino({}, { write: (line: string) => void lines.push(line) }) })
const send = (changes: Partial<Outgoing> = {}) =>
  mailer().send({ ...email, ...changes }, new AbortController().signal)

describe('a letter in the folder', () => {
  it('is one file that a person can read, named by time and id', async () => {
    await send()
    const name = '2026-11-21T08-00-00.123Z-01981f3a-0000-7000-8000-00000000d001.eml'
    expect(await readdir(dir)).toEqual([name])
    const file = await readFile(path.join(dir, name), 'utf8')
    expect(
      file.startsWith(
        [
          'From: Pirogue <no-reply@pay.example>',
          'To: awa@shop.example',
          'Subject: Réinitialisation',
          'Date: Sat, 21 Nov 2026 08:00:00 +0000',
          'Message-ID: <01981f3a-0000-7000-8000-00000000d001@pay.example>',
          'Auto-Submitted: auto-generated',
          'Content-Language: fr',
          'MIME-Version: 1.0',
          `Content-Type: multipart/alternative; boundary="${email.id}"`,
          '',
          `--${email.id}`,
          'Content-Type: text/plain; charset=utf-8',
          'Content-Transfer-Encoding: 8bit',
          '',
          email.text,
          `--${email.id}`,
          'Content-Type: text/html; charset=utf-8',
          '',
        ].join('\n'),
      ),
    ).toBe(true)
    expect(file.endsWith(`</html>\n--${email.id}--\n`)).toBe(true)
  })

  it('is for the user of the process alone', async () => {
    await send()
    const [name = ''] = await readdir(dir)
    expect((await stat(dir)).mode & 0o777).toBe(0o700)
    expect((await stat(path.join(dir, name))).mode & 0o777).toBe(0o600)
  })

  it('is one file also when it is sent again', async () => {
    await send()
    await send()
    expect(await emailsIn(dir)).toHaveLength(1)
  })

  it('is told of in one line that does not give the address away', async () => {
    await send()
    const logged = lines.map((line) => String(JSON.parse(line).msg))
    expect(logged).toEqual([expect.stringMatching(/^an e-mail to aw\*\*\*@… is in .+\.eml$/)])
    expect(lines.join()).not.toContain('awa@')
    expect(lines.join()).not.toContain('#token')
  })

  it('is none when its address or subject would make more headers', async () => {
    await expect(send({ to: 'awa@shop.example\nBcc: all@x.example' })).rejects.toThrow(Unsendable)
    await expect(send({ subject: 'Hello\r\nBcc: all@x.example' })).rejects.toThrow(Unsendable)
    await expect(readdir(dir)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
