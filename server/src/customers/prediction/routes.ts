// `GET /networks/predict/` (contract 8.17): whose number it is, by the numbering plan alone.

import { Type } from 'typebox'
import type { CatalogueOf } from '../../catalogue/read-catalogue.ts'
import { CountryInput } from '../../catalogue/view.ts'
import type { Keyring } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db.ts'
import { invalid, type Text } from '../../platform/errors.ts'
import { ok, type Route } from '../../platform/http/route.ts'
import { accessErrors } from '../../platform/http/transport-errors.ts'
import { predictNetwork } from '../predict-network.ts'
import { countPrediction } from './count-prediction.ts'

export type PredictionDeps = Readonly<{ db: Db; keyring: Keyring; catalogue: CatalogueOf }>

const PredictionView = Type.Object(
  {
    msisdn: Type.String({ description: 'E.164, in today’s numbering plan.' }),
    country: Type.Union([Type.String(), Type.Null()], { description: 'ISO 3166 alpha-2.' }),
    network: Type.Union([Type.String(), Type.Null()], {
      description: 'The code of the likely network; null if the plan does not say.',
    }),
    is_sure: Type.Boolean({
      description: 'False where numbers are portable: preselect by it, never force.',
    }),
    was_old_plan: Type.Boolean({ description: 'The number was of the plan before today’s.' }),
  },
  { title: 'NetworkPrediction' },
)

const unreadable: Text = {
  en: 'Must be a phone number in international form, such as +2290197000010.',
  fr: 'Doit être un numéro de téléphone au format international, comme +2290197000010.',
}

export const predictionRoutes = ({ db, keyring, catalogue }: PredictionDeps): Route[] => [
  {
    method: 'GET',
    path: '/networks/predict/',
    access: 'any',
    suspended: 'refused',
    query: Type.Object({
      msisdn: Type.String({
        minLength: 1,
        maxLength: 40,
        description:
          'International, or national with `country`. A `+` not escaped arrives as a space: same.',
        'x-message': unreadable,
      }),
      country: Type.Optional({
        ...CountryInput,
        description: 'ISO 3166 alpha-2: where a number without its calling code is of.',
      }),
    }),
    summary: 'Predict the network of a phone number',
    description: 'By the numbering plan alone; no operator is asked. At most 60 calls a minute.',
    tag: 'Catalogue',
    responses: { 200: PredictionView },
    errors: [accessErrors.rate_limited],
    example: {
      reply: {
        msisdn: '+2290197000010',
        country: 'BJ',
        network: 'mtn_bj',
        is_sure: false,
        was_old_plan: true,
      },
    },
    handler: async ({ caller, query }) => {
      await countPrediction({ db, macs: keyring }, caller)
      const typed = (query['msisdn'] ?? '').replace(/^ /, '+')
      const near = query['country'] ?? null
      const prediction = predictNetwork(await catalogue(caller.catalogue_version), typed, near)
      if (prediction === undefined) throw invalid('msisdn', unreadable)
      return ok(prediction)
    },
  },
]
