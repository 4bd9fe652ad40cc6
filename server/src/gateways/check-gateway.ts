// `gateway check`: what is common to every operator (settings, secrets, addresses, how the account
// has fared), then what the operator's own adapter looks at. It reads only, and spends nothing.
// Law: of one account one check runs at a time, over all processes; no transaction is open
// meanwhile, and its time is bounded.

import { randomUUID } from 'node:crypto'
import type { Actor } from '../audit/audit.ts'
import { assertNoTransaction } from '../platform/db.ts'
import { refuse, type Text } from '../platform/errors.ts'
import { giveUpLease, takeLease } from '../platform/jobs/leases.ts'
import { egressOf } from './account-egress.ts'
import { paceFinding } from './account-paces.ts'
import { faultsIn, settingFaults, specsFor } from './account-settings.ts'
import type { FoundGateway } from './account-store.ts'
import { accountClients, tlsFaults, tlsOf } from './account-tls.ts'
import {
  type AccountDeps,
  accountErrors,
  checkErrors,
  keepCheck,
  openedAccount,
  secretsOf,
  withNextSecrets,
} from './accounts.ts'
import type { Account } from './adapter.ts'
import { findAdapter } from './adapters.ts'
import { senderFinding } from './callback-senders.ts'
import { addressFinding, connectionFindings, egressFinding } from './check-connection.ts'
import { isProxyFault, proxyEgressFinding } from './check-proxy.ts'
import { listCheckedRoutes } from './checked-route-statements.ts'
import { daysText, fail, named, pass, rotateCommand, warn } from './findings.ts'
import { checks, type Finding } from './gateway.ts'
import { hoursFindings } from './hours-findings.ts'
import { maskedOutbound } from './masked-answers.ts'
import { memoryTokens } from './tokens.ts'

const old_days = 365
const day_ms = 86_400_000

const mend: Text = {
  en: 'Set it again, as the portal shows it.',
  fr: 'Saisissez-le à nouveau, tel que le portail l’affiche.',
}

const ofSecrets = named('secrets')
const ofSettings: Text = { en: 'settings', fr: 'réglages' }

const unopened = fail(
  ofSecrets,
  { en: 'they do not open', fr: 'ils ne s’ouvrent pas' },
  {
    en: 'Set SECRET_KEY to the service’s value; if the key is lost, set the secrets again.',
    fr:
      'Donnez à SECRET_KEY la valeur du service ; si la clé est perdue, saisissez à nouveau les ' +
      'secrets.',
  },
)

export type CheckDeps = AccountDeps &
  Readonly<{
    /** Where operators call us. */
    public_url: string
    /** Where our calls leave from, as it is configured; none: that is not known. */
    egress?: readonly string[]
    /** What else is looked at: how the account has fared, and whether callbacks reach us. */
    others?: (row: FoundGateway) => Promise<readonly Finding[]>
    /** Milliseconds since 1970. */
    clock?: () => number
    /** How long whoever asked waits for a check to end, in milliseconds. */
    patience_ms?: number
  }>

export type CheckRequest = Readonly<{
  account: FoundGateway
  /** Which are looked at: those that count, or those that wait to be promoted. */
  secrets: 'CURRENT' | 'NEXT'
  /** Absent: the command line, whose checks are no line of the audit log. */
  by?: Actor
}>

/** Longer than the sum of all that an adapter asks. Seconds. */
const turn_s = 180
/** Less than what stands between a browser and us waits. */
const patience_default_ms = 30_000

/**
 * Checks an account and keeps what was found, which is what switching on is judged by. One that
 * takes too long has failed; until it has really ended, no other of this account begins.
 */
export async function checkAccount(
  deps: CheckDeps,
  { account, secrets, by }: CheckRequest,
): Promise<readonly Finding[]> {
  const { db, patience_ms = patience_default_ms } = deps
  const next = secrets === 'NEXT' ? await openNext(deps, account) : undefined
  if (next !== undefined && 'what' in next) return [next]
  const lease = { name: `gateway-check ${account.id}`, owner: randomUUID() }
  const turn = await takeLease(db, lease.name, turn_s, lease.owner)
  if (turn === undefined) throw refuse(checkErrors.gateway_check_running, { retry_after_s: 10 })
  const giveUp = () => giveUpLease(db, { ...lease, ...turn })
  const work = checkGateway(deps, account, next).finally(giveUp)
  const findings = await inTime(work, patience_ms)
  await keepCheck(deps, account, { findings, next, ...(by === undefined ? {} : { by }) })
  return findings
}

async function openNext(deps: CheckDeps, account: FoundGateway): Promise<Account | Finding> {
  let next: Account | undefined
  try {
    next = await withNextSecrets(deps, account)
  } catch {
    return unopened
  }
  if (next === undefined) throw refuse(accountErrors.no_new_secrets)
  return next
}

/** What was found by then; what comes later is not waited for. */
async function inTime(
  work: Promise<readonly Finding[]>,
  patience_ms: number,
): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), patience_ms)
  })
  try {
    const first = await Promise.race([work, late])
    if (first !== 'late') return first
  } finally {
    clearTimeout(timer)
  }
  work.catch(() => undefined)
  return [lateFinding(Math.ceil(patience_ms / 1000))]
}

const lateFinding = (patience_s: number): Finding =>
  fail(
    { en: 'time', fr: 'durée' },
    {
      en: `not done within ${patience_s} s`,
      fr: `pas terminée en ${patience_s} s`,
    },
    {
      en: 'The operator answers slowly or not at all: ask it, then try again.',
      fr: 'L’opérateur répond lentement ou pas du tout : interrogez-le, puis réessayez.',
    },
  )

/** `next`: the account with secrets that wait to be promoted. */
export async function checkGateway(
  deps: CheckDeps,
  row: FoundGateway,
  next?: Account,
): Promise<readonly Finding[]> {
  const { clock = Date.now } = deps
  const module = findAdapter(row.adapter)
  if (module === undefined) return [unsetFinding(row.adapter)]
  const opening = next ?? (await opened(deps, row))
  if ('what' in opening) return [opening]
  const { settings, secrets, environment } = opening
  const faults = [
    ...settingFaults(module, environment, settings),
    ...faultsIn(specsFor(module, environment, true), secrets, environment),
  ]
  // What has not the right form is no proxy to go by.
  const proxy = faults.length > 0 ? undefined : egressOf(opening)
  const before = [
    ...(faults.length === 0
      ? [pass(ofSettings, { en: 'complete', fr: 'complets' })]
      : faults.map(({ text }) => fail(ofSettings, text, mend))),
    ...(await ageFindings(deps, row)),
    await paceFinding(deps.db, row, module),
    ...(await hoursFindings(deps.db, row, clock())),
    addressFinding(deps.public_url, row),
    senderFinding(module, settings),
    proxy === undefined
      ? egressFinding(deps.egress ?? [], row)
      : await proxyEgressFinding(proxy, row),
    ...((await deps.others?.(row)) ?? []),
  ]
  if (faults.length > 0) return before
  const way = { code: row.code, base_url: settings['base_url'] ?? '', now_ms: clock() }
  const connection = await connectionFindings({ ...way, tls: tlsOf(opening) ?? {}, proxy })
  // Through a proxy that lets nothing through no question comes: its remedy would mislead.
  const isCut = tlsFaults(secrets, clock()).length > 0 || connection.some(isProxyFault)
  if (isCut) return [...before, ...connection]
  const clients = accountClients(assertNoTransaction)
  try {
    const gateway = module.open(opening, {
      outbound: maskedOutbound(clients.of(opening), opening),
      ...{ clock, note: () => undefined },
      tokens: (obtain) => memoryTokens(obtain, clock),
    })
    const routes = await listCheckedRoutes(deps.db, row.id)
    const theirs = checks(gateway) ? await gateway.check(deps.public_url, routes) : []
    return [...before, ...connection, ...theirs]
  } finally {
    await clients.close()
  }
}

const unsetFinding = (adapter: string): Finding =>
  pass(
    { en: 'adapter', fr: 'adaptateur' },
    { en: `${adapter} needs no settings`, fr: `${adapter} n’a besoin d’aucun réglage` },
  )

async function opened(deps: AccountDeps, row: FoundGateway): Promise<Account | Finding> {
  try {
    return openedAccount(deps.keyring, row) ?? (await noneFinding(deps, row))
  } catch {
    return unopened
  }
}

async function noneFinding(deps: AccountDeps, row: FoundGateway): Promise<Finding> {
  const waiting = (await secretsOf(deps, row)).find(({ state }) => state === 'NEXT')
  if (waiting === undefined) {
    const found = { en: 'there are none', fr: 'il n’y en a pas' }
    return fail(ofSecrets, found, named(rotateCommand(row.code)))
  }
  const { fingerprint } = waiting
  const look = `npm run cli -- gateway check ${row.code} --next`
  return fail(
    ofSecrets,
    {
      en: `those that wait (${fingerprint}) were not promoted`,
      fr: `ceux qui attendent (${fingerprint}) n’ont pas été mis en service`,
    },
    {
      en: `${look}; then they are promoted, in LIVE by two of the staff.`,
      fr: `${look} ; ils sont ensuite mis en service, en mode réel par deux membres de l’équipe.`,
    },
  )
}

async function ageFindings(deps: AccountDeps, row: FoundGateway): Promise<Finding[]> {
  const all = await secretsOf(deps, row)
  const current = all.find(({ state }) => state === 'CURRENT')
  if (current === undefined) return []
  const { version, fingerprint, created_at } = current
  const age = Math.floor((Date.now() - created_at.getTime()) / day_ms)
  const days = daysText(age)
  const found = {
    en: `version ${version}, ${fingerprint}, ${days.en} old`,
    fr: `version ${version}, ${fingerprint}, en place depuis ${days.fr}`,
  }
  if (age <= old_days) return [pass(ofSecrets, found)]
  return [warn(ofSecrets, found, named(rotateCommand(row.code)))]
}
