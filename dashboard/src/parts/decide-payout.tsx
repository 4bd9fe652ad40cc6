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
import { Link } from '../ui/link.tsx'
import { useLater } from '../ui/state.tsx'
import { t } from '../words/translate.ts'
import { Offer } from './act.tsx'
import { Countdown } from './countdown.tsx'
import { useFrozen } from './frozen.tsx'
import { type Reason, useHere } from './place.tsx'

/** As the menu's counts: once the screen's own answers are there. */
const after_ms = 3_000

type Approvable = Pick<TransactionDetail, 'may_approve' | 'may_not_approve' | 'created_by_member'>

const hindranceWords = {
  OWN: 'approve_own',
  NO_SECOND_FACTOR: 'approve_factor',
  TOO_NEW: 'approve_too_new',
} as const

/** Why a payout or refund is not approved by its reader; who of the others may is said with it. */
export function whyNotApprove(of: Approvable): Reason | undefined {
  const { may_approve, may_not_approve: hindrance, created_by_member: asked_by } = of
  if (may_approve) return undefined
  if (hindrance === null) return { text: t('approve_over') }
  const reason = { text: t(hindranceWords[hindrance]), right: 'payouts', asked_by } as const
  if (hindrance !== 'NO_SECOND_FACTOR') return reason
  return { ...reason, way: { href: '/me/security', name: t('code_enrol') } }
}

/** How long there is to approve it, and what follows by itself. */
export const ApprovalEnds = ({ of }: { of: TransactionDetail }) =>
  of.approval_ends_at !== null && (
    <p>
      {t('approval_ends')} <Countdown to={of.approval_ends_at} />.
    </p>
  )

type Props = Readonly<{
  of: TransactionDetail
  /** The reader came for this: the step that approves is there at once. */
  isOpenAtFirst: boolean
  /** Where it is shown no more once it is decided: what came of it, in words. */
  onDone?: (said: string) => void
}>

export function DecidePayout({ of, isOpenAtFirst, onDone }: Props) {
  const { place, whyNot, amount } = useHere()
  const holes = {
    amount: amount(of.requested_amount, of.currency),
    number: writePhone(of.operation_msisdn),
  }
  const { amounts } = of
  const path = { payout_id: of.id }
  const approve = async () => {
    await call<PostPayoutsByPayoutIdApproveData, PostPayoutsByPayoutIdApproveResponse>({
      ...{ method: 'POST', url: '/payouts/{payout_id}/approve/', path, place },
    })
    onDone?.(t('approve_done', holes))
    await readAllAgain()
  }
  const reject = async (form: FormData) => {
    await call<PostPayoutsByPayoutIdRejectData, PostPayoutsByPayoutIdRejectResponse>({
      ...{ method: 'POST', url: '/payouts/{payout_id}/reject/', path, place },
      body: { reason: textIn(form, 'reason') },
    })
    onDone?.(t('reject_done', holes))
    await readAllAgain()
  }
  const why = whyNot('payouts')
  // In the list of what waits its own answers come first: it opens with four calls.
  const isLater = useLater(after_ms)
  const { balances } = useFrozen(onDone === undefined || isLater)
  const isFrozen = balances.some(({ country }) => country === of.country_code)
  const whyNow = isFrozen ? { text: t('balance_frozen') } : undefined
  return (
    <>
      <After of={of} />
      <Offer
        name={t('approve')}
        title={t('approve_title')}
        act={t('approve_act', holes)}
        whyNot={why ?? whyNotApprove(of) ?? whyNow}
        isOpenAtFirst={isOpenAtFirst}
        doing={approve}
      >
        <p>{t('approve_how', { ...holes, amount: amount(amounts.net, amounts.currency) })}</p>
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

/** After which one whose outcome is unknown it would be paid. */
function After({ of: { approval_after: id } }: Pick<Props, 'of'>) {
  const { to } = useHere()
  if (id === null) return null
  return (
    <p className="warned">
      {t('approve_after')}{' '}
      <Link className="amid" href={to(`/payments/${id}`)}>
        {t('approve_after_look')}
      </Link>
    </p>
  )
}
