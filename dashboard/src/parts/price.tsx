// What a network costs, as the API's price list says it: written out, never worked out here.

import type { PricingTier } from '../api/types.gen.ts'
import { isZero } from '../format/amount.ts'
import { t } from '../words/translate.ts'
import { useHere } from './place.tsx'

/** "1.00" to "1", "1.50" to "1.5" or "1,5". */
const writePercent = (percent: string, language: string): string => {
  const short = percent.replace(/\.?0+$/, '')
  return language === 'fr' ? short.replace('.', ',') : short
}

/** "2 % + 100 FCFA, at least 50 FCFA": one line for each range of amounts. */
function usePriceText(): (tier: PricingTier, currency: string) => string {
  const { amount, language } = useHere()
  return (tier, currency) => {
    const percent = isZero(tier.percent)
      ? undefined
      : t('percent', { percent: writePercent(tier.percent, language) })
    const fixed = isZero(tier.fixed) ? undefined : amount(tier.fixed, currency)
    const sum = [percent, fixed].filter((one) => one !== undefined).join(' + ')
    const edges = [
      tier.floor_amount !== null &&
        t('price_floor', { amount: amount(tier.floor_amount, currency) }),
      tier.cap_amount !== null && t('price_cap', { amount: amount(tier.cap_amount, currency) }),
    ].filter((one) => one !== false)
    return [sum === '' ? t('price_free') : sum, ...edges].join(', ')
  }
}

type TiersProps = Readonly<{ tiers: readonly PricingTier[]; currency: string }>

export function Tiers({ tiers, currency }: TiersProps) {
  const { amount } = useHere()
  const priceText = usePriceText()
  const [only] = tiers
  if (only !== undefined && tiers.length === 1) return <span>{priceText(only, currency)}</span>
  return (
    <ul className="plain-list">
      {tiers.map((tier) => (
        <li key={tier.min_amount}>
          {t('price_range', {
            from: amount(tier.min_amount, currency),
            to: amount(tier.max_amount, currency),
            price: priceText(tier, currency),
          })}
        </li>
      ))}
    </ul>
  )
}
