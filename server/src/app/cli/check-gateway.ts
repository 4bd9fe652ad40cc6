// `gateway check`: what is common to every operator (settings, secrets, address), then what the
// operator's own adapter looks at. It reads only, and spends nothing.

import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { FoundGateway } from '../../gateways/account-store.ts'
import { type AccountDeps, faultsIn, openedAccount, secretsOf } from '../../gateways/accounts.ts'
import type { Account } from '../../gateways/adapter.ts'
import { findAdapter } from '../../gateways/adapters.ts'
import { checks, type Finding } from '../../gateways/gateway.ts'
import { memoryTokens } from '../../gateways/tokens.ts'
import { assertNoTransaction } from '../../platform/db.ts'
import { createOutbound } from '../../platform/outbound/outbound.ts'

const old_days = 365
const day_ms = 86_400_000
const expiry_warn_days = 21

const pass = (what: string, found: string): Finding => ({ what, is: 'PASS', found, fix: '' })
const fail = (what: string, found: string, fix: string): Finding => ({
  what,
  is: 'FAIL',
  found,
  fix,
})

/** `next`: the account with secrets that wait to be promoted. */
export async function checkGateway(
  deps: AccountDeps,
  row: FoundGateway,
  next?: Account,
): Promise<readonly Finding[]> {
  const module = findAdapter(row.adapter)
  if (module === undefined) return [pass('adapter', `${row.adapter} needs no settings`)]
  const opening = next ?? opened(deps, row)
  if ('what' in opening) return [opening]
  const known = (secret: boolean) =>
    module.settings.filter(
      (one) => one.secret === secret && one.environments.includes(row.environment),
    )
  const faults = [
    ...faultsIn(known(false), opening.settings, row.environment),
    ...faultsIn(known(true), opening.secrets, row.environment),
  ]
  const settings =
    faults.length === 0
      ? [pass('settings', 'complete')]
      : faults.map((one) => fail('settings', one, 'Set it again, as the portal shows it.'))
  const before = [...settings, ...(await ageFindings(deps, row))]
  if (faults.length > 0) return before
  const address = await addressFindings(opening.settings['base_url'] ?? '')
  const outbound = createOutbound({ assertNoTransaction })
  try {
    const gateway = module.open(opening, {
      ...{ outbound, clock: Date.now, note: () => undefined },
      tokens: (obtain) => memoryTokens(obtain, Date.now),
    })
    return [...before, ...address, ...(checks(gateway) ? await gateway.check() : [])]
  } finally {
    await outbound.close()
  }
}

function opened({ keyring }: AccountDeps, row: FoundGateway): Account | Finding {
  const how = 'Set SECRET_KEY to the service’s value; if the key is lost, set the secrets again.'
  try {
    const account = openedAccount(keyring, row)
    return account ?? fail('secrets', 'there are none', `pirogue gateway rotate ${row.code}`)
  } catch {
    return fail('secrets', 'they do not open', how)
  }
}

async function ageFindings(deps: AccountDeps, row: FoundGateway): Promise<Finding[]> {
  const all = await secretsOf(deps, row)
  const current = all.find(({ state }) => state === 'CURRENT')
  if (current === undefined) return []
  const days = Math.floor((Date.now() - current.created_at.getTime()) / day_ms)
  const found = `version ${current.version}, ${current.fingerprint}, ${days} days old`
  if (days <= old_days) return [pass('secrets', found)]
  return [{ what: 'secrets', is: 'WARN', found, fix: `pirogue gateway rotate ${row.code}` }]
}

async function addressFindings(base_url: string): Promise<Finding[]> {
  const { hostname, port, protocol } = new URL(base_url)
  const addresses = await dns.lookup(hostname, { all: true }).catch(() => [])
  if (addresses.length === 0) {
    return [fail('name', `${hostname} has no address`, 'Compare base_url; ask your name server.')]
  }
  const name = pass('name', `${hostname} has ${addresses.length} addresses`)
  if (protocol !== 'https:') return [name]
  return [name, await tlsFinding(hostname, Number(port || '443'))]
}

function tlsFinding(host: string, port: number): Promise<Finding> {
  return new Promise((resolve) => {
    const name = isIP(host) === 0 ? { servername: host } : {}
    const socket = connect({ host, port, timeout: 10_000, ...name })
    const end = (finding: Finding) => {
      socket.destroy()
      resolve(finding)
    }
    const fix = 'The operator’s certificate or the way to it: ask the operator.'
    socket.on('timeout', () => end(fail('TLS', 'no answer', fix)))
    socket.on('error', (error) => end(fail('TLS', error.message, fix)))
    socket.on('secureConnect', () => {
      const until = new Date(socket.getPeerCertificate().valid_to)
      const days = Math.floor((until.getTime() - Date.now()) / day_ms)
      const found = `${socket.getProtocol()}, certificate good for ${days} days`
      const isSoon = days < expiry_warn_days
      end({ what: 'TLS', is: isSoon ? 'WARN' : 'PASS', found, fix: isSoon ? fix : '' })
    })
  })
}
