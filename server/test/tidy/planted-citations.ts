// Planted breaches and innocent look-alikes for the law of citations. That law does not read this
// file: what it looks for stands here as text.

import type { LawName, Planted } from './laws.ts'

const at = 'server/src/payouts'

const papers = {
  'docs/contract.md':
    '## Interface\n\n### Invoice\n\n### created_by_member\n\n## 3. Access\n\n### 3.5 Whose it is\n',
  'docs/money-law.md': '## 1. Attempts\n\n## Design laws\n\n### Design 2. Never twice\n',
  'docs/decisions/0011-what-waits.md': '',
}

const citations: readonly Planted[] = [
  {
    title: 'a number, a name, a law and a record that are not there',
    files: {
      ...papers,
      [`${at}/a.ts`]: [
        '// First (contract 3.6).',
        '// Second (contract 3.5,',
        '// 3.7), and on.',
        '/** Third (contract: Receipt). */',
        '// Fourth (money 2).',
        '// Fifth (design 1).',
        '// Sixth (decision 0012).',
        "it('waits as contract 9 says', () => {})",
      ].join('\n'),
      'docs/guides/payouts.md': 'As (contract\n3.1) says.',
      'server/migrations/0001_a.sql': '-- Once (decisions 3.4).',
    },
    found: [
      ...[1, 2, 4, 5, 6, 7, 8].map((line) => `${at}/a.ts:${line}`),
      'docs/guides/payouts.md:1',
      'server/migrations/0001_a.sql:1',
    ],
  },
  {
    title: 'papers that are not here',
    files: {
      ...papers,
      [`${at}/a.ts`]: [
        '// One (decisions 3.5).',
        '// Two (interface: Invoice; decisions',
        '// 3.5).',
        '// Three (house style A6).',
        '// Four (issue 7), five (issue: safety).',
        '// Six (money 1, design law 2).',
        '// Seven (review S-13).',
        '// Eight: the laws of design.md.',
        '// Nine (money 1, gateways 7).',
        '// Ten (design 2.6).',
      ].join('\n'),
    },
    found: [1, 2, 2, 4, 5, 5, 6, 7, 8, 9, 10].map((line) => `${at}/a.ts:${line}`),
  },
  {
    title: 'innocent: what is there, the repository’s own records, words that only look alike',
    files: {
      ...papers,
      [`${at}/a.ts`]: [
        '// One (contract 3, 3.5), two (contract: Invoice; decision 0011).',
        '// Three (money 1, Roles), four (design 2); five (contract: Invoice; contract',
        '// 3.5), six (contract: created_by_member).',
        '// See docs/decisions/0011 and money-law.md. The published interface: a status, a field.',
        '// An issue of 7 coins; the decisions of 12 people; money 100 times; a contract.',
        'function check(contract: Contract, seed: number) {}',
      ].join('\n'),
      'docs/guides/payouts.md': 'See [0011](../decisions/0011-what-waits.md) (contract 3.5).',
      'server/migrations/0001_a.sql': '-- Once (decisions 3.5, money 1), review S-09, house style.',
    },
    found: [],
  },
]

export const plantedCitations = { citations } satisfies Partial<Record<LawName, readonly Planted[]>>
