// What a caller is warned of in the answer of initialize (contract 8.16). A prefix blocks nothing,
// because it says whose a number was, not whose it is.

import { type Static, Type } from 'typebox'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { otherNetworkOf } from '../customers/predict-network.ts'
import type { Locale } from '../platform/errors.ts'

export const WarningSchema = Type.Object(
  {
    code: Type.Enum(['NETWORK_MISMATCH', 'POSSIBLE_DUPLICATE'], {
      description:
        'What looks wrong. Nothing is blocked but a payout that repeats one whose outcome is not ' +
        'known: it waits for a second person.',
    }),
    message: Type.String(),
    network: Type.Union([Type.String(), Type.Null()], {
      description: 'The network that the number seems to belong to, if that is the warning.',
    }),
    transaction: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
      description: 'The earlier payout that this one seems to repeat, if that is the warning.',
    }),
  },
  { title: 'InitialWarning' },
)
export type Warning = Static<typeof WarningSchema>

type Operation = Readonly<{ network_code: string | null; operation_msisdn: string }>

/** Null where the number fits its network, as far as its prefix shows. */
export function mismatchOf(
  catalogue: Catalogue,
  { network_code, operation_msisdn }: Operation,
  locale: Locale,
): Warning | null {
  const chosen = network_code === null ? undefined : catalogue.networkByCode(network_code)
  const seems = chosen && otherNetworkOf(catalogue, chosen, operation_msisdn)
  if (chosen === undefined || seems === undefined) return null
  const message = {
    en: `This looks like a ${seems.name} number, not ${chosen.name}.`,
    fr: `Ce numéro ressemble à un numéro ${seems.name}, pas ${chosen.name}.`,
  }
  const code = 'NETWORK_MISMATCH'
  return { code, message: message[locale], network: seems.code, transaction: null }
}
