// `/auth/…`: sign up, log in, log out, who am I.

import { randomUUID } from 'node:crypto'
import { demoMerchant, seedDemoMerchant } from '../../src/app/seed.ts'
import { newSignInLink } from '../../src/app/sign-in-link.ts'
import type { MatrixRows, Scene } from './row.ts'

export const authRows: MatrixRows = {
  'POST /auth/register/': {
    access: 'public',
    status: 201,
    body: () => ({
      merchant_name: 'Boutique',
      country: 'SN',
      email: `${randomUUID()}@matrix.example`,
      password: 'a long pass phrase',
      first_name: 'Awa',
      last_name: 'Diop',
    }),
  },
  'POST /auth/login/': {
    access: 'public',
    status: 200,
    body: async ({ app }) => {
      const { email, password } = await app.member()
      return { email, password }
    },
  },
  'POST /auth/login/link/': {
    access: 'public',
    status: 200,
    body: async (scene) => ({ token: await linkToken(scene) }),
  },
  'POST /auth/logout/': { access: 'person', status: 204 },
  'GET /auth/me/': { access: 'person', status: 200 },
  'POST /downloads/': {
    access: 'dashboard',
    permission: 'read',
    suspended: 'allowed',
    status: 201,
    body: () => ({ path: '/transactions/export/?country=BJ' }),
  },
  'POST /admin/downloads/': {
    access: 'staff',
    // The right is that of the file.
    staff: 'approvals',
    reads: true,
    status: 201,
    body: () => ({ path: `/admin/settlements/${randomUUID()}/proof/` }),
  },
}

/** What a start would print for an owner of the demo. */
async function linkToken({ app }: Scene): Promise<string> {
  await seedDemoMerchant(app.owner)
  const { email } = await app.member({ merchant_id: demoMerchant.id })
  const link = await newSignInLink(app.service.db, { email, dashboard_url: app.url })
  return link?.split('#')[1] ?? ''
}
