// What members do on the dashboard with webhooks, keys, limits, accounts, the team and the shop's
// settings, as data.

import type { Page } from 'playwright-core'
import { pngOf } from '../setup/pictures.ts'
import { type Act, fileIn, foldIn } from './member-act.ts'

/** One that the member has is not sent. */
async function chooseAnotherRole(page: Page): Promise<void> {
  const field = page.locator('dialog[open] select[name=role]')
  await field.selectOption((await field.inputValue()) === 'FINANCE' ? 'VIEWER' : 'FINANCE')
}

/** One that is shown once lets nobody go on before. */
async function keepSecret(page: Page): Promise<void> {
  await page.getByLabel('It is kept in a safe place').check()
  await page.getByRole('button', { name: 'Continue', exact: true }).last().click()
}

/** As a field for a moment has it. */
const yesterday = new Date(Date.now() - 86_400_000)
  .toISOString()
  .slice(0, 'YYYY-MM-DDThh:mm'.length)

const connecting: readonly Act[] = [
  {
    call: 'POST /merchant-webhooks/',
    at: '/developers/webhooks/new',
    steps: [{ url: '{site}' }, 'Create the webhook'],
  },
  {
    call: 'POST /webhook-logs/{id}/resend/',
    at: '/developers/deliveries/{delivery}',
    steps: ['Resend'],
  },
  {
    call: 'POST /merchant-webhooks/{id}/test/',
    at: '/developers/webhooks/{webhook}',
    // It leads to its delivery, once that is there.
    steps: ['Send a test', (page) => page.waitForURL(/\/deliveries\//)],
  },
  {
    call: 'POST /merchant-webhooks/{id}/rotate-secret/',
    at: '/developers/webhooks/{webhook}',
    steps: ['New secret', ['New secret'], keepSecret],
  },
  {
    call: 'POST /merchant-webhooks/{id}/replay/',
    at: '/developers/webhooks/{webhook}',
    steps: [{ since: yesterday }, 'Replay since a date'],
  },
  {
    call: 'PATCH /merchant-webhooks/{id}/',
    at: '/developers/webhooks/{webhook}',
    steps: ['Turn off', ['Turn off']],
  },
  {
    call: 'DELETE /merchant-webhooks/{id}/',
    at: '/developers/webhooks/{webhook}',
    steps: ['Delete', ['Delete']],
  },
  {
    call: 'POST /checkout-sessions/',
    at: '/developers/sandbox',
    steps: ['Create a test page'],
  },
  {
    call: 'POST /merchant-api-keys/',
    at: '/developers/keys/new',
    steps: [{ name: 'Server' }, 'Create the key'],
  },
  {
    call: 'PATCH /merchant-api-keys/{id}/',
    at: '/developers/keys/{key}',
    offer: (page) => foldIn(page, 'Name and limits'),
    steps: [(page) => foldIn(page, 'Name and limits').click(), { name: 'Till' }, 'Save'],
  },
  {
    call: 'POST /merchant-api-keys/{id}/rotate/',
    at: '/developers/keys/{key}',
    offer: (page) => foldIn(page, 'Replace the key'),
    steps: [
      (page) => foldIn(page, 'Replace the key').click(),
      { overlap: '3600' },
      'Replace the key',
      keepSecret,
    ],
  },
  {
    call: 'POST /merchant-api-keys/{id}/revoke/',
    at: '/developers/keys/{key}',
    steps: ['Revoke the key', ['Revoke the key']],
  },
]

const limiting: readonly Act[] = [
  {
    call: 'POST /merchant-payout-limits/',
    at: '/payouts/limits',
    steps: ['Set a limit', { country: 'SN', per_payout: '500000' }, 'Set'],
  },
  {
    call: 'POST /merchant-payout-limits/{id}/confirm/',
    at: '/payouts/limits',
    steps: ['Confirm it right now', 'Confirm'],
  },
  {
    call: 'POST /merchant-payout-limits/{id}/cancel/',
    at: '/payouts/limits',
    steps: ['Cancel this change', 'Cancel this change'],
  },
  {
    call: 'DELETE /merchant-payout-limits/{id}/',
    at: '/payouts/limits',
    steps: ['Remove the limit', 'Remove the limit'],
  },
  {
    call: 'POST /merchant-payout-methods/',
    at: '/settlements/methods/new',
    steps: [
      { country: 'BJ', network: 'mtn_bj', msisdn: '+2290197000011', label: 'Till' },
      'Add this method',
    ],
  },
  {
    call: 'PATCH /merchant-payout-methods/{id}/',
    at: '/settlements/methods',
    steps: ['Rename', { label: 'Second till' }, 'Save'],
  },
  {
    call: 'DELETE /merchant-payout-methods/{id}/',
    at: '/settlements/methods',
    steps: ['Remove', 'Remove'],
  },
  {
    call: 'POST /merchant-ip-whitelist/',
    at: '/developers/addresses',
    steps: [{ ip_address: '203.0.113.9' }, 'Allow an address'],
  },
  {
    call: 'PATCH /merchant-ip-whitelist/{id}/',
    at: '/developers/addresses',
    steps: ['Suspend'],
  },
  {
    call: 'DELETE /merchant-ip-whitelist/{id}/',
    at: '/developers/addresses',
    steps: ['Remove', ['Remove']],
  },
]

/** The first member in the list whose role may be changed, and who may be removed. */
const inviting: readonly Act[] = [
  {
    call: 'POST /merchant-invitations/',
    at: '/team',
    steps: [{ email: 'asked@example.com' }, 'Invite'],
  },
  {
    call: 'POST /merchant-invitations/{id}/resend/',
    at: '/team',
    steps: ['Resend'],
  },
  {
    call: 'DELETE /merchant-invitations/{id}/',
    at: '/team',
    steps: ['Cancel the invitation', ['Cancel the invitation']],
  },
  {
    call: 'PATCH /merchant-members/{id}/',
    at: '/team',
    steps: ['Change the role', chooseAnotherRole, ['Change the role']],
  },
  {
    call: 'DELETE /merchant-members/{id}/',
    at: '/team',
    steps: ['Remove', ['Remove']],
  },
]

const paper = {
  name: 'ifu.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n'),
}
const picture = { name: 'logo.png', mimeType: 'image/png', buffer: pngOf() }

const setting: readonly Act[] = [
  { call: 'PATCH /merchant/', at: '/settings', steps: [{ name: 'Chez Awa' }, 'Save'] },
  {
    call: 'PUT /merchant/logo/',
    at: '/settings',
    offer: fileIn,
    steps: [(page) => fileIn(page).setInputFiles(picture)],
  },
  {
    call: 'DELETE /merchant/logo/',
    at: '/settings',
    steps: ['Remove the logo'],
  },
  {
    call: 'POST /merchant/cooling-off/confirm/',
    at: '/settings',
    steps: ['Confirm it right now', 'Confirm'],
  },
  {
    call: 'POST /merchant/cooling-off/cancel/',
    at: '/settings',
    isElsewhere: true,
    steps: ['Cancel this change', 'Cancel this change'],
  },
  {
    call: 'POST /kyc/documents/',
    at: '/settings/verification',
    offer: fileIn,
    steps: [(page) => fileIn(page).setInputFiles(paper)],
  },
  {
    call: 'DELETE /kyc/documents/{id}/',
    at: '/settings/verification',
    steps: ['Remove', ['Remove']],
  },
  {
    call: 'PUT /reports/journal/accounts/',
    at: '/reports/files',
    steps: ['Change the accounts', 'Save'],
  },
]

export const actsOfHouse: readonly Act[] = [...connecting, ...limiting, ...setting, ...inviting]
