// `gateway verify` and `gateway steps`: what was seen of an account becomes a line of the honesty
// table; and how far it is on its way from sandbox to live, step by step.

import { type Command, Option } from 'commander'
import { listRefusals } from '../../attempts/seen-statements.ts'
import { type FoundGateway, hasPassedCheck, listSecrets } from '../../gateways/account-store.ts'
import type { Ability, AdapterModule, TestNumber } from '../../gateways/adapter.ts'
import { named } from '../../gateways/findings.ts'
import { findStaffGateway, listStaffRoutes } from '../../gateways/store.ts'
import { seen_days } from '../../gateways/verified.ts'
import type { Db } from '../../platform/db.ts'
import type { Locale, Text } from '../../platform/errors.ts'
import { onOff } from './command-texts.ts'
import type { WithAccount } from './gateway-hours.ts'
import type { CliOutput } from './session.ts'
import { noEvidence, sightingsOf, writeVerified } from './verify-gateway.ts'

export type ModuleOf = (adapter: string) => AdapterModule

/** A step, and whether it is done; `PEOPLE`: nothing here knows. */
type Step = Readonly<{
  /** In English it is a name that programs know it by. */
  step: Text
  is: 'DONE' | 'TO_DO' | 'PEOPLE'
  found: Text
  numbers?: readonly TestNumber[]
}>

type VerifyOptions = Readonly<{ as: 'sandbox' | 'live'; by: string; folder: string }>

type Commands = Readonly<{
  withAccount: WithAccount
  moduleOf: ModuleOf
  language: () => Locale
}>

export function addStepCommands(
  gateway: Command,
  { withAccount, moduleOf, language }: Commands,
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
        const lines = steps.flatMap(({ step, is, found, numbers = [] }) => [
          stepLine(marks[is], step, found),
          ...linesOf(numbers),
        ])
        return { json: { code, steps: steps.map((one) => viewStep(one, language())) }, lines }
      }),
    )
}

const marks = { DONE: '[x]', TO_DO: '[ ]', PEOPLE: '[?]' } as const

const stepLine = (mark: string, what: Text, found: Text): Text => ({
  en: `${mark} ${what.en}: ${found.en}`,
  fr: `${mark} ${what.fr} : ${found.fr}`,
})

const viewStep = ({ step: what, found, ...rest }: Step, language: Locale) => ({
  ...{ step: what.en, title: what[language], found: found[language] },
  ...rest,
})

async function verified(
  db: Db,
  account: FoundGateway,
  { as, by, folder, moduleOf }: VerifyOptions & Readonly<{ moduleOf: ModuleOf }>,
): Promise<CliOutput> {
  const { code, environment } = account
  const module = moduleOf(account.adapter)
  if (environment !== as.toUpperCase()) throw new Error(`${code} is of ${environment}, not ${as}.`)
  const why = noEvidence(module, account)
  if (why !== undefined) throw new Error(why.en)
  const sightings = await sightingsOf(db, account)
  const added = writeVerified({ account, operator: module.name, by, folder, sightings })
  const lines =
    added.length === 0
      ? [nothingNew(code)]
      : [seenLine(module.name, as, added.join(', ')), generate]
  return { json: { code, added }, lines, failed: added.length === 0 }
}

const nothingNew = (code: string): Text => ({
  en: `Nothing new was seen of ${code} within ${seen_days} days.`,
  fr: `Rien de nouveau n’a été vu de ${code} depuis ${seen_days} jours.`,
})

const seenLine = (operator: string, as: string, abilities: string): Text => ({
  en: `${operator}, ${as}: ${abilities}.`,
  fr: `${operator}, ${as} : ${abilities}.`,
})

const generate: Text = { en: 'Next: npm run generate', fr: 'Ensuite : npm run generate' }

/** In their order; of a sandbox account those that are about it. */
async function stepsOf(db: Db, account: FoundGateway, module: AdapterModule): Promise<Step[]> {
  const routes = await listStaffRoutes(db, {
    ...{ environment: account.environment, gateway: account.code },
  })
  const on = routes.filter(({ is_active }) => is_active)
  const found = {
    en: `${on.length} of ${routes.length} on`,
    fr: `${on.length} sur ${routes.length} en service`,
  }
  const route = step(routeStep[account.environment], on.length > 0, found)
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
    step({ en: 'Account on', fr: 'Compte activé' }, is_active, onOff(is_active)),
    route,
    numbersStep(account, module, networks),
    ...seen,
  ]
}

const routeStep = {
  SANDBOX: { en: 'A route on, tried last', fr: 'Une route en service, essayée en dernier' },
  LIVE: {
    en: 'A route on, by two, tried last',
    fr: 'Une route en service, activée à deux, essayée en dernier',
  },
} as const satisfies Record<string, Text>

/** Those of the account's country and of its routes' networks. */
function numbersStep(
  { country }: FoundGateway,
  { name, tests }: AdapterModule,
  networks: readonly string[],
): Step {
  const what = {
    en: 'The operator’s own test numbers',
    fr: 'Les numéros de test de l’opérateur',
  }
  const ofCountry = `_${country.toLowerCase()}`
  const numbers = tests.numbers.filter(
    ({ network }) =>
      network === 'card' || network.endsWith(ofCountry) || networks.includes(network),
  )
  const { about } = tests
  const each = { en: `seen one by one; ${about.en}`, fr: `à voir un par un ; ${about.fr}` }
  if (numbers.length > 0) return { ...people(what, each), numbers }
  return people(what, tests.numbers.length > 0 ? noneOf(name, country, about) : about)
}

const noneOf = (operator: string, country: string, about: Text): Text => ({
  en: `${operator} publishes none of ${country}; ${about.en}`,
  fr: `${operator} n’en publie aucun pour ${country} ; ${about.fr}`,
})

/** A line for each network and direction, with what each number does. */
function linesOf(numbers: readonly TestNumber[]): string[] {
  return numbers.flatMap(({ network, direction, number, then }, at) => {
    const before = numbers[at - 1]
    const isFirst = before?.network !== network || before.direction !== direction
    return [...(isFirst ? [`      ${network} ${direction}`] : []), `        ${number}  ${then}`]
  })
}

const step = (what: Text, isDone: boolean, found: Text): Step => ({
  ...{ step: what, is: isDone ? 'DONE' : 'TO_DO' },
  found,
})

const people = (what: Text, found: Text): Step => ({ step: what, is: 'PEOPLE', found })

/** Secrets that nobody has promoted are checked before they are. */
async function checkStep(db: Db, account: FoundGateway): Promise<Step> {
  const { id, code, secrets_version } = account
  const isPassed = await hasPassedCheck(db, id)
  const next = secrets_version === null ? ' --next' : ''
  const command = `npm run cli -- gateway check ${code}${next}`
  const found = isPassed ? passed : runText(command)
  return step({ en: 'Check of the account', fr: 'Vérification du compte' }, isPassed, found)
}

const passed: Text = { en: 'passed within 24 hours', fr: 'réussie depuis moins de 24 heures' }

const runText = (command: string): Text => ({ en: `run: ${command}`, fr: `lancez : ${command}` })

async function setUpSteps(db: Db, account: FoundGateway): Promise<Step[]> {
  const { id, is_active, secrets_version } = account
  const waits = (await listSecrets(db, id)).some(({ state }) => state === 'NEXT')
  const isPromoted = secrets_version !== null
  const found = isPromoted ? inUse : byTwo
  const waiting = { en: `${found.en}; new ones wait`, fr: `${found.fr} ; de nouveaux attendent` }
  const promoted = step(secretsStep, isPromoted, waits ? waiting : found)
  const checked = await checkStep(db, account)
  return [
    // What waits is checked before it is promoted.
    ...(isPromoted ? [promoted, checked] : [checked, promoted]),
    step({ en: 'Account on, by two', fr: 'Compte activé, à deux' }, is_active, onOff(is_active)),
  ]
}

const secretsStep: Text = { en: 'Secrets of LIVE', fr: 'Secrets du mode réel' }
const inUse: Text = { en: 'promoted', fr: 'en service' }
const byTwo: Text = {
  en: 'two of the staff promote them',
  fr: 'deux membres de l’équipe les mettent en service',
}

/** What this operator does for us, and its callbacks. */
async function seenSteps(db: Db, account: FoundGateway, module: AdapterModule): Promise<Step[]> {
  const why = noEvidence(module, account)
  const sightings = await sightingsOf(db, account)
  const seenOf = (what: Text, ...abilities: readonly string[]): Step => {
    const [sighting] = abilities.flatMap((ability) => sightings(ability) ?? [])
    if (sighting === undefined) return step(what, false, { en: 'not seen', fr: 'pas vu' })
    return step(what, why === undefined, why ?? seenOn(sighting.on))
  }
  const refusals = await listRefusals(db, account.id, seen_days, account.moved_at)
  const codes = refusals.flatMap((one) => (one.direction === 'DISBURSE' ? one.failure_code : []))
  const refused = [...new Set(codes)].join(', ')
  const payouts = [
    seenOf({ en: 'One payout', fr: 'Un versement' }, 'pay out'),
    step(
      { en: 'One payout to nobody, refused', fr: 'Un versement à personne, refusé' },
      refused !== '' && why === undefined,
      refused === '' ? { en: 'no refusal', fr: 'aucun refus' } : (why ?? named(refused)),
    ),
  ]
  const does = (ability: Ability, ...steps: readonly Step[]) =>
    module.does.includes(ability) ? steps : []
  return [
    ...does('COLLECT', seenOf({ en: 'One collection', fr: 'Un encaissement' }, 'collect')),
    seenOf(
      { en: 'Its callback', fr: 'Sa notification' },
      ...['signed', 'a token, unsigned', 'unsigned'].map(callbacksOf),
    ),
    ...does('DISBURSE', ...payouts),
    ...does('REFUND', seenOf({ en: 'One refund', fr: 'Un remboursement' }, 'refund')),
    ...does('REVERSAL', seenOf(takenBack, 'reversal of payouts')),
    ...does('BALANCE', seenOf({ en: 'Its balance', fr: 'Son solde' }, 'balance')),
  ]
}

const takenBack: Text = { en: 'One payout taken back', fr: 'Un versement repris' }

function seenOn(moment: Date): Text {
  const day = moment.toISOString().slice(0, 10)
  const on = { en: day, fr: day.split('-').reverse().join('/') }
  return { en: `seen ${on.en}`, fr: `vu le ${on.fr}` }
}

const callbacksOf = (grade: string): string => `callbacks (${grade})`

async function trafficSteps(db: Db, account: FoundGateway): Promise<Step[]> {
  const { id, code, environment } = account
  const found = await findStaffGateway(db, { id, environment })
  const limits = [found?.exposure_limit_collect, found?.exposure_limit_disburse]
  const isLimited = limits.every((limit) => limit != null)
  const verify = runText(`npm run cli -- gateway verify ${code} --as live --by …`)
  return [
    people(ofFile, { en: 'statements are read by people', fr: 'les relevés sont lus à la main' }),
    people({ en: 'The honesty table', fr: 'Le tableau de ce qui a été prouvé' }, verify),
    step(ofLittle, isLimited, isLimited ? limited : unlimited),
    people({ en: 'Traffic', fr: 'Le trafic' }, ofTraffic),
  ]
}

const ofFile: Text = {
  en: 'The operator’s file of that day compared',
  fr: 'Le fichier de l’opérateur pour ce jour, comparé',
}

const ofLittle: Text = {
  en: 'Little at once, for 72 hours',
  fr: 'Peu à la fois, pendant 72 heures',
}

const limited: Text = { en: 'limits are set', fr: 'les limites sont posées' }
const unlimited: Text = { en: 'no limit', fr: 'aucune limite' }

const ofTraffic: Text = {
  en: 'the route’s priority is raised by people',
  fr: 'la priorité de la route est relevée à la main',
}
