// `gateway verify` and `gateway steps`: what was seen of an account becomes a line of the honesty
// table; and how far it is on its way from sandbox to live, step by step.

import { type Command, Option } from 'commander'
import { listSteps, type NumberStep } from '../../attempts/steps/list-steps.ts'
import { noEvidence, sightingsOf } from '../../attempts/steps/sightings.ts'
import { viewSteps } from '../../attempts/steps/view.ts'
import type { FoundGateway } from '../../gateways/account-store.ts'
import type { AdapterModule } from '../../gateways/adapter.ts'
import { seen_days } from '../../gateways/verified.ts'
import type { Db } from '../../platform/db.ts'
import type { Locale, Text } from '../../platform/errors.ts'
import type { WithAccount } from './gateway-hours.ts'
import type { CliOutput } from './session.ts'
import { writeVerified } from './verify-gateway.ts'

export type ModuleOf = (adapter: string) => AdapterModule

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
        const steps = await listSteps(db, account, moduleOf(account.adapter))
        const lines = steps.flatMap(({ step, is, found, numbers = [] }) => [
          stepLine(marks[is], step, found),
          ...linesOf(numbers),
        ])
        return { json: viewSteps(account, steps, language()), lines }
      }),
    )
}

const marks = { DONE: '[x]', TO_DO: '[ ]', PEOPLE: '[?]' } as const

const stepLine = (mark: string, what: Text, found: Text): Text => ({
  en: `${mark} ${what.en}: ${found.en}`,
  fr: `${mark} ${what.fr} : ${found.fr}`,
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

/** A line for each network and direction, with what each number does, and whether it was tried. */
function linesOf(numbers: readonly NumberStep[]): Text[] {
  return numbers.flatMap(({ network, direction, number, then, tried }, at) => {
    const before = numbers[at - 1]
    const isFirst = before?.network !== network || before.direction !== direction
    const place = `      ${network} ${direction}`
    return [...(isFirst ? [{ en: place, fr: place }] : []), numberLine(number, then, tried)]
  })
}

function numberLine(number: string, then: string, tried: NumberStep['tried']): Text {
  const line = `        ${number}  ${then}`
  if (tried === null) return { en: line, fr: line }
  const { status, failure_code, created_at } = tried
  const ended = [status, ...(failure_code === '' ? [] : [failure_code])].join(' ')
  const day = created_at.toISOString().slice(0, 10)
  return {
    en: `${line}: ${ended}, ${day}`,
    fr: `${line} : ${ended}, ${day.split('-').reverse().join('/')}`,
  }
}
