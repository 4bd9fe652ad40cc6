// Who did something, in words: a colleague or a key by its name, whoever has none by what they are.

import { isolated } from '../format/name.ts'
import { type Key, t } from '../words/translate.ts'

type Kind = 'MEMBER' | 'KEY' | 'PAYER' | 'OPERATOR' | 'STAFF' | 'SYSTEM'
export type Actor = Readonly<{ kind: Kind; id: string | null; name: string }>

/** `me`: the id of the reader, who reads that it was they. */
export function whoIs({ kind, id, name }: Actor, me?: string): string {
  const nameless: Key = `actor_${kind}`
  if (name === '') return t(nameless)
  if (kind === 'KEY') return t('actor_named_KEY', { name: isolated(name) })
  return id !== null && id === me ? t('actor_you', { name: isolated(name) }) : isolated(name)
}
