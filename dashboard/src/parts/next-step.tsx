// What the payer does next where it is not on their phone alone: a code to type, or a page of the
// operator's to go to.

import { useLocation } from 'wouter'
import type {
  PostPaymentsByPaymentIdConfirmOtpData,
  PostPaymentsByPaymentIdConfirmOtpResponse,
  SoftpayReply,
} from '../api/types.gen.ts'
import { call } from '../data/call.ts'
import { useAct } from '../ui/act.tsx'
import { Button, errorAt, Form, TextField, textIn } from '../ui/form.tsx'
import { t } from '../words/translate.ts'
import { useHere } from './place.tsx'

/** Anything else is shown by the payment's own page, which follows it. */
export const hasNextStep = ({ next_action }: SoftpayReply): boolean =>
  next_action === 'ENTER_OTP' || next_action === 'REDIRECT'

export function NextStep({ reply }: { reply: SoftpayReply }) {
  const { place, to } = useHere()
  const [, navigate] = useLocation()
  const { isBusy, failure, run } = useAct()
  const confirm = async (form: FormData) => {
    const path = { payment_id: reply.id }
    await call<PostPaymentsByPaymentIdConfirmOtpData, PostPaymentsByPaymentIdConfirmOtpResponse>({
      ...{ method: 'POST', url: '/payments/{payment_id}/confirm-otp/', path, place },
      body: { otp: textIn(form, 'otp') },
    })
    navigate(to(`/payments/${reply.id}`), { replace: true })
  }
  if (reply.next_action === 'REDIRECT') {
    return (
      <section className="outcome">
        <p className="said">{t('top_up_page')}</p>
        <a className="button act" href={reply.checkout_url} rel="noreferrer">
          {t('top_up_go')}
        </a>
      </section>
    )
  }
  return (
    <Form
      name={t('operator_code')}
      failure={failure}
      fields={['otp']}
      onSubmit={(form) => run(() => confirm(form))}
    >
      <TextField
        label={t('operator_code')}
        hint={reply.instructions}
        error={errorAt(failure, 'otp')}
        name="otp"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={10}
        required
      />
      <Button type="submit" busy={isBusy}>
        {t('go_on')}
      </Button>
    </Form>
  )
}
