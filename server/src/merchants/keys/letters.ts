// What the owners read when there is a new key that can move money.

import type { OwnersLetter } from '../tell-owners.ts'
import type { ApiKey } from './api-key.ts'

export function liveKeyLetter({ key_prefix, last4, scope }: ApiKey): OwnersLetter {
  const key = `${key_prefix}…${last4} (${scope})`
  return {
    subject: { en: 'A new live API key', fr: 'Une nouvelle clé API en mode réel' },
    news: {
      en: `The live API key ${key} was created for your account.`,
      fr: `La clé API en mode réel ${key} a été créée pour votre compte.`,
    },
  }
}
