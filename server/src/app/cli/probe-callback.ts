// `gateway check --probe-callback`: a callback of our own goes to PUBLIC_URL as an operator's does,
// and the service that receives it says so over the database. It proves the whole way in: name,
// certificate, proxies, the address itself, and that whoever answers there is this service.

import { randomBytes } from 'node:crypto'
import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { probe_channel, probeToken } from '../../attempts/callback-probe.ts'
import { fail, pass, reasonText, warn } from '../../gateways/findings.ts'
import type { Finding } from '../../gateways/gateway.ts'
import { keyringWithMacKeys } from '../../platform/crypto/mac-keys.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { assertNoTransaction, type Db } from '../../platform/db.ts'
import type { Text } from '../../platform/errors.ts'
import type { Environment } from '../../platform/http/route.ts'
import { refuseAddress } from '../../platform/outbound/addresses.ts'
import { createOutbound, type SendResult } from '../../platform/outbound/outbound.ts'

type ProbeDeps = Readonly<{
  db: Db
  keyring: Keyring
  /** Where operators call us. */
  public_url: string
}>

const what: Text = { en: 'callback probe', fr: 'notification de test' }
const good_for_ms = 60_000
const patience_ms = 10_000
/** From an answer to the notice of it. */
const notice_ms = 5_000

type Probed = Readonly<{ code: string; environment: Environment }>

export async function probeFinding(deps: ProbeDeps, account: Probed): Promise<Finding> {
  const macs = await keyringWithMacKeys(deps.db, deps.keyring, []).catch(() => undefined)
  if (macs === undefined) return wrongKey
  const nonce = randomBytes(16)
  const probe = { gateway_code: account.code, nonce, expires_ms: Date.now() + good_for_ms }
  const url = `${deps.public_url}/callbacks/${account.code}/${probeToken(macs, probe)}`
  let notice: (came: true) => void = () => undefined
  const noticed = new Promise<true>((resolve) => {
    notice = resolve
  })
  const listening = await deps.db.listen(probe_channel, (text) => {
    if (text === nonce.toString('hex')) notice(true)
  })
  const client = createOutbound({ assertNoTransaction })
  try {
    const headers = { 'content-type': 'application/json' }
    const request = { method: 'POST', url, headers, body: '{}', timeout_ms: patience_ms }
    const result = await client.send(request)
    if (result.is !== 'answered' || result.status !== 200) return lostFinding(deps, result)
    const came = await Promise.race([noticed, overIn(notice_ms)])
    return came ? cameFinding(deps, account, result.took_ms) : strangerFinding(deps)
  } finally {
    await client.close()
    await listening.unlisten()
  }
}

const wrongKey = fail(
  what,
  {
    en: 'the keys of this database do not open',
    fr: 'les clés de cette base de données ne s’ouvrent pas',
  },
  {
    en: 'Set SECRET_KEY to the service’s value.',
    fr: 'Donnez à SECRET_KEY la valeur du service.',
  },
)

const overIn = (ms: number): Promise<false> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(false), ms).unref()
  })

const rules = { allow_private: false, own_ports: () => [] }

/** Whether it left this network: a name may lead elsewhere from here than from the internet. */
async function cameFinding(
  { public_url }: ProbeDeps,
  { environment }: Probed,
  took_ms: number,
): Promise<Finding> {
  const { hostname, origin } = new URL(public_url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const all = await dns.lookup(host, { all: true }).catch(() => [])
  const isHere = ({ address }: Readonly<{ address: string }>) =>
    isIP(address) !== 0 && refuseAddress(address, 443, rules) !== undefined
  const took = Math.round(took_ms)
  const found = {
    en: `came over ${origin} in ${took} ms`,
    fr: `arrivé par ${origin} en ${took} ms`,
  }
  const near = all.find(isHere)
  if (near === undefined) return pass(what, found)
  const here = {
    en: `${found.en}, and not over the internet: ${host} is ${near.address} here`,
    fr: `${found.fr}, et non par internet : ${host} est ici ${near.address}`,
  }
  // Beside an imitation nothing needs to come from elsewhere.
  if (environment !== 'LIVE') return pass(what, here)
  return warn(what, here, {
    en: 'Run it from elsewhere too, or ask the operator for a test.',
    fr: 'Lancez-le aussi depuis l’extérieur, ou demandez un test à l’opérateur.',
  })
}

function strangerFinding({ public_url }: ProbeDeps): Finding {
  const { origin } = new URL(public_url)
  return fail(
    what,
    {
      en: `${origin} answers, and this service has received nothing`,
      fr: `${origin} répond, et ce service n’a rien reçu`,
    },
    {
      en:
        'Another program answers there: compare PUBLIC_URL, and the proxy in front of it. Where ' +
        'a pooler stands before the database, connect this command past it.',
      fr:
        'Un autre programme y répond : vérifiez PUBLIC_URL, et le proxy placé devant. Si un ' +
        'répartiteur de connexions précède la base de données, contournez-le pour cette commande.',
    },
  )
}

function lostFinding({ public_url }: ProbeDeps, result: SendResult): Finding {
  const { origin } = new URL(public_url)
  if (result.is === 'answered') return strangeAnswer(origin, result.status)
  const reason = reasonText(result.because)
  return fail(
    what,
    { en: `${origin}: ${reason.en}`, fr: `${origin} : ${reason.fr}` },
    {
      en: 'Mend PUBLIC_URL, its name or certificate: operators meet the same.',
      fr: 'Corrigez PUBLIC_URL, son nom ou son certificat : les opérateurs s’y heurtent aussi.',
    },
  )
}

const strangeAnswer = (origin: string, status: number): Finding =>
  fail(
    what,
    { en: `${origin} answers ${status}`, fr: `${origin} répond ${status}` },
    status === 404
      ? {
          en:
            'What answers there does not know it: another program, a proxy that leaves out ' +
            '/callbacks/, another database, or a service that is older than this command.',
          fr:
            'Ce qui y répond ne la connaît pas : un autre programme, un proxy qui omet ' +
            '/callbacks/, une autre base de données, ou un service plus ancien que la commande.',
        }
      : {
          en: 'Let POST and PUT below /callbacks/ through, without a redirect, to the service.',
          fr: 'Laissez passer POST et PUT sous /callbacks/ jusqu’au service, sans redirection.',
        },
  )
