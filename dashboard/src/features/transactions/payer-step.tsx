// What the payer does next where their phone alone is not enough: a code that is typed here, or a
// page of the operator's to go to. It stands on the payment's own page, where a reload finds it.

import type {
  TransactionDetail as Detail,
  PostPaymentsByPaymentIdConfirmOtpData,
  PostPaymentsByPaymentIdConfirmOtpResponse,
} from '../../api/types.gen.ts'
import { call } from '../../data/call.ts'
import { readAllAgain } from '../../data/queries.ts'
import { isOwn } from '../../parts/advice-on.ts'
import { Why } from '../../parts/allowed.tsx'
import { useHere } from '../../parts/place.tsx'
import { useAct } from '../../ui/act.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Button, errorAt, Form, TextField, textIn } from '../../ui/form.tsx'
import { t } from '../../words/translate.ts'
import { isPaidOnPage } from './sentence.ts'

/** Nothing where the payer goes on by themselves, on their phone or on a page of ours. */
export function PayerStep({ of }: { of: Detail }) {
  if (isPaidOnPage(of)) return null
  if (of.next_action === 'ENTER_OTP') return <CodeOf of={of} />
  return of.checkout_url === '' ? null : <OperatorPage of={of} />
}

function CodeOf({ of }: { of: Detail }) {
  const { place, whyNot } = useHere()
  const { isBusy, failure, run } = useAct()
  const why = whyNot('payins')
  if (why !== undefined) return <Why of={why} />
  const confirm = async (form: FormData) => {
    const path = { payment_id: of.id }
    await call<PostPaymentsByPaymentIdConfirmOtpData, PostPaymentsByPaymentIdConfirmOtpResponse>({
      ...{ method: 'POST', url: '/payments/{payment_id}/confirm-otp/', path, place },
      body: { otp: textIn(form, 'otp') },
    })
    await readAllAgain()
  }
  return (
    <Form
      name={t(isOwn(of) ? 'said_own_code' : 'said_code_waits')}
      failure={failure}
      fields={['otp']}
      onSubmit={(form) => run(() => confirm(form))}
    >
      <TextField
        label={t('operator_code')}
        hint={isOwn(of) ? of.instructions : undefined}
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

const OperatorPage = ({ of }: { of: Detail }) => (
  <>
    {!isOwn(of) && <p>{t('payer_page')}</p>}
    <a className="button act" href={of.checkout_url} rel="noreferrer">
      {t('top_up_go')}
    </a>
    {!isOwn(of) && <Copy text={of.checkout_url} name={t('copy_address')} />}
  </>
)
