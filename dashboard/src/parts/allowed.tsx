// What a role may not do is said, with who may: never a button that ends in a refusal. And what is
// not there is said as such, not as a failure.

import type { ComponentProps, ReactNode } from 'react'
import { failureIn } from '../data/call.ts'
import type { Right } from '../data/rights.ts'
import { Empty, Read } from '../ui/state.tsx'
import { t } from '../words/translate.ts'
import { useHere } from './place.tsx'

type Props = Readonly<{ right: Right; children: ReactNode }>

/** The children for whoever has the right; else why not. */
export function Allowed({ right, children }: Props) {
  const reason = useHere().whyNot(right)
  return reason === undefined ? children : <p className="mute">{reason}</p>
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
