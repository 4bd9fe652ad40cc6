// `doctor`: all that an operator of the platform looks at first: the database, its clock beside
// ours, the keys, the address that operators call, and a check of every account, which counts as
// any other check. It spends nothing.

import type { Command } from 'commander'
import { type FoundGateway, listFoundGateways } from '../../gateways/account-store.ts'
import { secretsOf } from '../../gateways/accounts.ts'
import { findAdapter } from '../../gateways/adapters.ts'
import { addressFinding, connectionFindings } from '../../gateways/check-connection.ts'
import { type CheckDeps, checkAccount } from '../../gateways/check-gateway.ts'
import type { Finding } from '../../gateways/gateway.ts'
import { macKeyBinding } from '../../platform/crypto/mac-keys.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { listMacKeys } from '../../platform/crypto/store.ts'
import type { Db } from '../../platform/db.ts'
import { Refusal } from '../../platform/errors.ts'
import { workerIsAlive } from '../../platform/jobs/worker.ts'
import { usageFindings } from '../check-usage.ts'
import { differs_max_ms, missingMigrations } from '../readiness.ts'
import { listMigrations, readClockAhead } from '../store.ts'
import { linesOf, sealingKeyring } from './gateway.ts'
import type { Session } from './session.ts'

/** What was looked at together: a part of the installation, or an account by its code. */
type Looked = Readonly<{ of: string; failed: boolean; findings: readonly Finding[] }>

const pass = (what: string, found: string): Finding => ({ what, is: 'PASS', found, fix: '' })
const fail = (what: string, found: string, fix: string): Finding => ({
  ...{ what, found, fix },
  is: 'FAIL',
})
const warn = (what: string, found: string, fix: string): Finding => ({
  ...fail(what, found, fix),
  is: 'WARN',
})

export function addDoctorCommand(program: Command, run: Session): void {
  program
    .command('doctor')
    .description(
      'check database, clock, keys, our address, every account; 1 where one that is on fails',
    )
    .action(() =>
      run.withDb('pirogue_app', async (db, config) => {
        const { public_url, egress_addresses: egress } = config
        const keyring = await sealingKeyring(config)
        const others = (row: FoundGateway) => usageFindings(db, row)
        const deps = { db, keyring, public_url, egress, others }
        const accounts = await listFoundGateways(db)
        const looked = [
          lookedAt('database', await databaseFindings(db)),
          lookedAt('clock', clockFindings(await readClockAhead(db))),
          lookedAt('keys', await keyFindings(db, keyring)),
          lookedAt('our address', await addressFindings(public_url, accounts)),
        ]
        // One after the other: none takes the time that another is judged by.
        for (const account of accounts.filter(isOurs)) {
          const findings = await accountFindings(deps, account)
          looked.push(lookedAtAccount(account, findings))
        }
        const failed = looked.some((one) => one.failed)
        const lines = looked.flatMap(({ of, findings }) => [of, ...linesOf(findings).map(indented)])
        return { json: { failed, checks: looked }, lines, failed }
      }),
    )
}

const indented = (line: string): string => `  ${line}`

const lookedAt = (of: string, findings: readonly Finding[]): Looked => ({
  ...{ of, findings },
  failed: findings.some(({ is }) => is === 'FAIL'),
})

/** Nothing is sent to one that is off: what is wrong with it keeps nothing from working. */
const lookedAtAccount = (
  { code, is_active }: FoundGateway,
  findings: readonly Finding[],
): Looked =>
  is_active
    ? lookedAt(code, findings)
    : lookedAt(
        code,
        findings.map((one) => (one.is === 'FAIL' ? { ...one, is: 'WARN', found: off(one) } : one)),
      )

const off = ({ found }: Finding): string => `${found} (the account is off)`

/** The sandbox's own and its imitations are ours to keep up, and no account of anybody. */
const isOurs = ({ adapter, dialect }: FoundGateway): boolean =>
  dialect == null && findAdapter(adapter) !== undefined

async function databaseFindings(db: Db): Promise<Finding[]> {
  const missing = await missingMigrations(await listMigrations(db))
  const isWorking = await workerIsAlive(db)
  return [
    missing.length === 0
      ? pass('migrations', 'all are applied')
      : fail('migrations', `${missing.length} are not applied`, 'npm run cli -- migrate'),
    isWorking
      ? pass('worker', 'one is running')
      : warn('worker', 'none is running', 'Start the service: `npm start`, or with ROLE=worker.'),
  ]
}

/** Milliseconds. Far beyond it a process refuses to start. */
const differs_warn_ms = 5_000

function clockFindings(ahead_ms: number): Finding[] {
  const apart_ms = Math.abs(ahead_ms)
  const found = `${Math.round(apart_ms / 1000)} s from the database’s`
  const fix = 'Set this machine’s clock, and the database’s, by NTP.'
  if (apart_ms > differs_max_ms) return [fail('clock', found, fix)]
  return [apart_ms > differs_warn_ms ? warn('clock', found, fix) : pass('clock', found)]
}

async function keyFindings(db: Db, keyring: Keyring): Promise<Finding[]> {
  const rows = await listMacKeys(db)
  const closed = rows.filter(({ purpose, number, sealed_key }) => {
    try {
      keyring.unseal(sealed_key, macKeyBinding([purpose, number]))
      return false
    } catch {
      return true
    }
  })
  if (closed.length === 0) return [pass('SECRET_KEY', `opens ${rows.length} keys of the database`)]
  const found = `does not open ${closed.length} of ${rows.length} keys of the database`
  return [fail('SECRET_KEY', found, 'Set it to the service’s value; add the old key: new,old.')]
}

async function addressFindings(
  public_url: string,
  accounts: readonly FoundGateway[],
): Promise<Finding[]> {
  const isLive = accounts.some(({ environment }) => environment === 'LIVE')
  const environment = isLive ? 'LIVE' : 'SANDBOX'
  const ours = addressFinding(public_url, { code: '{gateway}', environment })
  const way = { code: '', base_url: public_url, tls: {}, now_ms: Date.now() }
  const fix = 'Compare PUBLIC_URL with its name and its certificate: operators call it.'
  const reached = await connectionFindings(way)
  return [ours, ...reached.map((one) => (one.is === 'PASS' ? one : { ...one, fix }))]
}

/** With the secrets that count; where none do yet, with those that wait. */
async function accountFindings(
  deps: CheckDeps,
  account: FoundGateway,
): Promise<readonly Finding[]> {
  const waits = (await secretsOf(deps, account)).some(({ state }) => state === 'NEXT')
  const secrets = account.secrets_version === null && waits ? 'NEXT' : 'CURRENT'
  try {
    return await checkAccount(deps, { account, secrets })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return [warn('check', error.row.message.en, `npm run cli -- gateway check ${account.code}`)]
  }
}
