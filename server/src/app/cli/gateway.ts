// `gateway add`, `list`, `show`, `set`, `routes`, `rotate`, `promote`, `retire`, `check`, `on`,
// `off`, `hours`, `close`, `reopen`, `verify`, `steps`: accounts with operators. Law: a secret is
// typed or piped in, and is never an argument, an environment variable or a line of output.

import type { Command } from 'commander'
import { recordRefusal } from '../../gateways/account-by-command.ts'
import { specsFor } from '../../gateways/account-settings.ts'
import {
  type FoundGateway,
  findFoundGateway,
  listFoundGateways,
} from '../../gateways/account-store.ts'
import { viewCheck, viewFinding } from '../../gateways/account-view.ts'
import {
  promoteSecrets,
  retireSecrets,
  type SecretShown,
  secretsOf,
  setNextSecrets,
  switchAccount,
} from '../../gateways/accounts.ts'
import type { AdapterModule } from '../../gateways/adapter.ts'
import { adapters, findAdapter } from '../../gateways/adapters.ts'
import { callbackCertificateFindings } from '../../gateways/callback-certificate.ts'
import { checkAccount } from '../../gateways/check-gateway.ts'
import { onOff } from '../../gateways/findings.ts'
import type { Finding } from '../../gateways/gateway.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db.ts'
import { type Locale, type Text, typeset } from '../../platform/errors.ts'
import { usageFindings } from '../check-usage.ts'
import type { Config } from '../config.ts'
import { sealingKeyring, sealingKeyringIn } from '../secret-key.ts'
import { columnsOf } from './command-texts.ts'
import { addAddCommand, pairOf } from './gateway-add.ts'
import { addHoursCommands } from './gateway-hours.ts'
import { addPaceCommand } from './gateway-pace.ts'
import { addSetCommand } from './gateway-set.ts'
import { addShowCommands } from './gateway-show.ts'
import { addStepCommands } from './gateway-steps.ts'
import { probeFinding } from './probe-callback.ts'
import { readSecrets } from './read-secrets.ts'
import type { CliIo, CliOutput, Session } from './session.ts'

type Work = (
  found: Readonly<{
    db: Db
    keyring: Keyring
    config: Config
    account: FoundGateway
    public_url: string
    egress: readonly string[]
  }>,
) => Promise<CliOutput>

export function addGatewayCommands(program: Command, run: Session, io: CliIo): void {
  const gateway = program.command('gateway').description('accounts with operators')
  addAddCommand(gateway, { run, io, moduleOf })
  gateway
    .command('list')
    .description('list accounts with the fingerprints of their secrets')
    .action(() => run.withDb('pirogue_app', async (db) => listed(db)))
  gateway
    .command('rotate <code>')
    .description('read new secrets; they are used once they are promoted')
    .action((code: string) =>
      withAccount(run, code, async ({ db, config, account }) => {
        const keyring = await sealingKeyringIn(config, db)
        const module = moduleOf(account.adapter)
        const specs = specsFor(module, account.environment, true)
        const secrets = await readSecrets(io, specs, run.language())
        const made = await setNextSecrets({ db, keyring }, module, { account, secrets })
        const { version, fingerprint } = made
        const line = {
          en: `Version ${version} (${fingerprint}) is ready: check it, then promote it.`,
          fr:
            `La version ${version} (${fingerprint}) est prête : vérifiez-la, puis mettez-la ` +
            'en service.',
        }
        return { json: made, lines: [line] }
      }),
    )
  addSteps(gateway, run)
  addSwitch(gateway, run)
  addHoursCommands(gateway, (code, work) => withAccount(run, code, work))
  addShowCommands(gateway, (code, work) => withAccount(run, code, work))
  addStepCommands(gateway, {
    ...{ withAccount: (code, work) => withAccount(run, code, work), moduleOf },
    language: () => run.language(),
  })
  addSetCommand(gateway, {
    ...{ withAccount: (code, work) => withAccount(run, code, work), pairOf },
    refuseAlone: (db, account) => refuseAlone({ db }, account, 'settings'),
  })
  addPaceCommand(gateway, {
    ...{ withAccount: (code, work) => withAccount(run, code, work), moduleOf },
    language: () => run.language(),
    refuseAlone: (db, account) => refuseAlone({ db }, account, 'pace'),
  })
  gateway
    .command('check <code>')
    .description('check that an account is set up correctly; only reads, spends nothing')
    .option('--next', 'with the new secrets, before they are promoted')
    .option('--probe-callback', 'send a callback of our own to PUBLIC_URL; it must be seen to come')
    .action((code: string, options: { next?: true; probeCallback?: true }) =>
      withAccount(run, code, async ({ account, config: _, ...found }) => {
        const { db } = found
        const { public_url } = found
        const others = async () => [
          ...(await usageFindings(db, account)),
          ...(await callbackCertificateFindings({ public_url, now_ms: Date.now() })),
          ...(options.probeCallback === true ? [await probeFinding(found, account)] : []),
        ]
        const secrets = options.next === true ? 'NEXT' : 'CURRENT'
        const findings = await checkAccount({ ...found, others }, { account, secrets })
        return printed(findings, run.language())
      }),
    )
}

function addSteps(gateway: Command, run: Session): void {
  gateway
    .command('promote <code>')
    .description('use the new secrets from now on; the previous ones verify callbacks for 72 hours')
    .action((code: string) =>
      withAccount(run, code, async ({ db, keyring, account }) => {
        await refuseAlone({ db }, account, 'promote')
        const version = await promoteSecrets({ db, keyring }, account)
        return { json: { code, version }, lines: [usesLine(code, version)] }
      }),
    )
  gateway
    .command('retire <code>')
    .description('remove the previous secrets for good, before their 72 hours are over')
    .action((code: string) =>
      withAccount(run, code, async ({ db, account }) => {
        const { version, fingerprint } = await retireSecrets({ db }, account)
        const json = { code, version, fingerprint }
        return { json, lines: [goneLine(code, version)] }
      }),
    )
}

const usesLine = (code: string, version: number): Text => ({
  en: `${code} uses version ${version}.`,
  fr: `${code} utilise la version ${version}.`,
})

const goneLine = (code: string, version: number): Text => ({
  en: `Version ${version} of ${code} is gone.`,
  fr: `La version ${version} de ${code} n’existe plus.`,
})

const onLine = (code: string): Text => ({
  en: `${code} is on: new payments may be sent to it.`,
  fr: `${code} est activé : de nouveaux paiements peuvent y être envoyés.`,
})

const offLine = (code: string): Text => ({
  en: `${code} is off: nothing new is sent to it; what it already has is queried until it ends.`,
  fr:
    `${code} est désactivé : rien de nouveau n’y est envoyé ; ce qu’il a déjà est interrogé ` +
    'jusqu’à sa fin.',
})

function addSwitch(gateway: Command, run: Session): void {
  const flip = (is_active: boolean) => (code: string, options: { why?: string }) =>
    withAccount(run, code, async ({ db, account }) => {
      if (is_active) await refuseAlone({ db }, account, 'on')
      await switchAccount({ db }, account, { is_active, why: options.why ?? '' })
      const line = is_active ? onLine(code) : offLine(code)
      return { json: { code, is_active }, lines: [line] }
    })
  gateway
    .command('on <code>')
    .description('allow new payments to be sent to an account (SANDBOX)')
    .option('--why <reason>', 'for the audit log')
    .action(flip(true))
  gateway
    .command('off <code>')
    .description('send nothing new to an account; queries and callbacks go on')
    .option('--why <reason>', 'for the audit log')
    .action(flip(false))
}

/** One person may stop what goes wrong; to let LIVE money through takes two of the staff. */
async function refuseAlone(
  { db }: Readonly<{ db: Db }>,
  account: FoundGateway,
  what: keyof typeof byStaff,
): Promise<void> {
  if (account.environment !== 'LIVE') return
  await recordRefusal({ db }, account, what)
  throw new Error(byStaff[what])
}

const byStaff = {
  settings: 'Settings of a LIVE account are changed by staff, in the API, not here.',
  pace: 'More is let through to a LIVE account by staff, in the API, not here.',
  on: 'A LIVE account is switched on by staff, in the API, not here.',
  promote: 'Secrets of a LIVE account are promoted by staff, in the API, not here.',
} as const

const withAccount = (run: Session, code: string, work: Work): Promise<void> =>
  run.withDb('pirogue_app', async (db, config) => {
    const account = await findFoundGateway(db, code)
    if (account === undefined) throw new Error(`There is no gateway ${code}.`)
    const { public_url, egress_addresses: egress } = config
    const keyring = await sealingKeyring(config)
    return work({ db, keyring, config, account, public_url, egress })
  })

function moduleOf(name: string): AdapterModule {
  const module = findAdapter(name)
  if (module !== undefined) return module
  const known = adapters.map(({ adapter }) => adapter).join(', ')
  throw new Error(`${name} has no account settings; operators with some: ${known}.`)
}

async function listed(db: Db): Promise<CliOutput> {
  const all = await listFoundGateways(db)
  const shown = await Promise.all(
    all.map(async (account) => {
      const { code, name, adapter, environment, country, is_active, settings } = account
      const secrets = await secretsOf({ db }, account)
      return { code, name, adapter, environment, country, is_active, settings, secrets }
    }),
  )
  const lines = shown.map(({ code, name, environment, is_active, secrets }) => {
    const counting = secrets.filter(({ state }) => state !== 'RETIRED')
    const secret = counting.length === 0 ? noSecrets : secretsText(counting)
    return columnsOf([code, environment, onOff(is_active), name, secret])
  })
  return { json: shown, lines }
}

const noSecrets: Text = { en: 'no secrets', fr: 'aucun secret' }

type Listed = Pick<SecretShown, 'version' | 'state' | 'fingerprint' | 'valid_until'>

function secretsText(secrets: readonly Listed[]): Text {
  const textIn = (until: string) =>
    secrets
      .map(({ version, state, fingerprint, valid_until }) => {
        const end = valid_until === null ? '' : ` ${until} ${valid_until.toISOString()}`
        return `${version} ${state} ${fingerprint}${end}`
      })
      .join(', ')
  return { en: textIn('until'), fr: textIn('jusqu’au') }
}

function printed(findings: readonly Finding[], language: Locale): CliOutput {
  const json = viewCheck(findings, language)
  return { json, lines: linesOf(findings, language), failed: json.failed }
}

/** A line each, and one of what to do where there is something. */
export const linesOf = (findings: readonly Finding[], language: Locale): string[] =>
  findings
    .map((one) => viewFinding(one, language))
    .flatMap(({ title, is, found, fix }) => [
      typeset(
        `${is.padEnd(4)}  ${language === 'fr' ? `${title} :` : `${title}:`} ${found}`,
        language,
      ),
      ...(fix === '' ? [] : [`      ${fix}`]),
    ])
