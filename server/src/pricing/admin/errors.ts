// What setting prices can answer.

import { defineErrors } from '../../platform/errors.ts'

export const pricingErrors = defineErrors({
  pricing_rule_exists: {
    status: 409,
    message: {
      en: 'This network already has a price in this direction. Replace that rule.',
      fr: 'Ce réseau a déjà un prix dans ce sens. Remplacez cette règle.',
    },
  },
  pricing_rule_replaced: {
    status: 409,
    message: {
      en: 'This rule is no longer in force. Read the rule that is, then update that one.',
      fr: 'Cette règle n’est plus en vigueur. Lisez celle qui l’est, puis changez-la.',
    },
  },
})
