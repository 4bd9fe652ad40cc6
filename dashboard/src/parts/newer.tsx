// Over a list: whether it is followed, a pause beside it, and how much is new, which is shown when
// its reader wants it. The line keeps its height, so that nothing moves under a finger.

import { useRef } from 'react'
import { setPaused, useConnection } from '../data/connection.ts'
import { type Listed, useNewer } from '../data/newer.ts'
import { Button } from '../ui/form.tsx'
import { SignIcon } from '../ui/icons.tsx'
import { useIsWide } from '../ui/wide.ts'
import { type Key, t } from '../words/translate.ts'
import { useHere } from './place.tsx'

type Props<Content> = Readonly<{
  /** As the list was asked for. */
  request: Readonly<{ url: string; query: object }>
  shown: Content
  /** What is said of so many. */
  word: Key
  /** There is a hint for each new row (default); else it is asked for by the clock. */
  isHinted?: boolean
}>

/** A page of its own stays as it is; what has no index is not looked for again and again. */
export const isFollowable = (
  filters: Readonly<Record<string, string | undefined>>,
  seldom: readonly string[] = ['search'],
): boolean => ['cursor', 'page', ...seldom].every((name) => filters[name] === undefined)

export function NewerLine<Content extends Listed>({
  request,
  shown,
  word,
  isHinted = true,
}: Props<Content>) {
  const { place } = useHere()
  const { isFollowed, isPaused } = useConnection()
  const { count, isMore, show } = useNewer(place, request, { shown, on: !isPaused, isHinted })
  const line = useRef<HTMLDivElement>(null)
  // On a telephone the sign alone: what is new stands beside it in one line.
  const isWide = useIsWide()
  const showThem = () => {
    show()
    // The button is gone with what it counted.
    line.current?.focus()
  }
  return (
    <div className="newer" ref={line} tabIndex={-1}>
      <Button look="plain" onClick={() => setPaused(!isPaused)}>
        <SignIcon sign={isPaused ? 'go_on' : 'pause'} />
        <span className={isWide ? '' : 'unseen'}>{t(isPaused ? 'live_resume' : 'live_pause')}</span>
      </Button>
      <span role="status">
        {count > 0 ? (
          <Button look="plain" onClick={showThem}>
            <SignIcon sign="up" />
            {t(word, { count: isMore ? `${count}+` : count })}
          </Button>
        ) : (
          <span className="mute small">{t(wordOf(isPaused, isFollowed && isHinted))}</span>
        )}
      </span>
    </div>
  )
}

function wordOf(isPaused: boolean, isFollowed: boolean): Key {
  if (isPaused) return 'live_paused'
  return isFollowed ? 'live_now' : 'live_by_clock'
}
