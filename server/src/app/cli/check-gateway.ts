// `gateway check`: what is common to every operator (settings, secrets, address), then what the
// operator's own adapter looks at. It reads only, and spends nothing.

import type { FoundGateway } from '../../gateways/account-store.ts'
import { accountClients, tlsFaults, tlsOf } from '../../gateways/account-tls.ts'
import {
  type AccountDeps,
  faultsIn,
  openedAccount,
  secretsOf,
  specsFor,
} from '../../gateways/accounts.ts'
import type { Account } from '../../gateways/adapter.ts'
import { findAdapter } from '../../gateways/adapters.ts'
import { checks, type Finding } from '../../gateways/gateway.ts'
import { maskedOutbound } from '../../gateways/masked-answers.ts'
import { memoryTokens } from '../../gateways/tokens.ts'
import { assertNoTransaction } from '../../platform/db.ts'
import { addressFinding, connectionFindings } from './check-connection.ts'
import { paceFinding } from './gateway-pace.ts'

const old_days = 365
const day_ms = 86_400_000

const pass = (what: string, found: string): Finding => ({ what, is: 'PASS', found, fix: '' })
const fail = (what: string, found: string, fix: string): Finding => ({
  what,
  is: 'FAIL',
  found,
  fix,
})

export type CheckDeps = AccountDeps &
  Readonly<{
    /** Where operators call us. */
    public_url: string
    /** Milliseconds since 1970. */
    clock?: () => number
  }>

/** `next`: the account with secrets that wait to be promoted. */
export async function checkGateway(
  deps: CheckDeps,
  row: FoundGateway,
  next?: Account,
): Promise<readonly Finding[]> {
  const { clock = Date.now } = deps
  const module = findAdapter(row.adapter)
  if (module === undefined) return [pass('adapter', `${row.adapter} needs no settings`)]
  const opening = next ?? (await opened(deps, row))
  if ('what' in opening) return [opening]
  const { settings, secrets, environment } = opening
  const faults = [
    ...faultsIn(specsFor(module, environment, false), settings, environment),
    ...faultsIn(specsFor(module, environment, true), secrets, environment),
  ]
  const before = [
    ...(faults.length === 0
      ? [pass('settings', 'complete')]
      : faults.map((one) => fail('settings', one, 'Set it again, as the portal shows it.'))),
    ...(await ageFindings(deps, row)),
    await paceFinding(deps.db, row, module),
    addressFinding(deps.public_url, row),
  ]
  if (faults.length > 0) return before
  const way = { code: row.code, base_url: settings['base_url'] ?? '', now_ms: clock() }
  const connection = await connectionFindings({ ...way, tls: tlsOf(opening) ?? {} })
  if (tlsFaults(secrets, clock()).length > 0) return [...before, ...connection]
  const clients = accountClients(assertNoTransaction)
  try {
    const gateway = module.open(opening, {
      outbound: maskedOutbound(clients.of(opening), opening),
      ...{ clock, note: () => undefined },
      tokens: (obtain) => memoryTokens(obtain, clock),
    })
    const theirs = checks(gateway) ? await gateway.check(deps.public_url) : []
    return [...before, ...connection, ...theirs]
  } finally {
    await clients.close()
  }
}

async function opened(deps: AccountDeps, row: FoundGateway): Promise<Account | Finding> {
  const how = 'Set SECRET_KEY to the service’s value; if the key is lost, set the secrets again.'
  try {
    return openedAccount(deps.keyring, row) ?? (await noneFinding(deps, row))
  } catch {
    return fail('secrets', 'they do not open', how)
  }
}

async function noneFinding(deps: AccountDeps, row: FoundGateway): Promise<Finding> {
  const waiting = (await secretsOf(deps, row)).find(({ state }) => state === 'NEXT')
  if (waiting === undefined) {
    return fail('secrets', 'there are none', `npm run cli -- gateway rotate ${row.code}`)
  }
  const look = `npm run cli -- gateway check ${row.code} --next`
  const fix = `${look}; then they are promoted, in LIVE by two of the staff.`
  return fail('secrets', `those that wait (${waiting.fingerprint}) were not promoted`, fix)
}

async function ageFindings(deps: AccountDeps, row: FoundGateway): Promise<Finding[]> {
  const all = await secretsOf(deps, row)
  const current = all.find(({ state }) => state === 'CURRENT')
  if (current === undefined) return []
  const days = Math.floor((Date.now() - current.created_at.getTime()) / day_ms)
  const found = `version ${current.version}, ${current.fingerprint}, ${days} days old`
  if (days <= old_days) return [pass('secrets', found)]
  return [{ what: 'secrets', is: 'WARN', found, fix: `npm run cli -- gateway rotate ${row.code}` }]
}
