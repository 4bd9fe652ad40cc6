// Where letters end in tests: a real mail server on loopback that does as it is told, and the
// folder that stands in for one. Both show a letter as its reader sees it.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { eventually } from './harness.ts'
import { freePort } from './setup/loopback.ts'

export type Email = Readonly<{
  /** Names in lower case, unfolded and decoded. */
  headers: Readonly<Record<string, string>>
  text: string
  /** Its HTML part; empty: none. */
  html: string
  raw: string
}>

export type Received = Email & Readonly<{ envelope_to: readonly string[]; secure: boolean }>

/** What the link of a letter carries behind `#`. */
export function tokenIn({ text }: Email): string {
  const [, token] = /^http\S+#(\S+)$/m.exec(text) ?? []
  if (token === undefined) throw new Error(`no link in: ${text}`)
  return token
}

export function readEmail(raw: string): Email {
  const lines = raw.replaceAll('\r\n', '\n')
  const at = lines.indexOf('\n\n')
  const unfolded = lines.slice(0, at).replace(/\n[ \t]+/g, ' ')
  const headers = Object.fromEntries(
    unfolded.split('\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())]
    }),
  )
  const body = lines.slice(at + 2)
  const [, boundary] = /^multipart\/.*boundary="?([^";]+)/.exec(headers['content-type'] ?? '') ?? []
  if (boundary === undefined) return { headers, raw, text: decodedBody(headers, body), html: '' }
  const parts = body.split(`--${boundary}`).slice(1, -1)
  const [plain, rich] = parts.map((part) => readEmail(part.replace(/^\n/, '')))
  return { headers, raw, text: plain?.text ?? '', html: rich?.text ?? '' }
}

function decodedBody(headers: Email['headers'], body: string): string {
  const encoding = headers['content-transfer-encoding']
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  return encoding === 'quoted-printable' ? decodeQuoted(body.replace(/=\n/g, '')) : body
}

const decodeQuoted = (text: string): string =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number(`0x${hex}`))),
    'latin1',
  ).toString('utf8')

const decodeWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, form: string, words: string) =>
      form.toUpperCase() === 'B'
        ? Buffer.from(words, 'base64').toString('utf8')
        : decodeQuoted(words.replaceAll('_', ' ')),
    )

/** The letters of a mail folder, the oldest first. */
export async function emailsIn(dir: string): Promise<Email[]> {
  const names = await readdir(dir).catch(() => [])
  const whole = names.filter((name) => name.endsWith('.eml')).sort()
  return Promise.all(
    whole.map(async (name) => readEmail(await readFile(path.join(dir, name), 'utf8'))),
  )
}

export type MailFolder = Readonly<{
  /** Give it to the service as DATA_DIR. */
  data_dir: string
  emailsTo(email: string): Promise<Email[]>
  /** Waits until this many have come to them with this subject; the newest. */
  emailTo(email: string, subject: RegExp, count?: number): Promise<Email>
  remove(): Promise<void>
}>

export async function openMailFolder(): Promise<MailFolder> {
  const data_dir = await mkdtemp(path.join(tmpdir(), 'pirogue-letters-'))
  const emailsTo = async (email: string) => {
    const emails = await emailsIn(path.join(data_dir, 'outbox'))
    return emails.filter(({ headers }) => headers['to'] === email)
  }
  return {
    data_dir,
    emailsTo,
    emailTo: (email, subject, count = 1) =>
      eventually(async () => {
        const found = (await emailsTo(email)).filter((one) =>
          subject.test(one.headers['subject'] ?? ''),
        )
        const newest = found.at(-1)
        if (newest === undefined || found.length < count) throw new Error(`no letter ${subject}`)
        return newest
      }),
    remove: () => rm(data_dir, { recursive: true, force: true }),
  }
}

export type MailServer = Readonly<{
  port: number
  url: string
  received: Received[]
  /** How many letters have reached the server, answered or not. */
  seen(): number
  close(): Promise<void>
}>

export type MailServerOptions = Readonly<{
  /** Of a server that comes back. */
  port?: number
  /** Recipients that are nobody here. */
  refuses?: (address: string) => boolean
  /** Awaited before a letter is acknowledged. */
  hold?: () => Promise<void>
  server?: SMTPServerOptions
}>

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { refuses = () => false, hold = async () => undefined } = options
  const received: Received[] = []
  let seen = 0
  const server = new SMTPServer({
    authOptional: true,
    // Connections that the mailer keeps for later do not keep a test waiting.
    closeTimeout: 50,
    disabledCommands: ['STARTTLS'],
    ...options.server,
    onRcptTo({ address }, _session, done) {
      const no = Object.assign(new Error(`${address} is nobody here`), { responseCode: 550 })
      done(refuses(address) ? no : null)
    },
    onData(stream, { envelope, secure }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        seen += 1
        const email = readEmail(Buffer.concat(chunks).toString('utf8'))
        const envelope_to = envelope.rcptTo.map(({ address }) => address)
        hold().then(() => {
          received.push({ ...email, envelope_to, secure })
          done()
        }, done)
      })
    },
  })
  // Connections that a test breaks are no news.
  server.on('error', () => undefined)
  const port = options.port ?? (await freePort())
  await new Promise<void>((ok) => server.listen(port, '127.0.0.1', () => ok()))
  const scheme = options.server?.secure === true ? 'smtps' : 'smtp'
  return {
    port,
    url: `${scheme}://127.0.0.1:${port}`,
    received,
    seen: () => seen,
    close: () => new Promise((ok) => server.close(() => ok())),
  }
}
