// `gateway show` and `gateway routes`: an account with all that is known of it but its secrets, and
// the routes that use it. A route of LIVE is added switched off: to let money through is for staff.

import { type Command, InvalidArgumentError } from 'commander'
import { systemActor } from '../../audit/audit.ts'
import type { FoundGateway } from '../../gateways/account-store.ts'
import { viewSecret } from '../../gateways/account-view.ts'
import { secretsOf } from '../../gateways/accounts.ts'
import { addRoute } from '../../gateways/add-route.ts'
import { type BalanceRow, listBalances } from '../../gateways/balance-store.ts'
import { viewBalance } from '../../gateways/balance-view.ts'
import { named, onOff } from '../../gateways/findings.ts'
import type { Direction } from '../../gateways/gateway.ts'
import { viewGateway, viewRoute } from '../../gateways/staff-view.ts'
import { findStaffGateway, listStaffRoutes, type StaffRoute } from '../../gateways/store.ts'
import { viewVerified } from '../../gateways/verified.ts'
import { purposesText } from '../../gateways/wallet.ts'
import { type Db, inTransaction } from '../../platform/db.ts'
import { assert, type Text } from '../../platform/errors.ts'
import { integerUpTo, wordFrom } from './arguments.ts'
import { columnsOf, namedLine, settingLine } from './command-texts.ts'
import type { WithAccount } from './gateway-hours.ts'
import type { CliOutput } from './session.ts'

type RouteOptions = Readonly<{
  network?: string
  direction?: Direction
  priority?: number
  cost?: string
  fixed?: string
  flow?: 'push' | 'redirect'
  otpKind?: 'NONE' | 'PRE' | 'POST'
  promptLifetime?: number
}>

export function addShowCommands(gateway: Command, withAccount: WithAccount): void {
  gateway
    .command('show <code>')
    .description(
      'show an account: settings, versions of secrets, limits, balances, routes, what was proven',
    )
    .action((code: string) => withAccount(code, ({ db, account }) => shown(db, account)))
  gateway
    .command('routes <code>')
    .description('list the routes of an account, or add one (LIVE: switched off)')
    .option('--network <code>', 'network code, such as mtn_bj')
    .option('--direction <direction>', 'COLLECT or DISBURSE', wordFrom(['COLLECT', 'DISBURSE']))
    .option('--priority <number>', 'the lowest is tried first', integerUpTo(1000))
    .option('--cost <percent>', 'what its operator takes, such as 1.5%', percentFrom)
    .option('--fixed <amount>', 'what it takes of each payment beside that')
    .option(
      '--flow <flow>',
      'how payers confirm, where not as on the network: push or redirect',
      wordFrom(['push', 'redirect']),
    )
    .option(
      '--otp-kind <kind>',
      'their code, where not as on the network: NONE, PRE or POST',
      wordFrom(['NONE', 'PRE', 'POST']),
    )
    .option(
      '--prompt-lifetime <seconds>',
      'for how long they are waited for, where not as usual',
      integerUpTo(86_400),
    )
    .action((code: string, options: RouteOptions) =>
      withAccount(code, ({ db, account }) =>
        Object.keys(options).length === 0 ? listed(db, account) : added(db, account, options),
      ),
    )
}

function percentFrom(text: string): string {
  const [, percent] = /^(\d{1,3}(?:\.\d{1,4})?)\s*%$/.exec(text) ?? []
  if (percent === undefined) throw new InvalidArgumentError('Write a percentage, such as 1.5%.')
  return percent
}

const routesOf = (db: Db, { code, environment }: FoundGateway): Promise<StaffRoute[]> =>
  listStaffRoutes(db, { environment, gateway: code })

async function listed(db: Db, account: FoundGateway): Promise<CliOutput> {
  const routes = await routesOf(db, account)
  const lines = routes.length === 0 ? [noRouteLine(account.code)] : routes.map(lineOf)
  return { json: { code: account.code, routes: routes.map(viewRoute) }, lines }
}

const noRouteLine = (code: string): Text => ({
  en: `${code} has no route.`,
  fr: `${code} n’a aucune route.`,
})

function lineOf(route: StaffRoute): Text {
  const { network_code, direction, priority, is_active, cost } = viewRoute(route)
  const rank = { en: `priority ${priority}`, fr: `priorité ${priority}` }
  const price = `${cost.percent}% + ${cost.fixed}`
  return columnsOf([network_code, direction, rank, price, ...ownWayOf(route), onOff(is_active)])
}

/** What is not as on its network and as usual at its operator. */
function ownWayOf({ flow, otp_kind, prompt_lifetime_s: life_s }: StaffRoute): Text[] {
  return [
    ...(flow === null ? [] : [{ en: `flow ${flow}`, fr: `parcours ${flow}` }]),
    ...(otp_kind === null ? [] : [{ en: `code ${otp_kind}`, fr: `code demandé ${otp_kind}` }]),
    ...(life_s === null ? [] : [{ en: `waits ${life_s} s`, fr: `attend ${life_s} s` }]),
  ]
}

async function added(
  db: Db,
  { code, environment }: FoundGateway,
  { network, direction, priority, cost, fixed, ...own }: RouteOptions,
): Promise<CliOutput> {
  if (network === undefined || direction === undefined || priority === undefined) {
    throw new Error('Name the network, the direction and the priority of the route.')
  }
  if (cost === undefined) throw new Error('Name what its operator takes: --cost 1.5%, or 0%.')
  const by = { environment, actor: systemActor }
  const request = { network, gateway: code, direction, priority }
  const price = { cost: { percent: cost, ...(fixed === undefined ? {} : { fixed }) } }
  const way = {
    ...(own.flow === undefined ? {} : { flow: own.flow }),
    ...(own.otpKind === undefined ? {} : { otp_kind: own.otpKind }),
    ...(own.promptLifetime === undefined ? {} : { prompt_lifetime_s: own.promptLifetime }),
  }
  const isLive = environment === 'LIVE'
  const { route } = await inTransaction(db, (tx) =>
    addRoute(tx, by, { ...request, ...price, ...way, is_active: !isLive }),
  )
  const shown = lineOf(route)
  const line = { en: `Added: ${shown.en}.`, fr: `Ajoutée : ${shown.fr}.` }
  return { json: viewRoute(route), lines: isLive ? [line, offByCommand] : [line] }
}

const offByCommand: Text = {
  en: 'It is off: staff switch it on, in the API.',
  fr: 'Elle est désactivée : l’équipe l’active, par l’API.',
}

async function shown(db: Db, account: FoundGateway): Promise<CliOutput> {
  const { id, environment, country, settings, adapter } = account
  const gateway = await findStaffGateway(db, { id, environment })
  assert(gateway !== undefined, `gateway ${id} is there`)
  const secrets = (await secretsOf({ db }, account)).map(viewSecret)
  const routes = await routesOf(db, account)
  const balances = (await listBalances(db, environment)).filter(
    ({ gateway_code }) => gateway_code === account.code,
  )
  const view = viewGateway(gateway)
  const lists = { balances: balances.map(viewBalance), routes: routes.map(viewRoute) }
  const json = { ...view, country, settings, secrets, ...lists }
  const lines = [
    columnsOf([view.code, view.environment, onOff(view.is_active), adapter, view.name]),
    namedLine({ en: 'country', fr: 'pays' }, country),
    ...Object.entries(settings).map(([key, value]) => settingLine(key, value)),
    ...secrets.map((one) => `secrets ${one.version}: ${one.state} ${one.fingerprint}`),
    checkedLine(view.checked_at),
    limitsLine(ofAll, [view.exposure_limit_collect, view.exposure_limit_disburse]),
    limitsLine(ofOne, [view.payment_limit_collect, view.payment_limit_disburse]),
    ...balances.map(balanceLine),
    ...routes.map((one) => columnsOf(['route', lineOf(one)])),
    ...viewVerified(adapter).map(provenLine),
  ]
  return { json, lines }
}

const none: Text = { en: 'none', fr: 'aucune' }
const orNone = (value: string | null): Text => (value === null ? none : named(value))

function checkedLine(checked_at: string | null): Text {
  const last = orNone(checked_at)
  return { en: `check that passed: ${last.en}`, fr: `vérification réussie : ${last.fr}` }
}

const ofAll: Text = { en: 'all', fr: 'l’ensemble' }
const ofOne: Text = { en: 'one payment', fr: 'une opération' }

type Limits = readonly [into: string | null, out: string | null]

function limitsLine(of: Text, limits: Limits): Text {
  const [into, out] = [orNone(limits[0]), orNone(limits[1])]
  return {
    en: `limits of ${of.en}, in XOF: ${into.en} in, ${out.en} out`,
    fr: `limites pour ${of.fr}, en XOF : ${into.fr} en entrée, ${out.fr} en sortie`,
  }
}

/** As it was last read, with what the wallet is used for. */
function balanceLine(row: BalanceRow): Text {
  const { wallet, currency, amount, country, read_at } = viewBalance(row)
  const use = purposesText(row.purposes)
  const where = country === null ? '' : `, ${country}`
  return {
    en: `balance ${wallet}: ${amount} ${currency}, ${use.en}${where}, read ${read_at}`,
    fr: `solde ${wallet} : ${amount} ${currency}, ${use.fr}${where}, lu le ${read_at}`,
  }
}

/** What nobody has seen is "not yet", as in the table that people read. */
function provenLine(line: ReturnType<typeof viewVerified>[number]): Text {
  const client = line.client_proof === null ? '–' : line.client_proof.client
  const [sandbox, live] = [seenText(line.sandbox), seenText(line.live)]
  const imitated = line.imitated ?? '–'
  return {
    en:
      `${line.ability}: imitated ${imitated}, by another’s client ${client}, ` +
      `sandbox ${sandbox.en}, live ${live.en}`,
    fr:
      `${line.ability} : imité ${imitated}, par le client d’un autre ${client}, ` +
      `bac à sable ${sandbox.fr}, mode réel ${live.fr}`,
  }
}

function seenText(one: ReturnType<typeof viewVerified>[number]['live']): Text {
  if (one === null) return { en: 'not yet', fr: 'pas encore' }
  const seen = `${one.on}, ${one.by}`
  return one.is_stale ? { en: `${seen} (stale)`, fr: `${seen} (périmé)` } : named(seen)
}
