// What a search answers, field by field.

import { type Static, Type } from 'typebox'
import { formatAmount } from '../money/format.ts'
import { IncidentMarkSchema, transactionTypes } from '../transactions/schema.ts'
import { viewIncident } from '../transactions/view.ts'
import { foundKinds } from './found.ts'
import { each_max, type Group } from './search.ts'

const orNull = (schema: ReturnType<typeof Type.String>, description: string) =>
  Type.Union([schema, Type.Null()], { description })

const ResultView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    title: Type.String({
      description:
        'Who or what it is: a name, an e-mail or a phone in E.164; of a refund, settlement or ' +
        'transfer its reference, of a refund without one its number, all but the last two digits ' +
        'hidden; of a link its name, of a key its name, or without one what is shown of its ' +
        'secret. Empty where nothing is known.',
    }),
    detail: Type.String({
      description:
        'Of a transaction its reference, of a customer their phone or e-mail, of a link or ' +
        'session its description, of a refund its reason, of a settlement or transfer where to, ' +
        'of a key that has a name what is shown of its secret.',
    }),
    transaction_type: Type.Union([Type.Enum([...transactionTypes]), Type.Null()], {
      description: 'Of a transaction; otherwise null.',
    }),
    transaction: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
      description: 'Of a refund the payment that it gives back; otherwise null.',
    }),
    status: orNull(
      Type.String(),
      'Its status, `RETURNED` of a payout, refund or settlement that came back; null for a ' +
        'customer or a link.',
    ),
    amount: orNull(Type.String(), 'Decimal with two decimal places; null where it has none.'),
    currency: orNull(Type.String(), 'ISO 4217; null where it has no amount.'),
    outcome_unknown: Type.Boolean({
      description:
        'Of a transaction or a refund: it is under way and its operator has not said what came ' +
        'of it, so never do it anew; else false.',
    }),
    incident: Type.Union([IncidentMarkSchema, Type.Null()], {
      description: 'Of a transaction what people look into, or have looked into; otherwise null.',
    }),
    rotated_to: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
      description: 'Of an API key the one that replaces it, if any; otherwise null.',
    }),
    last_used_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Of an API key when it was last used, if it was; otherwise null.',
    }),
    is_exact: Type.Boolean({
      description: 'Its id, reference, phone, e-mail or prefix is what was typed.',
    }),
    at: Type.String({ format: 'date-time', description: 'When it was made.' }),
  },
  { title: 'SearchResult' },
)

const GroupView = Type.Object(
  {
    kind: Type.Enum([...foundKinds], { description: 'What these are. The list may grow.' }),
    more: Type.Boolean({ description: 'Whether there are more of them: ask their own list.' }),
    results: Type.Array(ResultView, {
      maxItems: each_max,
      description: 'Those that are exactly what was typed first, then the newest.',
    }),
  },
  { title: 'SearchGroup' },
)

export const SearchView = Type.Object(
  {
    groups: Type.Array(GroupView, {
      maxItems: foundKinds.length,
      description: 'One for each kind of which any was found.',
    }),
  },
  { title: 'Search' },
)

export const viewSearch = (groups: readonly Group[]): Static<typeof SearchView> => ({
  groups: groups.map(({ kind, more, results }) => ({
    kind,
    more,
    results: results.map((one) => ({
      id: one.id,
      title: one.title,
      detail: one.detail,
      transaction_type: one.transaction_type,
      transaction: one.transaction,
      status: one.status,
      amount: one.amount === null ? null : formatAmount(one.amount),
      currency: one.currency,
      outcome_unknown: one.outcome_unknown,
      incident: viewIncident(one),
      rotated_to: one.rotated_to,
      last_used_at: one.last_used_at?.toISOString() ?? null,
      is_exact: one.is_exact,
      at: one.at.toISOString(),
    })),
  })),
})

export const searchExample: Static<typeof SearchView> = {
  groups: [
    {
      kind: 'TRANSACTION',
      more: false,
      results: [
        {
          id: '01981f3a-0000-7000-8000-000000000001',
          title: 'Awa Diop',
          detail: 'TXN-20261121-7K2MPQ4RWX',
          transaction_type: 'PAIEMENT',
          transaction: null,
          status: 'SUCCESS',
          amount: '5000.00',
          currency: 'XOF',
          outcome_unknown: false,
          incident: null,
          rotated_to: null,
          last_used_at: null,
          is_exact: false,
          at: '2026-11-21T09:30:00.000Z',
        },
      ],
    },
    {
      kind: 'CUSTOMER',
      more: false,
      results: [
        {
          id: '01981f3a-0000-7000-8000-000000000002',
          title: 'Awa Diop',
          detail: '+2290197000010',
          transaction_type: null,
          transaction: null,
          status: null,
          amount: null,
          currency: null,
          outcome_unknown: false,
          incident: null,
          rotated_to: null,
          last_used_at: null,
          is_exact: false,
          at: '2026-11-20T16:05:00.000Z',
        },
      ],
    },
    {
      kind: 'API_KEY',
      more: false,
      results: [
        {
          id: '01981f3a-0000-7000-8000-00000000e001',
          title: 'Till of Awa',
          detail: 'sk_test_4fG7…x0Qs',
          transaction_type: null,
          transaction: null,
          status: 'ACTIVE',
          amount: null,
          currency: null,
          outcome_unknown: false,
          incident: null,
          rotated_to: null,
          last_used_at: '2026-11-21T08:00:00.000Z',
          is_exact: false,
          at: '2026-11-20T08:00:00.000Z',
        },
      ],
    },
  ],
}
