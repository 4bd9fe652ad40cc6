// An answer is lost and the page is loaded anew, as telephones do by themselves: what is asked for
// again then is the same deed, whatever it is; and a twin is known by the service's clock.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { sized, wholeIt } from '../setup/proof-size.ts'
import { oldPayment } from '../setup/refunds.ts'
import { expectNotKept, expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

/** Of this tab: where it was last is kept beside them. */
const countDeeds = "Number('pirogue-deeds' in sessionStorage)"

let fixture: BrowserFixture
let owner: SignedInCaller
let payment = ''
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
  await owner.post('/merchant-payout-methods/', {
    ...{ country: 'BJ', type: 'MOBILE_MONEY', network: 'mtn_bj', msisdn: '+2290197000010' },
    ...{ label: 'Caisse' },
  })
  await app.owner`
    update payout_methods set usable_from = now() - interval '1 minute'
     where merchant_id = ${owner.merchant_id}`
  const { data } = await shop.pay({ amount: '10000' })
  await shop.becomes(data.id, 'SUCCESS')
  payment = data.id
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)

type Deed = Readonly<{
  name: string
  path: string
  /** Where it is sent to. */
  sends: string
  fill: (page: Page) => Promise<void>
  /** The same, written otherwise after the reload. */
  again?: (page: Page) => Promise<void>
  /** The rows of the list that it makes one of. */
  list: string
}>

const payTo = async (page: Page, amount: string): Promise<void> => {
  await page.locator('select[name=country]').selectOption('BJ')
  await page.locator('select[name=network], select[name=method]').selectOption('mtn_bj')
  await page.locator('input[name=amount]').fill(amount)
}

const deeds: readonly Deed[] = [
  {
    ...{ name: 'a settlement', path: '/settlements/new', sends: '/settlements/' },
    fill: (page) => page.locator('input[name=requested_amount]').fill('20 000'),
    list: '/settlements/',
  },
  {
    ...{ name: 'a refund', path: '/payments/{payment}/refund', sends: '/refunds/' },
    fill: (page) => page.locator('input[name=amount]').fill('4 000'),
    list: '/refunds/',
  },
  {
    ...{ name: 'a transfer', path: '/transfers/new', sends: '/wallet-transfers/' },
    fill: async (page) => {
      await page.locator('select[name=from_country]').selectOption('BJ')
      await page.locator('select[name=to_country]').selectOption('SN')
      await page.locator('input[name=amount]').fill('5 000')
    },
    list: '/wallet-transfers/',
  },
  {
    ...{ name: 'a top-up', path: '/balances/top-up', sends: '/top-ups/initialize/' },
    fill: async (page) => {
      await page.locator('input[name=msisdn]').fill('+2290197000010')
      await payTo(page, '3 000')
    },
    again: async (page) => {
      await page.locator('input[name=msisdn]').fill('+229 (01) 97-00-00-10')
      await payTo(page, '3000')
    },
    list: '/transactions/?transaction_type=RECHARGE&search=%2B2290197000010',
  },
  {
    ...{ name: 'a payment', path: '/payments/new', sends: '/payments/softpay/initialize/' },
    fill: async (page) => {
      await page.locator('input[name=msisdn]').fill('+2290197000010')
      await payTo(page, '6 500')
    },
    list: '/transactions/?transaction_type=PAIEMENT&search=%2B2290197000010',
  },
]

const countOf = async (list: string): Promise<number> => (await owner.get(list)).data.results.length

/** The first answer is lost: it was done there and nobody here knows. */
async function loseFirst(page: Page, address: string): Promise<void> {
  let isLost = true
  await page.route(`**${address}`, async (route) => {
    if (route.request().method() !== 'POST' || !isLost) return route.continue()
    isLost = false
    await route.fetch()
    return route.abort()
  })
}

/** The first is done there, and its answer comes when it is let go. */
async function holdFirst(page: Page, address: string): Promise<() => void> {
  let isFirst = true
  let letGo = (): void => undefined
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route(`**${address}`, async (route) => {
    if (route.request().method() !== 'POST' || !isFirst) return route.continue()
    isFirst = false
    const response = await route.fetch()
    await isLetGo
    return route.fulfill({ response })
  })
  return () => letGo()
}

const numbered = {
  payment: {
    ...{ at: '/payments', sends: '/payments/softpay/initialize/' },
    ...{ type: 'PAIEMENT', name: 'Paiements' },
  },
  payout: {
    ...{ at: '/payouts', sends: '/payouts/initialize/' },
    ...{ type: 'RETRAIT', name: 'Versements' },
  },
} as const

describe('an answer that was lost', () => {
  it.each(sized(deeds.slice(0, 1), deeds))(
    'is asked for again after a reload, and $name is made once',
    async ({ path, sends, fill, again = fill, list }) => {
      const before = await countOf(list)
      const at = path.replace('{payment}', payment)
      await fixture.visit({ language: 'fr', width: 360, hostile: true }, async (page) => {
        await open(page, at)
        await signInAs(page, owner)
        await loseFirst(page, sends)
        await fill(page)
        await press(page, 'Continuer')
        await page.locator('.confirm button[type=submit]').click()
        await page.getByText('rien ne sera fait deux fois').waitFor()
        expect(await countOf(list)).toBe(before + 1)
        await expectNotKept(page, /2290197000010|20000\.00|4000\.00/)
        await page.reload()
        await again(page)
        await press(page, 'Continuer')
        await page.getByText('rien ne sera fait deux fois').waitFor()
        await expectSound(page)
        await press(page, 'Redemander')
        await page.locator('.confirm').waitFor({ state: 'detached' })
        // What came of it is known now: the same once more is another deed.
        await expect.poll(() => page.evaluate(countDeeds)).toBe(0)
      })
      expect(await countOf(list)).toBe(before + 1)
    },
    patience_ms,
  )

  it(
    'that comes once its page was left makes no second payout of whoever asks again',
    async () => {
      const list = '/transactions/?transaction_type=RETRAIT&search=%2B2290197000010'
      const before = await countOf(list)
      await fixture.visit({ language: 'fr', width: 1280, hostile: true }, async (page) => {
        await open(page, '/payouts/new')
        await signInAs(page, owner)
        const letGo = await holdFirst(page, '/payouts/initialize/')
        const ask = async () => {
          await page.locator('input[name=msisdn]').fill('+2290197000010')
          await payTo(page, '5 000')
          await press(page, 'Continuer')
          await page.locator('.confirm').waitFor()
        }
        await ask()
        await page.locator('.confirm button[type=submit]').click()
        await expect.poll(() => countOf(list)).toBe(before + 1)
        await page.locator('nav.menu').getByRole('link', { name: 'Versements' }).click()
        await page.locator('.confirm').waitFor({ state: 'detached' })
        await page.locator('main').getByRole('link', { name: 'Nouveau versement' }).first().click()
        await ask()
        await page.getByText('rien ne sera fait deux fois').waitFor()
        letGo()
        await expect.poll(() => page.evaluate(countDeeds)).toBe(0)
        await press(page, 'Redemander')
        await page.locator('.confirm').waitFor({ state: 'detached' })
        await expect.poll(() => page.evaluate(countDeeds)).toBe(0)
      })
      expect(await countOf(list)).toBe(before + 1)
    },
    patience_ms,
  )

  it(
    'is not one that came while another screen was still being read',
    async () => {
      const before = await countOf('/settlements/')
      await fixture.visit({ language: 'fr', width: 1280, hostile: true }, async (page) => {
        await open(page, '/settlements/new')
        await signInAs(page, owner)
        let isSlow = false
        await page.route('**/api/v1/**', (route) => (isSlow ? undefined : route.continue()))
        const letGo = await holdFirst(page, '/settlements/')
        const settle = async () => {
          await page.locator('input[name=requested_amount]').fill('9 000')
          await press(page, 'Continuer')
          await page.locator('.confirm button[type=submit]').click()
        }
        await settle()
        await expect.poll(() => countOf('/settlements/')).toBe(before + 1)
        await page.locator('nav.menu').getByRole('link', { name: 'Règlements' }).click()
        await page.locator('main tbody tr').first().waitFor()
        isSlow = true
        letGo()
        // Sooner than what is being read is given up.
        const kept = () => page.evaluate(countDeeds)
        await expect.poll(kept, { timeout: 10_000 }).toBe(0)
        isSlow = false
        await open(page, '/settlements/new')
        await settle()
        await page.waitForURL(/\/settlements\/[\w-]{36}$/)
      })
      expect(await countOf('/settlements/')).toBe(before + 2)
    },
    patience_ms,
  )

  it.each([
    ['payment', 'with other spaces', (phone: string) => phone.slice(4), 'Riz', false],
    ['payment', 'abroad’s way, without its text', (phone: string) => phone, '', true],
    ['payout', 'with other spaces', (phone: string) => phone.slice(4), 'Riz', false],
    ['payout', 'abroad’s way', (phone: string) => phone, 'Riz', true],
    ['payout', 'as before, with another text', (phone: string) => phone.slice(4), 'Mil', true],
  ] as const)(
    'is of the same %s where its number is typed %s',
    async (what, _, write, text, isOther) => {
      const { phone } = newPayer()
      const { at, sends, type, name } = numbered[what]
      const list = `/transactions/?transaction_type=${type}&search=${encodeURIComponent(phone)}`
      await fixture.visit({ language: 'fr', width: 360, hostile: true }, async (page) => {
        await open(page, `${at}/new`)
        await signInAs(page, owner)
        await loseFirst(page, sends)
        const ask = async (number: string, description: string) => {
          await page.locator('input[name=msisdn]').fill(number)
          await payTo(page, '6 500')
          await page.locator('input[name=description]').fill(description)
          await press(page, 'Continuer')
          await page.locator('.confirm').waitFor()
        }
        await ask(phone.slice(4).replace(/\d\d/g, '$& '), 'Riz')
        await page.locator('.confirm button[type=submit]').click()
        await page.getByText('rien ne sera fait deux fois').waitFor()
        expect(await countOf(list)).toBe(1)
        await page.reload()
        await ask(write(phone), text)
        await page.getByText('rien ne sera fait deux fois').waitFor()
        await press(page, 'Redemander')
        if (!isOther) return page.waitForURL(new RegExp(`${at}/[\\w-]{36}$`))
        await page.getByText(/déjà fait/).waitFor()
        await expectSound(page)
        await page.locator('.confirm').getByRole('link', { name }).click()
        await page.waitForURL(new RegExp(`${at}$`))
      })
      expect(await countOf(list)).toBe(1)
    },
    patience_ms,
  )

  it.each([
    ['has another reason and reference', '', ''],
    ['goes to a number that is spaced otherwise', '01 97 00 00 10', '(01) 97-00-00-10'],
    ['goes to a number that is written abroad’s way', '01 97 00 00 10', '+229 0197000010'],
  ] as const)(
    'is of the same refund where it %s',
    async (_, number, otherwise) => {
      const { app, shop } = fixture
      const { id } = await oldPayment(app, shop)
      const list = `/payments/${id}/refunds/`
      const isNamed = number !== ''
      if (isNamed) {
        await app.owner`
          update attempts set checkout_url = 'https://operator.example/pay'
           where transaction_id = ${id}`
      }
      await fixture.visit({ language: 'fr', width: 360, hostile: true }, async (page) => {
        await open(page, `/payments/${id}/refund`)
        await signInAs(page, owner)
        await loseFirst(page, '/refunds/')
        const ask = async (typed: string, [reason, reference]: readonly [string, string]) => {
          await page.locator('input[name=amount]').fill('4 000')
          await page.locator('input[name=reason]').fill(reason)
          await page.locator('input[name=reference]').fill(reference)
          if (isNamed) {
            await press(page, 'Continuer')
            await page.locator('input[name=msisdn]').fill(typed)
          }
          await press(page, 'Continuer')
          await page.locator('.confirm').waitFor()
        }
        await ask(number, ['Erreur', 'F-12'])
        await page.locator('.confirm button[type=submit]').click()
        await page.getByText('rien ne sera fait deux fois').waitFor()
        expect(await countOf(list)).toBe(1)
        await expectNotKept(page, /97000010|4000\.00|Erreur/)
        await page.reload()
        await ask(otherwise, isNamed ? ['Erreur', 'F-12'] : ['', 'F-13'])
        await page.getByText('rien ne sera fait deux fois').waitFor()
        await press(page, 'Redemander')
        const isOther = !isNamed || otherwise.startsWith('+')
        if (!isOther) return page.waitForURL(new RegExp(`/payments/${id}$`))
        await page.getByText(/déjà fait/).waitFor()
        await expectSound(page)
        await page.locator('.confirm').getByRole('link', { name: 'Remboursements' }).click()
        await page.waitForURL(/\/payments\/refunds$/)
      })
      expect(await countOf(list)).toBe(1)
    },
    patience_ms,
  )

  it(
    'is asked for again by the same person after their session, and by nobody else',
    async () => {
      const { app, shop } = fixture
      const join = () => app.member({ merchant_id: shop.merchant_id, role: 'FINANCE' })
      const [one, other] = [await join(), await join()]
      await fixture.visit({ language: 'fr', width: 360, hostile: true }, async (page) => {
        await open(page, '/settlements/new')
        await signInAs(page, one)
        await loseFirst(page, '/settlements/')
        const check = async () => {
          await page.locator('input[name=requested_amount]').fill('8 000')
          await press(page, 'Continuer')
          await page.locator('.confirm button[type=submit]').waitFor()
        }
        const comeBack = async (who: SignedInCaller) => {
          await page.context().clearCookies()
          await page.reload()
          await signInAs(page, who)
          await check()
        }
        const lost = page.getByText('rien ne sera fait deux fois')
        await check()
        await page.locator('.confirm button[type=submit]').click()
        await lost.waitFor()
        await comeBack(one)
        await lost.waitFor()
        await comeBack(other)
        expect(await lost.count()).toBe(0)
        expect(await page.evaluate(countDeeds)).toBe(0)
      })
    },
    patience_ms,
  )

  it(
    'to a payment that failed, and that is asked for again, asks its payer once',
    async () => {
      const { shop } = fixture
      const { data } = await shop.pay({ amount: '12500', customer: newPayer('04') })
      const fail = async () => {
        const body = { outcome: 'FAILED', failure_code: 'INSUFFICIENT_FUNDS' }
        await shop.post(`/sandbox/transactions/${data.id}/resolve/`, body)
        await shop.becomes(data.id, 'FAILED')
      }
      const tries = async () => (await owner.get(`/transactions/${data.id}/`)).data.attempts.length
      await fail()
      await fixture.visit({ language: 'fr', width: 360, hostile: true }, async (page) => {
        // No hint: nobody has seen that it was asked for again, and that it failed again.
        await page.route('**/events/stream/**', (route) => route.fulfill({ status: 502 }))
        let isLost = true
        await page.route('**/retry/', async (route) => {
          if (!isLost) return route.continue()
          isLost = false
          await route.fetch()
          await fail()
          return route.abort()
        })
        await open(page, `/payments/${data.id}`)
        await signInAs(page, owner)
        await press(page, 'Redemander le paiement')
        await page.locator('.confirm button[type=submit]').click()
        await page.locator('.confirm [role=alert]').waitFor()
        expect(await tries()).toBe(2)
        await page.locator('.confirm button[type=submit]').click()
        await page.locator('.confirm').waitFor({ state: 'detached' })
        expect(await tries()).toBe(2)
        // Whoever has seen that this one failed too may ask once more.
        await press(page, 'Redemander le paiement')
        await page.locator('.confirm button[type=submit]').click()
        await expect.poll(tries).toBe(3)
      })
    },
    patience_ms,
  )

  wholeIt(
    'is nobody else’s: whoever signs in at the same seat has asked for nothing',
    async () => {
      await fixture.visit({ language: 'en', width: 360, hostile: true }, async (page) => {
        await open(page, '/settlements/new')
        await signInAs(page, owner)
        await loseFirst(page, '/settlements/')
        await page.locator('input[name=requested_amount]').fill('7,000')
        await press(page, 'Continue')
        await page.locator('.confirm button[type=submit]').click()
        await page.getByText('nothing will be done twice').waitFor()
        await page.locator('.person summary').click()
        await press(page, 'Sign out')
        await page.locator('input[name=password]').waitFor()
        expect(await page.evaluate(countDeeds)).toBe(0)
      })
    },
    patience_ms,
  )
})

it(
  'a payment whose payer got a code beforehand is not made again with another one',
  async () => {
    const list = '/transactions/?transaction_type=PAIEMENT&search=%2B2250700000010'
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '/payments/new')
      await signInAs(page, owner)
      await loseFirst(page, '/payments/softpay/initialize/')
      const ask = async (code: string) => {
        await page.locator('select[name=country]').selectOption('CI')
        await page.locator('select[name=network]').selectOption('orange_ci')
        await page.locator('input[name=msisdn]').fill('+2250700000010')
        await page.locator('input[name=amount]').fill('6 500')
        await page.locator('input[name=otp]').fill(code)
        await press(page, 'Continuer')
        await page.locator('.confirm').waitFor()
      }
      await ask('123456')
      await page.locator('.confirm button[type=submit]').click()
      await page.getByText('rien ne sera fait deux fois').waitFor()
      expect(await countOf(list)).toBe(1)
      await expectNotKept(page, /123456/)
      await page.reload()
      await ask('654321')
      await page.getByText('rien ne sera fait deux fois').waitFor()
      await press(page, 'Redemander')
      await page.getByText('C’est peut-être déjà fait').waitFor()
      await expectSound(page)
      expect(await page.locator('.confirm button').count()).toBe(0)
      const way = page.locator('.confirm').getByRole('link', { name: 'Paiements' })
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Paiements')
      await way.click()
      await page.waitForURL(/\/payments$/)
      // Whoever has looked may ask for another one.
      await expect.poll(() => page.evaluate(countDeeds)).toBe(0)
    })
    expect(await countOf(list)).toBe(1)
  },
  patience_ms,
)

wholeIt(
  'a twin is warned of though the telephone’s clock is hours ahead',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await page.addInitScript(
        'const real = Date.now.bind(Date); Date.now = () => real() + 10800000',
      )
      const made = await owner.post('/payouts/initialize/', {
        ...{ amount: '2500', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
        recipient: { msisdn: '+2290197000010' },
      })
      expect(made.status).toBe(201)
      await open(page, '/payouts/new')
      await signInAs(page, owner)
      await page.locator('input[name=msisdn]').fill('+2290197000010')
      await payTo(page, '2 500')
      await press(page, 'Continuer')
      await page.getByText(/ont déjà été demandés/).waitFor()
    })
  },
  patience_ms,
)

describe('what is wrong', () => {
  wholeIt(
    'with a filter in the address is said in words, not by the field of the API',
    async () => {
      await fixture.visit({ language: 'fr', width: 360, hostile: true }, async (page) => {
        await open(page, '/payments?cursor=nonsense')
        await signInAs(page, owner)
        const alert = page.getByRole('alert').first()
        await alert.getByText('Pages :').waitFor()
        expect(await alert.innerText()).not.toContain('cursor')
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'in the folded part of a form opens it',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/links/new')
        await signInAs(page, owner)
        await page.getByLabel('Pour quoi ?').fill('Commande 7')
        await page.getByLabel('Combien ?').fill('2 500')
        await page.getByText('Plus d’options').click()
        await page.getByLabel('Nombre maximal de paiements').fill('dix')
        await page.getByText('Plus d’options').click()
        await page.getByLabel('Nombre maximal de paiements').waitFor({ state: 'hidden' })
        await press(page, 'Créer le lien')
        await page.getByText('Indiquez un nombre entier').first().waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )
})
