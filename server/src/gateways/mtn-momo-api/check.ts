// Looks whether an account is set up as this operator needs it. It reads only: a token, a question
// about a key that nobody has, a balance.

import { randomUUID } from 'node:crypto'
import type { Text } from '../../platform/errors.ts'
import { readFields, wordIn } from '../../platform/json-fields.ts'
import type { Account } from '../adapter.ts'
import { clockFindings } from '../clock-findings.ts'
import {
  answerText,
  fail,
  named,
  pass,
  plainAddressFinding,
  reasonText,
  warn,
} from '../findings.ts'
import type { Finding } from '../gateway.ts'
import { purposesText } from '../wallet.ts'
import type { Caller, CallResult } from './client.ts'
import { readStatus } from './read-answer.ts'
import { max_skew_s } from './settings.ts'
import { type Product, products, purposesOf, readBalanceText, statusPath } from './wire.ts'

const checkMs = 10_000

/** A title of one product: each has its own access. */
const of = (product: Product, title: Text): Text => ({
  en: `${product} ${title.en}`,
  fr: `${product}, ${title.fr}`,
})

/** What was looked at, in the order in which it is mended. */
export async function checkAccount(
  account: Account,
  call: Caller,
  { clock, our_address }: Readonly<{ clock: () => number; our_address: string | undefined }>,
): Promise<readonly Finding[]> {
  const findings = [...environmentFindings(account)]
  for (const product of Object.values(products)) {
    findings.push(...(await checkProduct(account, call, clock, product)))
    // Users are made, and shown, by the API in the sandbox alone; in LIVE by the portal.
    if (our_address === undefined || account.environment === 'LIVE') continue
    findings.push(...(await hostFindings(account, call, product, our_address)))
  }
  return findings
}

/** Each API user is made for one host; callbacks to another are refused with the payment. */
async function hostFindings(
  { secrets }: Account,
  call: Caller,
  product: Product,
  our_address: string,
): Promise<Finding[]> {
  const path = `/v1_0/apiuser/${secrets[`${product}_api_user`] ?? ''}`
  const result = await call.send({ method: 'GET', product, path }, performance.now() + checkMs)
  const shown = result.is === 'answered' ? readFields(result.body) : undefined
  const registered = shown === undefined ? '' : wordIn(shown, 'providerCallbackHost')
  if (registered === '') return []
  const what = of(product, { en: 'callback host', fr: 'hôte des notifications' })
  if (registered === new URL(our_address).hostname) return [pass(what, named(registered))]
  return [
    warn(
      what,
      {
        en: `${registered}, and ours is ${our_address}`,
        fr: `${registered}, et le nôtre est ${our_address}`,
      },
      {
        en: 'Make an API user for the host of PUBLIC_URL, then rotate; or set PUBLIC_URL.',
        fr:
          'Créez un utilisateur d’API pour l’hôte de PUBLIC_URL, puis remplacez les secrets ; ' +
          'ou corrigez PUBLIC_URL.',
      },
    ),
  ]
}

function environmentFindings({ environment, settings }: Account): Finding[] {
  const { target_environment = '', wire_currency = '', base_url = '' } = settings
  const what = { en: 'target environment', fr: 'environnement visé' }
  const isSandbox = target_environment === 'sandbox'
  const found =
    isSandbox === (environment === 'SANDBOX')
      ? [pass(what, named(target_environment))]
      : [fail(what, environmentIn(target_environment, environment), environmentFix)]
  if (environment === 'LIVE' && wire_currency !== '') {
    found.push(currencyFault(wire_currency))
  }
  if (environment === 'LIVE' && !base_url.startsWith('https://')) {
    found.push(plainAddressFinding(base_url))
  }
  return found
}

const environmentIn = (target: string, environment: Account['environment']): Text => ({
  en: `${target} in ${environment}`,
  fr: `${target} en ${environment}`,
})

/** The word is the operator's, and as it is set. */
const sandbox = 'sandbox'

const environmentFix: Text = {
  en: `Set target_environment to the country’s value in LIVE, and to ${sandbox} in SANDBOX.`,
  fr:
    'Donnez à target_environment la valeur du pays en mode réel, et ' +
    `« ${sandbox} » dans le bac à sable.`,
}

const currencyFault = (wire_currency: string): Finding =>
  fail(
    { en: 'currency', fr: 'devise' },
    {
      en: `${wire_currency} in place of the country’s own`,
      fr: `${wire_currency} à la place de celle du pays`,
    },
    {
      en: 'Remove wire_currency: it is for the operator’s sandbox only.',
      fr: 'Retirez wire_currency : il ne sert que dans le bac à sable de l’opérateur.',
    },
  )

async function checkProduct(
  account: Account,
  call: Caller,
  clock: () => number,
  product: Product,
): Promise<Finding[]> {
  const issued = await call.obtain(product)
  if (issued.is === 'none') return [tokenFault(product, issued)]
  const { expires_in_s } = issued
  const lives = { en: `lives ${expires_in_s} s`, fr: `valable ${expires_in_s} s` }
  const what = of(product, { en: 'clock', fr: 'horloge' })
  const until = performance.now() + checkMs
  const direction = product === 'collection' ? 'COLLECT' : 'DISBURSE'
  const our_key = randomUUID()
  const asked = await call.send(
    { method: 'GET', product, path: statusPath(direction, our_key) },
    until,
  )
  const balance = await call.send(
    { method: 'GET', product, path: `/${product}/v1_0/account/balance` },
    until,
  )
  return [
    pass(of(product, token), lives),
    ...clockFindings(asked, { now_ms: clock(), fail_s: max_skew_s, what }),
    questionFinding(product, { direction, our_key }, asked),
    balanceFinding(account, product, balance),
  ]
}

const token: Text = { en: 'token', fr: 'jeton' }

function tokenFault(
  product: Product,
  { because, denied }: Readonly<{ because: string; denied?: boolean }>,
): Finding {
  const fix =
    denied === true
      ? {
          en:
            `Compare ${product}_subscription_key, _api_user and _api_key with the portal: each ` +
            'product has its own, and a key of the sandbox is none of LIVE.',
          fr:
            `Comparez ${product}_subscription_key, _api_user et _api_key avec le portail : ` +
            'chaque produit a les siens, et une clé du bac à sable ne vaut pas en mode réel.',
        }
      : {
          en:
            'The address, its name or its certificate: compare base_url, then ask the operator ' +
            'whether it is up.',
          fr:
            'L’adresse, son nom ou son certificat : vérifiez base_url, puis demandez à ' +
            'l’opérateur si son service fonctionne.',
        }
  return fail(of(product, token), reasonText(because), fix)
}

/** A key that nobody has: "not found" proves address, access and environment at once. */
function questionFinding(
  product: Product,
  about: Readonly<{ direction: 'COLLECT' | 'DISBURSE'; our_key: string }>,
  result: CallResult,
): Finding {
  const what = of(product, { en: 'question', fr: 'question posée' })
  const key = {
    ...about,
    merchant_id: '',
    attempt_id: '',
    external_reference: '',
    amount: 100n,
    currency: 'XOF',
  }
  const context = { wire_currency: '', note: () => undefined }
  const read = result.is === 'answered' ? readStatus(key, result, context) : result
  if (read.is === 'not_found') {
    return pass(what, { en: 'not found, as it must be', fr: 'introuvable, comme il se doit' })
  }
  return fail(what, answerText(result), questionFix(result))
}

function questionFix(result: CallResult): Text {
  if (result.is !== 'answered') {
    return {
      en: 'Nobody answers: compare base_url, and ask the operator.',
      fr: 'Personne ne répond : vérifiez base_url, et interrogez l’opérateur.',
    }
  }
  return questionFixes[result.status] ?? otherFix
}

/** By the status that it was answered with. */
const questionFixes: Readonly<Record<number, Text>> = {
  401: {
    en: 'The token is of another product or environment than the key.',
    fr: 'Le jeton est d’un autre produit ou d’un autre environnement que la clé.',
  },
  403: {
    en: 'Give the operator this machine’s public address to admit.',
    fr: 'Donnez à l’opérateur l’adresse publique de cette machine, pour qu’il l’admette.',
  },
  404: {
    en: 'Another form of "not found": compare base_url.',
    fr: 'Une autre forme de « introuvable » : vérifiez base_url.',
  },
}

const otherFix: Text = {
  en: 'Compare target_environment with the country’s value.',
  fr: 'Comparez target_environment avec la valeur du pays.',
}

function balanceFinding(account: Account, product: Product, result: CallResult): Finding {
  const what = of(product, { en: 'balance', fr: 'solde' })
  const shown = result.is === 'answered' ? readBalanceText(result) : undefined
  if (shown === undefined) {
    return warn(what, answerText(result), {
      en: 'Ask the operator to open the balance of this product to the API user.',
      fr: 'Demandez à l’opérateur d’ouvrir le solde de ce produit à l’utilisateur d’API.',
    })
  }
  const { wire_currency = '' } = account.settings
  const balance = `${shown.amount} ${shown.currency}`
  if (wire_currency === '' || shown.currency === wire_currency) {
    const use = purposesText(purposesOf[product])
    return pass(what, { en: `${balance}, ${use.en}`, fr: `${balance}, ${use.fr}` })
  }
  return fail(
    what,
    {
      en: `${balance}, and we send ${wire_currency}`,
      fr: `${balance}, et nous envoyons ${wire_currency}`,
    },
    {
      en: 'Set wire_currency to what the account holds.',
      fr: 'Donnez à wire_currency la devise du compte.',
    },
  )
}
