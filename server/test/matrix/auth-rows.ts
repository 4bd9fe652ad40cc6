// `/auth/…`: sign up, log in, log out, who am I.

import { randomUUID } from 'node:crypto'
import type { MatrixRows } from './row.ts'

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
