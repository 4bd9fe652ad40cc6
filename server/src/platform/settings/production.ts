// What a service that others trust with money must not be without (docs/decisions/0030): an https
// address, a proven database, encrypted e-mails and files. Law: each demand names its own
// exception, and an exception in use is reported at every start.

import type { DatabaseAddress } from '../database-address.ts'
import { isLoopback } from './addresses.ts'
import type { Reader } from './reader.ts'

/** What ALLOW_INSECURE may name. */
const exceptionNames = [
  ...['public_url', 'dashboard_url', 'database_tls', 'database_role', 'mail', 'storage'],
] as const

export type Exception = (typeof exceptionNames)[number]

/**
 * `development`: a local database on this machine that no other machine can call: HOST is loopback,
 * and no PUBLIC_URL or DASHBOARD_URL of another name shows that there is a proxy in front. There,
 * what production refuses is a warning.
 */
export type Posture = 'embedded' | 'development' | 'production'

export type Safety = Readonly<{
  posture: Posture
  /** Only callers on this machine are meant to reach the service. */
  is_alone: boolean
  exceptions: ReadonlySet<Exception>
  /** One line for each demand that is not met and is let through. */
  warnings: readonly string[]
}>

export type Situation = Readonly<{
  embedded: boolean
  host: string
  /** Null where it is embedded or was not understood. */
  address: DatabaseAddress | null
  owner_address: DatabaseAddress | null
  public_url_is_set: boolean
  public_url: string
  dashboard_url: string | null
  smtp: unknown
  bucket: Readonly<{ endpoint: string }> | null
  /** A command needs a proven database; the rest concerns those who call the service. */
  use: 'service' | 'command'
}>

export function readSafety(reader: Reader, now: Situation): Safety {
  const exceptions = readExceptions(reader)
  const is_alone = isAlone(now)
  const warnings = contactWarnings(reader, now)
  if (now.embedded) {
    if (!is_alone) warnings.unshift(embeddedFar)
    return { posture: 'embedded', is_alone, exceptions, warnings }
  }
  // A malformed DATABASE_URL is reported already, so no further line comes from guessing.
  if (now.address === null) return { posture: 'production', is_alone, exceptions, warnings: [] }
  const pghost = reader.text('PGHOST')
  const posture = isLocal(now.address, pghost) && is_alone ? 'development' : 'production'
  for (const { exception, line } of demands(reader, { ...now, pghost })) {
    if (exceptions.has(exception)) warnings.push(`ALLOW_INSECURE=${exception}: ${line}`)
    else if (posture === 'development') warnings.push(`${line} Production refuses this.`)
    else reader.lines.push(`${line} Exception: ALLOW_INSECURE=${exception}.`)
  }
  return { posture, is_alone, exceptions, warnings }
}

/** Only this machine is meant to call: an address that others see is not of this machine. */
const isAlone = ({ host, public_url, dashboard_url }: Situation): boolean =>
  isLoopback(host) &&
  [public_url, dashboard_url ?? public_url].every((url) =>
    isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, '')),
  )

/** A service that others call names a contact for weaknesses; without one it starts, and warns. */
function contactWarnings(reader: Reader, now: Situation): string[] {
  if (now.use === 'command' || isAlone(now)) return []
  if (reader.text('SECURITY_CONTACT') !== undefined) return []
  return [
    'SECURITY_CONTACT: read nothing, so /.well-known/security.txt is 404 and nobody learns where ' +
      'to report a weakness of this service; set mailto:… or an https address.',
  ]
}

const embeddedFar =
  'HOST, PUBLIC_URL or DASHBOARD_URL is not this machine alone, and the database is the ' +
  'embedded one: its limits are wide, its demo accounts are real, and where HOST is loopback ' +
  'webhooks may call private addresses (WEBHOOK_ALLOW_PRIVATE=false). For other people set ' +
  'DATABASE_URL.'

function readExceptions(reader: Reader): ReadonlySet<Exception> {
  const parse = (text: string) => {
    const names = text.split(',').map((part) => part.trim())
    const known = names.flatMap((name) => exceptionNames.find((each) => each === name) ?? [])
    return known.length === names.length ? known : undefined
  }
  const expected = `some of ${exceptionNames.join(', ')}, separated by commas`
  return new Set(reader.value('ALLOW_INSECURE', parse, expected))
}

/** A socket, or loopback; PGHOST is where the driver goes when the address names no host. */
function isLocal(address: DatabaseAddress | null, pghost: string | undefined): boolean {
  if (address === null) return false
  const hosts = address.hosts.length > 0 ? address.hosts : (pghost ?? 'localhost').split(',')
  return hosts.every((host) => host.startsWith('/') || isLoopback(host))
}

type Demand = Readonly<{ exception: Exception; line: string }>

function demands(
  reader: Reader,
  now: Situation & Readonly<{ pghost: string | undefined }>,
): readonly Demand[] {
  const found: Demand[] = []
  const demand = (exception: Exception, line: string) => found.push({ exception, line })
  const { bucket, use } = now
  for (const [name, address] of [
    ['DATABASE_URL', now.address],
    ['DATABASE_URL_OWNER', now.owner_address],
  ] as const) {
    if (address === null || address.proving !== 'none' || isLocal(address, now.pghost)) continue
    demand(
      'database_tls',
      `${name}: the database is on another host and its certificate is not verified; add ` +
        '?sslmode=verify-full (&sslrootcert=/path/ca.pem for a certificate authority of your ' +
        'own).',
    )
  }
  if (use === 'command') return found
  if (!now.public_url_is_set) {
    demand('public_url', 'PUBLIC_URL: read nothing, expected the https address that payers see.')
  } else if (!now.public_url.startsWith('https:')) {
    demand('public_url', 'PUBLIC_URL: is not https, so tokens and codes would travel in the clear.')
  }
  if (now.dashboard_url?.startsWith('http:')) {
    demand(
      'dashboard_url',
      'DASHBOARD_URL: is not https, so passwords and sessions would travel in the clear.',
    )
  }
  if (now.smtp === null && reader.text('SMTP_URL') === undefined) {
    demand(
      'mail',
      'SMTP_URL: read nothing, expected a mail server (smtps://…, or smtp://… with STARTTLS); ' +
        'without one, e-mails with reset links stay in a folder.',
    )
  }
  if (bucket?.endpoint.startsWith('http:')) {
    demand('storage', 'S3_ENDPOINT: is not https, so documents would travel in the clear.')
  }
  if (reader.text('DATABASE_URL_OWNER') !== undefined) {
    demand(
      'database_role',
      'DATABASE_URL_OWNER: is only for `npm run cli -- migrate`; remove it from the ' +
        'environment of the service.',
    )
  }
  return found
}
