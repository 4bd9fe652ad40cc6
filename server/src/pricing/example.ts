// The price list that the documentation shows.

const tierExample = {
  min_amount: '200.00',
  max_amount: '100000000.00',
  percent: '3.50',
  fixed: '0.00',
  floor_amount: null,
  cap_amount: null,
  fee_charge_mode: 'ADD_ON',
}

const directionExample = {
  available: true,
  is_custom: false,
  otp_required: false,
  otp_instructions: '',
}

export const pricesExample = [
  {
    country_code: 'SN',
    country_name: 'Sénégal',
    currency: 'XOF',
    network_code: 'wave_sn',
    network_name: 'Wave Sénégal',
    payin: { ...directionExample, tiers: [tierExample] },
    payout: {
      ...directionExample,
      tiers: [
        {
          ...tierExample,
          min_amount: '1.00',
          percent: '2.00',
          fixed: '100.00',
          fee_charge_mode: 'DEDUCTED',
        },
      ],
    },
    top_up: { ...directionExample, tiers: [{ ...tierExample, percent: '0.00' }] },
  },
]
