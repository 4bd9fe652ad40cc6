// What `gateway check` looks at between us and an operator: its name, its certificate, ours, and
// our own address, which it calls. It asks for nothing but the head of a page.

import { promises as dns } from 'node:dns'
import { isIP, type Socket } from 'node:net'
import { connect } from 'node:tls'
import type { Text } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import type { OutboundProxy } from '../platform/outbound/agents.ts'
import { daysLeft, type OwnTls, readOwnCertificate } from '../platform/outbound/own-certificate.ts'
import { certificateTexts } from './account-tls.ts'
import { isOurs, openTunnel } from './check-proxy.ts'
import { daysText, fail, named, pass, rotateCommand, warn } from './findings.ts'
import type { Finding } from './gateway.ts'

const day_ms = 86_400_000
const expiry_warn_days = 21
const patience_ms = 10_000

type Way = Readonly<{
  code: string
  base_url: string
  tls: OwnTls
  now_ms: number
  /** Absent: straight. */
  proxy?: OutboundProxy | undefined
}>

/** Name, our certificate, TLS: what follows on what failed is not looked at. */
export async function connectionFindings(way: Way): Promise<Finding[]> {
  const { hostname, port, protocol } = new URL(way.base_url)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (way.proxy !== undefined) return proxiedFindings(way, way.proxy, host)
  const addresses = await dns.lookup(host, { all: true }).catch(() => [])
  if (addresses.length === 0) return [namelessFinding(host)]
  const before = [resolvedFinding(host, addresses.length), ...ownFindings(way)]
  if (protocol !== 'https:' || before.some(({ is }) => is === 'FAIL')) return before
  return [...before, await tlsFinding(way, { host, port: Number(port || '443') })]
}

/** Who has which address is the proxy's affair: what it lets us through to is looked at. */
async function proxiedFindings(way: Way, proxy: OutboundProxy, host: string): Promise<Finding[]> {
  const { protocol, port: own } = new URL(way.base_url)
  const port = Number(own || (protocol === 'https:' ? '443' : '80'))
  const { finding, socket } = await openTunnel(proxy, { code: way.code, host, port })
  const before = [finding, ...ownFindings(way)]
  if (socket === undefined) return before
  if (protocol !== 'https:' || before.some(({ is }) => is === 'FAIL')) {
    socket.destroy()
    return before
  }
  return [...before, await tlsFinding(way, { host, port, socket })]
}

const nameOf: Text = { en: 'name', fr: 'nom' }

const namelessFinding = (host: string): Finding =>
  fail(
    nameOf,
    { en: `${host} has no address`, fr: `${host} n’a pas d’adresse` },
    {
      en: 'Compare base_url; ask your name server.',
      fr: 'Vérifiez base_url ; interrogez votre serveur de noms.',
    },
  )

const resolvedFinding = (host: string, count: number): Finding =>
  pass(nameOf, {
    en: `${host} has ${count} ${count === 1 ? 'address' : 'addresses'}`,
    fr: `${host} a ${count} ${count === 1 ? 'adresse' : 'adresses'}`,
  })

/** Of a certificate of ours, where the account has one. */
function ownFindings({ code, tls, now_ms }: Way): Finding[] {
  const own = readOwnCertificate(tls)
  if (own === undefined) return []
  const what = { en: 'client certificate', fr: 'certificat client' }
  const rotate = rotateCommand(code)
  const fix = {
    en: `Ask the operator for another, then: ${rotate}`,
    fr: `Demandez-en un autre à l’opérateur, puis : ${rotate}`,
  }
  const fault = own.fault(now_ms)
  if (fault !== undefined) return [fail(what, certificateTexts[fault], fix)]
  const left = daysLeft(own, now_ms)
  const days = daysText(left)
  const found = { en: `good for ${days.en}`, fr: `valable encore ${days.fr}` }
  return [left < expiry_warn_days ? warn(what, found, fix) : pass(what, found)]
}

const tls_name = named('TLS')

type At = Readonly<{ host: string; port: number; socket?: Socket }>

function tlsFinding({ tls, now_ms }: Way, at: At) {
  return new Promise<Finding>((resolve) => {
    const name = isIP(at.host) === 0 ? { servername: at.host } : {}
    const socket = connect({ ...at, ...name, ...tls, timeout: patience_ms })
    let until_ms: number | undefined
    const end = (finding: Finding) => {
      socket.destroy()
      resolve(finding)
    }
    socket.on('timeout', () => end(silence))
    socket.on('error', (error) => {
      end(until_ms === undefined ? handshakeFault(error) : unwanted(tls))
    })
    socket.on('secureConnect', () => {
      until_ms = Date.parse(socket.getPeerCertificate().valid_to)
      // Whoever wants a certificate of ours says so by hanging up, once it should answer.
      socket.write(`HEAD / HTTP/1.1\r\nhost: ${at.host}\r\nconnection: close\r\n\r\n`)
    })
    socket.once('data', () => end(goodTls(`${socket.getProtocol()}`, until_ms ?? 0, now_ms)))
    socket.on('close', () => end(unwanted(tls)))
  })
}

const silence = fail(
  tls_name,
  { en: 'no answer', fr: 'pas de réponse' },
  {
    en: 'Ask the operator whether it is up.',
    fr: 'Demandez à l’opérateur si son service fonctionne.',
  },
)

function goodTls(protocol: string, until_ms: number, now_ms: number): Finding {
  const left = Math.floor((until_ms - now_ms) / day_ms)
  const days = daysText(left)
  const found = {
    en: `${protocol}, certificate good for ${days.en}`,
    fr: `${protocol}, certificat valable encore ${days.fr}`,
  }
  if (left >= expiry_warn_days) return pass(tls_name, found)
  return warn(tls_name, found, {
    en: 'Ask the operator when it renews its certificate.',
    fr: 'Demandez à l’opérateur quand il renouvelle son certificat.',
  })
}

const unwanted = ({ cert }: OwnTls): Finding =>
  cert === undefined
    ? fail(
        tls_name,
        {
          en: 'the operator hangs up once it has seen no certificate',
          fr: 'l’opérateur coupe la connexion faute de certificat',
        },
        {
          en: 'Where it wants one of ours: set tls_certificate and tls_key, as it gave them.',
          fr: 'S’il en demande un : saisissez tls_certificate et tls_key, tels qu’il les a remis.',
        },
      )
    : fail(
        tls_name,
        {
          en: 'the operator hangs up once it has seen our certificate',
          fr: 'l’opérateur coupe la connexion après avoir vu notre certificat',
        },
        {
          en: 'Ask the operator whether it knows our certificate, and for which environment.',
          fr: 'Demandez à l’opérateur s’il connaît notre certificat, et pour quel environnement.',
        },
      )

const ask: Text = {
  en: 'Nothing is sent until the operator renews it: ask the operator.',
  fr: 'Rien n’est envoyé tant que l’opérateur ne l’a pas renouvelé : demandez-le-lui.',
}

type Fault = readonly [found: Text, fix: Text]

/** By the codes of OpenSSL and Node. */
const handshakeFaults: Readonly<Record<string, Fault>> = {
  CERT_HAS_EXPIRED: [{ en: 'its certificate has expired', fr: 'son certificat a expiré' }, ask],
  CERT_NOT_YET_VALID: [
    { en: 'its certificate is not good yet', fr: 'son certificat n’est pas encore valable' },
    {
      en: `Compare this machine’s clock. ${ask.en}`,
      fr: `Vérifiez l’horloge de cette machine. ${ask.fr}`,
    },
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    { en: 'its certificate is of another name', fr: 'son certificat est celui d’un autre nom' },
    { en: 'Compare base_url.', fr: 'Vérifiez base_url.' },
  ],
  ECONNREFUSED: [
    { en: 'nobody listens there', fr: 'personne n’écoute à cette adresse' },
    {
      en: 'Compare base_url, then ask whether it is up.',
      fr: 'Vérifiez base_url, puis demandez si le service fonctionne.',
    },
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: [
    { en: 'no TLS is spoken there', fr: 'cette adresse ne répond pas en TLS' },
    { en: 'Compare base_url and its port.', fr: 'Vérifiez base_url et son port.' },
  ],
}

const nobodyVouches: Fault = [
  {
    en: 'nobody that we trust vouches for its certificate',
    fr: 'aucune autorité reconnue ne garantit son certificat',
  },
  {
    en:
      'Somebody may stand between: compare base_url. Where the operator has its own authority, ' +
      'set tls_ca.',
    fr:
      'Quelqu’un s’interpose peut-être : vérifiez base_url. Si l’opérateur a sa propre autorité, ' +
      'saisissez tls_ca.',
  },
]

function handshakeFault(error: Error): Finding {
  const code = 'code' in error ? String(error.code) : ''
  const isUnknown = /SELF_SIGNED|UNABLE_TO_|UNTRUSTED/.test(code)
  const fault = handshakeFaults[code] ?? (isUnknown ? nobodyVouches : undefined)
  if (fault !== undefined) return fail(tls_name, ...fault)
  return fail(tls_name, named(error.message), {
    en: 'The operator’s certificate or the way to it: ask the operator.',
    fr: 'Le certificat de l’opérateur ou le chemin jusqu’à lui : interrogez l’opérateur.',
  })
}

/** Where an operator calls us: in LIVE over https from the internet. */
export function addressFinding(public_url: string, { code, environment }: AddressOf): Finding {
  const what = { en: 'our address', fr: 'notre adresse' }
  const { protocol, hostname, origin } = new URL(public_url)
  const address = `${origin}/callbacks/${code}`
  const isHere = isOurs(hostname.replace(/^\[|\]$/g, ''))
  if (protocol === 'https:' && !isHere) return pass(what, named(address))
  const found = isHere
    ? {
        en: `${address} is this machine’s or this network’s own`,
        fr: `${address} est une adresse de cette machine ou de ce réseau`,
      }
    : { en: `${address} is not https`, fr: `${address} n’est pas en https` }
  return (environment === 'LIVE' ? fail : warn)(what, found, {
    en: 'Set PUBLIC_URL to an https:// address that the operator reaches over the internet.',
    fr: 'Donnez à PUBLIC_URL une adresse en https:// que l’opérateur atteint par internet.',
  })
}

/** Where our calls leave from: many operators admit only addresses that they were given. */
export function egressFinding(
  addresses: readonly string[],
  { environment }: Pick<AddressOf, 'environment'>,
): Finding {
  const what = { en: 'addresses that our calls leave from', fr: 'adresses de départ de nos appels' }
  const near = addresses.filter((one) => isOurs(one.replace(/\/\d+$/, '')))
  const all = addresses.join(', ')
  if (addresses.length > 0 && near.length === 0) {
    return pass(what, {
      en: `${all}: give them to the operator`,
      fr: `${all} : donnez-les à l’opérateur`,
    })
  }
  if (environment !== 'LIVE' && near.length === 0) {
    return pass(what, {
      en: 'not known: PUBLIC_EGRESS_ADDRESSES is not set',
      fr: 'inconnues, car PUBLIC_EGRESS_ADDRESSES n’est pas défini',
    })
  }
  return warn(what, near.length === 0 ? notKnown : nearText(near.join(', ')), {
    en:
      'Set PUBLIC_EGRESS_ADDRESSES to the public ones, as your provider or router shows them, ' +
      'and give them to the operator.',
    fr:
      'Donnez à PUBLIC_EGRESS_ADDRESSES les adresses publiques, telles que votre hébergeur ou ' +
      'votre routeur les affiche, et communiquez-les à l’opérateur.',
  })
}

const notKnown: Text = { en: 'not known', fr: 'inconnues' }

const nearText = (near: string): Text => ({
  en: `${near} is of this network alone`,
  fr: `${near} ne vaut que dans ce réseau`,
})

type AddressOf = Readonly<{ code: string; environment: Environment }>
