// The paper of a merchant's own payment (contract: Invoice): what it requires, in its order, and
// the document, whose QR code leads to the receipt. It is a receipt until the merchant's tax
// details are complete, then an invoice. Law: an invoice's number and seller never change, and
// numbers have no gap, however many are requested at once (docs/decisions/0041).

import { setImmediate } from 'node:timers/promises'
import type { CatalogueOf } from '../catalogue/read-catalogue.ts'
import { profileIn } from '../merchants/settings/profile.ts'
import { readProfile, viewProfile } from '../merchants/settings/read-settings.ts'
import { findTaxDetails } from '../merchants/settings/store.ts'
import { hasAllDetails, type TaxDetails } from '../merchants/settings/tax-details.ts'
import { zoneAt } from '../merchants/time-zones/time-zone.ts'
import { type Db, inTransaction } from '../platform/db.ts'
import { assert, type Locale } from '../platform/errors.ts'
import type { Caller } from '../platform/http/route.ts'
import { homeOf } from '../platform/places/places.ts'
import { type Turns, turnsOf } from '../platform/turns.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { getOwnTransaction } from '../transactions/transaction-now.ts'
import { makeInvoice } from './invoice/invoice.ts'
import { makeReceipt } from './receipt.ts'
import { type ReceiptOfDeps, receiptOf, requireReceipted } from './receipt-of.ts'
import { findInvoice, findOutcome, type IssuedInvoice, insertInvoice, lockSeries } from './store.ts'

export type InvoiceDeps = ReceiptOfDeps & Readonly<{ db: Db; catalogue: CatalogueOf }>

/**
 * Each costs the process some 20 ms in one piece. One at a time of a merchant, two in LIVE: between
 * two of them whatever else waits has its turn.
 */
const ofInvoices = { of_owner: 1, waiting: 400, wait_ms: 20_000 }
const turns: Readonly<Record<Caller['environment'], Turns>> = {
  LIVE: turnsOf({ ...ofInvoices, at_once: 2 }),
  SANDBOX: turnsOf({ ...ofInvoices, at_once: 1 }),
}

export type InvoiceRequest = Readonly<{ caller: Caller; transaction_id: string; locale: Locale }>

/** The file and its name. */
export async function invoiceOf(
  deps: InvoiceDeps,
  { caller, transaction_id, locale }: InvoiceRequest,
): Promise<{ file: Buffer; filename: string }> {
  const billed = await getOwnTransaction(deps.db, caller, transaction_id)
  requireReceipted(billed)
  const [profile, outcome, place, tax, stored, catalogue] = await Promise.all([
    readProfile(deps.db, caller.merchant_id),
    findOutcome(deps.db, billed),
    receiptOf(deps, billed),
    findTaxDetails(deps.db, caller.merchant_id),
    findInvoice(deps.db, billed),
    deps.catalogue(caller.catalogue_version),
  ])
  assert(outcome !== undefined, 'a success has its moment')
  const shown = profileIn(profile, caller.environment)
  const { name, colour: brand_colour } = viewProfile(shown, deps.public_url)
  const receipt = makeReceipt(billed, { merchant: name, catalogue }, outcome)
  const time_zone = zoneAt(profile.time_zones, receipt.paid_at)
  const mayIssue = isSale(billed) && receipt.status === 'SUCCESS' && place.revoked_at === null
  const seller = tax !== undefined && mayIssue && hasAllDetails(tax) ? tax : undefined
  const issued = stored ?? (seller && (await issueInvoice(deps.db, billed, seller)))
  const bill = issued && {
    ...issued,
    time_zone: zoneAt(profile.time_zones, issued.issued_at),
  }
  const { contact } = shown
  const facts = { billed, receipt, place, time_zone, brand_colour, contact, bill }
  const invoice = makeInvoice(facts, locale)
  const { merchant_id, environment } = caller
  const file = await turns[environment](merchant_id, async () => {
    // Fonts and the PDF writer cost a start more than a tenth of its time (measured).
    const { drawInvoice } = await import('./invoice/draw-invoice.ts')
    const drawn = await drawInvoice(invoice)
    await setImmediate()
    return drawn
  })
  return { file, filename: `${billed.reference}.pdf` }
}

/**
 * What was withdrawn, taken back or refunded whole has no new invoice; one that was issued stays. A
 * top-up has none: the merchant's own money is no revenue.
 */
const isSale = ({ transaction_type, refunded_amount, debited_amount }: Transaction): boolean =>
  transaction_type === 'PAIEMENT' && refunded_amount < debited_amount

/** Of many requests at once one issues it, and all get it. */
const issueInvoice = (db: Db, billed: Transaction, seller: TaxDetails): Promise<IssuedInvoice> =>
  inTransaction(homeOf(db, billed.merchant_id), async (tx) => {
    const { merchant_id, environment, id } = billed
    await lockSeries(tx, { merchant_id, environment })
    await insertInvoice(tx, { merchant_id, environment, id }, seller)
    const issued = await findInvoice(tx, billed)
    assert(issued !== undefined, 'an invoice is found or issued')
    return issued
  })
