// The states that every screen has beside its content: it loads, nothing is there, it failed.

import { Component, type ReactNode, useEffect, useState } from 'react'
import { CallFailed, failureIn, giveUpReads, isServed } from '../data/call.ts'
import { isOnline } from '../data/connection.ts'
import { t } from '../words/translate.ts'
import { Button, sentenceOf, Trace, TraceOf } from './form.tsx'

type LoadingProps = Readonly<{
  /** What ends the waiting, offered once it is long. */
  giveUp?: () => void
}>

/** Its room at first, then bones: an answer that comes soon makes no flicker, and moves little. */
export function Loading({ giveUp }: LoadingProps) {
  const isLate = useLater(300)
  const isSlow = useLater(8_000)
  return (
    <>
      <div className="loading" role="status">
        <span className={isLate ? 'bone' : 'room'} />
        {isLate && <span className={isSlow ? '' : 'unseen'}>{t(isSlow ? 'slow' : 'loading')}</span>}
      </div>
      {isSlow && giveUp && (
        <Button look="plain" onClick={giveUp}>
          {t('cancel')}
        </Button>
      )}
    </>
  )
}

/** Whether so long has passed since this was first drawn. */
export function useLater(after_ms: number): boolean {
  const [isLater, setIsLater] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLater(true), after_ms)
    return () => clearTimeout(timer)
  }, [after_ms])
  return isLater
}

export function Failed({ error, again }: { error: unknown; again: () => void }) {
  const failure = failureIn(error)
  return (
    <div className="alert" role="alert">
      <p>{(failure && sentenceOf(failure)) ?? t('broken')}</p>
      <TraceOf failure={failure} />
      <Button look="plain" onClick={again}>
        {t('again')}
      </Button>
    </div>
  )
}

export const Empty = ({ children }: { children: ReactNode }) => (
  <div className="empty">{children}</div>
)

type GuardedProps = Readonly<{
  /** The screen's address, or what a part was read as: with another one it is begun anew. */
  at: unknown
  /** Of a part: reads it anew. Where that mends nothing, the page is loaded. */
  refetch?: () => unknown
  children: ReactNode
}>
type GuardedState = Readonly<{
  isBroken: boolean
  isUnreached: boolean
  /** Of its report; empty until there is one. */
  fault: string
  at?: unknown
}>

/** Set once somebody is signed in: what takes a fault, and answers the id of its report. */
export const reports = { ofPart: (_fault: unknown): string => '' }

const whole = { isBroken: false, isUnreached: false, fault: '' } as const

/**
 * A screen that breaks leaves the frame around it, and a part of one the others; so does one whose
 * file is gone since a newer version is served, which loading the page anew brings. Without a
 * network it waits for one; where the service does not answer, it says so and stays.
 */
export class Guarded extends Component<GuardedProps, GuardedState> {
  static getDerivedStateFromError = () => ({ isBroken: true })

  static getDerivedStateFromProps = ({ at }: GuardedProps, state: GuardedState) =>
    at === state.at ? null : { ...whole, at }

  override state: GuardedState = whole
  private isReadAnew = false

  override componentDidCatch(error: unknown): void {
    void this.look()
    this.setState({ fault: reports.ofPart(error) })
  }

  /** Whether the service is there to load from. */
  private async look(): Promise<boolean> {
    const isThere = await isServed()
    this.setState({ isUnreached: !isThere })
    return isThere
  }

  private readonly again = async (): Promise<void> => {
    if (!(await this.look())) return
    if (this.props.refetch === undefined || this.isReadAnew) return location.reload()
    this.isReadAnew = true
    await this.props.refetch()
    this.setState(whole)
  }

  override render() {
    if (!this.state.isBroken) return this.props.children
    if (!isOnline()) return <ScreenLater />
    const { isUnreached, fault } = this.state
    return (
      <div className="alert" role="alert">
        <p>{t(isUnreached ? 'unreached' : 'broken')}</p>
        {!isUnreached && <Trace id={fault} />}
        <Button look="plain" onClick={this.again}>
          {t('again')}
        </Button>
      </div>
    )
  }
}

/** A screen whose file was not loaded before the network went. */
function ScreenLater() {
  useEffect(() => {
    const load = () => location.reload()
    addEventListener('online', load)
    return () => removeEventListener('online', load)
  }, [])
  return <p role="status">{t('offline_screen')}</p>
}

/** What a screen needs to know of a query. */
export type Reading<T> = Readonly<{
  data: T | undefined
  error: unknown
  isPlaceholderData: boolean
  /** It was answered or refused at least once. */
  isFetched: boolean
  refetch: () => unknown
}>

/** What was read, or why it is not there; a page that is being replaced is greyed. */
export function Read<T>({ of, children }: { of: Reading<T>; children: (content: T) => ReactNode }) {
  if (of.data !== undefined) {
    return (
      <div className={of.isPlaceholderData ? 'aging' : undefined} aria-busy={of.isPlaceholderData}>
        {of.error !== null && <Failed error={of.error} again={of.refetch} />}
        <Guarded at={of.data} refetch={of.refetch}>
          <Drawn of={of.data}>{children}</Drawn>
        </Guarded>
      </div>
    )
  }
  return of.error === null ? (
    <Waiting again={of.refetch} />
  ) : (
    <Failed error={of.error} again={of.refetch} />
  )
}

/** Below its guard, so that what breaks while it is drawn breaks there. */
const Drawn = <T,>({ of, children }: { of: T; children: (content: T) => ReactNode }) => children(of)

const givenUp = new CallFailed({ is: 'unreached', isLate: true })

/** Its reader may have enough of it, also between one try and the next. */
function Waiting({ again }: { again: () => void }) {
  const [isGivenUp, setIsGivenUp] = useState(false)
  if (!isGivenUp) {
    const giveUp = () => {
      giveUpReads()
      setIsGivenUp(true)
    }
    return <Loading giveUp={giveUp} />
  }
  const askAgain = () => {
    setIsGivenUp(false)
    again()
  }
  return <Failed error={givenUp} again={askAgain} />
}

type BelowProps = Readonly<{
  of: Readonly<{ isFetched: boolean }>
  children: ReactNode
}>

/**
 * What stands below an answer is shown with it: it was made before, so that its own calls are not
 * later, and is not pushed away under the reader's finger.
 */
export const Below = ({ of, children }: BelowProps) => <div hidden={!of.isFetched}>{children}</div>
