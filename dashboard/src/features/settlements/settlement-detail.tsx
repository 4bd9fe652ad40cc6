// One settlement: where it is on its way, what it costs, its bank's proof.

import { useState } from 'react'
import type {
  GetSettlementsByIdData,
  GetSettlementsByIdResponse,
  PostSandboxSettlementsByIdResolveData,
  PostSandboxSettlementsByIdResolveResponse,
  PostSettlementsByIdCancelData,
  PostSettlementsByIdCancelResponse,
  NamedSettlement as Settlement,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { downloadFile } from '../../data/download.ts'
import { readAllAgain, useRead, useRhythm } from '../../data/queries.ts'
import { currencyName } from '../../format/amount.ts'
import { countryName } from '../../format/country.ts'
import { writeExactly } from '../../format/moment.ts'
import { GuardedButton, Offer } from '../../parts/act.tsx'
import { failureCodeIn, OutcomeFields } from '../../parts/outcome-fields.tsx'
import { methodName, usePayoutMethods } from '../../parts/payout-methods.ts'
import { useHere } from '../../parts/place.tsx'
import { RecordPage } from '../../parts/record-page.tsx'
import { settlementState } from '../../parts/states.ts'
import { Refused, useAct } from '../../ui/act.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Facts } from '../../ui/facts.tsx'
import { ShapeIcon } from '../../ui/icons.tsx'
import { Status } from '../../ui/status.tsx'
import { t } from '../../words/translate.ts'
import { saidOf } from './state.ts'

/** A bank takes days. */
const rhythm = { soon_ms: 10_000, later_ms: 30_000 } as const
const open: readonly string[] = ['PENDING', 'APPROVED', 'PROCESSING']

export default function SettlementDetail({ id }: { id: string }) {
  const { place } = useHere()
  const [isOpen, setIsOpen] = useState(true)
  const every_ms = useRhythm(isOpen, rhythm)
  const reading = useRead<GetSettlementsByIdData, GetSettlementsByIdResponse>(
    place,
    { url: '/settlements/{id}/', path: { id } },
    { every_ms },
  )
  const isStillOpen = reading.data === undefined || open.includes(reading.data.status)
  if (isStillOpen !== isOpen) setIsOpen(isStillOpen)
  return (
    <RecordPage
      title={t('settlement')}
      back={{ path: '/settlements', name: t('all_settlements') }}
      reading={reading}
      acted={id}
    >
      {(settlement) => (
        <>
          <Outcome of={settlement} />
          <div className="columns">
            <Money of={settlement} />
            <Way of={settlement} />
          </div>
        </>
      )}
    </RecordPage>
  )
}

function Outcome({ of }: { of: Settlement }) {
  const { amount } = useHere()
  return (
    <section className="outcome" aria-live="polite">
      <p className="sum">
        <b>{amount(of.requested_amount, of.currency)}</b> <Status of={settlementState(of)} />
      </p>
      <p className="said">{t(saidOf(of))}</p>
      {of.failure_reason !== '' && <p>{of.failure_reason}</p>}
      <Acts of={of} />
    </section>
  )
}

function Acts({ of }: { of: Settlement }) {
  const { place, whyNot, amount, environment } = useHere()
  const { isBusy, failure, run } = useAct()
  const path = { id: of.id }
  const cancel = async () => {
    await call<PostSettlementsByIdCancelData, PostSettlementsByIdCancelResponse>({
      ...{ method: 'POST', url: '/settlements/{id}/cancel/', path, place },
    })
    await readAllAgain()
  }
  const resolve = async (form: FormData) => {
    await call<PostSandboxSettlementsByIdResolveData, PostSandboxSettlementsByIdResolveResponse>({
      ...{ method: 'POST', url: '/sandbox/settlements/{id}/resolve/', path, place },
      body: failureCodeIn(form),
    })
    await readAllAgain()
  }
  const holes = { amount: amount(of.requested_amount, of.currency) }
  return (
    <div className="acts">
      <Refused failure={failure} />
      {of.proof_url !== '' && (
        <GuardedButton
          name={t('settlement_proof')}
          whyNot={undefined}
          busy={isBusy}
          onClick={() => run(() => downloadFile(place, `/settlements/${of.id}/proof/`))}
        />
      )}
      {of.status === 'PENDING' && (
        <Offer
          name={t('withdraw')}
          title={t('settlement_withdraw_title')}
          act={t('withdraw_act', holes)}
          whyNot={whyNot('settlements')}
          doing={cancel}
        >
          <p>{t('withdraw_how')}</p>
        </Offer>
      )}
      {of.status === 'PROCESSING' && environment === 'SANDBOX' && (
        <Offer
          name={t('decide_outcome')}
          title={t('decide_outcome')}
          act={t('decide_outcome_act')}
          whyNot={whyNot('payins')}
          doing={resolve}
        >
          <OutcomeFields />
        </Offer>
      )}
    </div>
  )
}

function Money({ of }: { of: Settlement }) {
  const { amount, language } = useHere()
  const methods = usePayoutMethods()
  const method = methods.data?.results.find(({ id }) => id === of.payout_method)
  const write = (sum: string) => amount(sum, of.currency)
  return (
    <section>
      <h2>{t('money')}</h2>
      <Facts
        of={[
          [t('asked'), write(of.requested_amount)],
          [t(of.fee_charge_mode === 'ADD_ON' ? 'fee_added' : 'fee_deducted'), write(of.client_fee)],
          [t('balance_gives'), write(of.debited_amount)],
          [t('you_receive'), write(of.net_amount)],
          [t('currency'), currencyName(of.currency)],
          [t('country'), countryName(of.country, language)],
          [t('method'), method && methodName(method)],
          [t('made_how'), of.created_by_name],
          [t('reference'), of.reference],
          [t('operator_reference'), of.gateway_reference],
        ]}
      />
      <Copy text={of.reference} name={t('copy_reference')} isFirst />
    </section>
  )
}

/** What comes last where all goes well, and what may come instead of it or after it. */
const stops = ['asked', 'approved', 'sent', 'done', 'failed', 'returned'] as const
const wanted: readonly string[] = ['approved', 'sent', 'done']

/** The stops on its way: the moment of each that it has passed, and of an open one those ahead. */
function Way({ of }: { of: Settlement }) {
  const { clock } = useHere()
  const at: Readonly<Record<(typeof stops)[number], string | null>> = {
    asked: of.created_at,
    approved: of.approved_at,
    sent: of.executed_at,
    done: of.status === 'SUCCESS' ? of.completed_at : null,
    failed: of.status === 'FAILED' ? of.completed_at : null,
    returned: of.returned_at,
  }
  const last = stops.map((name) => at[name] !== null).lastIndexOf(true)
  const isAhead = (name: string, nth: number) =>
    open.includes(of.status) && nth > last && wanted.includes(name)
  return (
    <section>
      <h2>{t('story')}</h2>
      <ol className="story">
        {stops.map((name, nth) => {
          const passed_at = at[name]
          if (passed_at === null && !isAhead(name, nth)) return null
          return (
            <li key={name}>
              <ShapeIcon shape={passed_at === null ? 'step' : shapeOf(name)} />
              <span>
                {t(`settlement_stop_${name}`)}
                {passed_at === null ? (
                  <span className="mute small line">{t('settlement_stop_ahead')}</span>
                ) : (
                  <time className="mute small line" dateTime={passed_at} title={passed_at}>
                    {writeExactly(passed_at, clock)}
                  </time>
                )}
              </span>
            </li>
          )
        })}
      </ol>
    </section>
  )
}

const shapeOf = (stop: string): 'failed' | 'done' =>
  stop === 'failed' || stop === 'returned' ? 'failed' : 'done'
