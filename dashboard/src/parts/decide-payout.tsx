// A second person's word on a payout: approved with its sum in the button, or refused, and why.

import type {
  PostPayoutsByPayoutIdApproveData,
  PostPayoutsByPayoutIdApproveResponse,
  PostPayoutsByPayoutIdRejectData,
  PostPayoutsByPayoutIdRejectResponse,
  TransactionDetail,
} from '../api/types.gen.ts'
import { call } from '../data/call.ts'
import { readAllAgain } from '../data/queries.ts'
import { writePhone } from '../format/phone.ts'
import { errorAt, TextField, textIn } from '../ui/form.tsx'
import { t } from '../words/translate.ts'
import { Offer } from './act.tsx'
import { useHere } from './place.tsx'

type Props = Readonly<{
  of: TransactionDetail
  /** The reader came for this: the step that approves is there at once. */
  isOpenAtFirst: boolean
}>

export function DecidePayout({ of, isOpenAtFirst }: Props) {
  const { place, whyNot, amount } = useHere()
  const holes = {
    amount: amount(of.requested_amount, of.currency),
    number: writePhone(of.operation_msisdn),
  }
  const path = { payout_id: of.id }
  const approve = async () => {
    await call<PostPayoutsByPayoutIdApproveData, PostPayoutsByPayoutIdApproveResponse>({
      ...{ method: 'POST', url: '/payouts/{payout_id}/approve/', path, place },
    })
    await readAllAgain()
  }
  const reject = async (form: FormData) => {
    await call<PostPayoutsByPayoutIdRejectData, PostPayoutsByPayoutIdRejectResponse>({
      ...{ method: 'POST', url: '/payouts/{payout_id}/reject/', path, place },
      body: { reason: textIn(form, 'reason') },
    })
    await readAllAgain()
  }
  const why = whyNot('payouts')
  return (
    <>
      <Offer
        name={t('approve')}
        title={t('approve_title')}
        act={t('approve_act', holes)}
        whyNot={why ?? (of.may_approve ? undefined : { text: t('approve_by_another') })}
        isOpenAtFirst={isOpenAtFirst}
        doing={approve}
      >
        <p>{t('approve_how', holes)}</p>
      </Offer>
      <Offer
        name={t('reject')}
        title={t('reject_title')}
        act={t('reject_act', holes)}
        whyNot={why}
        fields={['reason']}
        doing={reject}
      >
        {(failure) => (
          <TextField
            label={t('reason')}
            hint={t('reject_how')}
            error={errorAt(failure, 'reason')}
            name="reason"
            maxLength={255}
            required
          />
        )}
      </Offer>
    </>
  )
}
