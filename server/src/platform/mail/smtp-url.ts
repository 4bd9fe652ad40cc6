// SMTP_URL: the server that e-mails are handed to, and the account to use.

export type SmtpServer = Readonly<{
  host: string
  port: number
  /** TLS from the first byte (smtps). Otherwise as soon as the server offers it. */
  secure: boolean
  auth: Readonly<{ user: string; pass: string }> | null
}>

const ports = { 'smtp:': 587, 'smtps:': 465 } as const

/** Undefined for anything but `smtp(s)://user:password@host:port`; user and port are optional. */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  if (!/^smtps?:\/\/[^\s/?#]+\/?$/i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const secure = url.protocol === 'smtps:'
  const user = decoded(url.username)
  const pass = decoded(url.password)
  if (url.hostname === '' || user === undefined || pass === undefined) return undefined
  if (pass !== '' && user === '') return undefined
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? ports[secure ? 'smtps:' : 'smtp:'] : Number(url.port),
    secure,
    auth: user === '' ? null : { user, pass },
  }
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
