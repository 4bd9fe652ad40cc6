// The story of a payment or payout as the API lists it: in one order, all of it or one group of
// steps, day by day, a page at a time; and what happens next by itself.

import { useEffect, useRef, useState } from 'react'
import type {
  TransactionDetail as Detail,
  GetTransactionsByIdTimelineData,
  GetTransactionsByIdTimelineResponse,
  TimelineStep as Step,
} from '../../api/types.gen.ts'
import type { ContentOf } from '../../data/call.ts'
import { serviceNow } from '../../data/clock.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import { type Clock, writeAgo, writeDate, writeTime } from '../../format/moment.ts'
import { anyText } from '../../parts/filter-values.ts'
import { useNetworkNames } from '../../parts/networks.ts'
import { useFilters, useHere } from '../../parts/place.tsx'
import { Pager } from '../../parts/records.tsx'
import { ShapeIcon } from '../../ui/icons.tsx'
import { Link } from '../../ui/link.tsx'
import { Read, type Reading } from '../../ui/state.tsx'
import { t } from '../../words/translate.ts'
import { describeStep, type StepText, type Writing } from './describe-step.ts'

export type Timeline = ContentOf<GetTransactionsByIdTimelineResponse>

const url = '/transactions/{id}/timeline/'
const page_size = 25
const groups = ['ATTEMPTS', 'CALLBACKS', 'WEBHOOKS', 'LEDGER'] as const

/** Which of its steps, in which order, and which page of them, as the address holds it. */
function useNarrowed() {
  const { filters, set } = useFilters({ group: groups, order: ['newest'], cursor: anyText })
  const { cursor } = filters
  const group = groups.find((one) => one === filters.group)
  const isNewestFirst = filters.order === 'newest'
  const order = isNewestFirst ? 'newest' : undefined
  return { cursor, group, isNewestFirst, order, set }
}
const every_ms = 60_000

/**
 * The story of what is at an address, read beside the record itself and again when that changes.
 * What does not change it, such as a webhook that was tried again, is asked for by the clock.
 */
export function useStory(id: string, of: Detail | undefined): Reading<Timeline> {
  const { place } = useHere()
  const { cursor, group, isNewestFirst } = useNarrowed()
  const known = useRef(of)
  useEffect(() => {
    const isChanged = known.current !== undefined && known.current !== of
    known.current = of
    if (isChanged) void readAgain(url)
  }, [of])
  return useRead<GetTransactionsByIdTimelineData, GetTransactionsByIdTimelineResponse>(
    place,
    {
      url,
      path: { id },
      query: {
        page_size,
        ...(group && { group }),
        ...(isNewestFirst && { ordering: '-created_at' }),
        ...(cursor && { cursor }),
      },
    },
    { every_ms },
  )
}

export function Story({ of, transaction }: { of: Reading<Timeline>; transaction: Detail }) {
  const { group, isNewestFirst, order, set } = useNarrowed()
  const [before, after] = isNewestFirst
    ? (['story_later', 'story_earlier'] as const)
    : (['story_earlier', 'story_later'] as const)
  return (
    <section>
      <h2>{t('story')}</h2>
      <Groups />
      <Read of={of}>
        {({ results, next, previous, ...times }) => (
          <>
            {results.length === 0 && <p className="mute">{t('story_none')}</p>}
            <Steps of={results} />
            <Ahead of={transaction} {...times} />
            <Pager
              newer={previous}
              older={next}
              names={{ newer: before, older: after }}
              go={(page) => set({ group, order, ...page })}
            />
          </>
        )}
      </Read>
    </section>
  )
}

/** One group alone, and the newest first, each by one press. */
function Groups() {
  const { group, isNewestFirst, order, set } = useNarrowed()
  return (
    // biome-ignore lint/a11y/useSemanticElements: nothing is filled in here
    <div className="chips" role="group" aria-label={t('story_groups')}>
      <button type="button" aria-pressed={group === undefined} onClick={() => set({ order })}>
        {t('story_group_all')}
      </button>
      {groups.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={group === one}
          onClick={() => set({ group: one, order })}
        >
          {t(`story_group_${one}`)}
        </button>
      ))}
      <button
        type="button"
        aria-pressed={isNewestFirst}
        onClick={() => set({ group, order: isNewestFirst ? undefined : 'newest' })}
      >
        {t('story_newest')}
      </button>
    </div>
  )
}

/** Apart from all others, and the same when it is read again. */
const keyOf = ({ kind, ref, at, facts: { step, to_status, try: nth, proof, outcome } }: Step) =>
  [kind, ref, at, step, to_status, nth, proof, outcome].join(' ')

function daysOf(steps: readonly Step[], clock: Clock): [day: string, steps: Step[]][] {
  const days = new Map<string, Step[]>()
  for (const step of steps) {
    const day = writeDate(step.at, clock)
    days.set(day, [...(days.get(day) ?? []), step])
  }
  return [...days]
}

function Steps({ of }: { of: readonly Step[] }) {
  const { me, amount, moment, clock } = useHere()
  const networkName = useNetworkNames()
  const writing: Writing = { me: me.member.id, amount, moment, networkName }
  return daysOf(of, clock).map(([day, steps]) => (
    <div key={day}>
      <h3>{day}</h3>
      <ol className="story">
        {steps.map((step) => {
          const text = describeStep(step, writing)
          return text && <StepItem key={keyOf(step)} at={step.at} of={text} />
        })}
      </ol>
    </div>
  ))
}

function StepItem({ at, of }: { at: string; of: StepText }) {
  const { clock, to } = useHere()
  const { shape, said, more = [], path, isTurn = false } = of
  const text = isTurn ? <b>{said}</b> : said
  return (
    <li>
      <ShapeIcon shape={shape} />
      <span>
        {path === undefined ? text : <Link href={to(path)}>{text}</Link>}
        <span className="mute small line">
          <time dateTime={at} title={at}>
            {writeTime(at, clock)}
          </time>
          {more.filter(Boolean).map((one) => (
            <span key={one}> · {one}</span>
          ))}
        </span>
      </span>
    </li>
  )
}

const looks_ms = 5_000

/** How long ago the operator was asked about what is open; nothing where nothing is. */
export function AskedLast({ of }: { of: Reading<Timeline> }) {
  const { language, moment } = useHere()
  const [now, setNow] = useState(serviceNow)
  useEffect(() => {
    const timer = setInterval(() => setNow(serviceNow()), looks_ms)
    return () => clearInterval(timer)
  }, [])
  const at = of.data?.last_question_at ?? null
  if (at === null) return null
  return (
    <p className="small" aria-live="off" title={moment(at)}>
      {t('story_asked_last', { ago: writeAgo(at, language, now) })}
    </p>
  )
}

type AheadProps = Pick<Timeline, 'next_question_at' | 'ends_at'> & Readonly<{ of: Detail }>

/** What happens by itself, and when. */
function Ahead({ of, next_question_at: next, ends_at }: AheadProps) {
  const { moment } = useHere()
  const isSoon = next !== null && new Date(next).getTime() <= serviceNow()
  const asks = next && t(isSoon ? 'story_asks_soon' : 'story_asks_next', { at: moment(next) })
  const end = of.flow_direction === 'OUTBOUND' ? 'story_ends_waiting' : 'story_ends'
  // How long there is to approve it is said above, where that is done.
  const isSaid = ends_at === null || of.approval === 'REQUIRED'
  if (asks === null && isSaid) return null
  return (
    <p className="mute">
      {asks} {!isSaid && t(end, { at: moment(ends_at) })}
    </p>
  )
}
