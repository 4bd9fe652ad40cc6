// The story of a payment or payout as the API lists it: one order, oldest first, day by day, a page
// at a time; and what happens next by itself.

import { useEffect, useRef } from 'react'
import type {
  TransactionDetail as Detail,
  GetTransactionsByIdTimelineData,
  GetTransactionsByIdTimelineResponse,
  TimelineStep as Step,
} from '../../api/types.gen.ts'
import type { ContentOf } from '../../data/call.ts'
import { readAgain, useRead } from '../../data/queries.ts'
import { type Clock, writeDate, writeTime } from '../../format/moment.ts'
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
const every_ms = 60_000

/**
 * The story of what is at an address, read beside the record itself and again when that changes.
 * What does not change it, such as a webhook that was tried again, is asked for by the clock.
 */
export function useStory(id: string, of: Detail | undefined): Reading<Timeline> {
  const { place } = useHere()
  const { filters } = useFilters(['cursor'])
  const { cursor } = filters
  const known = useRef(of)
  useEffect(() => {
    const isChanged = known.current !== undefined && known.current !== of
    known.current = of
    if (isChanged) void readAgain(url)
  }, [of])
  return useRead<GetTransactionsByIdTimelineData, GetTransactionsByIdTimelineResponse>(
    place,
    { url, path: { id }, query: { page_size, ...(cursor && { cursor }) } },
    { every_ms },
  )
}

export function Story({ of, transaction }: { of: Reading<Timeline>; transaction: Detail }) {
  const { set } = useFilters(['cursor'])
  return (
    <section>
      <h2>{t('story')}</h2>
      <Read of={of}>
        {({ results, next, previous, ...times }) => (
          <>
            <Steps of={results} />
            <Ahead of={transaction} {...times} />
            <Pager
              newer={previous}
              older={next}
              names={{ newer: 'story_earlier', older: 'story_later' }}
              go={set}
            />
          </>
        )}
      </Read>
    </section>
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

type AheadProps = Pick<Timeline, 'next_question_at' | 'ends_at'> & Readonly<{ of: Detail }>

/** What happens by itself, and when. */
function Ahead({ of, next_question_at: next, ends_at }: AheadProps) {
  const { moment } = useHere()
  const isSoon = next !== null && new Date(next).getTime() <= Date.now()
  const asks = next && t(isSoon ? 'story_asks_soon' : 'story_asks_next', { at: moment(next) })
  const end = of.flow_direction === 'OUTBOUND' ? 'story_ends_approval' : 'story_ends'
  if (asks === null && ends_at === null) return null
  return (
    <p className="mute">
      {asks} {ends_at !== null && t(end, { at: moment(ends_at) })}
    </p>
  )
}
