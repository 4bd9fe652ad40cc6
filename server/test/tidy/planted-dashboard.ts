// Planted breaches and innocent look-alikes for the laws of the dashboard.

import type { LawName, Planted } from './laws.ts'

const at = 'dashboard/src'

const ranks: readonly Planted[] = [
  {
    title: 'a kit that knows a screen, a feature that knows another, a folder of no rank',
    files: {
      [`${at}/ui/form.tsx`]: "import { Shell } from '../parts/shell.tsx'",
      [`${at}/features/home/home.tsx`]: "import type { Row } from '../links/link-list.tsx'",
      [`${at}/parts/late.ts`]: "const late = () => import('../features/home/home.tsx')",
      [`${at}/screens/home.tsx`]: '',
    },
    found: [
      `${at}/ui/form.tsx:1`,
      `${at}/features/home/home.tsx:1`,
      `${at}/parts/late.ts:1`,
      `${at}/screens/home.tsx:1`,
    ],
  },
  {
    title: 'innocent: what stands above, a neighbour in the same feature, a package',
    files: {
      [`${at}/features/home/home.tsx`]: [
        "import { useState } from 'react'",
        "import { t } from '../../words/translate.ts'",
        "import { Day } from './day.tsx'",
      ].join('\n'),
      [`${at}/app/main.tsx`]: "const Home = () => import('../features/home/home.tsx')",
    },
    found: [],
  },
]

const thin: readonly Planted[] = [
  {
    title: 'a screen asks by itself, keeps, writes markup, reads cookies, reckons',
    files: {
      [`${at}/features/home/home.tsx`]: [
        "await fetch('/api/v1/transactions/')",
        "localStorage.setItem('a', 'b')",
        "element.innerHTML = '<b>'",
        'const at = <p dangerouslySetInnerHTML={{ __html: text }} />',
        'const all = document.cookie',
        'const sum = parseFloat(one) + Math.round(other)',
      ].join('\n'),
    },
    found: [1, 2, 3, 4, 5, 6, 6].map((line) => `${at}/features/home/home.tsx:${line}`),
  },
  {
    title: 'innocent: their places, names of fields, the same on the server',
    files: {
      [`${at}/data/call.ts`]: "await fetch('/api/v1/transactions/')",
      [`${at}/data/kept.ts`]: "localStorage.getItem('language')",
      [`${at}/data/session.ts`]: 'const body = { cookie: true }',
      'server/src/platform/outbound/call.ts': 'await fetch(address)',
    },
    found: [],
  },
]

export const plantedDashboard = {
  'dashboard ranks': ranks,
  'dashboard thin': thin,
} satisfies Partial<Record<LawName, readonly Planted[]>>
