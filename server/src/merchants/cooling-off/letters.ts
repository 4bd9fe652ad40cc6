// What the owners read when new payout methods wait less long than before.

import type { OwnersLetter } from '../tell-owners.ts'

export const shorterCoolingLetter = (before: number, after: number): OwnersLetter => ({
  subject: {
    en: 'A shorter cooling-off of payout methods',
    fr: 'Un délai plus court des moyens de retrait',
  },
  news: {
    en: `The cooling-off of new payout methods was lowered from ${before} hours to ${after}.`,
    fr: `Le délai des nouveaux moyens de retrait est passé de ${before} heures à ${after}.`,
  },
})
