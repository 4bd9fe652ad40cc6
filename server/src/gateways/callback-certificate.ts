// The certificate that operators see where they call us: who issued it, who stands behind that, and
// for how long it is good. Some of them keep a list of authorities, the intermediate one included.
// Law: one handshake with our own public address, in which nothing is sent; what cannot be seen
// from here is no failure, because the way out of this network may not lead back in.

import { isIP } from 'node:net'
import { connect, type DetailedPeerCertificate } from 'node:tls'
import type { Text } from '../platform/errors.ts'
import { daysText, pass, warn } from './findings.ts'
import type { Finding } from './gateway.ts'

const day_ms = 86_400_000
const expiry_warn_days = 21
const patience_default_ms = 5_000

type Looking = Readonly<{
  public_url: string
  /** Milliseconds since 1970. */
  now_ms: number
  /** Whom to trust. Absent: whom this machine trusts. */
  ca?: string
  /** For how long it is waited for. Milliseconds. */
  patience_ms?: number
}>

const what: Text = { en: 'callback certificate', fr: 'certificat des notifications' }

/** None where there is nothing to see: an address without TLS is another finding. */
export async function callbackCertificateFindings(looking: Looking): Promise<Finding[]> {
  if (new URL(looking.public_url).protocol !== 'https:') return []
  const seen = await lookAt(looking)
  return [seen.is === 'seen' ? seenFinding(seen, looking.now_ms) : unseenFinding(seen.because)]
}

type Seen = Readonly<{
  is: 'seen'
  /** Who issued it, and who issued theirs, as far as they are shown. */
  authorities: readonly string[]
  until_ms: number
  /** Why it is not trusted; empty where it is. */
  fault: string
}>

type Unseen = Readonly<{ is: 'unseen'; because: string }>

function lookAt({ public_url, ca, patience_ms = patience_default_ms }: Looking) {
  const { hostname, port: own } = new URL(public_url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const port = Number(own || '443')
  return new Promise<Seen | Unseen>((resolve) => {
    const name = isIP(host) === 0 ? { servername: host } : {}
    // Whoever is not trusted is named all the same; nothing is said to them.
    const trust = { rejectUnauthorized: false, ...(ca === undefined ? {} : { ca }) }
    const socket = connect({ host, port, ...name, ...trust })
    const end = (seen: Seen | Unseen) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(seen)
    }
    const timer = setTimeout(() => end({ is: 'unseen', because: 'no answer' }), patience_ms)
    socket.on('error', ({ message }) => end({ is: 'unseen', because: message }))
    socket.on('secureConnect', () => {
      const certificate = socket.getPeerCertificate(true)
      const { authorized, authorizationError } = socket
      const fault = authorized ? '' : plain(codeOf(authorizationError))
      const until_ms = Date.parse(certificate.valid_to)
      end({ is: 'seen', authorities: authoritiesOf(certificate), until_ms, fault })
    })
  })
}

/** By its type an error; it is a code as well. */
const codeOf = (fault: unknown): string => {
  if (typeof fault === 'string') return fault
  return fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault)
}

const depth_most = 8

function authoritiesOf(certificate: DetailedPeerCertificate): string[] {
  const names: string[] = []
  let one: DetailedPeerCertificate | undefined = certificate
  while (one?.issuer !== undefined && names.length < depth_most) {
    names.push(nameOf(one.issuer))
    const next: DetailedPeerCertificate | undefined = one.issuerCertificate
    // One that has issued itself is the last.
    const isLast: boolean = next === undefined || next.fingerprint256 === one.fingerprint256
    one = isLast || isSelfIssued(next) ? undefined : next
  }
  return names
}

const isSelfIssued = ({ subject, issuer }: DetailedPeerCertificate): boolean =>
  JSON.stringify(subject) === JSON.stringify(issuer)

const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, ' ').slice(0, 200)

function nameOf({ CN, O }: Readonly<{ CN?: unknown; O?: unknown }>): string {
  const [name, owner] = [plain(String(CN ?? '')), plain(String(O ?? ''))]
  if (name === '' || owner === '') return name || owner || '?'
  return `${name} (${owner})`
}

function seenFinding({ authorities, until_ms, fault }: Seen, now_ms: number): Finding {
  const [first = '?', ...behind] = authorities
  const left = Math.floor((until_ms - now_ms) / day_ms)
  const lasting = daysText(left)
  const issued = issuedText(first, behind.join(', '))
  const found = {
    en: `${issued.en}, good for ${lasting.en}`,
    fr: `${issued.fr}, valable encore ${lasting.fr}`,
  }
  if (fault !== '') return warn(what, distrustedText(found, fault), whole)
  return left < expiry_warn_days ? warn(what, found, renew) : pass(what, found)
}

const issuedText = (issuer: string, under: string): Text =>
  under === ''
    ? { en: `issued by ${issuer}`, fr: `émis par ${issuer}` }
    : { en: `issued by ${issuer}, under ${under}`, fr: `émis par ${issuer}, sous ${under}` }

const distrustedText = (seen: Text, fault: string): Text => ({
  en: `${seen.en}; from here it is not trusted: ${fault}`,
  fr: `${seen.fr} ; d’ici, il n’est pas reconnu : ${fault}`,
})

const whole: Text = {
  en:
    'Serve it for the host of PUBLIC_URL with its intermediate certificates, from an authority ' +
    'that operators know.',
  fr:
    'Présentez-le pour l’hôte de PUBLIC_URL avec ses certificats intermédiaires, émis par une ' +
    'autorité que les opérateurs reconnaissent.',
}

const renew: Text = {
  en: 'Renew it. Tell operators that keep a list of authorities before its issuer changes.',
  fr:
    'Renouvelez-le. Avant tout changement d’émetteur, prévenez les opérateurs qui tiennent une ' +
    'liste d’autorités.',
}

const unseenFinding = (because: string): Finding =>
  warn(
    what,
    { en: `it cannot be seen from here: ${because}`, fr: `invisible d’ici : ${because}` },
    {
      en: 'Run the check where PUBLIC_URL can be reached, or look at it with a browser.',
      fr: 'Lancez la vérification d’où PUBLIC_URL est joignable, ou regardez avec un navigateur.',
    },
  )
