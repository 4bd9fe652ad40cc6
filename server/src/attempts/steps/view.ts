// The steps of an account as they are shown, by the API and by the command line alike.

import { type Static, Type } from 'typebox'
import type { FoundGateway } from '../../gateways/account-store.ts'
import { type Locale, typeset } from '../../platform/errors.ts'
import { attemptStatuses } from '../schema.ts'
import type { NumberStep, Step } from './list-steps.ts'

const TriedView = Type.Object(
  {
    status: Type.Enum([...attemptStatuses], { description: 'Of the last attempt with it.' }),
    failure_code: Type.String({ description: 'How it failed; empty unless it did.' }),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'GatewayNumberTried' },
)

const NumberView = Type.Object(
  {
    network: Type.String({ description: 'Of the catalogue; `card` for a card.' }),
    direction: Type.Enum(['COLLECT', 'DISBURSE']),
    number: Type.String({ description: 'As it is given to our API.' }),
    outcome: Type.String({ description: 'What it does, in the operator’s words.' }),
    tried: Type.Union([TriedView, Type.Null()], {
      description: 'Through our API, since the account has its address. Null: not, or unknown.',
    }),
  },
  { title: 'GatewayTestNumber' },
)

const StepView = Type.Object(
  {
    step: Type.String({ description: 'Its name, the same in every language.' }),
    title: Type.String({ description: 'The same, to be shown.' }),
    is: Type.Enum(['DONE', 'TO_DO', 'PEOPLE'], { description: '`PEOPLE`: only people know.' }),
    found: Type.String({ description: 'What was found, or what is to be done.' }),
    numbers: Type.Array(NumberView, {
      description: 'The operator’s own test numbers, of the step that is about them; else empty.',
    }),
  },
  { title: 'GatewayStep' },
)

export const StepsView = Type.Object(
  {
    code: Type.String({ description: 'Of the account.' }),
    steps: Type.Array(StepView, { description: 'In their order.' }),
  },
  { title: 'GatewaySteps' },
)

const viewTried = (tried: NumberStep['tried']): Static<typeof TriedView> | null =>
  tried && {
    status: tried.status,
    failure_code: tried.failure_code,
    created_at: tried.created_at.toISOString(),
  }

const viewNumber = (one: NumberStep): Static<typeof NumberView> => ({
  network: one.network,
  direction: one.direction,
  number: one.number,
  outcome: one.then,
  tried: viewTried(one.tried),
})

const viewStep = (
  { step, is, found, numbers = [] }: Step,
  language: Locale,
): Static<typeof StepView> => ({
  step: step.en,
  title: typeset(step[language], language),
  is,
  found: typeset(found[language], language),
  numbers: numbers.map(viewNumber),
})

export const viewSteps = (
  { code }: Pick<FoundGateway, 'code'>,
  steps: readonly Step[],
  language: Locale,
): Static<typeof StepsView> => ({ code, steps: steps.map((one) => viewStep(one, language)) })

const check = 'Check of the account'
const theirs = 'The operator’s own test numbers'

export const stepsExample: Static<typeof StepsView> = {
  code: 'mtn_bj_sandbox',
  steps: [
    { step: check, title: check, is: 'DONE', found: 'passed within 24 hours', numbers: [] },
    {
      ...{ step: theirs, title: theirs, is: 'TO_DO' },
      found: '1 of 30 tried; any other number succeeds',
      numbers: [
        {
          ...{ network: 'mtn_bj', direction: 'COLLECT' },
          ...{ number: '+2290133123451', outcome: 'rejected' },
          tried: {
            ...{ status: 'FAILED', failure_code: 'NOT_APPROVED' },
            created_at: '2026-11-21T08:00:00.000Z',
          },
        },
      ],
    },
  ],
}
