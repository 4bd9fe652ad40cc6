// Planted breaches and innocent look-alikes for the laws of tests.

import type { LawName, Planted } from './laws.ts'

const momentsOver: readonly Planted[] = [
  {
    title: 'a moment that a test calls over and that may still come: alone, among others, a piece',
    files: {
      'server/test/stories/a-boat-sails.test.ts': [
        'await owner`update boats set due_at = now()`',
        'await owner`',
        '  update boats set tries = 0,',
        '         leased_until = now(), name = 1`',
        'await endIt("ends_at=clock_timestamp()")',
      ].join('\n'),
      'server/test/setup/boats.ts': '\nowner`update boats b set lapses_at = now() where b.id = 1`',
      'server/src/boats/sail.test.ts': 'owner`update boats set cooling_off_next_at = now()`',
    },
    found: [
      ...[1, 4, 5].map((line) => `server/test/stories/a-boat-sails.test.ts:${line}`),
      'server/test/setup/boats.ts:2',
      'server/src/boats/sail.test.ts:1',
    ],
  },
  {
    title: 'innocent: a second ago, an hour to come, what is compared, another moment, the service',
    files: {
      'server/test/stories/a-boat-sails.test.ts': [
        "await owner`update boats set due_at = now() - interval '1 second'`",
        "await owner`update boats set due_at = now() + interval '1 hour' where due_at <= now()`",
        'await owner`update boats set ended_at = now(), updated_at = now()`',
        "// update boats set due_at = now() - and why that isn't done",
      ].join('\n'),
      'server/src/boats/store.ts': 'sql`update boats set due_at = now()`',
    },
    found: [],
  },
]

export const plantedTests = {
  'moments over': momentsOver,
} satisfies Partial<Record<LawName, readonly Planted[]>>
