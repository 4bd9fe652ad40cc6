// `gateway check --probe-callback`: a callback of our own goes to PUBLIC_URL as an operator's does,
// and the service that receives it says so over the database. It proves the whole way in: name,
// certificate, proxies, the address itself, and that whoever answers there is this service.

import { randomBytes } from 'node:crypto'
import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { probe_channel, probeToken } from '../../attempts/callback-probe.ts'
import type { Finding } from '../../gateways/gateway.ts'
import { keyringWithMacKeys } from '../../platform/crypto/mac-keys.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { assertNoTransaction, type Db } from '../../platform/db.ts'
import type { Environment } from '../../platform/http/route.ts'
import { refuseAddress } from '../../platform/outbound/addresses.ts'
import { createOutbound, type SendResult } from '../../platform/outbound/outbound.ts'

type ProbeDeps = Readonly<{
  db: Db
  keyring: Keyring
  /** Where operators call us. */
  public_url: string
}>

const what = 'callback probe'
const good_for_ms = 60_000
const patience_ms = 10_000
/** From an answer to the notice of it. */
const notice_ms = 5_000

type Probed = Readonly<{ code: string; environment: Environment }>

export async function probeFinding(deps: ProbeDeps, account: Probed): Promise<Finding> {
  const macs = await keyringWithMacKeys(deps.db, deps.keyring, []).catch(() => undefined)
  if (macs === undefined) return { ...wrongKey, what, is: 'FAIL' }
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

const wrongKey = {
  found: 'the keys of this database do not open',
  fix: 'Set SECRET_KEY to the service’s value.',
}

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
  const found = `came over ${origin} in ${Math.round(took_ms)} ms`
  const near = all.find(isHere)
  if (near === undefined) return { what, is: 'PASS', found, fix: '' }
  return {
    what,
    // Beside an imitation nothing needs to come from elsewhere.
    is: environment === 'LIVE' ? 'WARN' : 'PASS',
    found: `${found}, and not over the internet: ${host} is ${near.address} here`,
    fix: environment === 'LIVE' ? 'Run it from elsewhere too, or ask the operator for a test.' : '',
  }
}

const strangerFinding = ({ public_url }: ProbeDeps): Finding => ({
  what,
  is: 'FAIL',
  found: `${new URL(public_url).origin} answers, and this service has received nothing`,
  fix:
    'Another program answers there: compare PUBLIC_URL, and the proxy in front of it. Where a ' +
    'pooler stands before the database, connect this command past it.',
})

const causes: Readonly<Record<string, string>> = {
  dns: 'its name has no address',
  refused: 'nobody listens there',
  tls: 'its certificate is not trusted',
  connect_timeout: 'it cannot be reached',
  timeout: 'it does not answer in time',
  reset: 'it hangs up',
  unreadable: 'its answer cannot be read',
}

function lostFinding({ public_url }: ProbeDeps, result: SendResult): Finding {
  const { origin } = new URL(public_url)
  if (result.is !== 'answered') {
    const found = `${origin}: ${causes[result.because] ?? result.because}`
    const fix = 'Mend PUBLIC_URL, its name or certificate: operators meet the same.'
    return { what, is: 'FAIL', found, fix }
  }
  const fix =
    result.status === 404
      ? 'What answers there does not know it: another program, a proxy that leaves out ' +
        '/callbacks/, another database, or a service that is older than this command.'
      : 'Let POST and PUT below /callbacks/ through, without a redirect, to the service.'
  return { what, is: 'FAIL', found: `${origin} answers ${result.status}`, fix }
}
