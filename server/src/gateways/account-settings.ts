// What an account is set up with, judged: the same for the command line, the API and the check of
// an account. Law: a text names a setting, and never what was given for it.

import { Invalid, invalid, type Text } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { egressFaults, egressSettings } from './account-egress.ts'
import { tlsFaults, tlsSettings } from './account-tls.ts'
import type { AdapterModule, SettingSpec } from './adapter.ts'
import { senderFaults, senderSettings } from './callback-senders.ts'

export type Values = Readonly<Record<string, string>>

/** Of an account's code: it is a part of the address that its operator calls. */
export const codeForm = '^[a-z][a-z0-9_]{1,59}$'

/** So begin the codes of the sandbox operator and its imitations, which are ours to give. */
export const own_code = 'simulator_'

/** Under such a code it would be steered as an imitation, and keep that one from being added. */
function assertCode(code: string): void {
  if (!code.startsWith(own_code)) return
  throw invalid('code', {
    en: `Must not begin with ${own_code}: so do our own.`,
    fr: `Ne doit pas commencer par ${own_code}, réservé aux nôtres.`,
  })
}

/** Of an account's country, in either case. */
export const countryForm = '^[A-Za-z]{2}$'

/** All that an account with this operator is set up with, an operator's own and every one's. */
export const settingsOf = ({
  settings,
}: Pick<AdapterModule, 'settings'>): readonly SettingSpec[] => [...settings, ...ofEveryOperator]

/** What an account with any operator can be set up with. */
export const ofEveryOperator: readonly SettingSpec[] = [
  ...senderSettings,
  ...egressSettings,
  ...tlsSettings,
]

/** The settings that an environment asks for. */
export const specsFor = (
  module: Pick<AdapterModule, 'settings'>,
  environment: Environment,
  secret: boolean,
): SettingSpec[] =>
  settingsOf(module).filter(
    (one) => one.secret === secret && one.environments.includes(environment),
  )

/** Given values, and the standard ones where nothing was given. */
export const withStandards = (
  specs: readonly SettingSpec[],
  given: Values,
  environment: Environment,
): Values => {
  const standards = specs.flatMap(({ key, standard }) => {
    const value = standard?.[environment]
    return value === undefined ? [] : [[key, value] as const]
  })
  return { ...Object.fromEntries(standards), ...given }
}

/** What is wrong with one value. Its key is empty where it was none that may be shown. */
export type SettingFault = Readonly<{ key: string; text: Text }>

/** What is wrong with these values; a value itself is never in a text. */
export function faultsIn(
  specs: readonly SettingSpec[],
  values: Values,
  environment: Environment,
): SettingFault[] {
  const known = new Set(specs.map(({ key }) => key))
  const strange = Object.keys(values).filter((key) => !known.has(key))
  const wrong = specs.flatMap((spec) => {
    const { key, help } = spec
    const value = values[key] ?? ''
    if (value === '') {
      return spec.required ? [faultOf(key, `is missing: ${help.en}`, `manque : ${help.fr}`)] : []
    }
    if (isFormed(spec, value)) return hostFaults(spec, value, environment)
    const form = 'does not have the right form'
    return [faultOf(key, `${form}: ${help.en}`, `n’a pas la bonne forme : ${help.fr}`)]
  })
  return [...strange.map(strangeFault), ...wrong]
}

/** An address is one that can be called as well: `https://[` has the form of one alone. */
const isFormed = ({ pattern, allowed_hosts }: SettingSpec, value: string): boolean =>
  pattern.test(value) && (allowed_hosts === undefined || URL.canParse(value))

const faultOf = (key: string, en: string, fr: string): SettingFault => ({
  key,
  text: { en: `${key} ${en}`, fr: `${key} ${fr}` },
})

/** Somebody may have put a secret where its name belongs: what is no name is not repeated. */
function strangeFault(name: string): SettingFault {
  const [en, fr] = ['is not a setting of this operator', 'n’est pas un réglage de cet opérateur']
  if (/^[a-z][a-z_]{0,39}$/.test(name)) return faultOf(name, en, fr)
  return { key: '', text: { en: `One of the names ${en}`, fr: `L’un des noms ${fr}` } }
}

/**
 * In LIVE secrets go to the operator's own hosts only, and over TLS. In SANDBOX never to one that
 * is for LIVE alone, whoever sets it: play money would pay out real money.
 */
function hostFaults(spec: SettingSpec, value: string, environment: Environment): SettingFault[] {
  if (spec.allowed_hosts === undefined) return []
  const { protocol, host, hostname } = new URL(value)
  if (environment === 'SANDBOX') {
    const own = ownHostsOf(spec, environment)
    const name = hostname.replace(/\.$/, '')
    if (!spec.allowed_hosts.includes(name) || own.includes(name)) return []
    return [{ key: spec.key, text: own.length === 0 ? noSandbox(spec) : useOwn(spec, own) }]
  }
  if (protocol === 'https:' && spec.allowed_hosts.includes(host)) return []
  const hosts = spec.allowed_hosts.map((one) => `https://${one}`).join(', ')
  const text = {
    en: `${spec.key}: in LIVE only ${hosts}`,
    fr: `${spec.key} : en mode réel, seulement ${hosts}`,
  }
  return [{ key: spec.key, text }]
}

/**
 * The hosts of its operator, in one environment. In SANDBOX those for tests alone: at the others
 * play money would pay out real money, set up by one person.
 */
function ownHostsOf({ allowed_hosts = [], standard }: SettingSpec, environment: Environment) {
  if (environment === 'LIVE') return allowed_hosts
  const usual = standard?.[environment]
  return usual === undefined ? [] : [new URL(usual).host]
}

/** Addresses that are not the operator's own: the service would call whatever is named there. */
function foreignHosts(
  specs: readonly SettingSpec[],
  values: Values,
  environment: Environment,
): SettingFault[] {
  return specs.flatMap((spec) => {
    const value = values[spec.key] ?? ''
    if (spec.allowed_hosts === undefined || !URL.canParse(value)) return []
    const hosts = ownHostsOf(spec, environment)
    const { protocol, host } = new URL(value)
    if (protocol === 'https:' && hosts.includes(host)) return []
    const text = hosts.length === 0 ? noSandbox(spec) : useOwn(spec, hosts)
    return [{ key: spec.key, text }]
  })
}

const useOwn = ({ key }: SettingSpec, hosts: readonly string[]): Text => {
  const all = hosts.map((one) => `https://${one}`).join(', ')
  return {
    en: `${key}: use an address of the operator (${all}).`,
    fr: `${key} : utilisez une adresse de l’opérateur (${all}).`,
  }
}

const noSandbox = ({ key }: SettingSpec): Text => ({
  en: `${key}: the operator has no sandbox, and its own address moves real money. Use LIVE.`,
  fr: `${key} : pas de bac à sable, son adresse déplace de l’argent réel. Utilisez le mode réel.`,
})

/** What is wrong with all settings that are no secret; `proxies`: as `Given` has them. */
export function settingFaults(
  module: AdapterModule,
  environment: Environment,
  settings: Values,
  proxies?: readonly string[],
): SettingFault[] {
  const faults = faultsIn(specsFor(module, environment, false), settings, environment)
  if (faults.length > 0) return faults
  return [...senderFaults(module, settings), ...egressFaults(settings, proxies)]
}

/** What is wrong with a whole set of secrets; a certificate is looked at once the rest is right. */
function secretFaults(
  module: AdapterModule,
  environment: Environment,
  secrets: Values,
): SettingFault[] {
  const faults = faultsIn(specsFor(module, environment, true), secrets, environment)
  if (faults.length > 0) return faults
  return tlsFaults(secrets, Date.now()).map((text) => ({ key: 'tls_certificate', text }))
}

/** What is no account: by field for the API (`secrets.api_key`), in one line for people. */
export class InvalidAccount extends Invalid {
  constructor(faults: Readonly<Record<'settings' | 'secrets', readonly SettingFault[]>>) {
    const all = Object.entries(faults).flatMap(([part, of]) =>
      of.map(({ key, text }) => ({ field: key === '' ? part : `${part}.${key}`, text })),
    )
    super(fieldsOf(all))
    // A help text ends in a full stop, which is none within the line.
    this.message = all.map(({ text }) => text.en.replace(/\.$/, '')).join('; ')
  }
}

function fieldsOf(all: readonly Readonly<{ field: string; text: Text }>[]) {
  const names = [...new Set(all.map(({ field }) => field))]
  const textsOf = (name: string) =>
    all.flatMap(({ field, text }) => (field === name ? [sentenceOf(text)] : []))
  return Object.fromEntries(names.map((name) => [name, textsOf(name)]))
}

const sentenceOf = ({ en, fr }: Text): Text => ({
  en: en.endsWith('.') ? en : `${en}.`,
  fr: fr.endsWith('.') ? fr : `${fr}.`,
})

type Given = Readonly<{
  /** Of one that is added. */
  code?: string
  /** Undefined: they are as they were. */
  settings?: Values
  /** Undefined: none are given yet. */
  secrets: Values | undefined
  /** Also in SANDBOX nothing but the operator's own addresses. */
  own_hosts?: boolean
  /** Those that it may go through; undefined: any. */
  proxies?: readonly string[] | undefined
}>

/** Throws what is wrong with them, all of it at once. */
export function assertAccount(
  module: AdapterModule,
  environment: Environment,
  { code = '', settings, secrets, own_hosts = false, proxies }: Given,
): void {
  assertCode(code)
  const specs = specsFor(module, environment, false)
  const inSettings =
    settings === undefined ? [] : settingFaults(module, environment, settings, proxies)
  const isForeign = own_hosts && settings !== undefined && inSettings.length === 0
  const faults = {
    settings: isForeign ? foreignHosts(specs, settings, environment) : inSettings,
    secrets: secrets === undefined ? [] : secretFaults(module, environment, secrets),
  }
  if (faults.settings.length + faults.secrets.length > 0) throw new InvalidAccount(faults)
}
