// A transfer that nobody approves, a settlement to a bank with its proof, and what comes back after it
// had arrived: each as the merchant reads it, whatever staff and time do meanwhile.

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually, type Json, newPayer, type SignedInCaller } from '../harness.ts'
import {
  attemptsOf,
  confirm,
  confirmed,
  incidentOf,
  propose,
  receive,
  refused,
} from '../setup/incidents.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { paidPayment, receiveOfRefund, refund, refundEnds } from '../setup/refunds.ts'
import { noFloat } from '../setup/scripted-operator.ts'
import { plantMethod } from '../setup/settling.ts'
import { expectSound, openFor, press, signInAs } from './dashboard-hands.ts'
import { type BrowserFixture, startFixture } from './fixture.ts'

let fixture: BrowserFixture
let owner: SignedInCaller
let staff: readonly [SignedInCaller, SignedInCaller]
const patience_ms = 120_000

beforeAll(async () => {
  fixture = await startFixture()
  const { app, shop } = fixture
  owner = await app.member({ merchant_id: shop.merchant_id })
  staff = [await app.staff({ role: 'FINANCE' }), await app.staff({ role: 'FINANCE' })]
  await owner.post('/sandbox/balances/', { country: 'BJ', amount: '500000' })
  await plantMethod(app, shop.merchant_id)
  await app.owner`
    update payout_methods set usable_from = now() - interval '1 minute'
     where merchant_id = ${shop.merchant_id}`
}, patience_ms)
afterAll(() => fixture?.stop())

const open = (page: Page, path: string) => openFor(page, fixture.app.url, owner.merchant_id, path)

const available = async (): Promise<string> =>
  (await owner.get('/merchant-balances/')).data.results[0].available_amount

async function done(calling: Promise<{ status: number; body: Json; data: Json }>): Promise<Json> {
  const { status, body, data } = await calling
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  return data
}

describe('a transfer', () => {
  it(
    'that nobody approves in time is told as such, and the whole sum is back',
    async () => {
      const before = await available()
      const { id } = await done(
        owner.post('/wallet-transfers/', {
          ...{ from_country: 'BJ', to_country: 'SN', from_amount: '5000' },
        }),
      )
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/transfers/${id}`)
        await signInAs(page, owner)
        await page.getByText('Notre équipe doit approuver ce transfert.').waitFor()
        await page.getByText(/Sans décision, toute la somme revient/).waitFor()
        await expectSound(page)
        await fixture.app.owner`
          update wallet_transfers set lapses_at = now() - interval '1 second' where id = ${id}`
        await eventually(async () => {
          const { status } = (await owner.get(`/wallet-transfers/${id}/`)).data
          expect(status).toBe('REJECTED')
        })
        await page.reload()
        await page.getByText('Personne n’a approuvé ce transfert à temps').waitFor()
        expect(await page.getByText('not approved in time').count()).toBe(0)
        await expectSound(page)
      })
      expect(await available()).toBe(before)
    },
    patience_ms,
  )
})

describe('a payout', () => {
  it(
    'that nobody approves for 72 hours ends, in words, and its sum is back',
    async () => {
      await done(owner.post('/merchant-payout-limits/', { country: 'BJ', approval_above: '10000' }))
      const before = await available()
      const { id } = await done(
        owner.post('/payouts/initialize/', {
          ...{ amount: '20000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
          recipient: { msisdn: '+2290197000010' },
        }),
      )
      expect(Number(await available())).toBeLessThan(Number(before))
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/payouts/${id}`)
        await signInAs(page, owner)
        await page.getByText(/Sans approbation, ce versement échouera dans 3.jours \(/).waitFor()
        await expectSound(page)
        await fixture.app.owner`
          update payout_approvals set lapses_at = now() - interval '1 second'
           where transaction_id = ${id}`
        // The page follows by itself.
        await page.locator('.outcome .status.failed').waitFor({ timeout: 60_000 })
        await page.getByText('L’opération a échoué').waitFor()
        expect(await page.getByText('Sans approbation').count()).toBe(0)
        await page.getByText('Personne ne l’a approuvé à temps : rien n’est parti.').waitFor()
        expect(await page.getByText('Le marchand').count()).toBe(0)
        await expectSound(page)
        await open(page, '/payouts/approvals')
        await page.getByText('Aucun versement n’attend d’accord.').waitFor()
      })
      expect(await available()).toBe(before)
    },
    patience_ms,
  )
})

describe('a payout that waits', () => {
  const sendOut = async (amount: string): Promise<string> => {
    const made = owner.post('/payouts/initialize/', {
      ...{ amount, currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
      recipient: { msisdn: newPayer('04').phone },
    })
    return (await done(made)).id
  }

  const waitsForFloat = (id: string) =>
    eventually(async () => {
      const { waiting_reason, attempts } = (await owner.get(`/transactions/${id}/`)).data
      const asked = attempts.find(({ status }: Json) => status === 'PENDING')
      if (asked) await receive(fixture.app, { shop: owner, attempt_id: asked.id }, noFloat)
      expect(waiting_reason).toBe('GATEWAY_FLOAT')
    })

  it(
    'since its operator could not pay it is withdrawn; one in a queue is asked back',
    async () => {
      const { app } = fixture
      const before = await available()
      const id = await sendOut('3000')
      await waitsForFloat(id)
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/payouts/${id}`)
        await signInAs(page, owner)
        await page.getByText('notre trésorerie chez l’opérateur est insuffisante').waitFor()
        await press(page, 'Annuler la demande')
        await expectSound(page)
        await press(page, 'Annuler 3\u00a0000\u00a0FCFA')
        await page.locator('.outcome .status.failed').waitFor()
        expect(await available()).toBe(before)
        const queued = await sendOut('2000')
        await app.owner`update attempts set is_queued = true where transaction_id = ${queued}`
        await open(page, `/payouts/${queued}`)
        await press(page, 'Annuler la demande')
        await page.getByText('Nous le redemandons à l’opérateur').waitFor()
        await expectSound(page)
      })
    },
    patience_ms,
  )

  it(
    'is not withdrawn while people look into what its operator says of it',
    async () => {
      const { app } = fixture
      const id = await sendOut('3000')
      await waitsForFloat(id)
      const [asked] = await attemptsOf(owner, id)
      await receive(app, { shop: owner, attempt_id: asked?.id }, confirmed(299_900n))
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/payouts/${id}`)
        await signInAs(page, owner)
        await page.locator('.outcome').getByText('En vérification').waitFor()
        await page.locator('.acts').first().waitFor()
        const withdraw = page.getByRole('button', { name: 'Annuler la demande' })
        expect(await withdraw.count()).toBe(0)
        await agree('CHARGE_MERCHANT')
      })
    },
    patience_ms,
  )
})

/** Two of the staff agree whose it is: the merchant's again, unless it says otherwise. */
async function agree(resolution = 'CREDIT_MERCHANT'): Promise<void> {
  const [first, second] = staff
  const incident = await incidentOf(fixture.app, owner)
  await done(propose(first, incident, resolution))
  await done(confirm(second, incident))
}

describe('money that came back after it had arrived', () => {
  it(
    'is told as such: of a refund at its payment and in the list, of a payout on its page',
    async () => {
      const { app, shop } = fixture
      const payment = await paidPayment(shop)
      const given = await done(refund(owner, payment, { amount: '4000' }))
      const ended = await refundEnds(owner, given.id, 'SUCCESS')
      await receiveOfRefund(app, owner, ended.attempts[0].id, refused)
      await agree()
      const sent = await done(
        owner.post('/payouts/initialize/', {
          ...{ amount: '3000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
          recipient: { msisdn: '+2290197000110' },
        }),
      )
      await owner.becomes(sent.id, 'SUCCESS')
      const [attempt] = await attemptsOf(owner, sent.id)
      await receive(app, { shop: owner, attempt_id: attempt.id }, refused)
      await agree()
      const { returned_amount } = (await owner.get(`/transactions/${sent.id}/`)).data
      expect(Number(returned_amount)).toBeGreaterThan(0)
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, `/payments/${payment.id}`)
        await signInAs(page, owner)
        const refunded = page.locator('details.record')
        await refunded.locator('.status.returned', { hasText: 'Retourné' }).waitFor()
        expect(await refunded.getByText('Remboursé').count()).toBe(0)
        await expectSound(page)
        await open(page, '/payments/refunds')
        await page.locator('.cards .status.returned', { hasText: 'Retourné' }).waitFor()
        await open(page, `/payouts/${sent.id}`)
        await page.locator('.outcome .status.returned', { hasText: 'Retourné' }).waitFor()
        await page.getByText('Le versement est revenu').waitFor()
        expect(await page.getByText('Le versement est arrivé').count()).toBe(0)
        await expectSound(page)
        await open(page, '/payouts')
        await page.locator('.cards .status.returned', { hasText: 'Retourné' }).waitFor()
      })
    },
    patience_ms,
  )
})

const proof = new Uint8Array(Buffer.from('%PDF-1.7 paid to the merchant'))

describe('a settlement to a bank', () => {
  wholeIt(
    'is followed to its arrival, its proof read, and told when the bank sends it back',
    async () => {
      const [first, second] = staff
      await fixture.visit({ language: 'fr', width: 360 }, async (page) => {
        await open(page, '/settlements/new')
        await signInAs(page, owner)
        await page.locator('input[name=requested_amount]').fill('20 000')
        await press(page, 'Continuer')
        await press(page, 'Demander 20\u00a0000\u00a0FCFA')
        await page.waitForURL(/\/settlements\/[0-9a-f-]{36}$/)
        await page.getByText('Notre équipe vérifie ce règlement').waitFor()
        await expectSound(page)
        const id = page.url().split('/').at(-1)
        await done(first.post(`/admin/settlements/${id}/approve/`))
        await page.reload()
        await page.getByText('Le règlement est approuvé et va partir.').waitFor()
        await done(first.post(`/admin/settlements/${id}/execute/`, { gateway_reference: 'VIR-1' }))
        await done(
          first.call('POST', `/admin/settlements/${id}/proof/`, {
            headers: { 'content-type': 'application/pdf' },
            body: proof,
          }),
        )
        await page.reload()
        await page.getByText('L’argent est arrivé sur votre compte.').waitFor()
        await page.getByText('VIR-1').first().waitFor()
        await expectSound(page)
        const saved = page.waitForEvent('download')
        await press(page, 'Preuve de la banque')
        expect((await saved).suggestedFilename()).toMatch(/\.pdf$/)

        const before = await available()
        const incident = await done(
          first.post(`/admin/settlements/${id}/return/`, { note: 'The bank’s notice of today' }),
        )
        // One hand alone changes nothing that the merchant sees.
        await page.reload()
        await page.getByText('L’argent est arrivé sur votre compte.').waitFor()
        await done(second.post(`/admin/incidents/${incident.id}/confirm/`, {}))
        await page.reload()
        await page.getByText('La banque a renvoyé la somme').waitFor()
        await page.getByText('Renvoyé par la banque').waitFor()
        await expectSound(page)
        expect(Number(await available())).toBeGreaterThan(Number(before))
        await open(page, '/settlements')
        await page.getByText('Retourné', { exact: true }).first().waitFor()
      })
    },
    patience_ms,
  )
})
