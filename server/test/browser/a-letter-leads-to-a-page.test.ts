// The entrances, and what each link in a letter leads to: in the reader's language, where it does what
// it is for. A letter's token is wiped from the address bar.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type TestApp } from '../harness.ts'
import { type MailFolder, openMailFolder, tokenIn } from '../mail-server.ts'
import { enrol } from '../setup/authenticator.ts'
import { newEmail } from '../setup/membership.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { type Browsing, borrowBrowser } from './browser.ts'
import { expectSound } from './dashboard-hands.ts'
import { heading } from './hands.ts'

let app: TestApp
let browsing: Browsing
let mail: MailFolder
beforeAll(async () => {
  mail = await openMailFolder()
  app = await startApp({ env: { DATA_DIR: mail.data_dir } })
  browsing = await borrowBrowser([app.url])
}, 120_000)
afterAll(async () => {
  await browsing?.close()
  await app?.stop()
  await mail?.remove()
})

const linkIn = (text: string): string => /^http\S+$/m.exec(text)?.[0] ?? ''
const password = 'a long pass phrase'
const hostileName = '"><img src=x onerror=alert(1)> \u202egnp.exe'
const patience_ms = 120_000

const calls = (path: string, body: object) =>
  fetch(`${app.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-language': 'fr' },
    body: JSON.stringify(body),
  })

async function signUp() {
  const email = newEmail()
  const reply = await calls('/auth/register/', {
    ...{ merchant_name: 'Boutique', country: 'BJ', email, password },
    ...{ first_name: 'Awa', last_name: 'Diop', phone: '+2290197000010' },
  })
  expect(reply.status).toBe(201)
  return email
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** The token is gone from the bar, so neither the history nor a copied address has it. */
const expectWiped = (page: Page) => expect(new URL(page.url()).hash).toBe('')

describe('an entrance', () => {
  it(
    'takes in a shop: signed up by telephone, its address proved by the letter, in French',
    async () => {
      const email = newEmail()
      await browsing.visit({ language: 'fr', width: 360 }, async (page) => {
        await page.goto(`${app.url}/dashboard`)
        await page.getByRole('link', { name: 'Créer un compte' }).click()
        await heading(page, 'Créer un compte')
        await expectSound(page)
        await press(page, 'Créer le compte')
        await page.getByRole('alert').waitFor()
        await expectSound(page)
        await page.getByLabel('Nom de la boutique').fill('Boutique Awa')
        await page.getByLabel('Pays').selectOption('SN')
        await page.getByLabel('Prénom').fill('Awa')
        await page.getByLabel('Nom de famille').fill('Diop')
        await page.getByLabel('Adresse e-mail').fill(email)
        await page.getByLabel('Choisissez un mot de passe').fill(password)
        await press(page, 'Créer le compte')
        await heading(page, 'Accueil')
        await page.getByText('Boutique Awa').filter({ visible: true }).first().waitFor()
        const { text, html } = await mail.emailTo(email, /Confirmez/)
        expect(html).toContain(`<a href="${linkIn(text)}"`)
        await page.goto(linkIn(text))
        await heading(page, 'Confirmez votre adresse e-mail')
        expectWiped(page)
        await expectSound(page)
        await page.getByLabel('Mot de passe').fill(password)
        await press(page, 'Confirmer')
        await page.getByText('Votre adresse est confirmée.').waitFor()
        await page.reload()
        await page.getByText('Ouvrez le lien de l’e-mail').waitFor()
        await expectSound(page)
      })
      const [person] = await app.owner`
        select email_verified_at is not null as proved from people where email = ${email}`
      expect(person).toEqual({ proved: true })
    },
    patience_ms,
  )

  it(
    'is asked for again from one’s account, which says that the newest e-mail alone counts',
    async () => {
      const email = await signUp()
      await browsing.visit({ language: 'fr', width: 360 }, async (page) => {
        await page.goto(`${app.url}/dashboard/me`)
        await page.locator('input[name=email]').fill(email)
        await page.locator('input[name=password]').fill(password)
        await press(page, 'Se connecter')
        await heading(page, 'Mon compte')
        await page.getByText('À confirmer').waitFor()
        await press(page, 'Renvoyer l’e-mail de confirmation')
        const said = page.getByRole('status').filter({ hasText: 'Seul le lien du plus récent' })
        await said.getByText(email).waitFor()
        await expectSound(page)
        const token = tokenIn(await mail.emailTo(email, /Confirmez/, 2))
        expect((await calls('/auth/email/verify/', { token, password })).status).toBe(200)
        await press(page, 'Renvoyer l’e-mail de confirmation')
        await page.getByText('Confirmée', { exact: true }).waitFor()
        expect(await said.count()).toBe(0)
        await expectSound(page)
      })
    },
    patience_ms,
  )

  it(
    'says that an e-mail was sent at sign-up, and leads on whoever is signed in and follows it',
    async () => {
      const email = await signUp()
      const link = linkIn((await mail.emailTo(email, /Confirmez/)).text)
      await browsing.visit({ language: 'fr', width: 320 }, async (page) => {
        const sent = page.getByText(`Nous vous avons envoyé un e-mail à ${email}`)
        await page.goto(`${app.url}/dashboard`)
        await page.locator('input[name=email]').fill(email)
        await page.locator('input[name=password]').fill(password)
        await press(page, 'Se connecter')
        await heading(page, 'Accueil')
        await sent.waitFor()
        await expectSound(page)
        await page.getByRole('link', { name: 'Confirmer l’adresse' }).click()
        await heading(page, 'Mon compte')
        expect(await sent.innerText()).toContain('indésirables')
        await expectSound(page)
        await page.goto(link)
        await page.getByLabel('Mot de passe').fill(password)
        await press(page, 'Confirmer')
        await page.getByText('Votre adresse est confirmée.').waitFor()
        expect(await page.getByText('connexion').count()).toBe(0)
        await expectSound(page)
        await page.getByRole('link', { name: 'Continuer' }).click()
        await heading(page, 'Accueil')
        const step = page.locator('.first-step', { hasText: 'Votre adresse e-mail' })
        await step.getByText('Fait').waitFor()
        expect(await sent.count()).toBe(0)
        // The same letter again.
        await page.goto(link)
        await page.getByLabel('Mot de passe').fill(password)
        await press(page, 'Confirmer')
        await page.getByRole('link', { name: 'Demandez un nouvel e-mail' }).click()
        await page.getByText('Confirmée', { exact: true }).waitFor()
      })
      await browsing.visit({ language: 'fr', width: 320 }, async (page) => {
        await page.goto(`${app.url}/dashboard/verify-email`)
        await page.getByText('Connectez-vous : demandez').waitFor()
        await page.getByRole('link', { name: 'Aller à la connexion' }).waitFor()
      })
    },
    patience_ms,
  )

  it(
    'sets a new password, once, and says why not the second time',
    async () => {
      const email = await signUp()
      await browsing.visit({ language: 'en', width: 1280, dark: true }, async (page) => {
        await page.goto(`${app.url}/dashboard`)
        await page.getByRole('link', { name: 'Forgotten password' }).click()
        await page.getByLabel('E-mail address').fill(email)
        await expectSound(page)
        await press(page, 'Send the link')
        await page.getByText('a message is on its way to it').waitFor()
        await expectSound(page)
        const link = linkIn((await mail.emailTo(email, /mot de passe/)).text)
        await page.goto(link)
        await heading(page, 'Choose a new password')
        expectWiped(page)
        await page.getByLabel('New password', { exact: true }).fill('short')
        await press(page, 'Change the password')
        await page.locator('[aria-invalid=true]').waitFor()
        await expectSound(page)
        await page.getByLabel('New password', { exact: true }).fill('another long pass phrase')
        await press(page, 'Change the password')
        await page.getByText('Sign in with the new one.').waitFor()
        // The same letter again, in the same window.
        await page.goto(`${app.url}/dashboard`)
        await page.goto(link)
        await page.getByLabel('New password', { exact: true }).fill('yet another pass phrase')
        await press(page, 'Change the password')
        const token = link.split('#')[1]
        const body = { token, password: 'yet another pass phrase' }
        const refused = await fetch(`${app.url}/api/v1/auth/password/reset/`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'accept-language': 'en' },
          body: JSON.stringify(body),
        })
        const { error } = JSON.parse(await refused.text())
        await page.getByText(error.token.join(' ')).waitFor()
        await page.getByRole('link', { name: 'Forgotten password' }).waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'tells somebody new what they are invited to, makes them a member and signs them in',
    async () => {
      const owner = await app.member()
      const email = newEmail()
      await app.owner`
        update merchants set name = ${hostileName} where id = ${owner.merchant_id}`
      const sent = await owner.post('/merchant-invitations/', { email, role: 'FINANCE' })
      expect(sent.status).toBe(201)
      const token = tokenIn(await mail.emailTo(email, /Invitation/))
      await browsing.visit({ language: 'fr', width: 320 }, async (page) => {
        await page.goto(`${app.url}/dashboard/invitation#${token}`)
        await page.getByText(email).waitFor()
        // The shop's name is words, and turns nothing of what stands around it.
        const name = page.locator('bdi').filter({ hasText: '<img src=x onerror=alert(1)>' })
        await expect.poll(() => name.count()).toBe(1)
        expect(await page.locator('img[src=x]').count()).toBe(0)
        await page.getByText('Encaisse, rembourse').waitFor()
        expectWiped(page)
        await expectSound(page)
        await page.getByLabel('Prénom').fill('Kofi')
        await page.getByLabel('Nom de famille').fill('Mensah')
        await page.getByLabel('Choisissez un mot de passe').fill(password)
        await press(page, 'Accepter')
        await page.getByText('Connectez-vous avec ce mot de passe.').waitFor()
        await expectSound(page)
        const title = await page.locator('h1').textContent()
        expect(title).toContain('\u2068"><img src=x onerror=alert(1)> gnp.exe\u2069')
        await page.getByLabel('Mot de passe').fill(password)
        await press(page, 'Se connecter')
        await heading(page, 'Accueil')
        await page.goto(`${app.url}/dashboard/invitation#${token}`)
        await page.getByRole('alert').waitFor()
        await expectSound(page)
      })
      const rows = await app.owner`
        select 1 from memberships m join people p on p.id = m.person_id
         where m.merchant_id = ${owner.merchant_id} and p.email = ${email}`
      expect(rows.count).toBe(1)
    },
    patience_ms,
  )

  wholeIt(
    'lets in who lost their phone, by a recovery code that works once',
    async () => {
      const member = await app.member()
      const { recovery_codes } = await enrol(app, member)
      await browsing.visit({ language: 'en', width: 360 }, async (page) => {
        await page.goto(`${app.url}/dashboard`)
        await page.locator('input[name=email]').fill(member.email)
        await page.locator('input[name=password]').fill(member.password)
        await press(page, 'Sign in')
        // Five times wrong: what to do, in no program's words.
        for (let times = 0; times < 5; times += 1) {
          await page.getByLabel('Security code', { exact: true }).fill(`00000${times}`)
          const told = page.waitForResponse((reply) => reply.url().endsWith('/auth/login/'))
          await press(page, 'Sign in')
          expect((await told).status()).toBe(401)
          await page.locator('.field').getByText('This code is wrong').waitFor()
        }
        expect(await page.getByText('totp').count()).toBe(0)
        await expectSound(page)
        await page.getByRole('button', { name: /Phone lost/ }).click()
        await expectSound(page)
        await page.getByLabel('Recovery code').fill(recovery_codes[0] ?? '')
        await press(page, 'Sign in')
        await heading(page, 'Home')
      })
      const [again] = recovery_codes
      const { email, password: own } = member
      const refused = await calls('/auth/login/', { email, password: own, totp: again })
      expect(refused.status).toBe(401)
    },
    patience_ms,
  )

  it(
    'is there for staff too, says so without a script, and gives nothing away',
    async () => {
      for (const path of ['/admin/reset-password', '/admin/forgot-password']) {
        const reply = await fetch(`${app.url}${path}`, { headers: { 'accept-language': 'fr' } })
        expect([reply.status, reply.headers.get('content-language')], path).toEqual([200, 'fr'])
        expect(reply.headers.get('content-security-policy')).not.toContain('unsafe')
      }
      const entrances = ['verify-email', 'reset-password', 'forgot-password', 'invitation']
      for (const path of [...entrances, 'keep-second-factor', 'register', 'sign-in-link'].map(
        (name) => `/dashboard/${name}`,
      )) {
        const reply = await fetch(`${app.url}${path}`)
        expect([reply.status, reply.headers.get('cache-control')], path).toEqual([200, 'no-cache'])
        const shown = await browsing.visit({ scripts: false }, async (page) => {
          await page.goto(`${app.url}${path}#token`)
          return page.innerText('body')
        })
        expect(shown).toContain('a besoin de JavaScript')
      }
    },
    patience_ms,
  )
})
