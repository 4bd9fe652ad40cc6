// The house, in a real browser: who is in the team and what each may do, an invitation, a role, the
// audit log; and one's own account: a second factor with its codes, a password, the sessions.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { authenticatorOf } from '../setup/authenticator.ts'
import { newEmail } from '../setup/membership.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectNotKept, expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
let viewer: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  viewer = await app.member({ merchant_id: shop.merchant_id, role: 'VIEWER' })
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

type Paper = Readonly<{ of: string; codes: readonly string[] }>

/** What is printed is the codes and whose they are, and nothing of the page around them. */
async function expectPaper(page: Page, { of, codes }: Paper): Promise<void> {
  await page.emulateMedia({ media: 'print' })
  const paper = await page.locator('body').innerText()
  for (const text of [...codes, of]) expect(paper).toContain(text)
  expect(paper).not.toMatch(/They are printed|Continue|Open sessions|Current password/)
  await page.emulateMedia({ media: 'screen' })
}

describe('a team', () => {
  it(
    'invites, sends again and withdraws; gives another role; takes somebody out',
    async () => {
      const email = newEmail()
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        let members = 0
        page.on('request', (request) => {
          if (request.url().includes('/api/v1/merchant-members/')) members += 1
        })
        await open(page, '/team')
        await signInAs(page, owner)
        await heading(page, 'Équipe')
        await page.getByText('Aucune invitation en attente.').waitFor()
        expect(members).toBe(1)
        await expectSound(page)
        await press(page, 'Inviter')
        await page.getByRole('alert').waitFor()
        await page.getByLabel('Adresse e-mail').fill(email)
        await page.getByLabel('Rôle').selectOption('FINANCE')
        await press(page, 'Inviter')
        await page.getByText(`Invitation envoyée à ${email}.`).waitFor()
        await expectSound(page)
        await fixture.app.owner`
          update invitations set created_at = now() - interval '9 days',
                 expires_at = now() - interval '1 day'
           where lower(email) = lower(${email})`
        await page.reload()
        await page.getByText(/^Expirée \(.+\)\. Renvoyez-la/).waitFor()
        await expectSound(page)
        // It leaves one list before it is in the other: what was said of it must not go with it.
        await page.route('**/merchant-invitations/?status=PENDING*', async (route) => {
          await new Promise((ok) => setTimeout(ok, 1_000))
          await route.continue().catch(() => undefined)
        })
        await press(page, 'Renvoyer')
        await page.getByText(/^Fin de validité\s:/).waitFor()
        await page.getByText(`Invitation envoyée à ${email}.`).waitFor()
        await page.unroute('**/merchant-invitations/?status=PENDING*')
        // On a busy machine the row that was and the one that is may both be there for a moment.
        const withdraw = page.getByRole('button', { name: 'Annuler l’invitation' })
        await expect.poll(() => withdraw.count()).toBe(1)
        await press(page, 'Annuler l’invitation')
        await inDialog(page, 'Annuler l’invitation')
        await page.getByText('Aucune invitation en attente.').waitFor()
        const row = page.getByRole('listitem').filter({ hasText: viewer.email })
        await row.getByRole('button', { name: 'Changer le rôle' }).click()
        await page.getByRole('dialog').getByLabel('Rôle').selectOption('DEVELOPER')
        await expectSound(page)
        await inDialog(page, 'Changer le rôle')
        await row.getByText('Développeur').filter({ visible: true }).waitFor()
        await page.getByRole('link', { name: 'Menu' }).or(page.getByText('Menu')).last().click()
        await page.getByRole('link', { name: 'Journal des actions' }).click()
        await heading(page, 'Journal des actions')
        const act = page.locator('details.card').filter({ hasText: 'a changé le rôle d’un membre' })
        await act.locator('summary').click()
        await act.getByText('Lecteur').waitFor()
        await act.getByText('Développeur').filter({ visible: true }).waitFor()
        await expectSound(page)
        await page.getByText('Filtrer').click()
        await page.getByLabel('Qui').selectOption('KEY')
        await press(page, 'Afficher')
        await page.getByText('Rien ne correspond à ces filtres.').waitFor()
        expect(page.url()).toContain('actor_kind=KEY')
        await expectSound(page)
      })
      const held = await fixture.app.owner`
        select role from memberships where person_id = ${viewer.person_id}`
      expect(held[0]).toEqual({ role: 'DEVELOPER' })
    },
    patience_ms,
  )

  it(
    'is given no role that nobody chose just now',
    async () => {
      const { app } = fixture
      const awa = await app.member({})
      const { merchant_id } = awa
      const kofi = await app.member({ merchant_id, role: 'VIEWER' })
      const other = await app.member({ merchant_id, role: 'VIEWER' })
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        const sent: (string | null)[] = []
        page.on('request', (one) => {
          if (one.method() === 'PATCH') sent.push(one.postData())
        })
        await openFor(page, app.url, merchant_id, '/team')
        await signInAs(page, awa)
        const rowOf = ({ email }: SignedInCaller) =>
          page.getByRole('listitem').filter({ hasText: email })
        const begin = (of: SignedInCaller) =>
          rowOf(of).getByRole('button', { name: 'Changer le rôle' }).click()
        const field = page.getByRole('dialog').getByLabel('Rôle')
        await begin(kofi)
        await field.selectOption('ADMIN')
        await inDialog(page, 'Annuler')
        await begin(kofi)
        expect(await field.inputValue()).toBe('VIEWER')
        const [over, wide] = [await page.getByRole('dialog').boundingBox(), page.viewportSize()]
        expect(over?.x).toBeCloseTo(((wide?.width ?? 0) - (over?.width ?? 0)) / 2, 0)
        await inDialog(page, 'Changer le rôle')
        await field.waitFor({ state: 'detached' })
        expect(sent).toEqual([])
        // Somebody else gives Kofi another role, and the list is read anew for another member.
        await app.owner`
          update memberships set role = 'FINANCE' where person_id = ${kofi.person_id}`
        await begin(other)
        await field.selectOption('DEVELOPER')
        await inDialog(page, 'Changer le rôle')
        await rowOf(kofi).getByText('Responsable financier').filter({ visible: true }).waitFor()
        await begin(kofi)
        expect(await field.inputValue()).toBe('FINANCE')
        await expectSound(page)
        await inDialog(page, 'Changer le rôle')
        await field.waitFor({ state: 'detached' })
        expect(sent).toEqual(['{"role":"DEVELOPER"}'])
      })
    },
    patience_ms,
  )

  it(
    'is invited one after the other, and an address that is refused stays where it was typed',
    async () => {
      const { app } = fixture
      const awa = await app.member({})
      const [first, second] = [newEmail(), newEmail()]
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await openFor(page, app.url, awa.merchant_id, '/team')
        await signInAs(page, awa)
        const field = page.getByLabel('Adresse e-mail')
        await field.fill(first)
        await field.press('Enter')
        await page.getByText(`Invitation envoyée à ${first}.`).waitFor()
        expect(await field.inputValue()).toBe('')
        const refuse = '**/api/v1/merchant-invitations/'
        await page.route(refuse, (route) =>
          route.request().method() === 'POST'
            ? route.fulfill({ status: 429, json: { code: 'rate_limited', message: 'Trop.' } })
            : route.continue(),
        )
        await field.fill(second)
        await field.press('Enter')
        await page.getByRole('alert').getByText('Trop.').waitFor()
        expect(await field.inputValue()).toBe(second)
        await expectSound(page)
        await page.unroute(refuse)
        await field.press('Enter')
        await page.getByText(`Invitation envoyée à ${second}.`).waitFor()
        expect(await field.inputValue()).toBe('')
        expect(await field.evaluate('document.activeElement?.name')).toBe('email')
      })
    },
    patience_ms,
  )

  it(
    'of a suspended shop is read; nobody is offered to leave it, which is refused',
    async () => {
      const { app } = fixture
      const awa = await app.member({})
      const moussa = await app.member({ merchant_id: awa.merchant_id, role: 'FINANCE' })
      await app.owner`
        update merchants set status = 'SUSPENDED', suspended_reason = 'Papers missing',
                             suspended_at = now() - interval '1 second'
         where id = ${awa.merchant_id}`
      const left = await moussa.call('DELETE', `/merchant-members/${moussa.person_id}/`)
      expect([left.status, left.error.code]).toEqual([403, 'merchant_suspended'])
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await openFor(page, app.url, awa.merchant_id, '/team')
        await signInAs(page, moussa)
        const row = page.getByRole('listitem').filter({ hasText: moussa.email })
        await row.getByText(/^Le compte est suspendu\s:/).waitFor()
        expect(await page.getByRole('button', { name: 'Quitter' }).count()).toBe(0)
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'says who invited somebody, the last who sent it; what they sent goes with them',
    async () => {
      const { app } = fixture
      const awa = await app.member({})
      const moussa = await app.member({ merchant_id: awa.merchant_id, role: 'ADMIN' })
      await app.owner`update people set first_name = 'Awa' where id = ${awa.person_id}`
      await app.owner`update people set first_name = 'Moussa' where id = ${moussa.person_id}`
      const email = newEmail()
      const sent = await awa.post('/merchant-invitations/', { email, role: 'VIEWER' })
      expect(sent.status).toBe(201)
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await openFor(page, app.url, awa.merchant_id, '/team')
        await signInAs(page, awa)
        const row = page.locator('li.card').filter({ hasText: email })
        await row.getByText(/Invited by \W?Awa Person/).waitFor()
        await expectSound(page)
        await moussa.post(`/merchant-invitations/${sent.data.id}/resend/`)
        await page.reload()
        await row.getByText(/Invited by \W?Moussa Person/).waitFor()
        const gone = await awa.call('DELETE', `/merchant-members/${moussa.person_id}/`)
        expect(gone.status).toBe(204)
        await page.reload()
        await page.getByText('No open invitation.').waitFor()
      })
    },
    patience_ms,
  )

  wholeIt(
    'never offers its last owner to leave, and says why',
    async () => {
      const alone = await fixture.app.member({})
      await fixture.app.member({ merchant_id: alone.merchant_id, role: 'FINANCE' })
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await openFor(page, fixture.app.url, alone.merchant_id, '/team')
        await signInAs(page, alone)
        const row = page.getByRole('listitem').filter({ hasText: alone.email })
        await row.getByText(/The last owner cannot leave/).waitFor()
        expect(await row.getByRole('button').count()).toBe(0)
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'tells who may not change it who may',
    async () => {
      const { app, shop } = fixture
      const reader = await app.member({ merchant_id: shop.merchant_id, role: 'VIEWER' })
      await fixture.visit({ language: 'en', width: 1280, dark: true }, async (page) => {
        await open(page, '/team')
        await signInAs(page, reader)
        await page.getByText(/Who may: Owner, Administrator/).waitFor()
        await page.getByRole('button', { name: 'Leave' }).waitFor()
        expect(await page.getByRole('button', { name: 'Change the role' }).count()).toBe(0)
        await expectSound(page)
        await open(page, '/audit')
        await page.getByText(/Who may: Owner, Administrator/).waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )
})

describe('the audit log', () => {
  it(
    'tells what was changed in the reader’s words, and each thing leads to what was done to it',
    async () => {
      const { app, shop } = fixture
      const owner = await app.member({ merchant_id: shop.merchant_id })
      const link = { name: 'Mangues', amount_type: 'FIXED', amount: '1500', currency: 'XOF' }
      const { data } = await owner.post('/payment-links/', link)
      await owner.call('PATCH', `/payment-links/${data.id}/`, {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ is_active: false, usage_limit: 3 }),
      })
      await owner.post('/payment-links/', { ...link, name: 'Papayes' })
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/links/${data.id}`)
        await signInAs(page, owner)
        await page.getByRole('link', { name: 'Historique, dans le journal des actions' }).click()
        await page.getByText(/a modifié un lien de paiement$/).click()
        const row = (name: string) => page.getByRole('row', { name })
        await row('Actif oui non').waitFor()
        await row('Nombre maximal de paiements (rien) 3').waitFor()
        expect(await page.locator('details[open] th code').count()).toBe(0)
        await expect.poll(() => page.getByText(/a créé un lien de paiement$/).count()).toBe(1)
        await expectSound(page)
        await press(page, 'Retirer le filtre Concerne un élément')
        await expect
          .poll(() => page.getByText(/a créé un lien de paiement$/).count())
          .toBeGreaterThan(1)
      })
    },
    patience_ms,
  )
})

describe('a member', () => {
  wholeIt(
    'who signs out in one tab leaves nothing in the others, and lives at the merchant asked for',
    async () => {
      const { app } = fixture
      const member = await app.member()
      const other = await app.shop({ live: true })
      await app.owner`
        insert into memberships (merchant_id, person_id, role, created_at)
        values (${other.merchant_id}, ${member.person_id}, 'VIEWER', now() - interval '1 day')`
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await page.goto(`${app.url}/dashboard/${member.merchant_id}/live/payouts/new`)
        await signInAs(page, member)
        await heading(page, 'Home')
        expect(page.url()).toContain(`/${member.merchant_id}/test`)
        const second = await page.context().newPage()
        await openFor(second, app.url, member.merchant_id, '/payments')
        await second.locator('.person summary').click()
        await second.getByRole('button', { name: 'Sign out' }).click()
        await second.locator('input[name=password]').waitFor()
        await page.locator('input[name=password]').waitFor()
        expect(await page.locator('nav.menu').count()).toBe(0)
        await signInAs(page, member)
        await signInAs(second, viewer)
        await page.getByText(viewer.email).waitFor({ state: 'attached' })
        expect(await page.getByText(member.email).count()).toBe(0)
      })
    },
    patience_ms,
  )

  wholeIt(
    'turns on the second factor, keeps the codes, and takes it off again',
    async () => {
      const { app, shop } = fixture
      const member = await app.member({ merchant_id: shop.merchant_id })
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await page.goto(`${app.url}/dashboard/me/security`)
        await page.locator('input[name=email]').fill(member.email)
        await page.locator('input[name=password]').fill(member.password)
        await press(page, 'Sign in')
        await heading(page, 'Security')
        await expectSound(page)
        await page.getByLabel('Password', { exact: true }).first().fill(member.password)
        await press(page, 'Turn on the second factor')
        await page.getByRole('img', { name: 'QR code to scan' }).waitFor()
        await expectSound(page)
        const secret = await page.locator('form code').innerText()
        const phone = authenticatorOf(app, member, { secret, recovery_codes: [] })
        await page.getByLabel('Security code', { exact: true }).fill(phone.code())
        await press(page, 'Confirm')
        await page.getByText('Your recovery codes').waitFor()
        const codes = await page.locator('.recovery code').allInnerTexts()
        expect(codes.length).toBeGreaterThan(5)
        await expectNotKept(page, new RegExp(codes[0] ?? 'none'))
        await expectPaper(page, { of: member.email, codes })
        await expectSound(page)
        await press(page, 'Continue')
        await page.getByText('then tick the box').waitFor()
        await page.getByRole('link', { name: 'My account' }).click()
        await page.getByRole('dialog').getByRole('button').first().click()
        await expect.poll(() => page.locator('.recovery code').count()).toBe(codes.length)
        await page.getByLabel('They are printed or kept in a safe place').check()
        await press(page, 'Continue')
        await page.getByText('Turned on').waitFor()
        expect(await page.locator('.recovery code').count()).toBe(0)
        await phone.forget()
        await page.getByText('Remove the second factor').first().click()
        const form = page.getByRole('form', { name: 'Remove the second factor' })
        await form.getByLabel('Password').fill(member.password)
        await form.getByLabel('Security code', { exact: true }).fill(phone.code())
        await form.getByRole('button', { name: 'Remove the second factor' }).click()
        await page.getByText('Not turned on').waitFor()
      })
    },
    patience_ms,
  )

  wholeIt(
    'ends a session that is not theirs, changes their password and stays in',
    async () => {
      const { app, shop } = fixture
      const member = await app.member({ merchant_id: shop.merchant_id })
      await fixture.visit({ language: 'fr', width: 1280 }, async (page) => {
        await page.goto(`${app.url}/dashboard/me`)
        await page.locator('input[name=email]').fill(member.email)
        await page.locator('input[name=password]').fill(member.password)
        await press(page, 'Se connecter')
        await heading(page, 'Mon compte')
        await page.getByLabel('Prénom').fill('Fatou')
        await press(page, 'Enregistrer')
        await expectSound(page)
        await page.getByRole('link', { name: 'Sécurité' }).first().click()
        await press(page, 'Ce n’est pas moi')
        await inDialog(page, 'Ce n’est pas moi')
        await page.getByText('Cet appareil').waitFor()
        await page.getByRole('button', { name: 'Ce n’est pas moi' }).waitFor({ state: 'detached' })
        await expectSound(page)
        await page.getByText('Changez maintenant votre mot de passe').waitFor()
        await expect
          .poll(() => page.evaluate('document.activeElement?.textContent'))
          .toBe('Mot de passe')
        await page.getByLabel('Mot de passe actuel').fill('not this one')
        await page.getByLabel('Nouveau mot de passe').fill('another long pass phrase')
        await press(page, 'Changer le mot de passe')
        await page.getByRole('alert').waitFor()
        await page.getByLabel('Mot de passe actuel').fill(member.password)
        await press(page, 'Changer le mot de passe')
        await page.getByText('Votre mot de passe a été changé.').waitFor()
        await expectSound(page)
        await page.reload()
        await heading(page, 'Sécurité')
      })
      const [kept] = await app.owner`select first_name from people where id = ${member.person_id}`
      expect(kept).toEqual({ first_name: 'Fatou' })
      expect((await member.get('/auth/me/')).status).toBe(401)
    },
    patience_ms,
  )
})
