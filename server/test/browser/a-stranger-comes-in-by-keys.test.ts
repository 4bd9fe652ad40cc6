// Without a mouse, in French on a telephone with a keyboard: signing up, proving the address and
// paying for the first time; signing in with a code, by a recovery code, where one was invited, with
// a new password.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type TestApp } from '../harness.ts'
import { type MailFolder, openMailFolder, tokenIn } from '../mail-server.ts'
import { enrol } from '../setup/authenticator.ts'
import { newEmail } from '../setup/membership.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { type Browsing, borrowBrowser } from './browser.ts'
import { heading } from './hands.ts'
import { choose, enter, openSettled, seen, typeInto } from './keyboard.ts'
import { expectSoon, watchPresses } from './presses.ts'
import { comesToRest } from './rest.ts'

const presses = watchPresses()
let app: TestApp
let browsing: Browsing
let mail: MailFolder
const patience_ms = 120_000
beforeAll(async () => {
  mail = await openMailFolder()
  app = await startApp({ env: { DATA_DIR: mail.data_dir } })
  browsing = presses.watch(await borrowBrowser([app.url]))
}, patience_ms)
afterAll(async () => {
  await browsing?.close()
  await app?.stop()
  await mail?.remove()
})

const linkIn = (text: string): string => /^http\S+$/m.exec(text)?.[0] ?? ''
const password = 'a long pass phrase'
const phone = { language: 'fr', width: 360 } as const

describe('by keys alone', () => {
  it(
    'somebody signs up, proves their address, and pays as their first customer',
    async () => {
      const email = newEmail()
      await browsing.visit(phone, async (page) => {
        await openSettled(page, `${app.url}/dashboard`)
        await enter(page, /^A Créer un compte$/)
        await heading(page, 'Créer un compte')
        await enter(page, /^BUTTON Créer le compte$/)
        // What is missing is said above, and leads to its field.
        await page.getByRole('alert').waitFor()
        await enter(page, /^A Nom de la boutique/)
        await page.keyboard.type('Boutique Awa')
        await choose(page, /^SELECT Pays/, 'Togo')
        await typeInto(page, /^INPUT Prénom/, 'Awa')
        await typeInto(page, /^INPUT Nom de famille/, 'Diop')
        await typeInto(page, /^INPUT Adresse e-mail/, email)
        await typeInto(page, /^INPUT Choisissez un mot de passe/, password)
        await page.keyboard.press('Enter')
        await heading(page, 'Accueil')
        await openSettled(page, linkIn((await mail.emailTo(email, /Confirmez/)).text))
        await typeInto(page, /^INPUT Mot de passe/, password)
        await page.keyboard.press('Enter')
        await seen(page, 'Votre adresse est confirmée.')
        await openSettled(page, `${app.url}/dashboard`)
        await enter(page, /^A Payer comme le client$/)
        await heading(page, 'Simulateur')
        await comesToRest(page)
        await enter(page, /^BUTTON .*Reste en attente/)
        await page.getByRole('button', { name: 'Le client confirme' }).waitFor()
        await enter(page, /^BUTTON Le client confirme$/)
        await page.locator('.outcome .status.done').waitFor()
      })
      const [person] = await app.owner`
        select email_verified_at is not null as proved from people where email = ${email}`
      expect(person).toEqual({ proved: true })
    },
    patience_ms,
  )

  wholeIt(
    'somebody signs in with a code, and by a recovery code after five wrong ones',
    async () => {
      const member = await app.member()
      const { recovery_codes, code } = await enrol(app, member)
      await browsing.visit(phone, async (page) => {
        await openSettled(page, `${app.url}/dashboard`)
        await typeInto(page, /^INPUT Adresse e-mail/, member.email)
        await typeInto(page, /^INPUT Mot de passe/, member.password)
        await page.keyboard.press('Enter')
        await page.locator('input[name=totp]').waitFor()
        for (let times = 0; times < 5; times += 1) {
          await typeInto(page, /^INPUT Code de sécurité/, `00000${times}`)
          const told = page.waitForResponse((reply) => reply.url().endsWith('/auth/login/'))
          await page.keyboard.press('Enter')
          expect((await told).status()).toBe(401)
          await page.locator('.field .wrong').waitFor()
        }
        await enter(page, /^BUTTON Téléphone perdu/)
        await typeInto(page, /^INPUT Code de secours/, recovery_codes[0] ?? '')
        await page.keyboard.press('Enter')
        await heading(page, 'Accueil')
        await enter(page, /^SUMMARY Mon compte$/)
        await enter(page, /^BUTTON Se déconnecter$/)
        await heading(page, 'Se connecter')
        await typeInto(page, /^INPUT Adresse e-mail/, member.email)
        await typeInto(page, /^INPUT Mot de passe/, member.password)
        await page.keyboard.press('Enter')
        await page.locator('input[name=totp]').waitFor()
        await app.owner`update people set totp_last_step = 0 where id = ${member.person_id}`
        await typeInto(page, /^INPUT Code de sécurité/, code())
        await page.keyboard.press('Enter')
        await heading(page, 'Accueil')
      })
    },
    patience_ms,
  )

  wholeIt(
    'who is invited becomes a member, and who forgot their password chooses another',
    async () => {
      const owner = await app.member()
      const email = newEmail()
      const sent = await owner.post('/merchant-invitations/', { email, role: 'FINANCE' })
      expect(sent.status).toBe(201)
      const token = tokenIn(await mail.emailTo(email, /Invitation/))
      await browsing.visit(phone, async (page) => {
        await openSettled(page, `${app.url}/dashboard/invitation#${token}`)
        await typeInto(page, /^INPUT Prénom/, 'Kofi')
        await typeInto(page, /^INPUT Nom de famille/, 'Mensah')
        await typeInto(page, /^INPUT Choisissez un mot de passe/, password)
        await page.keyboard.press('Enter')
        await seen(page, 'Connectez-vous avec ce mot de passe.')
        await typeInto(page, /^INPUT Mot de passe/, password)
        await page.keyboard.press('Enter')
        await heading(page, 'Accueil')
      })
      await browsing.visit(phone, async (page) => {
        await openSettled(page, `${app.url}/dashboard`)
        await enter(page, /^A Mot de passe oublié/)
        await heading(page, 'Mot de passe oublié')
        await typeInto(page, /^INPUT Adresse e-mail/, email)
        await page.keyboard.press('Enter')
        await page.getByRole('status').waitFor()
        await openSettled(page, linkIn((await mail.emailTo(email, /mot de passe/)).text))
        await typeInto(page, /^INPUT Nouveau mot de passe/, 'another long pass phrase')
        await page.keyboard.press('Enter')
        await page.getByRole('status').waitFor()
        await enter(page, /^A Aller à la connexion$/)
        await heading(page, 'Se connecter')
      })
    },
    patience_ms,
  )

  wholeIt('each press is answered soon', () => expectSoon('coming in', presses.soFar()))
})
