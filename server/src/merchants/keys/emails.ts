// The e-mails to the owners when there is a new live key, or one may be used from elsewhere.

import type { Locale, Text } from '../../platform/errors.ts'
import type { OwnersEmail } from '../email-owners.ts'
import type { ApiKey } from './api-key.ts'
import type { MadeByKey } from './made-by-key.ts'

const scopeText: Readonly<Record<ApiKey['scope'], Text>> = {
  BOTH: { en: 'collects and pays out', fr: 'encaisse et verse' },
  PAYIN: { en: 'collects', fr: 'encaisse' },
  PAYOUT: { en: 'pays out', fr: 'verse' },
}

function nameOf({ key_prefix, last4, scope }: ApiKey): Text {
  const nameIn = (locale: Locale) => `${key_prefix}…${last4} (${scopeText[scope][locale]})`
  return { en: nameIn('en'), fr: nameIn('fr') }
}

export function newKeyEmail(live: ApiKey): OwnersEmail {
  const key = nameOf(live)
  return {
    kind: 'KEYS',
    subject: { en: 'A new live API key', fr: 'Une nouvelle clé API en mode réel' },
    news: {
      en: `The live API key ${key.en} was created for your account.`,
      fr: `La clé API en mode réel ${key.fr} a été créée pour votre compte.`,
    },
  }
}

export function changedKeyEmail(changed: ApiKey): OwnersEmail {
  const key = nameOf(changed)
  const { ip_whitelist, read_only } = changed
  const addresses = ip_whitelist.join(', ')
  const en = addresses === '' ? 'from any address' : `from ${addresses} only`
  const fr = addresses === '' ? 'depuis n’importe quelle adresse' : `depuis ${addresses} seulement`
  return {
    kind: 'KEYS',
    subject: { en: 'A live API key was changed', fr: 'Une clé API en mode réel a été modifiée' },
    news: {
      en: `The live API key ${key.en} can now be used ${en}${read_only ? ', read-only' : ''}.`,
      fr:
        `La clé API en mode réel ${key.fr} peut désormais servir ` +
        `${fr}${read_only ? ', en lecture seule' : ''}.`,
    },
  }
}

export function endedKeyEmail(ended: ApiKey, made: MadeByKey): OwnersEmail {
  const key = nameOf(ended)
  const [webhooks, links] = [made.webhooks.count, made.payment_links.count]
  const sessions = made.checkout_sessions.count
  return {
    kind: 'KEYS',
    subject: { en: 'A live API key was revoked', fr: 'Une clé API en mode réel a été révoquée' },
    news: {
      en:
        `The live API key ${key.en} was revoked. What it created remains in place: webhooks ` +
        `${webhooks}, payment links ${links}, checkout sessions ${sessions}.`,
      fr:
        `La clé API en mode réel ${key.fr} a été révoquée. Ce qu’elle a créé reste en place : ` +
        `webhooks ${webhooks}, liens de paiement ${links}, sessions de paiement ${sessions}.`,
    },
    advice: {
      en: 'If the key was stolen, review them and delete any that you do not recognise.',
      fr:
        'Si la clé a été volée, passez-les en revue et supprimez ceux que vous ne reconnaissez ' +
        'pas.',
    },
  }
}
