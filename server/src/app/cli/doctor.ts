// `doctor`: all that an operator of the platform looks at first: the database, its clock beside
// ours, the keys, the address that operators call, and a check of every account, which counts as
// any other check. It spends nothing.

import type { Command } from 'commander'
import { type FoundGateway, listFoundGateways } from '../../gateways/account-store.ts'
import { viewFinding } from '../../gateways/account-view.ts'
import { secretsOf } from '../../gateways/accounts.ts'
import { findAdapter } from '../../gateways/adapters.ts'
import { callbackCertificateFindings } from '../../gateways/callback-certificate.ts'
import { addressFinding, connectionFindings } from '../../gateways/check-connection.ts'
import { type CheckDeps, checkAccount } from '../../gateways/check-gateway.ts'
import { fail, named, pass, warn } from '../../gateways/findings.ts'
import type { Finding } from '../../gateways/gateway.ts'
import { macKeyBinding } from '../../platform/crypto/mac-keys.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import { listMacKeys } from '../../platform/crypto/store.ts'
import type { Db } from '../../platform/db.ts'
import { type Locale, Refusal, type Text } from '../../platform/errors.ts'
import { workerIsAlive } from '../../platform/jobs/worker.ts'
import { usageFindings } from '../check-usage.ts'
import { differs_max_ms, missingMigrations } from '../readiness.ts'
import { sealingKeyring } from '../secret-key.ts'
import { listMigrations, readClockAhead } from '../store.ts'
import { dashboardFindings } from './dashboard-address.ts'
import { linesOf } from './gateway.ts'
import type { Session } from './session.ts'

/** What was looked at together: a part of the installation, or an account by its code. */
type Looked = Readonly<{ of: Text; failed: boolean; findings: readonly Finding[] }>

export function addDoctorCommand(program: Command, run: Session): void {
  program
    .command('doctor')
    .description(
      'check database, clock, keys, our address, every account; 1 where one that is on fails',
    )
    .action(() =>
      run.withDb('pirogue_app', async (db, config) => {
        const { public_url, dashboard_url, egress_addresses: egress } = config
        const keyring = await sealingKeyring(config)
        const others = (row: FoundGateway) => usageFindings(db, row)
        const deps = { db, keyring, public_url, egress, others }
        const accounts = await listFoundGateways(db)
        const looked = [
          lookedAt({ en: 'database', fr: 'base de données' }, await databaseFindings(db)),
          lookedAt(ofClock, clockFindings(await readClockAhead(db))),
          lookedAt({ en: 'keys', fr: 'clés' }, await keyFindings(db, keyring)),
          lookedAt(ofAddress, [
            ...(await addressFindings(public_url, accounts)),
            ...(await dashboardFindings(dashboard_url)),
          ]),
        ]
        // One after the other: none takes the time that another is judged by.
        for (const account of accounts.filter(isOurs)) {
          const findings = await accountFindings(deps, account)
          looked.push(lookedAtAccount(account, findings))
        }
        const failed = looked.some((one) => one.failed)
        const language = run.language()
        const checks = looked.map((one) => viewLooked(one, language))
        const lines = looked.flatMap(({ of, findings }) => [
          of[language],
          ...linesOf(findings, language).map(indented),
        ])
        return { json: { failed, checks }, lines, failed }
      }),
    )
}

const ofClock: Text = { en: 'clock', fr: 'horloge' }
const ofAddress: Text = { en: 'our address', fr: 'notre adresse' }

/** `of` is the same in each language, as `what` of a finding is. */
const viewLooked = ({ of, failed, findings }: Looked, language: Locale) => ({
  ...{ of: of.en, title: of[language], failed },
  findings: findings.map((one) => viewFinding(one, language)),
})

const indented = (line: string): string => `  ${line}`

const lookedAt = (of: Text, findings: readonly Finding[]): Looked => ({
  ...{ of, findings },
  failed: findings.some(({ is }) => is === 'FAIL'),
})

/** Nothing is sent to one that is off: what is wrong with it keeps nothing from working. */
const lookedAtAccount = ({ code, is_active }: FoundGateway, findings: readonly Finding[]): Looked =>
  lookedAt(named(code), is_active ? findings : findings.map(warned))

const warned = (one: Finding): Finding =>
  one.is === 'FAIL'
    ? warn(
        one.what,
        {
          en: `${one.found.en} (the account is off)`,
          fr: `${one.found.fr} (le compte est désactivé)`,
        },
        one.fix,
      )
    : one

/** The sandbox's own and its imitations are ours to keep up, and no account of anybody. */
const isOurs = ({ adapter, dialect }: FoundGateway): boolean =>
  dialect == null && findAdapter(adapter) !== undefined

async function databaseFindings(db: Db): Promise<Finding[]> {
  const missing = await missingMigrations(await listMigrations(db))
  const isWorking = await workerIsAlive(db)
  return [
    missing.length === 0
      ? pass(named('migrations'), { en: 'all are applied', fr: 'toutes appliquées' })
      : fail(named('migrations'), unapplied(missing.length), named('npm run cli -- migrate')),
    isWorking
      ? pass(ofWorker, { en: 'one is running', fr: 'il y en a un en marche' })
      : warn(
          ofWorker,
          { en: 'none is running', fr: 'aucun n’est en marche' },
          {
            en: 'Start the service: `npm start`, or with ROLE=worker.',
            fr: 'Démarrez le service : `npm start`, ou avec ROLE=worker.',
          },
        ),
  ]
}

const ofWorker: Text = { en: 'worker', fr: 'processus de travail' }

const unapplied = (count: number): Text => ({
  en: `${count} are not applied`,
  fr: `${count} non appliquées`,
})

/** Milliseconds. Far beyond it a process refuses to start. */
const differs_warn_ms = 5_000

function clockFindings(ahead_ms: number): Finding[] {
  const apart_ms = Math.abs(ahead_ms)
  const apart_s = Math.round(apart_ms / 1000)
  const found = {
    en: `${apart_s} s from the database’s`,
    fr: `${apart_s} s d’écart avec celle de la base de données`,
  }
  const fix = {
    en: 'Set this machine’s clock, and the database’s, by NTP.',
    fr: 'Réglez l’horloge de cette machine et celle de la base de données par NTP.',
  }
  if (apart_ms > differs_max_ms) return [fail(ofClock, found, fix)]
  return [apart_ms > differs_warn_ms ? warn(ofClock, found, fix) : pass(ofClock, found)]
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
  const all = rows.length
  if (closed.length === 0) {
    const opens = {
      en: `opens ${all} keys of the database`,
      fr: `ouvre les ${all} clés de la base de données`,
    }
    return [pass(named('SECRET_KEY'), opens)]
  }
  const found = {
    en: `does not open ${closed.length} of ${all} keys of the database`,
    fr: `n’ouvre pas ${closed.length} des ${all} clés de la base de données`,
  }
  return [
    fail(named('SECRET_KEY'), found, {
      en: 'Set it to the service’s value; add the old key: new,old.',
      fr: 'Donnez-lui la valeur du service ; ajoutez l’ancienne clé : nouvelle,ancienne.',
    }),
  ]
}

async function addressFindings(
  public_url: string,
  accounts: readonly FoundGateway[],
): Promise<Finding[]> {
  const isLive = accounts.some(({ environment }) => environment === 'LIVE')
  const environment = isLive ? 'LIVE' : 'SANDBOX'
  const ours = addressFinding(public_url, { code: '{gateway}', environment })
  const way = { code: '', base_url: public_url, tls: {}, now_ms: Date.now() }
  const fix = {
    en: 'Compare PUBLIC_URL with its name and its certificate: operators call it.',
    fr: 'Vérifiez PUBLIC_URL, son nom et son certificat : les opérateurs l’appellent.',
  }
  const reached = await connectionFindings(way)
  const certificate = await callbackCertificateFindings({ public_url, now_ms: way.now_ms })
  return [
    ours,
    ...reached.map((one) => (one.is === 'PASS' ? one : { ...one, fix })),
    ...certificate,
  ]
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
    const command = named(`npm run cli -- gateway check ${account.code}`)
    return [warn({ en: 'check', fr: 'vérification' }, error.row.message, command)]
  }
}
