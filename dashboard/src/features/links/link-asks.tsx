// What a link asks its payer and where it leads once it is paid, as its page shows it.

import type { PaymentLink } from '../../api/types.gen.ts'
import { type FactRow, Facts } from '../../ui/facts.tsx'
import { t } from '../../words/translate.ts'

/** Rows of its details: what is as it is by itself is left out. */
export const asksOf = (link: PaymentLink): FactRow[] => [
  [t('link_phone_needed'), link.require_phone && t('question_is_needed')],
  [t('link_redirect'), link.redirect_url],
  [t('link_confirmed'), !link.show_confirmation_page && t('link_is_left_out')],
]

export function Asked({ link: { custom_fields } }: { link: PaymentLink }) {
  if (custom_fields.length === 0) return null
  const rows = custom_fields.map(({ label, type, required, options }): FactRow => {
    const kind = options.length > 0 ? options.join(' / ') : t(`question_kind_${type}`)
    return [label, `${kind} · ${t(required ? 'question_is_needed' : 'question_is_optional')}`]
  })
  return (
    <section>
      <h2>{t('link_questions')}</h2>
      <Facts of={rows} isProse />
    </section>
  )
}
