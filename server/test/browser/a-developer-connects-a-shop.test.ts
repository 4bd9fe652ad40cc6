// A shop's developer and the dashboard, in a real browser: a key, a webhook that fails and comes
// back, a new secret, a replay, the feed, the addresses, the sandbox. Secrets are shown once.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signatureHeaders } from '../../src/webhooks/sign.ts'
import { eventually, type SignedInCaller } from '../harness.ts'
import { enrol } from '../setup/authenticator.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { type Receiver, startReceiver } from '../setup/webhook-receiver.ts'
import { expectNotKept, expectSound, openFor, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'
import { heading } from './hands.ts'

let fixture: BrowserFixture
let developer: SignedInCaller
let receiver: Receiver
/** As a field for a moment has it; replays reach thirty days back. */
const yesterday = () => new Date(Date.now() - 86_400_000).toISOString().slice(0, 16)

const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  developer = await app.member({ merchant_id: shop.merchant_id, role: 'DEVELOPER' })
  receiver = await startReceiver()
}, patience_ms)
afterAll(async () => {
  await receiver?.close()
  await fixture?.stop()
})

const open = (page: Page, path: string) =>
  openFor(page, fixture.app.url, developer.merchant_id, path)
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

/** What a colleague, or a program, changes meanwhile. */
const change = (path: string, body: object) =>
  developer.call('PATCH', path, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** A body as it came, and as somebody changed it on its way. */
async function checkSignature(page: Page): Promise<void> {
  const [body, secret] = ['{"amount":"5000.00"}', 'whsec_dGVzdA==']
  const signed = signatureHeaders({
    ...{ id: 'one', event: 'webhook.test', body, secret },
    timestamp_s: Math.floor(Date.now() / 1000),
  })
  await page.getByText('Check a signature').click()
  await page.getByLabel('X-Webhook-Timestamp').fill(signed['X-Webhook-Timestamp'] ?? '')
  await press(page, 'Compare')
  await page.getByText('Paste the header X-Webhook-Signature').waitFor()
  await page.getByLabel('X-Webhook-Signature').fill(signed['X-Webhook-Signature'] ?? '')
  await page.getByLabel('The body received').fill(body)
  await page.getByLabel('The webhook’s secret').fill(secret)
  await press(page, 'Compare')
  await page.getByText('The signature is good: this delivery is ours.').waitFor()
  await expectSound(page)
  await page.getByLabel('The body received').fill(`${body} `)
  await press(page, 'Compare')
  await page.getByText('The signature does not match').waitFor()
  await expectNotKept(page, /whsec_/)
}

describe('a developer', () => {
  it(
    'makes a key, sees its secret once, replaces it and revokes it: French, by telephone',
    async () => {
      const { app } = fixture
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/developers/keys/new')
        await signInAs(page, developer)
        await heading(page, 'Nouvelle clé')
        await expectSound(page)
        await page.getByLabel('Nom').fill('Site web')
        await press(page, 'Créer la clé')
        await page.getByText('affichage unique').waitFor()
        // Hidden until it is asked for.
        expect(await page.getByText('sk_test_').count()).toBe(0)
        await press(page, 'Afficher')
        const secret = await page.locator('.secret code').innerText()
        expect(secret).toMatch(/^sk_test_/)
        await expectNotKept(page, /sk_test_/)
        await expectSound(page)
        await press(page, 'Continuer')
        await page.getByText('puis cochez la case').waitFor()
        await page.getByLabel('C’est gardé en lieu sûr').check()
        await press(page, 'Continuer')
        await heading(page, 'Site web')
        expect(await page.getByText(secret).count()).toBe(0)
        const works = async () => {
          const reply = await fetch(`${app.url}/api/v1/transactions/`, {
            headers: { authorization: `Bearer ${secret}` },
          })
          return reply.status
        }
        expect(await works()).toBe(200)
        await page.reload()
        await heading(page, 'Site web')
        expect(await page.content()).not.toContain(secret)
        await expectSound(page)
        await page.getByText('Remplacer la clé').first().click()
        await page.getByLabel('Durée de validité de l’ancienne').selectOption('3600')
        await press(page, 'Remplacer la clé')
        await page.getByText('affichage unique').waitFor()
        await page.getByLabel('C’est gardé en lieu sûr').check()
        await press(page, 'Continuer')
        await page.getByText('Remplacée').waitFor()
        expect(await works()).toBe(200)
        await open(page, '/search?q=site%20web')
        const found = page.getByRole('list', { name: 'Clés API' }).getByRole('listitem')
        await found.filter({ hasText: 'Remplacée' }).waitFor()
        expect(await found.filter({ hasText: 'Active' }).count()).toBe(1)
        await page.goBack()
        await press(page, 'Révoquer la clé')
        await expectSound(page)
        await inDialog(page, 'Révoquer la clé')
        await page.getByText('Révoquée').first().waitFor()
        expect(await works()).toBe(401)
        await page.getByRole('link', { name: 'Toutes les clés' }).click()
        await heading(page, 'Clés API')
        await expectSound(page)
        await open(page, '/search?q=site%20web')
        await found.filter({ hasText: 'Révoquée' }).waitFor()
        expect(await found.filter({ hasText: 'Active' }).count()).toBe(1)
        await expectSound(page)
        await open(page, `/search?q=${secret.slice(0, 12)}`)
        await heading(page, 'Site web')
      })
    },
    patience_ms,
  )

  it(
    'registers a webhook, tests it, reads why it failed, compares the tries: English, at a desk',
    async () => {
      const { app } = fixture
      const answers = [500, 200]
      receiver.answerWith((response, _got, nth) => {
        response.statusCode = answers[nth - 1] ?? 200
        response.end(nth === 1 ? '{"error":"no disk"}' : '{"ok":true}')
      })
      await fixture.visit({ language: 'en', width: 1280, dark: true }, async (page) => {
        await open(page, '/developers/webhooks')
        await signInAs(page, developer)
        await page.getByText('No webhooks yet').waitFor()
        await expectSound(page)
        await page.getByRole('link', { name: 'New webhook' }).first().click()
        await page.getByLabel('Address').fill('not an address')
        await press(page, 'Create the webhook')
        await page.getByRole('alert').first().waitFor()
        await expectSound(page)
        await page.getByLabel('Address').fill(receiver.url)
        await page.getByLabel('Only these').check()
        await page.getByLabel(/^transaction\.success/).check()
        await press(page, 'Create the webhook')
        await page.getByText('shown only once').waitFor()
        await page.getByText('Python', { exact: true }).click()
        await expectSound(page)
        await page.getByLabel('It is kept in a safe place').check()
        await press(page, 'Continue')
        await heading(page, 'Webhook')
        await page.getByText(receiver.url).first().waitFor()
        await expectSound(page)
        await press(page, 'Send a test')
        await heading(page, 'Delivery')
        await page.getByText('Try 1 failed: 500').waitFor()
        await page.getByText('no disk').first().waitFor()
        await page
          .getByText(/x-webhook-signature/i)
          .first()
          .waitFor()
        await expectSound(page)
        await press(page, 'Resend')
        await page.getByText(/Your server answered 200/).waitFor()
        await page.getByText('Compare two tries').waitFor()
        const marked = (await page.locator('mark').allInnerTexts()).map((text) => text.trim())
        expect(marked).toEqual(expect.arrayContaining(['≠ 500', '≠ 200']))
        await expectSound(page)
        await page.getByRole('link', { name: 'All deliveries' }).click()
        await page.getByText('Filter', { exact: true }).click()
        await page.getByLabel('Status').selectOption('EXHAUSTED')
        await press(page, 'Show')
        await page.getByText('Nothing matches these filters.').waitFor()
        expect(new URL(page.url()).searchParams.get('status')).toBe('EXHAUSTED')
        await page.goBack()
        await page.getByText('webhook.test').last().waitFor()
        await checkSignature(page)
        await expectSound(page)
        const [row] = await app.owner`
          select count(*)::int as logs from deliveries where merchant_id = ${developer.merchant_id}`
        expect(row).toEqual({ logs: 1 })
      })
    },
    patience_ms,
  )

  it(
    'changes a webhook, and none of its events is lost, whether their list has come or not',
    async () => {
      const { data } = await developer.post('/merchant-webhooks/', {
        ...{ url: 'https://shop.example.com/some', events: ['transaction.success'] },
      })
      const path = `/merchant-webhooks/${data.id}/`
      const saved = async () => {
        const { data: hook } = await developer.get(path)
        return [hook.description, ...hook.events]
      }
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        const form = page.getByRole('form', { name: 'Change the address or events' })
        const describe = async (text: string) => {
          await form.getByLabel('Description').fill(text)
          await press(page, 'Save')
        }
        const begin = async () => {
          await open(page, `/developers/webhooks/${data.id}`)
          await page.locator('summary', { hasText: 'Change the address or events' }).click()
        }
        await page.route('**/merchant-webhook-events/**', () => undefined)
        await openFor(page, fixture.app.url, developer.merchant_id, '')
        await signInAs(page, developer)
        await begin()
        await describe('Till')
        await expect.poll(saved).toEqual(['Till', 'transaction.success'])
        // Others than none are wanted.
        await page.goto('about:blank')
        await page.unroute('**/merchant-webhook-events/**')
        await begin()
        await form.getByLabel(/^transaction\.success/).uncheck()
        await describe('Shop')
        await form.getByText('Tick at least one event.').waitFor()
        await expectSound(page)
        await form.getByLabel(/^refund\.created/).check()
        await press(page, 'Save')
        await expect.poll(saved).toEqual(['Shop', 'refund.created'])
        // One that has no box.
        await change(path, { events: ['webhook.test'] })
        await begin()
        await form.getByLabel(/^transaction\.failed/).waitFor()
        await describe('Test')
        await expect.poll(saved).toEqual(['Test', 'webhook.test'])
      })
      await developer.call('DELETE', path)
    },
    patience_ms,
  )

  it(
    'saves what they have changed of a key and a webhook, and nothing that a colleague has',
    async () => {
      const key = (await developer.post('/merchant-api-keys/', { environment: 'SANDBOX' })).data
      const hook = (await developer.post('/merchant-webhooks/', { url: receiver.url })).data
      const ofKey = `/merchant-api-keys/${key.id}/`
      const ofHook = `/merchant-webhooks/${hook.id}/`
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, `/developers/keys/${key.id}`)
        await signInAs(page, developer)
        await page.getByText('Name and limits').click()
        await page.getByLabel('Name', { exact: true }).fill('Server')
        await change(ofKey, { read_only: true, ip_whitelist: ['203.0.113.9'] })
        const { ip_whitelist } = (await developer.get(ofKey)).data
        await press(page, 'Save')
        await heading(page, 'Server')
        expect((await developer.get(ofKey)).data).toMatchObject({
          ...{ name: 'Server', read_only: true, ip_whitelist },
        })
        // What is changed afterwards counts, too.
        await page.getByLabel('Name', { exact: true }).fill('Shop')
        await press(page, 'Save')
        await heading(page, 'Shop')
        expect((await developer.get(ofKey)).data).toMatchObject({ read_only: true, ip_whitelist })
        // Its answer is lost, and it is not: what is chosen after it is sent, though it was there before.
        await page.route(`**${ofKey}`, async (route) => {
          if (route.request().method() !== 'PATCH') return route.continue()
          await route.fetch()
          return route.abort()
        })
        const readOnly = page.getByRole('checkbox', { name: 'Read only' })
        await readOnly.check()
        await press(page, 'Save')
        await page.getByRole('alert').waitFor()
        await page.unroute(`**${ofKey}`)
        await readOnly.uncheck()
        await press(page, 'Save')
        await expect.poll(async () => (await developer.get(ofKey)).data.read_only).toBe(false)
        await change(ofKey, { read_only: true, ip_whitelist: ['203.0.113.9', '203.0.113.10'] })
        // Refused, and put back as it was drawn: what a colleague has changed meanwhile stays.
        await page.reload()
        await page.getByText('Name and limits').click()
        const addresses = page.getByLabel('Allowed addresses')
        const before = await addresses.inputValue()
        await addresses.fill('203.0.113')
        await press(page, 'Save')
        await expect.poll(() => addresses.getAttribute('aria-invalid')).toBe('true')
        await change(ofKey, { ip_whitelist: ['203.0.113.9'] })
        await addresses.fill(before)
        await page.getByLabel('Name', { exact: true }).fill('Kiosk')
        await press(page, 'Save')
        await heading(page, 'Kiosk')
        expect((await developer.get(ofKey)).data).toMatchObject({ name: 'Kiosk', ip_whitelist })
        await open(page, `/developers/webhooks/${hook.id}`)
        await page.locator('summary', { hasText: 'Change the address or events' }).click()
        await page.getByLabel('Description').fill('Till')
        await change(ofHook, { url: 'https://shop.example.com/new', events: ['refund.created'] })
        await press(page, 'Save')
        await expect
          .poll(async () => (await developer.get(ofHook)).data)
          .toMatchObject({
            ...{ description: 'Till', url: 'https://shop.example.com/new' },
            events: ['refund.created'],
          })
      })
      await developer.call('DELETE', ofHook)
    },
    patience_ms,
  )

  it(
    'reads why a delivery was given up that was never sent, and is led to its webhook',
    async () => {
      const { app } = fixture
      const own = await startReceiver()
      const hook = (await developer.post('/merchant-webhooks/', { url: own.url })).data
      const { data: sent } = await developer.post(`/merchant-webhooks/${hook.id}/test/`, {})
      const log = `/webhook-logs/${sent.webhook_log}/`
      await eventually(async () =>
        expect((await developer.get(log)).data).toMatchObject({ status: 'SUCCESS' }),
      )
      const giveUp = async (attempt: number) => {
        await app.owner`
          update deliveries
             set status = 'EXHAUSTED', exhausted_at = now(), attempt = ${attempt}, ${
               attempt === 0
                 ? app.owner`sent_at = null, http_status = null`
                 : app.owner`sent_at = now(), http_status = 410`
             }
           where merchant_id = ${developer.merchant_id} and id = ${sent.webhook_log}`
      }
      await change(`/merchant-webhooks/${hook.id}/`, { is_active: false })
      await giveUp(0)
      await fixture.visit({ language: 'en', width: 360 }, async (page) => {
        await open(page, `/developers/deliveries/${sent.webhook_log}`)
        await signInAs(page, developer)
        await page.getByText('Given up before the first try').waitFor()
        await page.getByText('It can be resent while its webhook is on.').waitFor()
        await expectSound(page)
        await giveUp(1)
        await page.reload()
        await page.getByText('Given up. Tries: 1. Last answer: 410.').waitFor()
        await page.getByRole('link', { name: 'See the webhook' }).click()
        await heading(page, 'Webhook')
        await press(page, 'Turn on')
        await page.getByRole('button', { name: 'Turn off', exact: true }).waitFor()
        await page.goBack()
        await press(page, 'Resend')
        await page.getByText(/Your server answered 200 to try 2/).waitFor()
      })
      await developer.call('DELETE', `/merchant-webhooks/${hook.id}/`)
      await own.close()
    },
    patience_ms,
  )

  it(
    'is marked in the list once nobody has used it for 90 days',
    async () => {
      const { app } = fixture
      const days = { Vieille: [91, null], Neuve: [89, null], Guichet: [300, 1], Relais: [300, 91] }
      for (const [name, [made, used]] of Object.entries(days)) {
        const { data } = await developer.post('/merchant-api-keys/', {
          environment: 'SANDBOX',
          name,
        })
        await app.owner`
          update api_keys set created_at = now() - ${made ?? 0} * interval '1 day',
                              last_used_at = now() - ${used ?? null}::int * interval '1 day'
           where id = ${data.id}`
      }
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/developers/keys')
        await signInAs(page, developer)
        const card = (name: string) => page.locator('main .cards > li').filter({ hasText: name })
        for (const name of ['Vieille', 'Relais']) {
          await card(name).getByText('Inutilisée depuis 90 jours').waitFor()
        }
        for (const name of ['Neuve', 'Guichet']) {
          await card(name).getByText('Active', { exact: true }).waitFor()
        }
        await expectSound(page)
      })
    },
    patience_ms,
  )

  it(
    'is offered no widening and no successor of a key that pays out in live, and may narrow it',
    async () => {
      const { app } = fixture
      const live = await app.shop({ live: true })
      const { merchant_id } = live
      const owner = await app.member({ merchant_id, environment: 'LIVE', second_factor: 'FRESH' })
      const builder = await app.member({ merchant_id, role: 'DEVELOPER' })
      const made = async (scope: string) => {
        const { data } = await owner.post('/merchant-api-keys/', { environment: 'LIVE', scope })
        return `${app.url}/dashboard/${merchant_id}/live/developers/keys/${data.id}`
      }
      const [pays, takes] = [await made('BOTH'), await made('PAYIN')]
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await page.goto(pays)
        await signInAs(page, builder)
        await page.getByText('ne peut être créée que par une personne autorisée').waitFor()
        expect(await page.getByText('Remplacer la clé').count()).toBe(0)
        await page.getByText('Nom et limites').click()
        await page.getByText('L’élargir exige le droit de faire des versements').waitFor()
        await expectSound(page)
        await page.goto(takes)
        await page.getByText('Remplacer la clé').first().waitFor()
        await page.getByText('Nom et limites').click()
        await page.getByRole('form', { name: 'Nom et limites' }).waitFor()
        expect(await page.getByText('L’élargir exige').count()).toBe(0)
      })
    },
    patience_ms,
  )

  it(
    'sees how a webhook has answered, in figures, as bars and as a table: French, by telephone',
    async () => {
      const own = await startReceiver()
      const made = await developer.post('/merchant-webhooks/', { url: own.url })
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/developers/webhooks/${made.data.id}`)
        await signInAs(page, developer)
        await page.getByText('Rien ne lui a été envoyé.').waitFor()
        await expectSound(page)
        await developer.post(`/merchant-webhooks/${made.data.id}/test/`, {})
        await eventually(async () => {
          const { data } = await developer.get(`/merchant-webhooks/${made.data.id}/stats/`)
          expect(data.succeeded).toBe(1)
        })
        await page.reload()
        await page.getByRole('slider', { name: 'Reçus : 1 sur 1' }).waitFor()
        await page.getByText(/^Temps de réponse médian/).waitFor()
        await page.getByText('Voir le tableau').click()
        await page.getByRole('region', { name: 'Reçus : 1 sur 1' }).waitFor()
        await expect.poll(() => page.locator('figure tbody tr').count()).toBe(1)
        await expectSound(page)
      })
      await own.close()
    },
    patience_ms,
  )

  it(
    'confirms the new secret that they read of, and none that a colleague made since',
    async () => {
      const { data } = await developer.post('/merchant-webhooks/', { url: receiver.url })
      const path = `/merchant-webhooks/${data.id}/`
      const rotate = () => developer.post(`${path}rotate-secret/`)
      const end = async () => (await developer.get(path)).data.overlap_until
      await rotate()
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        const question = page.getByRole('dialog')
        await open(page, `/developers/webhooks/${data.id}`)
        await signInAs(page, developer)
        await press(page, 'Le nouveau est en place')
        await question.getByText(/^Les deux secrets signent\. Fin\s: /).waitFor()
        await expectSound(page)
        await rotate()
        const theirs = await end()
        // By then the page has read the other one; what was asked about is what was read first.
        for (const _ of [1, 2]) {
          await inDialog(page, 'Le nouveau est en place')
          await question.getByText('n’est plus celui que vous avez lu').waitFor()
          await expectSound(page)
          expect(await end()).toBe(theirs)
        }
        await inDialog(page, 'Annuler')
        await press(page, 'Le nouveau est en place')
        await inDialog(page, 'Le nouveau est en place')
        await expect.poll(end).toBeNull()
      })
      await developer.call('DELETE', path)
    },
    patience_ms,
  )

  it(
    'copies what was sent and answered to the byte, and not as it is folded for the eye',
    async () => {
      const own = await startReceiver()
      own.answerWith((response) => response.end('{ "ok":true}'))
      const { data } = await developer.post('/merchant-webhooks/', { url: own.url })
      const test = await developer.post(`/merchant-webhooks/${data.id}/test/`)
      const got = await eventually(async () => {
        const log = (await developer.get(`/webhook-logs/${test.data.webhook_log}/`)).data
        expect(log.status).toBe('SUCCESS')
        return own.received.find(({ body }) => body.id === test.data.id)
      })
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
        const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
        await open(page, `/developers/deliveries/${test.data.webhook_log}`)
        await signInAs(page, developer)
        await press(page, 'Copier le corps tel qu’envoyé')
        await expect.poll(copied).toBe(got?.raw)
        await press(page, 'Copier le corps reçu (8 ko au plus)')
        await expect.poll(copied).toBe('{ "ok":true}')
        await expectSound(page)
      })
      await own.close()
      await developer.call('DELETE', `/merchant-webhooks/${data.id}/`)
    },
    patience_ms,
  )

  wholeIt(
    'gives it a new secret with the day’s overlap, replays, and reads why it was switched off',
    async () => {
      const { app, shop } = fixture
      const own = await startReceiver()
      const made = await developer.post('/merchant-webhooks/', { url: own.url })
      const paid = await shop.pay({ description: 'Commande 7' })
      await shop.becomes(paid.data.payment_id ?? paid.data.id, 'SUCCESS')
      await fixture.visit({ language: 'fr', width: 360, dark: true }, async (page) => {
        await open(page, `/developers/webhooks/${made.data.id}`)
        await signInAs(page, developer)
        await heading(page, 'Webhook')
        await press(page, 'Nouveau secret')
        await inDialog(page, 'Nouveau secret')
        await page.getByText('affichage unique').waitFor()
        await expectSound(page)
        await page.keyboard.press('Escape')
        await page.getByText('Personne ne pourra l’afficher de nouveau').waitFor()
        await expectSound(page)
        await press(page, 'Rester ici')
        await page.getByText('affichage unique').waitFor()
        await page.getByLabel('C’est gardé en lieu sûr').check()
        await inDialog(page, 'Continuer')
        await page.getByText('Les deux secrets signent. Fin').waitFor()
        await press(page, 'Le nouveau est en place')
        await inDialog(page, 'Le nouveau est en place')
        await page.getByText('Les deux secrets signent').first().waitFor({ state: 'detached' })
        await page.getByLabel('Depuis', { exact: true }).fill(yesterday())
        await press(page, 'Renvoyer depuis une date')
        await page.getByText('Terminé').first().waitFor()
        await expectSound(page)
        await app.owner`
          update webhooks
             set is_active = false, switched_off_reason = 'GONE' where id = ${made.data.id}`
        await page.reload()
        await page.getByText('votre serveur a répondu 410').waitFor()
        await expectSound(page)
        await press(page, 'Réactiver')
        await page.getByText('Actif').waitFor()
        await press(page, 'Supprimer')
        await inDialog(page, 'Supprimer')
        await heading(page, 'Webhooks')
      })
      await own.close()
    },
    patience_ms,
  )

  wholeIt(
    'reads the feed and the addresses, and is told who may change what they may not',
    async () => {
      const { app, shop } = fixture
      const owner = await app.member({ merchant_id: shop.merchant_id })
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, '/developers/events')
        await signInAs(page, developer)
        const success = page.locator('details', { hasText: 'transaction.success' })
        await success.locator('summary').click()
        await success.getByText(/"sequence": \d/).waitFor()
        await expectSound(page)
        await open(page, '/developers/addresses')
        await page.getByText(/Who may: Owner, Administrator/).waitFor()
        expect(await page.getByLabel('IP address').count()).toBe(0)
        await expectSound(page)
      })
      await fixture.visit({ language: 'fr', width: 320 }, async (page) => {
        await open(page, '/developers/addresses')
        await signInAs(page, owner)
        await page.getByLabel('Adresse IP').fill('41.85.160.7/24')
        await press(page, 'Autoriser une adresse')
        await page.getByText('41.85.160.0/24').waitFor()
        await press(page, 'Ajouter mon adresse : 127.0.0.1')
        await page.getByText('127.0.0.1', { exact: true }).waitFor()
        await page.getByRole('button', { name: 'Suspendre' }).first().click()
        await page.getByText('Suspendue').waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'pays in the sandbox with a chosen outcome, and decides for the customer',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/developers/sandbox')
        await signInAs(page, developer)
        await heading(page, 'Simulateur')
        await expectSound(page)
        await page.getByRole('button', { name: /Reste en attente/ }).click()
        await press(page, 'Le client refuse')
        await page.locator('.outcome .status.failed').waitFor()
        await expectSound(page)
        await press(page, 'Créer une page de test')
        const link = page.getByRole('link', { name: 'Ouvrir la page de paiement' })
        expect(await link.getAttribute('href')).toContain('/checkout/')
        await page.getByLabel('Montant').fill('50 000')
        await press(page, 'Ajouter')
        await page.getByText(/Solde de test/).waitFor()
      })
    },
    patience_ms,
  )

  wholeIt(
    'puts an imitated operator behind a network, pays on its page, and takes it away again',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/developers/sandbox')
        await signInAs(page, developer)
        const choosing = page.getByRole('form', { name: 'Imiter un vrai opérateur' })
        await page.getByText('Partout répond l’opérateur simulé').waitFor()
        await choosing.getByLabel('Réseau').selectOption('orange_sn COLLECT')
        await choosing.getByLabel('Opérateur imité').selectOption('orange')
        await choosing.getByText(/Orange Money, d’après ses documents.*ce n’est pas lui/).waitFor()
        await choosing.getByText(/c’est le client qui décide, sur sa page/).waitFor()
        await press(page, 'Choisir')
        await choosing.getByRole('status').waitFor()
        await page.getByRole('listitem').filter({ hasText: 'Orange Money Sénégal' }).waitFor()
        await expectSound(page)
        const { data } = await fixture.shop.pay({
          ...{ country: 'SN', network: 'orange_sn', customer: { phone: '+221770000010' } },
          return_url: `${fixture.app.url}/docs`,
        })
        const its_page = data.checkout_url
        expect(its_page).toContain('/pay/orange/')
        await page.goto(its_page)
        await page.getByText(/ce n’est pas Orange Money/).waitFor()
        await expectSound(page)
        await page.getByLabel('dix secondes plus tard').check()
        await press(page, 'Payer')
        await page.waitForURL(`${fixture.app.url}/docs`)
        await fixture.shop.becomes(data.id, 'SUCCESS')
        await open(page, '/developers/sandbox')
        await choosing.getByLabel('Réseau').selectOption('orange_sn COLLECT')
        await choosing.getByLabel('Opérateur imité').selectOption('pirogue')
        await press(page, 'Choisir')
        await page.getByText('Partout répond l’opérateur simulé').waitFor()
      })
    },
    patience_ms,
  )

  wholeIt(
    'whose role takes no payments sees what is chosen, and why nothing can be',
    async () => {
      const viewer = await fixture.app.member({
        merchant_id: fixture.shop.merchant_id,
        role: 'VIEWER',
      })
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, '/developers/sandbox')
        await signInAs(page, viewer)
        await page.getByText(/Your role does not allow/).waitFor()
        await page.getByText('The simulated operator answers everywhere.').waitFor()
        expect(await page.getByRole('form').count()).toBe(0)
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'sees each of the outcomes that a number can play',
    async () => {
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, '/developers/sandbox')
        await signInAs(page, developer)
        for (const [name, end] of [
          ['not enough money', 'failed'],
          ['not approved', 'failed'],
          ['no account has this number', 'failed'],
          ['the answer is lost', 'done'],
          ['first route is down', 'done'],
          ['says so three times', 'done'],
          ['before it answers the call', 'done'],
          ['has succeeded after all', 'done'],
        ] as const) {
          await page.getByRole('button', { name: new RegExp(name) }).click()
          await page.locator(`.outcome .status.${end}`).waitFor()
          await page.reload()
          await heading(page, 'Simulator')
        }
      })
    },
    patience_ms,
  )

  wholeIt(
    'sees what numbers do to payouts and refunds, and copies one',
    async () => {
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
        await open(page, '/developers/sandbox')
        await signInAs(page, developer)
        await press(page, 'Versements')
        const outcome = page.getByRole('button', { name: /solde insuffisant/ })
        await outcome.locator('.status.failed').waitFor()
        await expectSound(page)
        await outcome.click()
        await outcome.getByText('Copié').waitFor()
        const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
        expect(await copied()).toMatch(/^\+\d+01$/)
        await press(page, 'Remboursements')
        await page.getByRole('button', { name: /Reste en attente/ }).click()
        await expect.poll(copied).toBe('sandbox:04')
        await expectSound(page)
      })
    },
    patience_ms,
  )

  wholeIt(
    'tests with the example of an event, and replays what failed alone',
    async () => {
      const own = await startReceiver()
      own.answerWith((response, { body }) => {
        response.statusCode = body.event === 'webhook.test' ? 200 : 503
        response.end()
      })
      const made = await developer.post('/merchant-webhooks/', { url: own.url })
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await open(page, `/developers/webhooks/${made.data.id}`)
        await signInAs(page, developer)
        await page.getByText('Test with an example').click()
        await page.getByLabel('Event', { exact: true }).selectOption('settlement.success')
        await expectSound(page)
        await press(page, 'Send this example')
        await heading(page, 'Delivery')
        await expect
          .poll(() => own.received.at(-1)?.body)
          .toMatchObject({
            event: 'webhook.test',
            data: { event_type: 'settlement.success', example: { status: 'SUCCESS' } },
          })
        await fixture.shop.pay({ description: 'Commande 8' })
        await eventually(async () => {
          const { data } = await developer.get(
            `/webhook-logs/?webhook=${made.data.id}&status=FAILED`,
          )
          expect(data.results.length).toBeGreaterThan(0)
        })
        own.answerWith((response) => response.end())
        await open(page, `/developers/webhooks/${made.data.id}`)
        await page.getByLabel('Since', { exact: true }).fill(yesterday())
        await page.getByLabel('Only those that failed').check()
        const before = own.received.length
        await press(page, 'Replay since a date')
        await page.getByText('Only those that failed').nth(1).waitFor()
        await expect.poll(() => own.received.length).toBeGreaterThan(before)
        await expectSound(page)
      })
      await own.close()
    },
    patience_ms,
  )

  wholeIt(
    'in live is asked for a code over the page, and the very act is done',
    async () => {
      const { app } = fixture
      const live = await app.shop({ live: true })
      const owner = await app.member({ merchant_id: live.merchant_id, environment: 'LIVE' })
      const authenticator = await enrol(app, owner)
      await fixture.visit({ language: 'en', width: 1280 }, async (page) => {
        await page.goto(`${app.url}/dashboard/${live.merchant_id}/live/developers/keys/new`)
        await authenticator.forget()
        await signInAs(page, owner, { code: authenticator.code() })
        await app.owner`update sessions set totp_at = null`
        await page.getByLabel('Name').fill('Server')
        await press(page, 'Create the key')
        await page.getByRole('dialog').waitFor()
        await expectSound(page)
        await page.getByLabel('Security code', { exact: true }).fill('000000')
        await inDialog(page, 'Continue')
        await page.getByRole('alert').waitFor()
        await authenticator.forget()
        await page.getByLabel('Security code', { exact: true }).fill(authenticator.code())
        await inDialog(page, 'Continue')
        await page.getByText('shown only once').waitFor()
        const keys = await app.owner`
          select 1 from api_keys where merchant_id = ${live.merchant_id} and name = 'Server'`
        expect(keys.count).toBe(1)
      })
    },
    patience_ms,
  )
})
