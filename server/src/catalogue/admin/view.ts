// A network as staff see it, with what they may change.

import { type Static, Type } from 'typebox'
import { type Network, routings } from '../catalogue.ts'
import { NetworkView, networkExample, viewNetwork } from '../view.ts'

/** Which of several routes is tried first, by direction. */
export const routingFields = {
  collect_routing: Type.Enum([...routings], {
    description:
      'Which of several routes of payments is tried first: the one of the lowest `priority`; ' +
      '`COST`: the cheapest for the amount; `SUCCESS`: the one on which most succeed, of those ' +
      'within two points the cheapest. A demoted route comes after the others in any case.',
  }),
  disburse_routing: Type.Enum([...routings], {
    description: 'The same of payouts, refunds by payout and settlements.',
  }),
}

export const StaffNetworkView = Type.Object(
  {
    ...NetworkView.properties,
    flow: Type.Enum(['push', 'redirect']),
    otp_kind: Type.Enum(['NONE', 'PRE', 'POST'], {
      description: '`PRE`: the payer gets a code beforehand. `POST`: the payer is sent one.',
    }),
    otp_instructions: Type.String({ description: '`{amount}` stands for the whole amount.' }),
    takes_payins: Type.Boolean(),
    takes_payouts: Type.Boolean(),
    ...routingFields,
  },
  { title: 'StaffNetwork' },
)

export const staffNetworkExample = {
  ...networkExample,
  flow: 'redirect',
  otp_kind: 'NONE',
  otp_instructions: '',
  takes_payins: true,
  takes_payouts: true,
  collect_routing: 'PRIORITY',
  disburse_routing: 'PRIORITY',
}

export const viewStaffNetwork = (network: Network): Static<typeof StaffNetworkView> => ({
  ...viewNetwork(network),
  flow: network.flow,
  otp_kind: network.otp_kind,
  otp_instructions: network.otp_instructions,
  takes_payins: network.takes_payins,
  takes_payouts: network.takes_payouts,
  collect_routing: network.collect_routing,
  disburse_routing: network.disburse_routing,
})
