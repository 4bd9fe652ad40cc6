// `gateway add`: an account with an operator. In SANDBOX it is added at once, off. In LIVE one of
// the staff proposes it, proven by a code of their second factor, and another confirms it: until
// then there is none. Law: a secret is typed or piped in, and so is the code.

import type { Command } from 'commander'
import { recordRefusal } from '../../gateways/account-by-command.ts'
import {
  codeForm,
  countryForm,
  ofEveryOperator,
  specsFor,
} from '../../gateways/account-settings.ts'
import { type AccountRequest, addAccount, secretsOf } from '../../gateways/accounts.ts'
import type { AdapterModule } from '../../gateways/adapter.ts'
import { adapters } from '../../gateways/adapters.ts'
import { proposeAccountIn } from '../../gateways/propose-account.ts'
import { type Proposal, proposal_valid_h, viewProposal } from '../../people/proposals/proposal.ts'
import { actByCommand } from '../../people/staff/act-by-command.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db.ts'
import type { Locale, Text } from '../../platform/errors.ts'
import type { Environment } from '../../platform/http/route.ts'
import type { Config } from '../config.ts'
import { sealingKeyringIn } from '../secret-key.ts'
import { wordFrom } from './arguments.ts'
import { namedLine, nextLine } from './command-texts.ts'
import { readSecrets } from './read-secrets.ts'
import { type CliIo, type CliOutput, lineIn, type Session } from './session.ts'

type Commands = Readonly<{
  run: Session
  io: CliIo
  moduleOf: (name: string) => AdapterModule
}>

type AddOptions = Readonly<{
  env: Environment
  code: string
  country: string
  name?: string
  set: readonly string[]
  by?: string
}>

export function addAddCommand(gateway: Command, commands: Commands): void {
  const environments = wordFrom(['SANDBOX', 'LIVE'])
  gateway
    .command('add <operator>')
    .addHelpText('after', () => `\n${describeAll(commands.run.language())}`)
    .description(`add an account, switched off (${adapters.map((one) => one.adapter).join(', ')})`)
    .requiredOption('--code <code>', 'our name for it, such as operator_bj')
    .requiredOption('--country <code>', 'two letters, such as BJ')
    .option('--env <environment>', 'SANDBOX or LIVE', environments, 'SANDBOX')
    .option('--name <name>', 'the name that staff see')
    .option('--set <key=value>', 'a setting that is no secret', collected, [])
    .option('--by <e-mail>', 'your e-mail: who proposes it (LIVE); another of the staff confirms')
    .action((operator: string, options: AddOptions) => addOne(commands, operator, options))
}

async function addOne(commands: Commands, operator: string, options: AddOptions): Promise<void> {
  const { run, io, moduleOf } = commands
  const module = moduleOf(operator)
  const { env: environment, code, country: typed, by } = options
  if (!new RegExp(codeForm).test(code)) throw new Error('A code is letters, digits and _.')
  if (!new RegExp(countryForm).test(typed)) throw new Error('A country is two letters.')
  const country = typed.toUpperCase()
  const name = options.name ?? `${module.name} ${country}`
  const settings = Object.fromEntries(options.set.map(pairOf))
  const request = { code, environment, settings, name, country }
  if (environment === 'SANDBOX') {
    if (by !== undefined) throw new Error('--by is for LIVE: a sandbox account takes one person.')
    const secrets = await readSecrets(io, specsFor(module, environment, true), run.language())
    return run.withDb('pirogue_app', async (db, config) =>
      added({ db, keyring: await sealingKeyringIn(config, db) }, module, { ...request, secrets }),
    )
  }
  if (by === undefined) return run.withDb('pirogue_app', (db) => refusedAlone(db, code))
  const asked = [...specsFor(module, environment, true), secondFactor]
  const { second_factor = '', ...secrets } = await readSecrets(io, asked, run.language())
  const proof = { email: by, code: second_factor }
  return run.withDb('pirogue_app', async (db, config) => {
    const keyring = await sealingKeyringIn(config, db)
    return proposed({ db, config, keyring }, module, { ...request, secrets, proof })
  })
}

/** Asked for last: what an app shows is good for half a minute. */
const secondFactor = {
  key: 'second_factor',
  help: {
    en: 'The code of the second factor of whoever proposes it (`--by`).',
    fr: 'Le code du second facteur de la personne qui propose (`--by`).',
  },
} as const

/** A LIVE account takes two of the staff; what one person asks for alone is on record. */
async function refusedAlone(db: Db, code: string): Promise<never> {
  await recordRefusal({ db }, { id: code, environment: 'LIVE' }, 'add')
  throw new Error(
    'A LIVE account is added by two of the staff: propose it with --by and your e-mail, and ' +
      'have another confirm it.',
  )
}

type Deps = Readonly<{ db: Db; keyring: Keyring }>

async function added(
  deps: Deps,
  module: AdapterModule,
  request: AccountRequest,
): Promise<CliOutput> {
  const account = await addAccount(deps, module, request)
  const { code, id } = account
  const [first] = await secretsOf(deps, account)
  return {
    json: { code, id, fingerprint: first?.fingerprint },
    lines: [addedLine(code, first?.fingerprint ?? ''), nextLine(`gateway check ${code}`)],
  }
}

type Proposing = AccountRequest & Readonly<{ proof: Readonly<{ email: string; code: string }> }>

/** What `POST /admin/gateways/` is answered, and what the other is to do. */
async function proposed(
  { db, config, keyring }: Deps & Readonly<{ config: Config }>,
  module: AdapterModule,
  { proof, ...request }: Proposing,
): Promise<CliOutput> {
  const deps = { db, keyring, limits: config.limits }
  const proxies = config.webhook_allow_private ? undefined : config.egress_proxies
  const proposal = await actByCommand(deps, { ...proof, right: 'gateways' }, (tx, person) =>
    proposeAccountIn({ tx, keyring }, module, { ...request, person, proxies }),
  )
  return { json: viewProposal(proposal), lines: proposedLines(proposal, request.code) }
}

const addedLine = (code: string, fingerprint: string): Text => ({
  en: `${code} is added, switched off. Its secrets: ${fingerprint}.`,
  fr: `${code} est ajouté, désactivé. Ses secrets : ${fingerprint}.`,
})

const checkOf = (code: string): string => `npm run cli -- gateway check ${code} --next`

const proposedLines = ({ id, content }: Proposal, code: string): Text[] => [
  {
    en: `${code} is proposed. Nothing is added until another of the staff confirms this:`,
    fr: `${code} est proposé. Rien n’est ajouté avant qu’un autre membre de l’équipe confirme :`,
  },
  ...Object.entries(content).map(([key, value]) =>
    namedLine({ en: `  ${key}`, fr: `  ${key}` }, String(value)),
  ),
  {
    en: `To be done within ${proposal_valid_h} hours: POST /api/v1/admin/proposals/${id}/confirm/`,
    fr: `À faire sous ${proposal_valid_h} heures : POST /api/v1/admin/proposals/${id}/confirm/`,
  },
  {
    en: `Once it is confirmed: ${checkOf(code)}`,
    fr: `Une fois la proposition confirmée : ${checkOf(code)}`,
  },
  {
    en: 'Then two of the staff promote its secrets through the API.',
    fr: 'Ensuite, deux membres de l’équipe mettent ses secrets en service, par l’API.',
  },
]

const collected = (value: string, before: readonly string[]): string[] => [...before, value]

/** The settings of each operator, and of all, with what they are for. */
function describeAll(language: Locale): string {
  const all: Text = { en: 'every operator', fr: 'tout opérateur' }
  const everywhere = { adapter: all[language], settings: ofEveryOperator }
  return [...adapters, everywhere].map((one) => describeSettings(one, language)).join('\n')
}

/** What an account with an operator is asked for; a secret is asked for and never an argument. */
function describeSettings(
  { adapter, settings }: Pick<AdapterModule, 'adapter' | 'settings'>,
  language: Locale,
): string {
  const lines = settings.map(({ key, secret, required, environments, standard, help }) => {
    const where = environments.length === 1 ? `, ${alone(environments.join())[language]}` : ''
    const kind = secret ? 'secret' : '--set'
    const isAsked = required && environments.some((one) => standard?.[one] === undefined)
    const due = isAsked ? `, ${dueWord[language]}` : ''
    return lineIn(bothAs(`  ${key} (${kind}${due}${where})`, help), language)
  })
  return [lineIn(bothAs(adapter, { en: '', fr: '' }), language).trimEnd(), ...lines].join('\n')
}

const dueWord: Text = { en: 'required', fr: 'obligatoire' }

const alone = (environment: string): Text => ({
  en: `${environment} alone`,
  fr: `${environment} seulement`,
})

/** A name, and what is said of it. */
const bothAs = (name: string, { en, fr }: Text): Text => ({
  en: `${name}: ${en}`,
  fr: `${name} : ${fr}`,
})

/** Key and value of `key=value`. */
export function pairOf(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new Error(`--set ${text}: write key=value.`)
  return [text.slice(0, at), text.slice(at + 1)]
}
