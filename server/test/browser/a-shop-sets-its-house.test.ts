// The shop's settings and its papers, in a real browser: each form saved by itself, faults at their
// fields, a paper sent, refused with a reason, sent again.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SignedInCaller } from '../harness.ts'
import { enrol } from '../setup/authenticator.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  owner = await fixture.app.member({ merchant_id: fixture.shop.merchant_id })
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)
const save = (page: Page, form: string) =>
  page.getByRole('form', { name: form }).getByRole('button').click()

it(
  'an owner sets the clock, the tax details and how the pages look: French, by telephone',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '/settings')
      await signInAs(page, owner)
      await heading(page, 'Réglages')
      await expectSound(page)
      const zone = page.getByLabel('Fuseau horaire')
      await expect.poll(() => zone.locator('option:checked').innerText()).toBe('UTC')
      await page.getByLabel('Adresses à prévenir').fill('nobody')
      await save(page, 'La boutique')
      await page.getByRole('alert').waitFor()
      await page.locator('[aria-invalid=true]').waitFor()
      await expectSound(page)
      await page.getByLabel('Adresses à prévenir').fill('')
      await zone.selectOption({ label: 'Lagos' })
      await save(page, 'La boutique')
      await page.getByText(/Lagos, à partir de\s: /).waitFor()
      await page.getByText('Enregistré.').waitFor()
      await expectSound(page)
      await page.getByLabel('Raison sociale').fill('Awa et fils SARL')
      await save(page, 'Informations fiscales')
      await page.getByLabel('Nuancier').fill('#0a6ebd')
      await expect.poll(() => page.getByLabel('Couleur').inputValue()).toBe('#0a6ebd')
      await save(page, 'Pages de paiement')
      await expect
        .poll(async () => {
          const { data } = await owner.get('/merchant/')
          return [data.branding.colour, data.tax.legal_name]
        })
        .toEqual(['#0a6ebd', 'Awa et fils SARL'])
      await page.getByLabel('Site').fill('boutique-awa.example')
      await page.getByLabel('WhatsApp').fill('+229 01 97 00 00 10')
      await save(page, 'Contact pour vos clients')
      await page.getByText('Doit être une adresse https').first().waitFor()
      await expectSound(page)
      await page.getByLabel('Site').fill('https://boutique-awa.example')
      await save(page, 'Contact pour vos clients')
      await expect
        .poll(async () => (await owner.get('/merchant/')).data.contact)
        .toEqual({
          ...{ site_url: 'https://boutique-awa.example/', phone: '', email: '' },
          whatsapp: '+2290197000010',
        })
      await page.getByRole('button', { name: 'Voir la vraie page' }).click()
      await page.getByRole('link', { name: 'Ouvrir la page de paiement' }).waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'an owner’s new name leaves the clock that a colleague has chosen meanwhile',
  async () => {
    const { app } = fixture
    const keeper = await app.member()
    const settings = async () => (await keeper.get('/merchant/')).data
    await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
      await openFor(page, app.url, keeper.merchant_id, '/settings')
      await signInAs(page, keeper)
      await page.getByLabel('Name of the shop or company').fill('Chez Awa')
      const body = { time_zone: 'Africa/Lagos', notification_emails: ['books@example.com'] }
      await keeper.call('PATCH', '/merchant/', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      await page.locator('main form').first().getByRole('button').click()
      await page.getByText('Saved.').waitFor()
    })
    expect(await settings()).toMatchObject({
      ...{ name: 'Chez Awa', notification_emails: ['books@example.com'] },
      time_zone_change: { time_zone: 'Africa/Lagos' },
    })
  },
  patience_ms,
)

const readers = [
  {
    ...({ language: 'fr', width: 360 } as const),
    ...{ show: 'Afficher l’aperçu', theme: 'Page', dark: 'Sombre' },
    ...{ name: 'Nom montré à vos clients', colour: 'Couleur' },
    read: /fond blanc, #807300 la remplace \(4,80 pour 1\)\s: la vôtre y serait illisible \(1,26/,
  },
  {
    ...({ language: 'en', width: 1280 } as const),
    ...{ show: 'Show the preview', theme: 'Page', dark: 'Dark' },
    ...{ name: 'Name shown to your customers', colour: 'Colour' },
    read: /white pages #807300 is shown instead \(4.80 to 1\): yours could not be read there \(1.26/,
  },
] as const

wholeIt.each(readers)(
  'the payment page is seen with what is not saved: $language, $width wide',
  async ({ language, width, show, theme, dark, name, colour, read }) => {
    const before = (await owner.get('/merchant/')).data.branding
    await fixture.visit({ language, width }, async (page) => {
      await open(page, '/settings')
      await signInAs(page, owner)
      await page.getByRole('button', { name: show }).click()
      const shown = page.frameLocator('iframe.shown-page')
      await shown.locator('#phone, #country').first().waitFor()
      await page.getByLabel(name).fill('Chez <b>Awa</b>')
      await page.getByLabel(colour, { exact: true }).fill('#ffe600')
      await page.getByLabel(name).focus()
      await page.getByText(read).waitFor()
      await shown.locator('header b', { hasText: 'Chez <b>Awa</b>' }).waitFor()
      await page.getByLabel(theme, { exact: true }).selectOption({ label: dark })
      await expect
        .poll(() => shown.locator('style').last().textContent({ timeout: 5_000 }))
        .toContain('--a:#ffe600')
      expect(await shown.locator('script, iframe').count()).toBe(0)
      const form = await page
        .getByRole('form', { name: /Pages de paiement|Payment pages/ })
        .boundingBox()
      const frame = await page.locator('iframe.shown-page').boundingBox()
      const isBeside = (frame?.x ?? 0) >= (form?.x ?? 0) + (form?.width ?? 0)
      expect(isBeside).toBe(width === 1280)
      await expectSound(page)
    })
    expect((await owner.get('/merchant/')).data.branding).toEqual(before)
  },
  patience_ms,
)

it(
  'the payment page is shown as it was chosen last, also while the one before is on its way',
  async () => {
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '/settings')
      await signInAs(page, owner)
      let letGo = () => {}
      const held = new Promise<void>((go) => {
        letGo = go
      })
      const asked: string[] = []
      await page.route('**/downloads/', async (route) => {
        asked.push(route.request().postDataJSON().path)
        if (asked.length === 1) await held
        await route.continue()
      })
      await page.getByRole('button', { name: 'Afficher l’aperçu' }).click()
      await expect.poll(() => asked.length).toBe(1)
      await page.getByLabel('Page', { exact: true }).selectOption({ label: 'Sombre' })
      await page.getByLabel('Couleur', { exact: true }).fill('#ffe600')
      await page.getByLabel('Nom montré à vos clients').focus()
      letGo()
      await expect.poll(() => asked.at(-1)).toMatch(/colour=%23ffe600&theme=dark/)
      await expect
        .poll(() =>
          page
            .frameLocator('iframe.shown-page')
            .locator('style')
            .last()
            .textContent({ timeout: 5_000 }),
        )
        .toContain('--a:#ffe600')
      expect(asked).toHaveLength(2)
      await expectSound(page)
    })
  },
  patience_ms,
)

wholeIt(
  'who may change nothing reads the settings all the same',
  async () => {
    const { app, shop } = fixture
    const reader = await app.member({ merchant_id: shop.merchant_id, role: 'VIEWER' })
    const { name } = (await owner.get('/merchant/')).data
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '/settings')
      await signInAs(page, reader)
      await page.getByText('Tous ceux que nous servons').waitFor()
      await page.getByText('Votre rôle ne le permet pas').waitFor()
      await page.locator('dd', { hasText: name }).waitFor()
      expect(await page.getByRole('button', { name: 'Enregistrer' }).count()).toBe(0)
      await expectSound(page)
    })
  },
  patience_ms,
)

wholeIt(
  'papers are sent by whoever has proved their address, and are asked for no sooner',
  async () => {
    const { app } = fixture
    const prove = (is: boolean) => app.owner`
      update people set email_verified_at = ${is ? new Date() : null} where id = ${owner.person_id}`
    await prove(false)
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await open(page, '/settings/verification')
      await signInAs(page, owner)
      await page.getByText('Confirmez d’abord votre adresse e-mail').waitFor()
      expect(await page.locator('input[type=file]').count()).toBe(0)
      await expectSound(page)
      await prove(true)
      await page.reload()
      await page.getByLabel('Photographier').waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

wholeIt(
  'papers are sent, and what was refused says why: English, at a desk',
  async () => {
    const { app } = fixture
    await fixture.visit({ language: 'en', width: 1280, dark: true }, async (page) => {
      await open(page, '/settings/verification')
      await signInAs(page, owner)
      await page.getByText('Send your documents').waitFor()
      await expectSound(page)
      await page.getByLabel('Which document?').selectOption('TAX')
      const paper = {
        name: 'ifu.pdf',
        mimeType: 'application/pdf',
        buffer: Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n'),
      }
      await page.getByLabel('File or photograph').setInputFiles({ ...paper, mimeType: 'image/png' })
      await page.getByRole('alert').waitFor()
      await expectSound(page)
      // A browser says nothing where the same file is chosen that a field has already.
      const field = page.getByLabel('File or photograph')
      await expect.poll(() => field.inputValue()).toBe('')
      await field.setInputFiles(paper)
      await page.getByText('ifu.pdf').waitFor()
      await page.getByText('We are reviewing your file').waitFor()
      await expectSound(page)
      await app.owner`
        update kyc_documents set status = 'REJECTED', note = 'Cut off at the foot',
               reviewed_at = now() where merchant_id = ${owner.merchant_id}`
      await page.reload()
      await page.getByText('Cut off at the foot').waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

const paper = {
  name: 'ifu.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n'),
}
/** After so long an answer is asked for anew when its reader comes back to the tab. */
const fresh_ms = 15_000

wholeIt(
  'a large paper is given the time that a slow telephone needs, and no other is taken meanwhile',
  async () => {
    const { app } = fixture
    const { merchant_id } = await app.shop()
    const member = await app.member({ merchant_id })
    const buffer = Buffer.concat([paper.buffer, Buffer.alloc(1_500_000)])
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await page.clock.install()
      await openFor(page, app.url, merchant_id, '/settings/verification')
      await signInAs(page, member)
      const field = page.getByLabel('File or photograph')
      await field.waitFor()
      let release: () => void = () => undefined
      const slow = new Promise<void>((done) => {
        release = done
      })
      const sent: string[] = []
      await page.route('**/kyc/documents/*', async (route) => {
        sent.push(new URL(route.request().url()).searchParams.get('file_name') ?? '')
        await slow
        return route.continue()
      })
      await field.setInputFiles({ ...paper, buffer })
      await expect.poll(() => field.getAttribute('aria-disabled')).toBe('true')
      await expect.poll(() => sent).toEqual(['ifu.pdf'])
      await expectSound(page)
      await field.setInputFiles({ ...paper, name: 'second.pdf' })
      await expect.poll(() => field.inputValue()).toBe('')
      await page.clock.runFor(280_000)
      release()
      await page.getByText('We are reviewing your file').waitFor()
      await expect.poll(() => field.getAttribute('aria-disabled')).toBe(null)
      expect(sent).toEqual(['ifu.pdf'])
    })
    const { data } = await member.get('/kyc/')
    expect(data.documents).toMatchObject([{ file_name: 'ifu.pdf' }])
  },
  patience_ms,
)

wholeIt(
  'papers are accepted, and live opens to whoever is signed in already',
  async () => {
    const { app } = fixture
    const { merchant_id } = await app.shop()
    const member = await app.member({ merchant_id })
    const staff = await app.staff({ role: 'OPERATIONS' })
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await openFor(page, app.url, merchant_id, '/settings/verification')
      await signInAs(page, member)
      await page.getByLabel('Which document?').selectOption('TAX')
      await page.getByLabel('File or photograph').setInputFiles(paper)
      await page.getByText('We are reviewing your file').waitFor()
      const modes = page.getByRole('navigation', { name: 'Mode' })
      expect(await modes.count()).toBe(0)
      const at = `/admin/merchants/${merchant_id}/`
      const { data } = await staff.get(`${at}documents/`)
      const review = `${at}documents/${data.results[0].id}/review/`
      expect((await staff.post(review, { status: 'APPROVED' })).status).toBe(200)
      expect((await staff.post(`${at}approve/`)).data).toMatchObject({ live_enabled: true })
      await new Promise((done) => setTimeout(done, fresh_ms))
      await page.evaluate('dispatchEvent(new Event("visibilitychange"))')
      await page.getByText('Your file is accepted').first().waitFor()
      await modes.getByRole('link', { name: /live/i }).click()
      await page.waitForURL(/\/live\/settings\/verification$/)
      await page.getByText('Your file is accepted').first().waitFor()
      expect(await page.locator('input[name=password]').count()).toBe(0)
      await expectSound(page)
    })
  },
  patience_ms,
)

it(
  'papers that are accepted open live once an owner’s address is proved, which is said',
  async () => {
    const { app } = fixture
    const { merchant_id } = await app.shop()
    const member = await app.member({ merchant_id })
    await app.owner`
      update people set email_verified_at = null where id = ${member.person_id}`
    const staff = await app.staff({ role: 'OPERATIONS' })
    const approved = await staff.post(`/admin/merchants/${merchant_id}/approve/`)
    expect(approved.data).toMatchObject({ kyc_status: 'APPROVED', live_enabled: false })
    await fixture.visit({ language: 'en', width: 360 }, async (page) => {
      await openFor(page, app.url, merchant_id, '/settings/verification')
      await signInAs(page, member)
      await page.getByText('Live mode opens once an owner has confirmed').waitFor()
      expect(await page.getByText('live mode is open').count()).toBe(0)
      expect(await page.getByRole('link', { name: 'Confirm the address' }).count()).toBe(1)
      await expectSound(page)
      await openFor(page, app.url, merchant_id, '')
      const review = page.getByRole('listitem').filter({ hasText: 'Review of your file' })
      await review.getByText('Done').waitFor()
      await expectSound(page)
    })
  },
  patience_ms,
)

wholeIt(
  'a shorter cooling-off waits, and is confirmed by another member, with a code',
  async () => {
    const { app } = fixture
    const { merchant_id } = await app.shop({ live: true })
    const live = { merchant_id, environment: 'LIVE' } as const
    const asker = await app.member({ ...live, second_factor: 'FRESH' })
    const other = await app.member(live)
    const authenticator = await enrol(app, other)
    // Both in the shop, with their factors, for longer than the change waits.
    const both = [asker.person_id, other.person_id]
    await app.owner`
      update people set totp_enrolled_at = now() - interval '100 hours'
       where id = any(${both}::uuid[])`
    await app.owner`
      update memberships set created_at = now() - interval '100 hours',
             updated_at = now() - interval '100 hours'
       where merchant_id = ${merchant_id}`
    const headers = { 'content-type': 'application/json' }
    const ask = async (cooling_off_hours: number) => {
      const body = JSON.stringify({ cooling_off_hours })
      expect((await asker.call('PATCH', '/merchant/', { body, headers })).status).toBe(200)
    }
    await ask(0)
    await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
      await openFor(page, app.url, merchant_id, '/settings')
      await authenticator.forget()
      await signInAs(page, other, { code: authenticator.code() })
      await page.getByText(/Nouveau délai\s: 0 h/).waitFor()
      await expectSound(page)
      // What is confirmed is what was read, also where another is asked for meanwhile.
      await press(page, 'Confirmer tout de suite')
      await ask(12)
      await page.locator('.confirm button[type=submit]').click()
      await page.getByText('n’est plus celui que vous avez lu').waitFor()
      await page.getByText(/Nouveau délai\s: 12 h/).waitFor()
      await expectSound(page)
      await press(page, 'Retour')
      const hours = page.getByLabel('Délai d’attente d’un nouveau moyen, en heures')
      await hours.fill('bientôt')
      await save(page, 'Délai de sécurité')
      await page.getByText('Indiquez un nombre entier').first().waitFor()
      await expectSound(page)
      await app.owner`update sessions set totp_at = null`
      await authenticator.forget()
      await press(page, 'Confirmer tout de suite')
      await page.getByText('La personne qui l’a demandé ne peut pas le confirmer').waitFor()
      await page.locator('.confirm button[type=submit]').click()
      await page.locator('.confirm input[name=totp]').fill(authenticator.code())
      await page.locator('.confirm button[type=submit]').click()
      await page.getByText(/Nouveau délai\s: 12 h/).waitFor({ state: 'detached' })
      await expect.poll(() => hours.inputValue()).toBe('12')
      expect((await other.get('/merchant/')).data).toMatchObject({
        ...{ cooling_off_hours: 12, cooling_off_change: null },
      })
      // A longer one counts at once.
      await hours.fill('48')
      await save(page, 'Délai de sécurité')
      await page.getByText('Enregistré.').waitFor()
      expect((await other.get('/merchant/')).data.cooling_off_hours).toBe(48)
      await expectSound(page)
    })
  },
  patience_ms,
)
