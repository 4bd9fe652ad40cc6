// Every link in a letter leads to a page, in the reader's language, where it does what it is for.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type TestApp } from '../harness.ts'
import { type MailFolder, openMailFolder, tokenIn } from '../mail-server.ts'
import { newEmail } from '../setup/membership.ts'
import { type Browsing, openBrowser } from './browser.ts'

let app: TestApp
let browsing: Browsing
let mail: MailFolder
beforeAll(async () => {
  mail = await openMailFolder()
  app = await startApp({ env: { DATA_DIR: mail.data_dir } })
  browsing = await openBrowser([app.url])
}, 120_000)
afterAll(async () => {
  await browsing?.close()
  await app?.stop()
  await mail?.remove()
})

const linkIn = (text: string): string => /^http\S+$/m.exec(text)?.[0] ?? ''
const password = 'a long pass phrase'

async function signUp() {
  const email = newEmail()
  const reply = await fetch(`${app.url}/api/v1/auth/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'accept-language': 'fr' },
    body: JSON.stringify({
      ...{ merchant_name: 'Boutique', country: 'BJ', email, password },
      ...{ first_name: 'Awa', last_name: 'Diop', phone: '+2290197000010' },
    }),
  })
  expect(reply.status).toBe(201)
  return email
}

describe('a page that a letter leads to', () => {
  it('proves the address, in French as the letter', async () => {
    const email = await signUp()
    const { text, html } = await mail.emailTo(email, /Confirmez/)
    expect(html).toContain(`<a href="${linkIn(text)}"`)
    const said = await browsing.visit({ language: 'fr' }, async (page) => {
      await page.goto(linkIn(text))
      expect(await page.title()).toBe('Confirmez votre adresse e-mail')
      await page.fill('#password', password)
      await page.click('#send')
      return page.textContent('#answer.note')
    })
    expect(said).toBe('Votre adresse est confirmée. Vous pouvez fermer cette page.')
    const [person] = await app.owner`
      select email_verified_at is not null as proved from people where email = ${email}`
    expect(person).toEqual({ proved: true })
  })

  it('sets a new password, once, and says why not the second time', async () => {
    const email = await signUp()
    const asked = await browsing.visit({ language: 'en' }, async (page) => {
      await page.goto(`${app.url}/dashboard/forgot-password`)
      await page.fill('#email', email)
      await page.click('#send')
      return page.textContent('#answer.note')
    })
    expect(asked).toContain('an e-mail is on its way')
    const link = linkIn((await mail.emailTo(email, /mot de passe/)).text)
    const set = (language: 'en' | 'fr') =>
      browsing.visit({ language }, async (page) => {
        await page.goto(link)
        await page.fill('#password', 'another long pass phrase')
        await page.click('#send')
        return page.textContent('#answer:not([hidden])')
      })
    expect(await set('fr')).toBe('Votre mot de passe a été changé. Connectez-vous avec le nouveau.')
    const again = await set('en')
    const refusal = await fetch(`${app.url}/api/v1/auth/password/reset/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-language': 'en' },
      body: JSON.stringify({ token: link.split('#')[1], password: 'another long pass phrase' }),
    })
    const { error } = JSON.parse(await refusal.text())
    expect([refusal.status, again]).toEqual([400, error.token.join(' ')])
  })

  it('makes a member of somebody new', async () => {
    const owner = await app.member()
    const email = newEmail()
    const sent = await owner.post('/merchant-invitations/', { email, role: 'FINANCE' })
    expect(sent.status).toBe(201)
    const token = tokenIn(await mail.emailTo(email, /Invitation/))
    const said = await browsing.visit({ language: 'en' }, async (page) => {
      await page.goto(`${app.url}/dashboard/invitation#${token}`)
      await page.fill('#password', password)
      await page.fill('#first_name', 'Kofi')
      await page.fill('#last_name', 'Mensah')
      await page.click('#send')
      return page.textContent('#answer.note')
    })
    expect(said).toContain('You are now a member')
    const rows = await app.owner`
      select 1 from memberships m join people p on p.id = m.person_id
       where m.merchant_id = ${owner.merchant_id} and p.email = ${email}`
    expect(rows.count).toBe(1)
  })

  it('is there at each address, says so without a script, and gives nothing away', async () => {
    const paths = ['verify-email', 'reset-password', 'forgot-password', 'invitation']
    const all = [...paths, 'keep-second-factor'].map((name) => `/dashboard/${name}`)
    for (const path of [...all, '/admin/reset-password', '/admin/forgot-password']) {
      const reply = await fetch(`${app.url}${path}`, { headers: { 'accept-language': 'fr' } })
      expect([reply.status, reply.headers.get('content-language')], path).toEqual([200, 'fr'])
      const policy = reply.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toContain('unsafe')
      const shown = await browsing.visit({ scripts: false, language: 'en' }, async (page) => {
        await page.goto(`${app.url}${path}#token`)
        expect(await page.isVisible('#account')).toBe(false)
        return page.innerText('main')
      })
      expect(shown).toContain('needs JavaScript')
    }
  })
})
