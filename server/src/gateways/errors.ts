// What steering gateways and routes can answer.

import { defineErrors } from '../platform/errors.ts'

export const gatewayErrors = defineErrors({
  route_exists: {
    status: 409,
    message: {
      en: 'This gateway already serves this network in this direction. Update that route.',
      fr: 'Cette passerelle sert déjà ce réseau dans ce sens. Modifiez cette route.',
    },
  },
})
