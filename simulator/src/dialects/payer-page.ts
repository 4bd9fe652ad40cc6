// What the pages of dialects have alike: their words, and how a payer chooses what the operator
// reports of it. Law: a page shows no number and no key, and says that it is an imitation.

import { spellAmount } from '../amount.ts'
import { escapeHtml, framePage, type Language, type PageReply } from '../page-frame.ts'

/** When the operator reports what was done on the page; absent: at once. */
export type Notice = 'late' | 'never'

/** After its payer is back, and before it is asked for the first time. Unscaled milliseconds. */
export const late_ms = 10_000

export const noticeIn = (form: URLSearchParams): Notice | undefined => {
  const notice = form.get('notice')
  return notice === 'late' || notice === 'never' ? notice : undefined
}

const texts = {
  fr: {
    title: 'Paiement {operator} (imitation)',
    note: 'Imitation : ce n’est pas {operator}, et aucun argent réel ne circule.',
    amount: 'Montant',
    purpose: 'Motif',
    notice: 'L’opérateur prévient',
    at_once: 'tout de suite',
    late: 'dix secondes plus tard',
    never: 'jamais : il faut lui demander',
    paid: 'Paiement effectué.',
    failed: 'Paiement non effectué. Rien n’a été débité.',
    expired: 'Cette page a expiré. Rien n’a été débité.',
    unknown: 'Cette page de paiement n’existe pas.',
    back: 'Retour au site du marchand',
  },
  en: {
    title: '{operator} payment (imitation)',
    note: 'An imitation: this is not {operator}, and no real money moves.',
    amount: 'Amount',
    purpose: 'Purpose',
    notice: 'The operator tells of it',
    at_once: 'at once',
    late: 'ten seconds later',
    never: 'never: it has to be asked',
    paid: 'The payment is done.',
    failed: 'The payment was not made. Nothing was debited.',
    expired: 'This page has expired. Nothing was debited.',
    unknown: 'This payment page does not exist.',
    back: 'Back to the merchant’s site',
  },
} satisfies Record<Language, Record<string, string>>

type Word = keyof (typeof texts)['fr']

export type PayerPage = Readonly<{
  /** Its name, as payers know it. */
  operator: string
  language: Language
  status?: number
  /** Markup: its values are escaped. */
  content: string
  return_url?: string | undefined
}>

/** One page of one operator. */
export function payerPage({ operator, language, status = 200, content, return_url }: PayerPage) {
  const named = (text: string): string => text.replaceAll('{operator}', operator)
  const { title, note } = texts[language]
  return framePage(language, status, {
    ...{ title: named(title), note: named(note), content },
    ...(return_url === undefined ? {} : { return_url }),
  })
}

export type PageOf = Readonly<{ operator: string; language: Language }>

export const unknownPage = (of: PageOf): PageReply =>
  payerPage({ ...of, status: 404, content: `<p>${texts[of.language].unknown}</p>` })

/** How it ended, and the way back. */
export function endedPage(
  of: PageOf,
  ended: Extract<Word, 'paid' | 'failed' | 'expired'>,
  return_url: string,
): PageReply {
  const content = `<p role="status">${texts[of.language][ended]}</p>\n${wayBack(of, return_url)}`
  return payerPage({ ...of, status: ended === 'expired' ? 410 : 200, content, return_url })
}

export const wayBack = ({ language }: Pick<PageOf, 'language'>, return_url: string): string =>
  `<p><a rel="noreferrer" href="${escapeHtml(return_url)}">${texts[language].back}</a></p>`

type Sum = Readonly<{ hundredths: bigint; currency: string; purpose?: string }>

export function sumOf({ hundredths, currency, purpose }: Sum, language: Language): string {
  const text = texts[language]
  const why =
    purpose === undefined ? '' : `<dt>${text.purpose}</dt><dd>${escapeHtml(purpose)}</dd>\n`
  return `<dl>
<dt>${text.amount}</dt><dd>${escapeHtml(spellAmount(hundredths, currency))}</dd>
${why}</dl>`
}

export type Press = Readonly<{ name: string; value: string; label: string; is_first?: boolean }>

export const button = ({ name, value, label, is_first }: Press): string =>
  `<button${is_first ? ' class="first"' : ''} name="${name}" value="${value}">` +
  `${escapeHtml(label)}</button>`

/** What is pressed, and before it when the operator reports it. */
export function pressing(presses: readonly Press[], language: Language, notice?: Notice): string {
  const text = texts[language]
  const choice = (value: Notice | 'at_once'): string => {
    const isChosen = value === (notice ?? 'at_once')
    const field = `type="radio" name="notice" value="${value}"${isChosen ? ' checked' : ''}`
    return `<label><input ${field}> ${text[value]}</label>`
  }
  const all = (['at_once', 'late', 'never'] as const).map(choice).join('\n')
  return `<form method="post">
<fieldset><legend>${text.notice}</legend>
${all}
</fieldset>
${presses.map(button).join('\n')}
</form>`
}
