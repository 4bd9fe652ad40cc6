// Whose number it is, as far as the number alone shows it.

import type { GetNetworksPredictData, GetNetworksPredictResponse } from '../api/types.gen.ts'
import { call, failureIn, type Place } from '../data/call.ts'

type Question = GetNetworksPredictData['query']

/**
 * A number without its calling code is one of `country` (alpha-2), where there is one. Undefined:
 * it is no number that anybody could foretell, which the act itself will say.
 */
export async function predict(place: Place, { msisdn, country }: Question) {
  try {
    return await call<GetNetworksPredictData, GetNetworksPredictResponse>({
      ...{ method: 'GET', url: '/networks/predict/', query: { msisdn, country }, place },
    })
  } catch (error) {
    if (failureIn(error)?.is === 'fields') return undefined
    throw error
  }
}
