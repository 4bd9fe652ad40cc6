// Every kind of page that a payer can meet, and how to come to it: measured by a test, drawn by
// `npm run screenshots`. In any language: what is waited for are marks in the page.

import type { Page } from 'playwright-core'
import { type Choice, fillIn, giveCode, pay, tap } from './hands.ts'

/** What a merchant does so that a payer finds something. */
export type Desk = Readonly<{
  /** Where the pages stand. */
  url: string
  /** An address that leaves the payer on our page. */
  stay: string
  /** Each the address that the payer opens. */
  open(changes?: Record<string, unknown>): Promise<string>
  cancelled(): Promise<string>
  expired(): Promise<string>
  link(changes: Record<string, unknown>): Promise<string>
}>

export type Kind = Readonly<{
  name: string
  /** Leads to the page but for the last step, which it gives back. */
  reach(page: Page, desk: Desk): Promise<() => Promise<unknown>>
}>

type Address = (desk: Desk) => Promise<string>

const opened = (name: string, address: Address): Kind => ({
  name,
  reach: async (page, desk) => {
    const found = await address(desk)
    return () => page.goto(found)
  },
})

type Paying = Readonly<{ country: string; choice: Choice; sign: string; return_url?: string }>

/** The page with this sign, after a payment that ends or waits there. */
const paid = (name: string, { country, choice, sign, return_url = '' }: Paying): Kind => ({
  name,
  reach: async (page, desk) => {
    const address = await desk.open({ country, return_url })
    await page.goto(address)
    await pay(page, choice)
    await page.locator(sign).waitFor()
    return () => page.goto(address)
  },
})

const choosing: readonly Kind[] = [
  opened('choose-country', ({ open }) => open()),
  opened('choose-network', ({ open }) => open({ country: 'BJ' })),
  opened('choose-of-five', ({ open }) => open({ country: 'SN' })),
  {
    name: 'other-network',
    reach: async (page, { open }) => {
      await page.goto(await open({ country: 'BJ' }))
      await tap(page, 'mtn_bj')
      await page.locator('#phone').fill('01 95 00 00 10')
      return () => submit(page, '#pay')
    },
  },
  {
    name: 'card',
    reach: async (page, { open }) => {
      await page.goto(await open({ country: 'BJ' }))
      return () => page.locator('#by-card').click()
    },
  },
  {
    name: 'code-first',
    reach: async (page, { open }) => {
      const address = await open({ country: 'CI' })
      return async () => {
        await page.goto(address)
        await fillIn(page, { network: 'orange_ci' })
      }
    },
  },
  {
    name: 'faults',
    reach: async (page, { open }) => {
      await page.goto(await open({ country: 'CI' }))
      await fillIn(page, { network: 'orange_ci' })
      return () => submit(page, '#pay')
    },
  },
]

async function submit(page: Page, button: string): Promise<void> {
  await page.locator(button).click()
  await page.locator('#errors').waitFor()
}

const byCode: Paying = { country: 'SN', choice: { network: 'wizall_sn' }, sign: '#code-form' }

const underWay: readonly Kind[] = [
  paid('waiting', {
    country: 'BJ',
    choice: { network: 'mtn_bj', magic: '04' },
    sign: '#status',
  }),
  paid('waiting-dial', {
    country: 'CI',
    choice: { network: 'mtn_ci', magic: '04' },
    sign: '#dial',
  }),
  paid('code', byCode),
  {
    name: 'code-wrong',
    reach: async (page, desk) => {
      await page.goto(await desk.open({ country: byCode.country }))
      await pay(page, byCode.choice)
      return () =>
        giveCode(page, '000000', page.getByText(/^(Ce code est incorrect|This code is wrong)/))
    },
  },
  paid('operator', {
    country: 'SN',
    choice: { network: 'wave_sn' },
    sign: 'button[value=approve]',
  }),
]

const over: readonly Kind[] = [
  paid('failed', {
    country: 'BJ',
    choice: { network: 'mtn_bj', magic: '01' },
    sign: '#failure',
  }),
  paid('paid', { country: 'BJ', choice: { network: 'mtn_bj' }, sign: '#reference' }),
  {
    name: 'paid-and-back',
    reach: (page, desk) => {
      const { reach } = paid('', {
        country: 'BJ',
        choice: { network: 'mtn_bj' },
        sign: '#return',
        return_url: desk.stay,
      })
      return reach(page, desk)
    },
  },
  {
    name: 'receipt',
    reach: async (page, desk) => {
      await page.goto(await desk.open({ country: 'BJ' }))
      await pay(page, { network: 'mtn_bj' })
      await page.locator('#receipt').waitFor()
      return async () => {
        await page.locator('#receipt').click()
        await page.locator('summary').click()
      }
    },
  },
  opened('cancelled', ({ cancelled }) => cancelled()),
  opened('expired', ({ expired }) => expired()),
  opened('not-found', async ({ url }) => `${url}/checkout/nowhere`),
]

const free = { amount_type: 'FREE', min_amount: '1000', description: 'Association des parents' }

const asking = {
  amount: '5000',
  description: 'Frais de scolarité',
  require_phone: true,
  custom_fields: [
    {
      ...{ name: 'class', label: 'Classe de l’élève', type: 'SELECT', required: true },
      options: ['Sixième', 'Cinquième'],
    },
    { name: 'pupil', label: 'Nom et prénoms de l’élève', type: 'TEXT', required: true },
    { name: 'year', label: 'Année scolaire', type: 'NUMBER' },
  ],
}

const links: readonly Kind[] = [
  opened('link-fixed', ({ link }) => link({ amount: '5000', description: 'Mois de mai' })),
  {
    name: 'link-free-faults',
    reach: async (page, { link }) => {
      await page.goto(await link(free))
      await page.locator('#amount').fill('1')
      await page.locator('#about-you summary').click()
      await page.locator('#first_name').fill('Awa')
      await page.locator('#last_name').fill('Diop')
      await page.locator('#email').fill('awa@example.com')
      return () => submit(page, '#go-on')
    },
  },
  opened('link-asks', ({ link }) => link(asking)),
  {
    name: 'link-asks-faults',
    reach: async (page, { link }) => {
      await page.goto(await link(asking))
      await page.locator('#about-you summary').click()
      await page.locator('#first_name').fill('Awa')
      await page.locator('#last_name').fill('Diop')
      await page.locator('#email').fill('awa@example.com')
      await page.locator('#phone').fill('01 97 00 00 10')
      await page.locator('#own-class').selectOption('Sixième')
      await page.locator('#own-pupil').fill('Afi')
      await page.locator('#own-year').fill('bientôt')
      return () => submit(page, '#go-on')
    },
  },
  opened('link-incomplete', ({ link }) => link({})),
  opened('link-off', ({ link }) => link({ amount: '5000', is_active: false })),
]

export const kinds: readonly Kind[] = [...choosing, ...underWay, ...over, ...links]
