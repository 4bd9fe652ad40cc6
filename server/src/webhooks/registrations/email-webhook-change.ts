// The e-mail to the owners when a LIVE webhook was made, moved or switched on, or its secret set:
// anybody who can do that learns of every payment. Only the host of the address is named.

import { emailOwners } from '../../merchants/email-owners.ts'
import { keyIdOf, nameKey } from '../../merchants/keys/get-key.ts'
import { getMember } from '../../merchants/members/member-rights.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Tx } from '../../platform/db.ts'
import type { Text } from '../../platform/errors.ts'
import type { Caller, Environment } from '../../platform/http/route.ts'
import { oneLine } from '../../platform/mail/mail.ts'

export type ChangeKind = 'made' | 'moved' | 'switched_on' | 'secret_set'

const kindText: Readonly<Record<ChangeKind, Text>> = {
  made: { en: 'It was created.', fr: 'Il a été créé.' },
  moved: { en: 'Its address was changed.', fr: 'Son adresse a été modifiée.' },
  switched_on: { en: 'It was enabled.', fr: 'Il a été activé.' },
  secret_set: {
    en: 'Its signing secret was changed.',
    fr: 'Son secret de signature a été modifié.',
  },
}

/** How owners know an environment: by the modes of their dashboard. */
export const modeText: Readonly<Record<Environment, Text>> = {
  LIVE: { en: 'live', fr: 'en mode réel' },
  SANDBOX: { en: 'test', fr: 'en mode test' },
}

export type WebhookChange = Readonly<{
  webhook: Readonly<{ url: string; environment: Environment }>
  kinds: readonly ChangeKind[]
}>

export async function emailWebhookChange(
  tx: Tx,
  { keyring, caller }: Readonly<{ keyring: Keyring; caller: Caller }>,
  { webhook: { url, environment }, kinds }: WebhookChange,
): Promise<void> {
  if (kinds.length === 0) return
  const { host } = new URL(url)
  const who = await whoActs(tx, caller)
  const mode = modeText[environment]
  const textOf = (locale: 'en' | 'fr') => kinds.map((kind) => kindText[kind][locale]).join(' ')
  await emailOwners(tx, keyring, caller.merchant_id, {
    kind: 'LIVE_WEBHOOKS',
    subject: {
      en: `the ${mode.en} webhook to ${host}`,
      fr: `le webhook ${mode.fr} vers ${host}`,
    },
    news: {
      en: `The ${mode.en} webhook to ${host} was changed by ${who.en}. ${textOf('en')}`,
      fr: `Le webhook ${mode.fr} vers ${host} a été modifié par ${who.fr}. ${textOf('fr')}`,
    },
    advice: {
      en: 'If none of you did this, sign in now, delete this webhook and revoke the key.',
      fr:
        'Si aucun de vous n’est à l’origine de ce changement, connectez-vous, supprimez ce ' +
        'webhook et révoquez la clé.',
    },
  })
}

async function whoActs(tx: Tx, caller: Caller): Promise<Text> {
  const { api_key_id, member_id: person_id, merchant_id } = caller
  if (api_key_id !== null) {
    const name = await nameKey(tx, keyIdOf(caller, api_key_id))
    const shown = oneLine(name)
    return { en: `the API key ${shown}`, fr: `la clé API ${shown}` }
  }
  if (person_id === null) return { en: 'us', fr: 'nous' }
  const { email } = await getMember(tx, { merchant_id, person_id })
  return { en: `the member ${email}`, fr: `le membre ${email}` }
}
