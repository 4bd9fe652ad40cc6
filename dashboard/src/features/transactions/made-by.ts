// Who or what asked for a payment or payout, as its page and its row in a list say it.

import type { ListedTransaction } from '../../api/types.gen.ts'
import { whoIs } from '../../parts/actor.ts'
import { t } from '../../words/translate.ts'

type Made = Pick<ListedTransaction, 'via' | 'created_by_member' | 'created_by_name'>

/** By a colleague or a key, who are named where they have a name. `me`: the reader's id. */
export function madeBy(
  { via, created_by_member, created_by_name: name }: Made,
  me: string,
): string {
  if (created_by_member === me) return t('made_by_you')
  if (name === '') return t(`made_${via ?? 'KEY'}`)
  if (via === 'KEY') return whoIs({ kind: 'KEY', id: null, name })
  return t('made_by', { name: whoIs({ kind: 'MEMBER', id: null, name }) })
}

/** The same in a row, which says nothing where nobody knows. */
export function maker({ via, created_by_name: name }: Made): string {
  if (via === null) return ''
  if (name === '') return t(`made_${via}`)
  return whoIs({ kind: via === 'KEY' ? 'KEY' : 'MEMBER', id: null, name })
}
