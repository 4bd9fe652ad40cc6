// What a role may not do is said, with who may: never a button that ends in a refusal. And what is
// not there is said as such, not as a failure.

import type { ComponentProps, ReactNode } from 'react'
import { failureIn } from '../data/call.ts'
import { may as mayRole, type Right, type Role } from '../data/rights.ts'
import { Empty, Read } from '../ui/state.tsx'
import { t } from '../words/translate.ts'
import { useHere } from './place.tsx'

const roles: readonly Role[] = ['OWNER', 'ADMIN', 'DEVELOPER', 'FINANCE', 'VIEWER']

/** The roles that hold this right, in the reader's words. */
export const rolesWith = (right: Right): string =>
  roles
    .filter((role) => mayRole(role, right))
    .map((role) => t(`role_${role}`))
    .join(', ')

type Props = Readonly<{ right: Right; children: ReactNode }>

/** The children for whoever has the right; else why not. */
export function Allowed({ right, children }: Props) {
  const { may, merchant } = useHere()
  if (may(right)) return <>{children}</>
  if (merchant.status === 'SUSPENDED') return <p className="mute">{t('suspended')}</p>
  return (
    <p className="mute">
      {t('role_needed', { roles: rolesWith(right), own: t(`role_${merchant.role}`) })}
    </p>
  )
}

/** One record of the API: an id of the other mode, or of nobody, is not here. */
export function Found<T>(props: ComponentProps<typeof Read<T>>) {
  const failure = failureIn(props.of.error)
  const isMissing = failure?.is === 'refused' && [403, 404].includes(failure.status)
  if (!isMissing) return <Read {...props} />
  return (
    <Empty>
      <p>{t('not_here')}</p>
    </Empty>
  )
}
