// What members do on the dashboard, as data: where, what is pressed and filled in, and which call
// of the API that makes; and the hand that does it, with a mouse. In English.

import type { Locator, Page } from 'playwright-core'
import { fillPath } from './full-shop.ts'

/**
 * A button's name, within brackets in the dialog that asks, or what fields are filled in with, by
 * their names (`{site}`: the shop's own), or a hand of its own.
 */
type Step =
  | string
  | RegExp
  | readonly [string]
  | Readonly<Record<string, string>>
  | ((page: Page) => Promise<unknown>)

export type Act = Readonly<{
  /** As the API names its operations. */
  call: string
  /** `{paid}` and so on are ids of what a full shop has. */
  at: string
  /** The first that is pressed is what is offered, or not. */
  steps: readonly Step[]
  /** Instead of buttons. */
  by?: (page: Page) => Promise<void>
}>

/** One that the member has is not sent. */
async function chooseAnotherRole(page: Page): Promise<void> {
  const field = page.locator('dialog[open] select[name=role]')
  await field.selectOption((await field.inputValue()) === 'FINANCE' ? 'VIEWER' : 'FINANCE')
}

const receiver = '+2290197000010'

const selling: readonly Act[] = [
  {
    call: 'POST /payment-links/',
    at: '/links/new',
    steps: [{ name: 'Order 7', amount: '5000' }, 'Create the link'],
  },
  { call: 'PATCH /payment-links/{id}/', at: '/links/{link}', steps: ['Turn the link off'] },
  {
    call: 'DELETE /payment-links/{id}/',
    at: '/links/{link}',
    steps: ['Delete the link', /^Delete the link$/],
  },
  {
    call: 'POST /checkout-sessions/',
    at: '/checkouts/new',
    steps: [
      { amount: '5000', customer_name: 'Awa Diop', customer_email: 'awa@example.com' },
      'Create the checkout',
    ],
  },
  {
    call: 'POST /checkout-sessions/{id}/cancel/',
    at: '/checkouts/{checkout}',
    steps: ['Cancel the checkout', /^Cancel the request for/],
  },
  {
    call: 'POST /customers/',
    at: '/customers/new',
    steps: [{ first_name: 'Awa', phone: '+2290197000021' }, 'Create the customer'],
  },
  {
    call: 'PATCH /customers/{id}/',
    at: '/customers/{customer}',
    steps: ['Change', { last_name: 'Sow' }, 'Save'],
  },
]

const collecting: readonly Act[] = [
  {
    call: 'POST /payments/softpay/initialize/',
    at: '/payments/new',
    steps: [
      { msisdn: receiver, country: 'BJ', network: 'mtn_bj', amount: '5000' },
      'Continue',
      /^Ask for/,
    ],
  },
  {
    call: 'POST /payments/{payment_id}/retry/',
    at: '/payments/{failed}',
    steps: ['Ask for the payment again', /^Ask for .* again$/],
  },
  {
    call: 'POST /sandbox/transactions/{id}/resolve/',
    at: '/payments/{waiting}',
    steps: ['Decide the outcome (test)', 'Decide'],
  },
  {
    call: 'POST /payments/{payment_id}/refunds/',
    at: '/payments/{paid}/refund',
    steps: [{ amount: '1000', reason: 'Broken' }, 'Continue', /^Refund/],
  },
  {
    call: 'POST /sandbox/balances/',
    at: '/balances/BJ',
    steps: ['Add some test money', { amount: '1000' }, 'Add'],
  },
  {
    call: 'PUT /sandbox/dialects/',
    at: '/developers/sandbox',
    steps: [{ network_code: 'mtn_bj COLLECT', dialect: 'mtn' }, 'Choose'],
  },
  {
    call: 'POST /top-ups/initialize/',
    at: '/balances/top-up',
    steps: [
      { msisdn: receiver, country: 'BJ', network: 'mtn_bj', amount: '3000' },
      'Continue',
      /^Top up/,
    ],
  },
]

const paying: readonly Act[] = [
  {
    call: 'POST /payouts/initialize/',
    at: '/payouts/new',
    steps: [
      { msisdn: receiver, country: 'BJ', method: 'mtn_bj', amount: '2500' },
      'Continue',
      /^Pay out/,
    ],
  },
  {
    call: 'POST /payouts/{payout_id}/approve/',
    at: '/payouts/{waits}',
    steps: ['Approve', /^Approve FCFA/],
  },
  {
    call: 'POST /payouts/{payout_id}/reject/',
    at: '/payouts/{second}',
    steps: ['Reject', { reason: 'Not this month' }, /^Reject FCFA/],
  },
  {
    call: 'POST /payouts/{payout_id}/cancel/',
    at: '/payouts/{third}',
    steps: ['Cancel the request', /^Cancel FCFA/],
  },
  {
    call: 'POST /settlements/',
    at: '/settlements/new',
    steps: [{ requested_amount: '2000' }, 'Continue', /^Request/],
  },
  {
    call: 'POST /settlements/{id}/cancel/',
    at: '/settlements/{settlement}',
    steps: ['Cancel the request', /^Cancel FCFA/],
  },
  {
    call: 'POST /wallet-transfers/',
    at: '/transfers/new',
    steps: [{ from_country: 'BJ', to_country: 'SN', amount: '5000' }, 'Continue', /^Transfer FCFA/],
  },
]

const connecting: readonly Act[] = [
  {
    call: 'POST /merchant-webhooks/',
    at: '/developers/webhooks/new',
    steps: [{ url: '{site}' }, 'Create the webhook'],
  },
  {
    call: 'POST /merchant-webhooks/{id}/test/',
    at: '/developers/webhooks/{webhook}',
    steps: ['Send a test'],
  },
  {
    call: 'POST /webhook-logs/{id}/resend/',
    at: '/developers/deliveries/{delivery}',
    steps: ['Resend'],
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
    call: 'POST /merchant-api-keys/{id}/revoke/',
    at: '/developers/keys/{key}',
    steps: ['Revoke the key', ['Revoke the key']],
  },
]

const paper = {
  name: 'ifu.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n'),
}

const governing: readonly Act[] = [
  {
    call: 'POST /merchant-payout-limits/',
    at: '/payouts/limits',
    steps: ['Set a limit', { country: 'SN', per_payout: '500000' }, 'Set'],
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
    call: 'POST /merchant-ip-whitelist/',
    at: '/developers/addresses',
    steps: [{ ip_address: '203.0.113.9' }, 'Allow an address'],
  },
  {
    call: 'POST /merchant-invitations/',
    at: '/team',
    steps: [{ email: 'asked@example.com' }, 'Invite'],
  },
  {
    call: 'PATCH /merchant-members/{id}/',
    at: '/team',
    steps: ['Change the role', chooseAnotherRole, ['Change the role']],
  },
  { call: 'PATCH /merchant/', at: '/settings', steps: [{ name: 'Chez Awa' }, 'Save'] },
  {
    call: 'POST /kyc/documents/',
    at: '/settings/verification',
    steps: [],
    by: (page) => page.getByLabel('File or photograph').setInputFiles(paper),
  },
  {
    call: 'PUT /reports/journal/accounts/',
    at: '/reports/files',
    steps: ['Change the accounts', 'Save'],
  },
]

export const acts: readonly Act[] = [
  ...selling,
  ...collecting,
  ...paying,
  ...connecting,
  ...governing,
]

export const isPress = (step: Step): step is string | RegExp =>
  typeof step === 'string' || step instanceof RegExp

const isInDialog = (step: Step): step is readonly [string] => Array.isArray(step)

export const buttonIn = (page: Page, name: string | RegExp, place = 'main'): Locator =>
  page
    .locator(place)
    .getByRole('button', typeof name === 'string' ? { name, exact: true } : { name })
    .first()

type Filling = Readonly<{ fields: Readonly<Record<string, string>>; site: string }>

async function fill(page: Page, { fields, site }: Filling): Promise<void> {
  for (const [name, value] of Object.entries(fields)) {
    const field = page.locator(`main [name="${name}"]`).first()
    if ((await field.evaluate((at) => String(Object(at).tagName))) === 'SELECT') {
      await field.selectOption(value)
    } else await field.fill(fillPath(value, { site }))
  }
}

/** The status of the call that the act makes, or why there is none. `site`: the shop's own. */
export async function perform(page: Page, act: Act, site: string): Promise<number | string> {
  const { call, steps, by } = act
  const [method, path = ''] = call.split(' ')
  const address = new RegExp(`/api/v1${path.replace(/\{\w+\}/g, '[^/]+')}(\\?.*)?$`)
  const answered = page
    .waitForResponse((answer) => answer.request().method() === method && address.test(answer.url()))
    .then((answer) => answer.status(), String)
  await by?.(page)
  for (const step of steps) {
    if (isPress(step)) await buttonIn(page, step).click()
    else if (isInDialog(step)) await buttonIn(page, step[0], 'dialog[open]').click()
    else if (typeof step === 'function') await step(page)
    else await fill(page, { fields: step, site })
  }
  return answered
}
