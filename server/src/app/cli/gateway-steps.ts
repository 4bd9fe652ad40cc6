// `gateway verify` and `gateway steps`: what was seen of an account becomes a line of the honesty
// table; and how far it is on its way from sandbox to live, step by step.

import { type Command, Option } from 'commander'
import { listRefusals } from '../../attempts/seen-statements.ts'
import { type FoundGateway, hasPassedCheck, listSecrets } from '../../gateways/account-store.ts'
import type { Ability, AdapterModule, TestNumber } from '../../gateways/adapter.ts'
import { findStaffGateway, listStaffRoutes } from '../../gateways/store.ts'
import { seen_days } from '../../gateways/verified.ts'
import type { Db } from '../../platform/db.ts'
import type { WithAccount } from './gateway-hours.ts'
import type { CliOutput } from './session.ts'
import { noEvidence, sightingsOf, writeVerified } from './verify-gateway.ts'

export type ModuleOf = (adapter: string) => AdapterModule

/** A step, and whether it is done; `PEOPLE`: nothing here knows. */
type Step = Readonly<{
  step: string
  is: 'DONE' | 'TO_DO' | 'PEOPLE'
  found: string
  numbers?: readonly TestNumber[]
}>

type VerifyOptions = Readonly<{ as: 'sandbox' | 'live'; by: string; folder: string }>

export function addStepCommands(
  gateway: Command,
  withAccount: WithAccount,
  moduleOf: ModuleOf,
): void {
  gateway
    .command('verify <code>')
    .description('write what was seen of an account into the honesty table, with its evidence')
    .addOption(
      new Option('--as <where>', 'where').choices(['sandbox', 'live']).makeOptionMandatory(),
    )
    .requiredOption('--by <name>', 'who has seen it')
    .option('--folder <folder>', 'where verified.json is', 'docs/operators')
    .action((code: string, options: VerifyOptions) =>
      withAccount(code, ({ db, account }) => verified(db, account, { ...options, moduleOf })),
    )
  gateway
    .command('steps <code>')
    .description('show how far an account is on its way from sandbox to live')
    .action((code: string) =>
      withAccount(code, async ({ db, account }) => {
        const steps = await stepsOf(db, account, moduleOf(account.adapter))
        const marks = { DONE: '[x]', TO_DO: '[ ]', PEOPLE: '[?]' } as const
        const lines = steps.flatMap(({ step, is, found, numbers = [] }) => [
          `${marks[is]} ${step}: ${found}`,
          ...linesOf(numbers),
        ])
        return { json: { code, steps }, lines }
      }),
    )
}

async function verified(
  db: Db,
  account: FoundGateway,
  { as, by, folder, moduleOf }: VerifyOptions & Readonly<{ moduleOf: ModuleOf }>,
): Promise<CliOutput> {
  const { code, environment } = account
  const module = moduleOf(account.adapter)
  if (environment !== as.toUpperCase()) throw new Error(`${code} is of ${environment}, not ${as}.`)
  const why = noEvidence(module, account)
  if (why !== undefined) throw new Error(why)
  const sightings = await sightingsOf(db, account)
  const added = writeVerified({ account, operator: module.name, by, folder, sightings })
  const lines =
    added.length === 0
      ? [`Nothing new was seen of ${code} within ${seen_days} days.`]
      : [`${module.name}, ${as}: ${added.join(', ')}.`, 'Next: npm run generate']
  return { json: { code, added }, lines, failed: added.length === 0 }
}

/** In their order; of a sandbox account those that are about it. */
async function stepsOf(db: Db, account: FoundGateway, module: AdapterModule): Promise<Step[]> {
  const routes = await listStaffRoutes(db, {
    ...{ environment: account.environment, gateway: account.code },
  })
  const on = routes.filter(({ is_active }) => is_active)
  const by = account.environment === 'LIVE' ? ', by two' : ''
  const found = `${on.length} of ${routes.length} on`
  const route = step(`A route on${by}, tried last`, on.length > 0, found)
  const seen = await seenSteps(db, account, module)
  if (account.environment === 'LIVE') {
    return [
      ...(await setUpSteps(db, account)),
      route,
      ...seen,
      ...(await trafficSteps(db, account)),
    ]
  }
  const networks = routes.map(({ network_code }) => network_code)
  const { is_active } = account
  return [
    await checkStep(db, account),
    step('Account on', is_active, is_active ? 'on' : 'off'),
    route,
    numbersStep(account, module, networks),
    ...seen,
  ]
}

/** Those of the account's country and of its routes' networks. */
function numbersStep(
  { country }: FoundGateway,
  { name, tests }: AdapterModule,
  networks: readonly string[],
): Step {
  const what = 'The operator’s own test numbers'
  const ofCountry = `_${country.toLowerCase()}`
  const numbers = tests.numbers.filter(
    ({ network }) =>
      network === 'card' || network.endsWith(ofCountry) || networks.includes(network),
  )
  if (numbers.length > 0) return { ...people(what, `seen one by one; ${tests.about}`), numbers }
  const isSomewhere = tests.numbers.length > 0
  const why = isSomewhere ? `${name} publishes none of ${country}; ${tests.about}` : tests.about
  return people(what, why)
}

/** A line for each network and direction, with what each number does. */
function linesOf(numbers: readonly TestNumber[]): string[] {
  return numbers.flatMap(({ network, direction, number, then }, at) => {
    const before = numbers[at - 1]
    const isFirst = before?.network !== network || before.direction !== direction
    return [...(isFirst ? [`      ${network} ${direction}`] : []), `        ${number}  ${then}`]
  })
}

const step = (what: string, isDone: boolean, found: string): Step => ({
  ...{ step: what, is: isDone ? 'DONE' : 'TO_DO' },
  found,
})

const people = (what: string, found: string): Step => ({ step: what, is: 'PEOPLE', found })

/** Secrets that nobody has promoted are checked before they are. */
async function checkStep(db: Db, account: FoundGateway): Promise<Step> {
  const { id, code, secrets_version } = account
  const isPassed = await hasPassedCheck(db, id)
  const next = secrets_version === null ? ' --next' : ''
  const command = `npm run cli -- gateway check ${code}${next}`
  const found = isPassed ? 'passed within 24 hours' : `run: ${command}`
  return step('Check of the account', isPassed, found)
}

async function setUpSteps(db: Db, account: FoundGateway): Promise<Step[]> {
  const { id, is_active, secrets_version } = account
  const waits = (await listSecrets(db, id)).some(({ state }) => state === 'NEXT')
  const found = secrets_version === null ? 'two of the staff promote them' : 'promoted'
  const isPromoted = secrets_version !== null
  const promoted = step('Secrets of LIVE', isPromoted, waits ? `${found}; new ones wait` : found)
  const checked = await checkStep(db, account)
  return [
    // What waits is checked before it is promoted.
    ...(isPromoted ? [promoted, checked] : [checked, promoted]),
    step('Account on, by two', is_active, is_active ? 'on' : 'off'),
  ]
}

/** What this operator does for us, and its callbacks. */
async function seenSteps(db: Db, account: FoundGateway, module: AdapterModule): Promise<Step[]> {
  const why = noEvidence(module, account)
  const sightings = await sightingsOf(db, account)
  const seenOf = (what: string, ...abilities: readonly string[]): Step => {
    const [sighting] = abilities.flatMap((ability) => sightings(ability) ?? [])
    if (sighting === undefined) return step(what, false, 'not seen')
    const on = sighting.on.toISOString().slice(0, 10)
    return step(what, why === undefined, why === undefined ? `seen ${on}` : why)
  }
  const refusals = await listRefusals(db, account.id, seen_days, account.moved_at)
  const codes = refusals.flatMap((one) => (one.direction === 'DISBURSE' ? one.failure_code : []))
  const refused = [...new Set(codes)].join(', ')
  const payouts = [
    seenOf('One payout', 'pay out'),
    step(
      'One payout to nobody, refused',
      refused !== '' && why === undefined,
      refused !== '' && why !== undefined ? why : refused || 'no refusal',
    ),
  ]
  const does = (ability: Ability, ...steps: readonly Step[]) =>
    module.does.includes(ability) ? steps : []
  return [
    ...does('COLLECT', seenOf('One collection', 'collect')),
    seenOf('Its callback', ...['signed', 'a token, unsigned', 'unsigned'].map(callbacksOf)),
    ...does('DISBURSE', ...payouts),
    ...does('REFUND', seenOf('One refund', 'refund')),
    ...does('REVERSAL', seenOf('One payout taken back', 'reversal of payouts')),
    ...does('BALANCE', seenOf('Its balance', 'balance')),
  ]
}

const callbacksOf = (grade: string): string => `callbacks (${grade})`

async function trafficSteps(db: Db, account: FoundGateway): Promise<Step[]> {
  const { id, code, environment } = account
  const found = await findStaffGateway(db, { id, environment })
  const limits = [found?.exposure_limit_collect, found?.exposure_limit_disburse]
  const isLimited = limits.every((limit) => limit != null)
  const verify = `run: npm run cli -- gateway verify ${code} --as live --by …`
  return [
    people('The operator’s file of that day compared', 'statements are read by people'),
    people('The honesty table', verify),
    step('Little at once, for 72 hours', isLimited, isLimited ? 'limits are set' : 'no limit'),
    people('Traffic', 'the route’s priority is raised by people'),
  ]
}
