// `gateway verify` and `gateway steps`: what was seen of an account becomes a line of the honesty
// table; and how far it is on its way from sandbox to live, step by step.

import { type Command, Option } from 'commander'
import { listRefusals } from '../../attempts/seen-statements.ts'
import { type FoundGateway, hasPassedCheck, listSecrets } from '../../gateways/account-store.ts'
import type { AdapterModule } from '../../gateways/adapter.ts'
import { findStaffGateway, listStaffRoutes } from '../../gateways/store.ts'
import type { Db } from '../../platform/db.ts'
import type { WithAccount } from './gateway-hours.ts'
import type { CliOutput } from './session.ts'
import { noEvidence, seen_days, sightingsOf, writeVerified } from './verify-gateway.ts'

export type ModuleOf = (adapter: string) => AdapterModule

/** A step, and whether it is done; `PEOPLE`: nothing here knows. */
type Step = Readonly<{ step: string; is: 'DONE' | 'TO_DO' | 'PEOPLE'; found: string }>

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
        const lines = steps.map(({ step, is, found }) => `${marks[is]} ${step}: ${found}`)
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
  const seen = await seenSteps(db, account, module)
  return account.environment === 'SANDBOX'
    ? [await checkStep(db, account), ...seen]
    : [...(await setUpSteps(db, account)), ...seen, ...(await trafficSteps(db, account))]
}

const step = (what: string, isDone: boolean, found: string): Step => ({
  ...{ step: what, is: isDone ? 'DONE' : 'TO_DO' },
  found,
})

const people = (what: string, found: string): Step => ({ step: what, is: 'PEOPLE', found })

async function checkStep(db: Db, { id, code }: FoundGateway): Promise<Step> {
  const isPassed = await hasPassedCheck(db, id)
  const found = isPassed ? 'passed within 24 hours' : `npm run cli -- gateway check ${code}`
  return step('Check of the account', isPassed, found)
}

async function setUpSteps(db: Db, account: FoundGateway): Promise<Step[]> {
  const { id, is_active, secrets_version } = account
  const waits = (await listSecrets(db, id)).some(({ state }) => state === 'NEXT')
  const found = secrets_version === null ? 'two of the staff promote them' : 'promoted'
  return [
    step('Secrets of LIVE', secrets_version !== null, waits ? `${found}; new ones wait` : found),
    await checkStep(db, account),
    step('Account on, by two', is_active, is_active ? 'on' : 'off'),
  ]
}

async function seenSteps(db: Db, account: FoundGateway, module: AdapterModule): Promise<Step[]> {
  const why = noEvidence(module, account)
  const sightings = await sightingsOf(db, account)
  const seenOf = (what: string, ...abilities: readonly string[]): Step => {
    const [sighting] = abilities.flatMap((ability) => sightings(ability) ?? [])
    if (sighting === undefined) return step(what, false, 'not seen')
    const on = sighting.on.toISOString().slice(0, 10)
    return step(what, why === undefined, why === undefined ? `seen ${on}` : why)
  }
  const refusals = await listRefusals(db, account.id, seen_days)
  const codes = refusals.map(({ failure_code }) => failure_code)
  const nobody = refusals.some((one) => one.failure_code === 'RECIPIENT_NOT_FOUND')
  return [
    seenOf('One collection', 'collect'),
    seenOf('Its callback', ...['signed', 'a token, unsigned', 'unsigned'].map(callbacksOf)),
    seenOf('One payout, where it makes them', 'pay out'),
    step('One payout to nobody, refused', nobody, [...new Set(codes)].join(', ') || 'no refusal'),
    seenOf('One refund, where it makes them', 'refund'),
    seenOf('One payout taken back, where it does that', 'reversal of payouts'),
    seenOf('Its balance, where it tells it', 'balance'),
  ]
}

const callbacksOf = (grade: string): string => `callbacks (${grade})`

async function trafficSteps(db: Db, account: FoundGateway): Promise<Step[]> {
  const { id, code, environment } = account
  const found = await findStaffGateway(db, { id, environment })
  const routes = await listStaffRoutes(db, { environment, gateway: code })
  const on = routes.filter(({ is_active }) => is_active)
  const limits = [found?.exposure_limit_collect, found?.exposure_limit_disburse]
  const isLimited = limits.every((limit) => limit != null)
  return [
    people('The operator’s file of that day compared', 'statements are read by people'),
    people('The honesty table', `then: npm run cli -- gateway verify ${code} --as live --by …`),
    step('A route on', on.length > 0, `${on.length} of ${routes.length} on`),
    step('Little at once, for 72 hours', isLimited, isLimited ? 'limits are set' : 'no limit'),
  ]
}
