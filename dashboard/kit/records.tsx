// What is read of records: lists, their pages, facts, figures and moments, a day's chart.

import { useState } from 'react'
import { CallFailed } from '../src/data/call.ts'
import { HourChart } from '../src/features/home/hour-chart.tsx'
import { hidePhone, writePhone } from '../src/format/phone.ts'
import { Countdown, WaitsSince } from '../src/parts/countdown.tsx'
import { Curl } from '../src/parts/curl.tsx'
import { type Column, CutShort, Pager, RecordList, Records } from '../src/parts/records.tsx'
import { transferState, transferStatuses } from '../src/parts/states.ts'
import { Sum, When, WhenExactly } from '../src/parts/tips.tsx'
import { Code, Facts } from '../src/ui/facts.tsx'
import { Button } from '../src/ui/form.tsx'
import { Status } from '../src/ui/status.tsx'
import { t } from '../src/words/translate.ts'
import { Case, inMinutes, nothing, refusal } from './values.tsx'

type Row = Readonly<{ reference: string; status: (typeof transferStatuses)[number] }>

const rows: readonly Row[] = transferStatuses.map((status) => ({
  reference: `A-${status}`,
  status,
}))
const at = inMinutes(-26)
const sum = <Sum of="12500.00" currency="XOF" />

const columns: readonly Column<Row>[] = [
  { name: 'reference', of: ({ reference }) => reference, order: 'reference' },
  { name: 'amount', of: () => sum, is: 'figure' },
  { name: 'status', of: (row) => <Status of={transferState(row)} />, at: 'side' },
  { name: 'date', of: () => <When of={at} />, order: 'created_at', is: 'whole' },
]

const list = { columns, keyOf: ({ reference }: Row) => reference, to: () => '/table' }
const page = 'https://pirogue.example/api/v1/transactions/?page=2'

function Table() {
  const [now, set] = useState('-created_at')
  const status = (row: Row) => <Status of={transferState(row)} />
  return (
    <>
      <Case name="Records: a table that is sorted by its heads, on a telephone cards">
        <Records {...list} rows={rows} caption={t('payments')} sort={{ now, set }} />
      </Case>
      <Case name="Records with acts, and cards of their own">
        <Records
          {...{ ...list, rows }}
          caption={t('refunds')}
          card={(row) => ({ head: sum, status: status(row), left: row.reference })}
          acts={() => <Button look="plain">{t('show')}</Button>}
        />
      </Case>
    </>
  )
}

function List() {
  const read = { error: null, isPlaceholderData: false, isFetched: true, refetch: nothing }
  const data = { results: rows, next: page, previous: null, count: 60 }
  const none = { results: [], next: null, previous: null }
  const props = { ...list, empty: t('nothing_today'), go: nothing }
  const failed = { ...read, data: undefined, error: new CallFailed(refusal()) }
  return (
    <Case name="RecordList: its next page on its way, nothing, failed">
      <RecordList
        {...{ ...props, page: 1, size: 25, caption: t('payments') }}
        of={{ ...read, data, isPlaceholderData: true }}
      />
      <RecordList {...props} caption={t('refunds')} of={{ ...read, data: none }} />
      <RecordList {...props} caption={t('payouts')} of={failed} />
    </Case>
  )
}

const Pages = () => (
  <Case name="CutShort, and Pager of a list by cursor">
    <CutShort of={{ results: rows, next: page, previous: null }} size={25} isStart />
    <Pager newer={page} older={page} go={nothing} size={50} />
  </Case>
)

const request = { method: 'GET', url: '/transactions/', query: { status: 'SUCCESS' } } as const

const AsItIs = () => (
  <>
    <Case name="Facts: in two columns, as prose">
      <Facts
        of={[
          [t('reference'), 'A-17'],
          [t('fees'), sum],
          [t('description'), ''],
        ]}
      />
      <Facts isProse of={[[t('description'), t('offline')]]} />
    </Case>
    <Case name="Code: open, folded; Curl">
      <Code name="POST /payments/" text={JSON.stringify({ id: 'A-17', amount: '12500.00' })} />
      <Code name={t('as_json')} text={JSON.stringify(rows, null, 2)} isFolded />
      <Curl of={request} name="GET /transactions/" />
    </Case>
  </>
)

const Figures = () => (
  <Case name="Sum, a number and one that is hidden, When, WhenExactly, WaitsSince, Countdown">
    <p>{sum}</p>
    <p>
      <Sum of="-25.50" currency="GHS" />
    </p>
    <p>
      {writePhone('+2290197000010')}, {hidePhone('+2290197000010')}
    </p>
    <p>
      <When of={at} />, <WhenExactly of={at} />
    </p>
    <p>
      <WaitsSince of={at} />, <Countdown to={inMinutes(90)} />
    </p>
  </Case>
)

const points = [0, 20, 60, 100, 40, 0].map((height, nth) => ({
  at: `2026-11-22T1${nth}:00:00.000Z`,
  ...{ succeeded: height, taken: `${height}00.00`, compared: '4000.00' },
  ...{ height, compared_height: 40 },
}))

const Chart = () => (
  <Case name="HourChart, Points">
    <HourChart of={{ points, currency: 'XOF' }} then="2026-11-15" isFirst />
  </Case>
)

export const recordPages = {
  ...{ table: Table, list: List, pager: Pages, facts: AsItIs, figures: Figures, chart: Chart },
}
