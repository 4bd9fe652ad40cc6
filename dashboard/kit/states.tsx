// How things are: the states of a screen beside its content, a status by shape and word, the bands.

import { CallFailed } from '../src/data/call.ts'
import * as states from '../src/parts/states.ts'
import { ShapeIcon } from '../src/ui/icons.tsx'
import { Below, Empty, Failed, Guarded, Loading, Read } from '../src/ui/state.tsx'
import { EndOf, type State, Status, stateOf } from '../src/ui/status.tsx'
import { type Key, t } from '../src/words/translate.ts'
import { Case, nothing, refusal } from './values.tsx'

const Breaks = (): never => {
  throw new Error('as a part that cannot be drawn')
}

function BesideContent() {
  const read = { data: t('payments'), error: null, isPlaceholderData: false, isFetched: true }
  const of = { ...read, refetch: nothing }
  const failed = new CallFailed(refusal())
  const shown = (text: string) => <p>{text}</p>
  return (
    <>
      <Case name="Loading, Empty, Failed">
        <Loading giveUp={nothing} />
        <Empty>{shown(t('nothing_today'))}</Empty>
        <Failed error={failed} again={nothing} />
      </Case>
      <Case name="Read: there; on its way anew; failed since">
        <Read of={of}>{shown}</Read>
        <Read of={{ ...of, isPlaceholderData: true }}>{shown}</Read>
        <Read of={{ ...of, error: failed }}>{shown}</Read>
      </Case>
      <Case name="Below; Guarded around what cannot be drawn">
        <Below of={read}>{shown(t('payouts'))}</Below>
        <Guarded at="kit" refetch={nothing}>
          <Breaks />
        </Guarded>
      </Case>
    </>
  )
}

const pending: Parameters<typeof stateOf>[0] = {
  ...{ status: 'PENDING', flow_direction: 'OUTBOUND', approval: null, waiting_reason: null },
  ...{ returned_at: null, outcome_unknown: false, incident: null },
}

const paid = { ...pending, status: 'SUCCESS', flow_direction: 'INBOUND' } as const

const returned_at = null
const key = {
  ...{ id: '01a22ef6-3be7-7016-9190-477417ab0a23', rotated_to: null },
  ...{ last_used_at: null, created_at: new Date().toISOString() },
}
const groups: Readonly<Record<string, readonly State[]>> = {
  transaction: [
    stateOf(paid),
    ...(['SUCCESS', 'PENDING', 'FAILED', 'CANCELLED'] as const).map((status) =>
      stateOf({ ...pending, status }),
    ),
    stateOf({ ...pending, approval: 'REQUIRED' }),
    stateOf({ ...pending, waiting_reason: 'GATEWAY_FLOAT' }),
    stateOf({ ...pending, outcome_unknown: true }),
    stateOf({ ...pending, returned_at: '2026-11-22T08:00:00.000Z' }),
  ],
  settlement: states.settlementStatuses.map((status) =>
    states.settlementState({ status, returned_at }),
  ),
  transfer: states.transferStatuses.map((status) => states.transferState({ status })),
  checkout: states.checkoutStatuses.map((status) => states.checkoutState({ status })),
  refund: states.refundStatuses.map((status) =>
    states.refundState({ status, returned_at, waiting_for: null, attempts: [] }),
  ),
  key: [
    ...(['ACTIVE', 'REVOKED', 'EXPIRED'] as const).map((status) =>
      states.keyState({ ...key, status }),
    ),
    states.keyState({ ...key, status: 'ACTIVE', rotated_to: key.id }),
    states.keyState({ ...key, status: 'ACTIVE', created_at: '2020-01-01T00:00:00.000Z' }),
  ],
}

const Statuses = () => (
  <>
    {Object.entries(groups).map(([name, of]) => (
      <Case key={name} name={`Status: ${name}`}>
        <p className="acts">
          {of.map((state) => (
            <Status key={state.word} of={state} />
          ))}
        </p>
      </Case>
    ))}
    <Case name="EndOf: paid; given back in part, whole">
      {(['NONE', 'PARTIAL', 'FULL'] as const).map((refund_status) => (
        <p key={refund_status} className="acts">
          <EndOf of={{ ...paid, refund_status }} />
        </p>
      ))}
    </Case>
    <Case name="ShapeIcon">
      <ShapeIcon shape="step" />
    </Case>
  </>
)

const bands: readonly (readonly [look: string, word: Key])[] = [
  ['test-band', 'test_band'],
  ['stop-band', 'suspended'],
  ['band', 'offline'],
  ['warned', 'balance_frozen'],
]

const Bands = () => (
  <Case name="Bands: of test, of what stands still, of the connection; a warning">
    {bands.map(([look, word]) => (
      <p key={look} className={look}>
        {t(word)}
      </p>
    ))}
  </Case>
)

export const statePages = { state: BesideContent, status: Statuses, band: Bands }
