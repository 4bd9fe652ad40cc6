// In test: what comes of a payment, payout, refund or settlement that waits for an operator.

import type { SandboxResolve } from '../api/types.gen.ts'
import { SelectField, textIn } from '../ui/form.tsx'
import { t } from '../words/translate.ts'

const codes = [
  ...(['INSUFFICIENT_FUNDS', 'NOT_APPROVED', 'PAYER_NOT_FOUND', 'RECIPIENT_NOT_FOUND'] as const),
  ...(['LIMIT_REACHED', 'EXPIRED', 'GATEWAY_REFUSED'] as const),
]

export const OutcomeFields = () => (
  <SelectField
    label={t('outcome')}
    hint={t('outcome_hint')}
    name="outcome"
    options={[
      ['', t('outcome_SUCCESS')],
      ...codes.map((code) => [code, t(`outcome_${code}`)] as const),
    ]}
  />
)

export function failureCodeIn(form: FormData): SandboxResolve {
  const failure_code = codes.find((one) => one === textIn(form, 'outcome'))
  return failure_code === undefined ? { outcome: 'SUCCESS' } : { outcome: 'FAILED', failure_code }
}
