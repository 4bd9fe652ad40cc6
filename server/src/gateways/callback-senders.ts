// Where an operator's callbacks come from: the addresses that it publishes and those that staff
// add, and what an account makes of any other. Law: an address that fits proves nothing, so it only
// keeps others out; whose callback it is, its signature and our own question say.

import { listOf, readNetwork } from '../merchants/whitelist/ip-network.ts'
import type { Text } from '../platform/errors.ts'
import type { AdapterModule, SettingSpec } from './adapter.ts'
import { named, pass } from './findings.ts'
import type { Finding, Gateway } from './gateway.ts'

/** What is made of a callback from elsewhere. */
export const senderRules = ['LOG', 'ENFORCE', 'OFF'] as const
export type SenderRule = (typeof senderRules)[number]

const ofEvery = {
  ...{ secret: false, required: false, environments: ['SANDBOX', 'LIVE'] as const },
  // Where payments are found does not change with it.
  changes_in_use: true,
} as const

/** Of every operator, beside its own. */
export const senderSettings: readonly SettingSpec[] = [
  {
    ...ofEvery,
    key: 'ip_list',
    pattern: /^(?:LOG|ENFORCE|OFF)$/,
    help: {
      en:
        'Callbacks from an address that is not the operator’s: LOG (taken and counted; so where ' +
        'empty), ENFORCE (refused) or OFF (not looked at).',
      fr:
        'Notifications d’une adresse qui n’est pas celle de l’opérateur : LOG (acceptées et ' +
        'comptées ; de même si vide), ENFORCE (refusées) ou OFF (non examinées).',
    },
  },
  {
    ...ofEvery,
    key: 'ip_list_more',
    pattern: /^[0-9A-Fa-f.:/]+(?: *, *[0-9A-Fa-f.:/]+){0,49}$/,
    help: {
      en:
        'Addresses or networks that callbacks come from beside those that the operator ' +
        'publishes, with commas, such as 203.0.113.7, 198.51.100.0/24. At most 50.',
      fr:
        'Adresses ou réseaux d’où viennent les notifications, en plus de ceux que l’opérateur ' +
        'publie, séparés par des virgules : 203.0.113.7, 198.51.100.0/24. Au plus 50.',
    },
  },
]

type Values = Readonly<Record<string, string>>
type Published = Pick<AdapterModule, 'callback_addresses'>

/** What an account goes by: nothing is compared where there are no addresses. */
export type SenderList = Readonly<{ ip_list: SenderRule; addresses: readonly string[] }>

export function senderListOf(module: Published, settings: Values): SenderList {
  const ip_list = senderRules.find((one) => one === settings['ip_list']) ?? 'LOG'
  const added = addedIn(settings).flatMap((one) => (one.is === 'network' ? [one.network] : []))
  return { ip_list, addresses: [...new Set([...publishedFor(module, settings), ...added])] }
}

/** By the host that the account calls: what it does not publish of one says nothing of another. */
function publishedFor({ callback_addresses = {} }: Published, settings: Values) {
  const base_url = settings['base_url'] ?? ''
  const host = URL.canParse(base_url) ? new URL(base_url).hostname : ''
  return Object.hasOwn(callback_addresses, host) ? (callback_addresses[host] ?? []) : []
}

const addedIn = ({ ip_list_more = '' }: Values) =>
  ip_list_more === '' ? [] : ip_list_more.split(',').map((one) => readNetwork(one))

/** Undefined where nothing is compared. */
export function sendersOf(module: Published, settings: Values): Gateway['senders'] {
  const { ip_list, addresses } = senderListOf(module, settings)
  if (ip_list === 'OFF' || addresses.length === 0) return undefined
  return { enforced: ip_list === 'ENFORCE', include: listOf(addresses) }
}

/** What is wrong with settings of the right form; a value is in no text. */
export function senderFaults(module: Published, settings: Values): { key: string; text: Text }[] {
  const wrong = addedIn(settings).flatMap((one, at) =>
    one.is === 'network'
      ? []
      : [
          {
            key: 'ip_list_more',
            text: {
              en: `ip_list_more, entry ${at + 1}: ${one.why.en}`,
              fr: `ip_list_more, élément ${at + 1} : ${one.why.fr}`,
            },
          },
        ],
  )
  const { ip_list, addresses } = senderListOf(module, settings)
  if (wrong.length > 0 || ip_list !== 'ENFORCE' || addresses.length > 0) return wrong
  return [{ key: 'ip_list', text: nothingToEnforce }]
}

const nothingToEnforce: Text = {
  en:
    'ip_list: ENFORCE would refuse every callback, because the operator publishes no addresses ' +
    'for this base_url. Put those that it gave you into ip_list_more, or use LOG.',
  fr:
    'ip_list : ENFORCE refuserait toutes les notifications, car l’opérateur ne publie pas ' +
    'd’adresses pour cette base_url. Indiquez dans ip_list_more celles qu’il vous a données, ou ' +
    'choisissez LOG.',
}

/** What a check says of it. */
export function senderFinding(module: Published, settings: Values): Finding {
  const what = { en: 'addresses of callbacks', fr: 'adresses d’envoi des notifications' }
  const { ip_list, addresses } = senderListOf(module, settings)
  if (ip_list === 'OFF') {
    return pass(what, { en: 'OFF: not looked at', fr: 'OFF : non examinées' })
  }
  if (addresses.length === 0) {
    return pass(what, {
      en: 'not known: the operator publishes none, and ip_list_more is empty',
      fr: 'inconnues : l’opérateur n’en publie pas, et ip_list_more est vide',
    })
  }
  const all = named(addresses.join(', '))
  const others =
    ip_list === 'ENFORCE'
      ? { en: 'others are refused', fr: 'les autres sont refusées' }
      : { en: 'others are taken and counted', fr: 'les autres sont acceptées et comptées' }
  return pass(what, {
    en: `${ip_list}: ${all.en}; ${others.en}`,
    fr: `${ip_list} : ${all.fr} ; ${others.fr}`,
  })
}
