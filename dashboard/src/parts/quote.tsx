// What an act that moves money will cost, as the API says it before the act: asked for when the
// form is checked, shown in the step that confirms. Law: no figure of it is worked out here.

import type { GetQuotesData, GetQuotesResponse, Quote } from '../api/types.gen.ts'
import { CallFailed, call, failureIn, type Place } from '../data/call.ts'
import { wasBegun } from '../data/once.ts'
import { writeRate } from '../format/amount.ts'
import type { FactRow } from '../ui/facts.tsx'
import { t } from '../words/translate.ts'
import { useHere } from './place.tsx'
import { useRates } from './rates.ts'

type Question = GetQuotesData['query']

type Asking = Readonly<{
  question: Omit<Question, 'kind'>
  /** The deed's own. */
  key: string
  /** The names that the form has for what a quote calls otherwise. */
  names?: Readonly<Record<string, string>>
}>

/**
 * What stands in the act's way now is a failure of the form. Of a deed whose answer was lost
 * nothing is: it may have been done, and asking again must not hang on a price.
 */
export async function fetchQuote(
  place: Place,
  kind: Question['kind'],
  { question, key, names = {} }: Asking,
): Promise<Quote | undefined> {
  try {
    const quote = await call<GetQuotesData, GetQuotesResponse>({
      ...{ method: 'GET', url: '/quotes/', query: { kind, ...question }, place },
    })
    const [refusal] = quote.refusals
    if (refusal === undefined || wasBegun(key)) return quote
    const about = { status: 422, retryable: false, request_id: '', retry_after_s: 0 }
    throw new CallFailed({ is: 'refused', ...about, ...refusal })
  } catch (error) {
    if (wasBegun(key)) return undefined
    const failure = failureIn(error)
    throw failure?.is === 'fields' ? renamed(failure.fields, names) : error
  }
}

type Faults = Readonly<Record<string, readonly string[]>>

function renamed(fields: Faults, names: Readonly<Record<string, string>>): CallFailed {
  const own = Object.entries(fields).map(([name, texts]) => [names[name] ?? name, texts] as const)
  return new CallFailed({ is: 'fields', fields: Object.fromEntries(own) })
}

/** Who pays and who gets, by what is being done. */
const sides = {
  PAYIN: ['quote_payer_pays', 'quote_you_get'],
  TOP_UP: ['quote_you_pay', 'quote_you_get'],
  PAYOUT: ['quote_leaves', 'quote_recipient_gets'],
  SETTLEMENT: ['quote_leaves', 'quote_arrives'],
  TRANSFER: ['quote_leaves', 'quote_arrives'],
} as const

/** Its figures as facts, beside sums `among` these currencies; none where it is not known. */
export function useQuoteFacts(
  among: readonly string[] = [],
): (quote: Quote | undefined) => FactRow[] {
  const { amountAmong, moment, language } = useHere()
  return (quote) => {
    if (quote === undefined) return []
    const { kind, currency, net_currency, rate, rate_at } = quote
    const amount = amountAmong([...among, currency, net_currency])
    const [paying, getting] = sides[kind]
    return [
      [t('fees'), amount(quote.fee, currency)],
      [t(paying), amount(quote.charged, currency)],
      [
        t('rate'),
        rate !== null && rate_at !== null && `${writeRate(rate, language)} (${moment(rate_at)})`,
      ],
      [t(getting), amount(quote.net, net_currency)],
    ]
  }
}

/** What the API will warn of, while it can still be put right. */
export function OtherNetwork({ quote }: { quote: Quote | undefined }) {
  const rates = useRates()
  const code = quote?.number?.other_network ?? undefined
  if (code === undefined) return null
  const seems = rates.data?.find(({ network_code }) => network_code === code)
  return <p className="warned">{t('warn_network', { network: seems?.network_name ?? code })}</p>
}

/** Who else must agree, where somebody must. */
export function Waits({ quote }: { quote: Quote | undefined }) {
  if (quote?.needs_approval !== true) return null
  return <p>{t(quote.kind === 'PAYOUT' ? 'quote_waits_member' : 'quote_waits_staff')}</p>
}
