// How far an account is on its way from sandbox to live, step by step: done, not done, or known to
// people alone. Nothing is changed by it. Law: what was seen at an imitation does no step of the
// operator's.

import { readPhone } from '../../customers/phone.ts'
import { type FoundGateway, hasPassedCheck, listSecrets } from '../../gateways/account-store.ts'
import type { Ability, AdapterModule, TestNumber } from '../../gateways/adapter.ts'
import { named, onOff } from '../../gateways/findings.ts'
import { findStaffGateway, listStaffRoutes } from '../../gateways/store.ts'
import { seen_days } from '../../gateways/verified.ts'
import type { Db } from '../../platform/db.ts'
import type { Text } from '../../platform/errors.ts'
import { listRefusals, listTried, type Tried } from '../seen-statements.ts'
import { noEvidence, sightingsOf } from './sightings.ts'

/** One of the operator's own, and the last attempt with it; null: none, or none can be known. */
export type NumberStep = TestNumber & Readonly<{ tried: Tried | null }>

/** A step, and whether it is done; `PEOPLE`: nothing here knows. */
export type Step = Readonly<{
  /** In English it is a name that programs know it by. */
  step: Text
  is: 'DONE' | 'TO_DO' | 'PEOPLE'
  found: Text
  numbers?: readonly NumberStep[]
}>

/** In their order; of a sandbox account those that are about it. */
export async function listSteps(
  db: Db,
  account: FoundGateway,
  module: AdapterModule,
): Promise<Step[]> {
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
    await numbersStep(db, account, module, networks),
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
async function numbersStep(
  db: Db,
  account: FoundGateway,
  module: AdapterModule,
  networks: readonly string[],
): Promise<Step> {
  const { country } = account
  const { name, tests } = module
  const ofCountry = `_${country.toLowerCase()}`
  const numbers = tests.numbers.filter(
    ({ network }) => network === card || network.endsWith(ofCountry) || networks.includes(network),
  )
  const { about } = tests
  if (numbers.length === 0) {
    return people(numbersOf, tests.numbers.length > 0 ? noneOf(name, country, about) : about)
  }
  const tried = await withTries(db, account, numbers)
  // A card is typed on the operator's page, and comes to us nowhere.
  if (numbers.some(({ network }) => network === card)) {
    return { ...people(numbersOf, oneByOne(about)), numbers: tried }
  }
  const done = tried.filter((one) => one.tried !== null).length
  const why = noEvidence(module, account)
  const isAll = done === tried.length
  const found = isAll && why !== undefined ? why : triedText(done, tried.length, about)
  return { ...step(numbersOf, isAll && why === undefined, found), numbers: tried }
}

const card = 'card'

const numbersOf: Text = {
  en: 'The operator’s own test numbers',
  fr: 'Les numéros de test de l’opérateur',
}

const oneByOne = (about: Text): Text => ({
  en: `seen one by one; ${about.en}`,
  fr: `à voir un par un ; ${about.fr}`,
})

const triedText = (done: number, all: number, about: Text): Text => ({
  en: `${done} of ${all} tried; ${about.en}`,
  fr: `une tentative pour ${done} sur ${all} ; ${about.fr}`,
})

/** Each with the last attempt through our API, since the account is where it is. */
async function withTries(
  db: Db,
  { id, moved_at }: FoundGateway,
  numbers: readonly TestNumber[],
): Promise<NumberStep[]> {
  // As attempts have them: today's plan of the country, whatever plan the operator has published.
  const asDialled = ({ network, number }: TestNumber): string => {
    const phone = readPhone(number, network.slice(-2))
    return phone.is === 'phone' ? phone.e164 : ''
  }
  const dialled = [...new Set(numbers.map(asDialled))].filter(Boolean)
  const found = await listTried(db, { gateway_id: id, numbers: dialled, since: moved_at ?? null })
  const keyOf = (network: string, direction: string, msisdn: string) =>
    [network, direction, msisdn].join(' ')
  const last = new Map(
    found.map(({ network_code, direction, operation_msisdn, ...tried }) => [
      keyOf(network_code, direction, operation_msisdn),
      tried,
    ]),
  )
  return numbers.map((one) => ({
    ...one,
    tried: last.get(keyOf(one.network, one.direction, asDialled(one))) ?? null,
  }))
}

const noneOf = (operator: string, country: string, about: Text): Text => ({
  en: `${operator} publishes none of ${country}; ${about.en}`,
  fr: `${operator} n’en publie aucun pour ${country} ; ${about.fr}`,
})

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
