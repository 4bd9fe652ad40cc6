// Who bears the fee (contract 2.3). The values of the contract are the stored values.

/** `ADD_ON`: the fee comes on top of the amount. `DEDUCTED`: it is taken out of the amount. */
export type FeeChargeMode = 'ADD_ON' | 'DEDUCTED'

export const feeChargeModes: readonly FeeChargeMode[] = ['ADD_ON', 'DEDUCTED']
