// Planted breaches and innocent look-alikes for the laws of what every route does alike.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is planted is source as text.

import type { LawName, Planted } from './laws.ts'

const at = 'server/src'

const oneOwnershipCheck: readonly Planted[] = [
  {
    title: 'the choice by a condition, the other way round, by if and else; the question in SQL',
    files: {
      [`${at}/payouts/get-payout.ts`]: [
        'throw refuse(isOthers ? accessErrors.permission_denied : transportErrors.not_found)',
        'const row = isKnown ? not_found : permission_denied',
        'if (isOthers) throw refuse(errors.permission_denied)',
        'else throw refuse(errors.not_found)',
      ].join('\n'),
      [`${at}/payouts/store.ts`]: [
        'sql`',
        '  select 1 from payout_limits',
        '   where id = ${id} and merchant_id <> ${merchant_id}`',
      ].join('\n'),
    },
    found: [
      ...[1, 2, 3].map((line) => `${at}/payouts/get-payout.ts:${line}`),
      `${at}/payouts/store.ts:3`,
    ],
  },
  {
    title: 'innocent: the check itself, lists of errors, a right and then a record, another choice',
    files: {
      [`${at}/platform/http/ownership.ts`]: [
        'throw refuse(isOthers ? accessErrors.permission_denied : transportErrors.not_found)',
        'sql`select 1 from t where merchant_id <> ${merchant_id}`',
      ].join('\n'),
      [`${at}/people/decide-proposal.ts`]: [
        'const errors = [accessErrors.permission_denied, transportErrors.not_found]',
        'if (found === undefined) throw refuse(transportErrors.not_found)',
        'if (!may) throw refuse(accessErrors.permission_denied)',
        "const row = kind === 'STAFF' ? permission_denied : dashboard_only",
        "log('merchant_id <> theirs')",
      ].join('\n'),
      [`${at}/payouts/store.test.ts`]: 'sql`select 1 from t where merchant_id <> ${id}`',
    },
    found: [],
  },
]

export const plantedRoutes = {
  'one ownership check': oneOwnershipCheck,
} satisfies Partial<Record<LawName, readonly Planted[]>>
