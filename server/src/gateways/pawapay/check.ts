// Looks whether an account is set up as this operator needs it. It reads only: a question about a
// key that nobody has, how the account is set up there, its keys and balances.

import { randomUUID } from 'node:crypto'
import { isCurrency, minorUnits } from '../../money/currency.ts'
import type { Text } from '../../platform/errors.ts'
import type { Account } from '../adapter.ts'
import { clockFindings } from '../clock-findings.ts'
import { amountText, answerText, fail, named, pass, warn } from '../findings.ts'
import type { CheckedRoute, Finding } from '../gateway.ts'
import { walletFinding } from '../wallet.ts'
import type { Call, Caller, CallResult } from './client.ts'
import { readStatus } from './read-answer.ts'
import { type Offer, readBalances, readKeys, readSetup, type Setup } from './read-lists.ts'
import { max_skew_s, providers } from './settings.ts'
import { signingOf } from './signer.ts'
import { statusPath } from './wire.ts'

const checkMs = 20_000
const setup_bytes_max = 1024 * 1024

/** How the account is set up there: one line for each of its networks, so it may be long. */
export const setupCall: Call = {
  ...{ method: 'GET', path: '/v2/active-conf', max_bytes: setup_bytes_max },
}

type Looking = Readonly<{
  clock: () => number
  our_address: string | undefined
  routes?: readonly CheckedRoute[] | undefined
}>

/** What was looked at, in the order in which it is mended. */
export async function checkAccount(
  account: Account,
  call: Caller,
  { clock, our_address, routes = [] }: Looking,
): Promise<readonly Finding[]> {
  const until = performance.now() + checkMs
  const our_key = randomUUID()
  const asked = await call({ method: 'GET', path: statusPath('deposits', our_key) }, until)
  const question = questionFinding(our_key, asked)
  const because = {
    en: 'signed callbacks last for a minute',
    fr: 'une notification signée ne vaut qu’une minute',
  }
  const clocks = clockFindings(asked, { now_ms: clock(), fail_s: max_skew_s, because })
  if (question.is === 'FAIL') return [question, ...clocks]
  const [setup, keys, balances] = [
    await call(setupCall, until),
    await call({ method: 'GET', path: '/v2/public-key/http' }, until),
    await call({ method: 'GET', path: '/v2/wallet-balances' }, until),
  ]
  return [
    question,
    ...clocks,
    ...setupFindings(account, setup, { our_address, routes }),
    keysFinding(keys),
    ...balanceFindings(balances),
  ]
}

/** A key that nobody has: "not found" proves address, access and environment at once. */
function questionFinding(our_key: string, result: CallResult): Finding {
  const what = { en: 'question', fr: 'question posée' }
  const about = { operation: 'deposits', attempt: { our_key } } as const
  const read = result.is === 'answered' ? readStatus(about, result, () => undefined) : result
  if (read.is === 'not_found') {
    return pass(what, { en: 'not found, as it must be', fr: 'introuvable, comme il se doit' })
  }
  const isDenied = result.is === 'answered' && (result.status === 401 || result.status === 403)
  const fix = isDenied
    ? {
        en:
          'The token is not one of this environment, or was revoked: make another in the ' +
          'dashboard, under System configuration, and rotate.',
        fr:
          'Le jeton n’est pas de cet environnement, ou a été révoqué : créez-en un autre dans le ' +
          'tableau de bord, rubrique System configuration, puis remplacez-le ici.',
      }
    : {
        en: 'Nobody answers as this operator does: compare base_url, and ask whether it is up.',
        fr:
          'Rien n’y répond comme cet opérateur : vérifiez base_url, et demandez-lui si son ' +
          'service fonctionne.',
      }
  return fail(what, answerText(result), fix)
}

function setupFindings(
  account: Account,
  result: CallResult,
  { our_address, routes = [] }: Pick<Looking, 'our_address' | 'routes'>,
): Finding[] {
  const setup = result.is === 'answered' ? readSetup(result) : undefined
  if (setup === undefined) {
    return [
      warn(named('configuration'), answerText(result), {
        en: 'Ask the operator why the configuration is not shown to this token.',
        fr: 'Demandez à l’opérateur pourquoi la configuration n’est pas visible avec ce jeton.',
      }),
    ]
  }
  const ours = setup.offers.filter(({ provider }) => Object.values(providers).includes(provider))
  return [
    providersFinding(ours),
    signingFinding(setup),
    ...requestFindings(account, setup),
    callbackFinding(account, setup.offers, our_address),
    ...ours.filter(isOtherAmount).map(amountFinding),
    ...routes.map((route) => limitFinding(route, setup.offers)),
  ]
}

/** What the operator takes of one payment against what we would send it. */
function limitFinding(route: CheckedRoute, offers: readonly Offer[]): Finding {
  const { network_code, direction, currency } = route
  const what = {
    en: `limits of ${network_code} ${direction}`,
    fr: `limites de ${network_code} ${direction}`,
  }
  const provider = providers[network_code]
  const offer = offers.find((one) => one.provider === provider && one.direction === direction)
  if (provider === undefined || offer === undefined) return warn(what, ...unopened)
  if (offer.status === 'CLOSED') return warn(what, ...closed)
  const theirs = rangeText(offer.least, offer.most, currency)
  if (route.least === null) {
    return pass(what, {
      en: `it takes ${theirs.en}; we have no price`,
      fr: `il accepte ${theirs.fr} ; nous n’avons pas de tarif`,
    })
  }
  const ours = rangeText(route.least, route.most ?? undefined, currency)
  const isBelow = offer.least !== undefined && route.least < offer.least
  const isAbove = offer.most !== undefined && route.most !== null && route.most > offer.most
  const found = {
    en: `it takes ${theirs.en}, we send ${ours.en}`,
    fr: `il accepte ${theirs.fr}, nous envoyons ${ours.fr}`,
  }
  return isBelow || isAbove ? warn(what, found, rangeFix) : pass(what, found)
}

const unopened = [
  { en: 'not open to this account', fr: 'pas ouvert à ce compte' },
  {
    en: 'Ask the operator to open it, or switch our route off.',
    fr: 'Demandez à l’opérateur de l’ouvrir, ou désactivez notre route.',
  },
] as const

const closed = [
  { en: 'closed at the operator', fr: 'fermé chez l’opérateur' },
  { en: 'Wait, or ask it why.', fr: 'Attendez, ou demandez-lui pourquoi.' },
] as const

const rangeFix: Text = {
  en:
    'What lies outside is refused by the operator, and goes to the next route: set our prices, ' +
    'or the account’s limit of one payment, within what it takes.',
  fr:
    'Ce qui en sort est refusé par l’opérateur, et passe à la route suivante : ramenez nos ' +
    'tarifs, ou la limite du compte pour un paiement, dans ce qu’il accepte.',
}

/** What is undefined has no limit. */
function rangeText(least: bigint | undefined, most: bigint | undefined, currency: string): Text {
  const [from, to] = [least, most].map((one) => (one === undefined ? one : amountText(one)))
  const en = `${from?.en ?? 'any'} to ${to?.en ?? 'any'} ${currency}`
  if (from === undefined && to === undefined) {
    return { en, fr: `n’importe quel montant en ${currency}` }
  }
  if (from === undefined) return { en, fr: `au plus ${to?.fr} ${currency}` }
  if (to === undefined) return { en, fr: `au moins ${from.fr} ${currency}` }
  return { en, fr: `de ${from.fr} à ${to.fr} ${currency}` }
}

function providersFinding(ours: readonly Offer[]): Finding {
  const what = { en: 'providers', fr: 'opérateurs ouverts' }
  const names = [...new Set(ours.map(({ provider }) => provider))].sort()
  if (names.length > 0) return pass(what, named(names.join(', ')))
  return fail(
    what,
    { en: 'none that we reach', fr: 'aucun que nous puissions joindre' },
    {
      en: 'Ask the operator to open the providers of the countries that you want.',
      fr: 'Demandez l’ouverture des opérateurs des pays que vous voulez servir.',
    },
  )
}

function signingFinding({ signs_callbacks }: Setup): Finding {
  const what = { en: 'signed callbacks', fr: 'notifications signées' }
  if (signs_callbacks === true) return pass(what, { en: 'on', fr: 'activées' })
  const found =
    signs_callbacks === false
      ? { en: 'off', fr: 'désactivées' }
      : { en: 'not shown', fr: 'non affichées' }
  return warn(what, found, {
    en:
      'Switch signed callbacks on in the dashboard: unsigned ones prove nothing, and each ' +
      'payment is asked about.',
    fr:
      'Activez les notifications signées dans le tableau de bord : celles qui ne le sont pas ne ' +
      'prouvent rien, et il faut interroger l’opérateur sur chaque paiement.',
  })
}

/** Where signatures are demanded and we sign nothing every payment is refused. */
function requestFindings(account: Account, { wants_signatures }: Setup): Finding[] {
  const what = { en: 'signed requests', fr: 'requêtes signées' }
  const signing = signingOf(account)
  if (signing === 'half') {
    const found = {
      en: 'signing_key cannot be read, or one of signing_key and signing_key_id is missing',
      fr: 'signing_key est illisible, ou il manque signing_key ou signing_key_id',
    }
    return [warn(what, found, signingFix)]
  }
  if (signing === 'whole') {
    const found = { en: 'ours are signed', fr: 'les nôtres sont signées' }
    return [pass(what, found)]
  }
  if (wants_signatures !== true) return []
  const found = {
    en: 'demanded, and ours are not signed: each payment will be refused',
    fr: 'exigées, et les nôtres ne le sont pas : chaque paiement sera refusé',
  }
  return [warn(what, found, signingFix)]
}

const signingFix: Text = {
  en:
    'Add the public key in the dashboard under Security, and rotate with signing_key_id (its ' +
    'name there) and signing_key; or switch signed requests off there.',
  fr:
    'Ajoutez la clé publique dans le tableau de bord, rubrique Security, et remplacez les ' +
    'secrets avec signing_key_id (son nom là-bas) et signing_key ; ou désactivez-y les ' +
    'requêtes signées.',
}

function callbackFinding(
  { code }: Account,
  offers: readonly Offer[],
  our_address: string | undefined,
): Finding {
  const wanted = `/callbacks/${code}`
  const given = [...new Set(offers.map(({ callback_url }) => callback_url))]
  const host = our_address === undefined ? undefined : new URL(our_address).host
  const isOurs = (url: string) => {
    if (!URL.canParse(url)) return false
    const { pathname, host: given } = new URL(url)
    const isThere = pathname.replace(/\/$/, '') === wanted
    return isThere && (host === undefined || given === host)
  }
  const what = { en: 'callback address', fr: 'adresse des notifications' }
  const others = given.filter((url) => !isOurs(url))
  if (given.length > 0 && others.length === 0) return pass(what, named(given.join(', ')))
  const addresses = others.filter(Boolean).join(', ')
  const found =
    addresses === ''
      ? { en: 'none', fr: 'aucune' }
      : others.includes('')
        ? { en: `${addresses}, and none for some`, fr: `${addresses}, et aucune pour d’autres` }
        : named(addresses)
  return warn(what, found, {
    en: `Set PUBLIC_URL with ${wanted} for each operation in the dashboard, Callback URLs.`,
    fr:
      `Saisissez PUBLIC_URL suivi de ${wanted} pour chaque opération, dans le tableau de bord, ` +
      'rubrique Callback URLs.',
  })
}

/** A provider that takes cents is sent whole units where the currency has no others. */
const isOtherAmount = ({ currency, decimals }: Offer): boolean =>
  decimals === 'NONE' && isCurrency(currency) && minorUnits(currency) > 0

const amountFinding = ({ provider, direction, currency }: Offer): Finding =>
  warn(
    { en: `amounts of ${provider}`, fr: `montants de ${provider}` },
    {
      en: `${direction} takes no cents of ${currency}`,
      fr: `${direction} n’accepte pas les centimes en ${currency}`,
    },
    {
      en: 'Leave its routes off, or make its network’s amount_step a whole unit.',
      fr: 'Laissez ses routes désactivées, ou donnez à son réseau un amount_step entier.',
    },
  )

function keysFinding(result: CallResult): Finding {
  const what = { en: 'public keys', fr: 'clés publiques' }
  const keys = result.is === 'answered' ? readKeys(result) : undefined
  if (keys !== undefined) return pass(what, named(keys.map(({ id }) => id).join(', ')))
  return warn(what, answerText(result), {
    en: 'Ask the operator where its keys are: without them no callback is believed.',
    fr: 'Demandez à l’opérateur où sont ses clés : sans elles, aucune notification n’est crue.',
  })
}

function balanceFindings(result: CallResult): Finding[] {
  const what = { en: 'wallets', fr: 'portefeuilles' }
  const balances = result.is === 'answered' ? readBalances(result) : undefined
  if (balances !== undefined && balances.length > 0) {
    const wallets = balances.map(({ wallet, currency }) => `${wallet} ${currency}`)
    return [pass(what, named(wallets.join(', '))), ...balances.map(walletFinding)]
  }
  const found =
    balances === undefined
      ? answerText(result)
      : { en: 'none that can be read', fr: 'aucun qui soit lisible' }
  const fix = {
    en: 'Ask the operator to open a wallet of the country, and its balance to this token.',
    fr: 'Demandez l’ouverture d’un portefeuille du pays, et de son solde à ce jeton.',
  }
  return [warn(what, found, fix)]
}
