// Who may what, without a mouse: a colleague invited, given another role, taken out; a session ended
// and a password changed; papers refused and accepted, live opened; a suspended shop that is read; a
// session that ends in a begun form; two shops, two modes, two tabs.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { newPayer, type SignedInCaller } from '../harness.ts'
import { newEmail } from '../setup/membership.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { until } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'
import { choose, enter, openSettled, seen, signInByKeys, tabTo, typeInto } from './keyboard.ts'
import { expectSoon, watchPresses } from './presses.ts'
import { comesToRest } from './rest.ts'

const presses = watchPresses()
let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 180_000

beforeAll(async () => {
  fixture = presses.watch(await startFixture())
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
}, patience_ms)
afterAll(() => fixture?.stop())

type Journey = (page: Page, at: string) => Promise<void>

const readers = {
  fr: { language: 'fr', width: 360 },
  en: { language: 'en', width: 1280 },
} as const

/** `at`: the shop's address. */
const as = (member: SignedInCaller, reader: keyof typeof readers, journey: Journey) =>
  fixture.visit(readers[reader], async (page) => {
    const at = `${fixture.app.url}/dashboard/${member.merchant_id}/test`
    await page.goto(at)
    await signInByKeys(page, member)
    await journey(page, at)
  })

const dialog = (page: Page) => page.locator('dialog[open]')

const endSessions = ({ person_id }: SignedInCaller) =>
  fixture.app.owner`delete from sessions where person_id = ${person_id}`

describe('by keys alone', () => {
  wholeIt(
    'a colleague is invited, the invitation withdrawn, a role changed, a member taken out',
    async () => {
      const { app, shop } = fixture
      const viewer = await app.member({ merchant_id: shop.merchant_id, role: 'VIEWER' })
      const email = newEmail()
      await as(owner, 'fr', async (page, at) => {
        await openSettled(page, `${at}/team`)
        await typeInto(page, /^INPUT Adresse e-mail/, email)
        await choose(page, /^SELECT Rôle/, 'F')
        await enter(page, /^BUTTON Inviter$/)
        await seen(page, `Invitation envoyée à ${email}.`)
        await enter(page, /^BUTTON Annuler l’invitation$/)
        await dialog(page).waitFor()
        await enter(page, /^BUTTON Annuler l’invitation$/)
        await seen(page, 'Aucune invitation en attente.')
        await enter(page, /^BUTTON Changer le rôle$/)
        await dialog(page).waitFor()
        await choose(page, /^SELECT Rôle/, 'D')
        await enter(page, /^BUTTON Changer le rôle$/)
        await dialog(page).waitFor({ state: 'detached' })
        await enter(page, /^BUTTON Retirer/)
        await dialog(page).waitFor()
        await enter(page, /^BUTTON Retirer/)
        await dialog(page).waitFor({ state: 'detached' })
        await comesToRest(page)
        await enter(page, /^BUTTON Menu$/)
        await page.locator('nav.menu.open').waitFor()
        await enter(page, /^A Journal des actions$/)
        await heading(page, 'Journal des actions')
        await comesToRest(page)
        await enter(page, /^SUMMARY .*a changé le rôle d’un membre/)
        await seen(page, 'Développeur')
      })
      const held = await app.owner`
        select 1 from memberships where person_id = ${viewer.person_id}`
      expect(held.count).toBe(0)
    },
    patience_ms,
  )

  wholeIt(
    'a session that is not one’s own is ended, and the password changed',
    async () => {
      const { app, shop } = fixture
      const member = await app.member({ merchant_id: shop.merchant_id })
      await as(member, 'fr', async (page) => {
        await openSettled(page, `${app.url}/dashboard/me/security`)
        await enter(page, /^BUTTON Ce n’est pas moi$/)
        await dialog(page).waitFor()
        await enter(page, /^BUTTON Ce n’est pas moi$/)
        await seen(page, 'Changez maintenant votre mot de passe')
        await typeInto(page, /^INPUT Mot de passe actuel/, member.password)
        await typeInto(page, /^INPUT Nouveau mot de passe/, 'another long pass phrase')
        await page.keyboard.press('Enter')
        await seen(page, 'Votre mot de passe a été changé.')
      })
      expect((await member.get('/auth/me/')).status).toBe(401)
    },
    patience_ms,
  )

  wholeIt(
    'a paper that was refused is sent again, accepted, and live opens',
    async () => {
      const { app } = fixture
      const { merchant_id } = await app.shop()
      const member = await app.member({ merchant_id })
      const staff = await app.staff({ role: 'OPERATIONS' })
      await as(member, 'en', async (page, at) => {
        const papers = `/admin/merchants/${merchant_id}/`
        const send = async () => {
          const chosen = page.waitForEvent('filechooser')
          await choose(page, /^SELECT Which document/, 'Tax')
          await tabTo(page, /^INPUT .*File/)
          await page.keyboard.press('Enter')
          await (await chosen).setFiles(paper)
          await seen(page, 'We are reviewing your file')
        }
        const review = async (body: Record<string, string>) => {
          const { data } = await staff.get(`${papers}documents/?status=PENDING`)
          const id = data.results[0].id
          expect((await staff.post(`${papers}documents/${id}/review/`, body)).status).toBe(200)
        }
        await openSettled(page, `${at}/settings/verification`)
        await send()
        await review({ status: 'REJECTED', note: 'Cut off at the foot' })
        await openSettled(page, `${at}/settings/verification`)
        await seen(page, 'Cut off at the foot')
        await send()
        await review({ status: 'APPROVED' })
        expect((await staff.post(`${papers}approve/`)).data).toMatchObject({ live_enabled: true })
        await openSettled(page, `${at}/settings/verification`)
        await enter(page, /^A Live$/)
        await page.waitForURL(/\/live\/settings\/verification$/)
        await seen(page, 'Your file is accepted')
      })
    },
    patience_ms,
  )

  wholeIt(
    'a suspended shop is read, and whom to ask is named, there and for want of a role',
    async () => {
      const { app } = fixture
      const { merchant_id } = await app.shop()
      const member = await app.member({ merchant_id, role: 'VIEWER' })
      const other = await app.member({ merchant_id })
      const asks = async (page: Page, at: string) => {
        await openSettled(page, `${at}/links/new`)
        await enter(page, /^SUMMARY Who can do this\?$/)
        await seen(page, /^Codjo Ahouansou \(Owner\)$/)
      }
      await app.owner`
        update people set first_name = 'Codjo', last_name = 'Ahouansou'
         where id = ${other.person_id}`
      await as(member, 'en', asks)
      await app.owner`
        update merchants set status = 'SUSPENDED', suspended_reason = 'Papers missing',
                             suspended_at = now() - interval '1 second'
         where id = ${merchant_id}`
      await as(member, 'en', async (page) => {
        await seen(page, /Account suspended.*Reason: Papers missing/)
        await enter(page, /^A Links$/)
        await heading(page, 'Links')
        await comesToRest(page)
        await expect(tabTo(page, /^A New link$/)).rejects.toThrow(/not reached/)
        await enter(page, /^A Payouts$/)
        await heading(page, 'Payouts')
      })
    },
    patience_ms,
  )

  wholeIt(
    'a session ends in a begun form: its own person goes on, another one finds nothing of it',
    async () => {
      const { app, shop } = fixture
      const member = await app.member({ merchant_id: shop.merchant_id })
      const other = await app.member({ merchant_id: shop.merchant_id, role: 'FINANCE' })
      const signInOver = async (page: Page, { email, password }: SignedInCaller) => {
        await dialog(page).waitFor()
        await typeInto(page, /^INPUT E-mail/, email)
        await typeInto(page, /^INPUT Password/, password)
        await page.keyboard.press('Enter')
      }
      await as(member, 'en', async (page, at) => {
        await openSettled(page, `${at}/links/new`)
        await typeInto(page, /^INPUT What for/, 'Pineapples')
        await typeInto(page, /^INPUT How much/, '900')
        await endSessions(member)
        await page.keyboard.press('Enter')
        await signInOver(page, member)
        await dialog(page).waitFor({ state: 'detached' })
        await enter(page, /^BUTTON Create the link$/)
        await heading(page, 'Pineapples')
        await openSettled(page, `${at}/links/new`)
        await typeInto(page, /^INPUT What for/, 'For nobody else')
        await typeInto(page, /^INPUT How much/, '900')
        await endSessions(member)
        await page.evaluate('globalThis.isFirst = true')
        await page.keyboard.press('Enter')
        await signInOver(page, other)
        await until(page, 'globalThis.isFirst === undefined')
        await heading(page, 'Home')
        expect(await page.content()).not.toContain('For nobody else')
      })
    },
    patience_ms,
  )

  wholeIt(
    'one goes from shop to shop and from mode to mode, in one tab, and the other stays as it is',
    async () => {
      const { app } = fixture
      const [mangoes, papayas] = [await app.shop({ live: true }), await app.shop()]
      const member = await app.member({ merchant_id: mangoes.merchant_id })
      await app.owner`
        insert into memberships (merchant_id, person_id, role, created_at)
        values (${papayas.merchant_id}, ${member.person_id}, 'OWNER', now() - interval '1 day')`
      await app.owner`update merchants set name = 'Zest' where id = ${papayas.merchant_id}`
      await mangoes.pay({ amount: '4100', description: 'Mangoes', customer: newPayer() })
      await papayas.pay({ amount: '4200', description: 'Papayas', customer: newPayer() })
      await as(member, 'en', async (page, at) => {
        await openSettled(page, `${at}/payments`)
        const second = await page.context().newPage()
        await openSettled(second, `${at}/payments`)
        await page.bringToFront()
        await choose(page, /^SELECT Merchant/, 'Zest')
        await page.waitForURL(`**/${papayas.merchant_id}/test/payments`)
        await seen(page, 'Papayas')
        await page.goBack()
        await seen(page, 'Mangoes')
        await enter(page, /^A Live$/)
        await page.waitForURL(/\/live\/payments$/)
        await seen(page, /^No payments yet/)
        await seen(second, 'Mangoes')
        expect(second.url()).toBe(`${at}/payments`)
      })
    },
    patience_ms,
  )

  wholeIt('each press is answered soon', () => expectSoon('the team', presses.soFar()))
})

const paper = {
  name: 'ifu.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n'),
}
