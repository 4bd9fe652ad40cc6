// How long a new payout method waits before money may leave by it. A longer period counts at once;
// a shorter one may wait in its turn, and another member may confirm it.

import type {
  MerchantSettings,
  PostMerchantCoolingOffCancelData,
  PostMerchantCoolingOffCancelResponse,
  PostMerchantCoolingOffConfirmData,
  PostMerchantCoolingOffConfirmResponse,
} from '../../api/types.gen.ts'
import { CallFailed, call } from '../../data/call.ts'
import { readAgain } from '../../data/queries.ts'
import { ChangeRead, Offer } from '../../parts/act.tsx'
import { Countdown } from '../../parts/countdown.tsx'
import { useHere } from '../../parts/place.tsx'
import { errorAt, TextField, textIn } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'
import { Patch } from './settings-form.tsx'

type Props = Readonly<{ of: MerchantSettings }>

const looksWhole = /^\d{1,3}$/

/** None of one's own: the one that every shop begins with. */
function hoursIn(form: FormData): number | null {
  const typed = textIn(form, 'cooling_off_hours')
  if (typed === '') return null
  if (looksWhole.test(typed)) return Number(typed)
  throw new CallFailed({ is: 'fields', fields: { cooling_off_hours: [t('not_a_count')] } })
}

export function CoolingOff({ of }: Props) {
  const { cooling_off_hours: hours, cooling_off_change: change } = of
  return (
    <>
      <Patch
        name={t('cooling_title')}
        fields={['cooling_off_hours']}
        body={(form) => ({ cooling_off_hours: hoursIn(form) })}
      >
        {(failure) => (
          <TextField
            // Another member's confirmation may have changed it under what was typed.
            key={hours}
            label={t('cooling_hours')}
            hint={t('cooling_hint')}
            error={errorAt(failure, 'cooling_off_hours')}
            name="cooling_off_hours"
            inputMode="numeric"
            maxLength={3}
            defaultValue={hours === null ? '' : String(hours)}
          />
        )}
      </Patch>
      {change !== null && <Pending of={change} />}
    </>
  )
}

function Pending({ of }: { of: NonNullable<MerchantSettings['cooling_off_change']> }) {
  const { place, me } = useHere()
  const hours = of.cooling_off_hours
  const isOwn = of.requested_by === me.member.id
  const confirm = async (form: FormData) => {
    await call<PostMerchantCoolingOffConfirmData, PostMerchantCoolingOffConfirmResponse>({
      ...{ method: 'POST', url: '/merchant/cooling-off/confirm/', place },
      body: { effective_at: textIn(form, 'effective_at') },
      // Refused because another is pending by now: that one is shown.
    }).finally(() => readAgain('/merchant/'))
  }
  const cancel = async () => {
    await call<PostMerchantCoolingOffCancelData, PostMerchantCoolingOffCancelResponse>({
      ...{ method: 'POST', url: '/merchant/cooling-off/cancel/', place },
    })
    await readAgain('/merchant/')
  }
  return (
    <div className="warned">
      <p>
        {hours === null ? t('cooling_next_default') : t('cooling_next', { hours })}{' '}
        <Countdown to={of.effective_at} />
      </p>
      <div className="acts">
        <Offer
          name={t('limit_confirm')}
          title={t('limit_confirm')}
          act={t('confirm')}
          whyNot={
            of.may_confirm
              ? undefined
              : { text: t(isOwn ? 'cooling_own' : 'cooling_not_you'), right: 'settings' }
          }
          doing={confirm}
        >
          <p>{t('cooling_confirm_how')}</p>
          <ChangeRead at={of.effective_at} />
        </Offer>
        <Offer
          name={t('limit_cancel')}
          title={t('limit_cancel')}
          act={t('limit_cancel')}
          doing={cancel}
        >
          <p>{t('cooling_cancel_how')}</p>
        </Offer>
      </div>
    </div>
  )
}
